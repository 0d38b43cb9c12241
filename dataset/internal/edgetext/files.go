package edgetext

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgeset"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/table"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// options say how text is read.
type options struct{ parse.Options }

// check checks the settings.
func (o options) check() error {
	if how := []string{"", "error", "zero", "mean", "drop"}; !slices.Contains(how, o.Missing) {
		return setting.Bad("Missing", o.Missing, "error, zero, mean or drop")
	} else if !slices.Contains(how, o.MissingRows) {
		return setting.Bad("MissingRows", o.MissingRows, "error, zero, mean or drop")
	}
	if !slices.Contains([]string{"", "sum", "max", "first"}, o.Repeats) {
		return setting.Bad("Repeats", o.Repeats, "sum, max or first")
	}
	if o.Rows < 0 || o.Rows > bounds.Dim {
		return setting.Bad("Rows", o.Rows, "0 to %d", bounds.Dim)
	}
	if o.Width < 0 || o.Width > bounds.Dim {
		return setting.Bad("Width", o.Width, "0 to %d", bounds.Dim)
	}
	if len(o.Columns) == 0 {
		return nil
	}
	columns := slices.Sorted(slices.Values(o.Columns))
	if len(columns) < 2 || len(columns) > 3 || columns[0] < 1 || len(slices.Compact(columns)) < len(o.Columns) {
		return setting.Bad("Columns", o.Columns, "two for the ids and perhaps one for the weight, counted from 1")
	}
	return nil
}

func (o options) wantsTable() bool { return o.Kinds != nil || o.wantsCells() }

// wantsCells reports whether there is an encoder of cells.
func (o options) wantsCells() bool { return o.Encoder != nil && !o.Encoder.AsIs() }

// Files is what files of text hold; slices with an entry a node are in the order of the nodes.
type Files struct {
	Adjacency    *sparse.CSR
	Kinds        map[string]*sparse.COO
	Undirected   *coles.Graph // instead, where the options ask for it
	Features     mat.Matrix   // while they are read, dense ones are NaN at a gap, and nodes after the last row have none
	FeatureNames []string
	Table        *table.Table
	Encoder      *table.Encoder
	Class        []string // "" for none; nil without labels
	IDs          []string
	Wanted       int    // nodes, the first, that Only names
	Sides        []bool // of two kinds, whether it is of the second; nil for one
	Layouts      []parse.Layout
	Release      func() error // gives back what lies in files; nil for nothing
}

// edgeFiles are Files that are being read.
type edgeFiles struct {
	Files
	nodes   *nodeIDs
	edges   edgeset.Set
	byKind  map[string]*edgeset.Set // of the edges; nil where they have none
	leaves  []bool                  // are not wanted, and have one neighbour or none
	only    []bool                  // is wanted; nil where all are
	oneKind bool                    // the names of the columns say that both ends are of one

	featuresFile, edgesFile, labelsFile string // in errors

	names       []string // of nodes beside their labels, "" for none
	namesColumn string

	told func(error) // what may be misread; nil where nobody listens
}

// nameNodes numbers nodes that are all there are, perhaps of two kinds.
func (l *edgeFiles) nameNodes(ids []string, rows int, kinds bool) error {
	switch {
	case ids == nil && rows == 0:
		return nil
	case ids != nil && rows > 0 || l.Features != nil || l.Table != nil:
		return setting.Bad("Nodes", nil, "only one of Nodes, Rows and a file of features, which name the nodes")
	}
	l.nodes.span = rows
	for i, id := range ids {
		if row, _ := l.nodes.number(id); row < i || id == "" || !utf8.ValidString(id) {
			return fmt.Errorf("%w: node %d, %q, is empty, given twice or not UTF-8", coles.ErrIDs, i, id)
		}
	}
	if l.nodes.closed = "unknown node"; kinds {
		l.nodes.alias()
	}
	return nil
}

// isCSV reports whether a file is called so, gzipped or not.
func isCSV(file string) bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(file), ".gz"), ".csv")
}
