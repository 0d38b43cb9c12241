package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgeset"
	"coles/internal/names"

	"github.com/james-bowman/sparse"
)

// A Builder makes a [Dataset] from names: nodes, edges, features and labels in any order. A name
// that is new makes a node, and rows are in the order in which the nodes are first named. The zero
// value is ready to use. It is not for several goroutines at once.
//
// A bad value does not stop the calls: Build returns the error of the first.
type Builder struct {
	faults
	rows     names.Index // of the ids
	ids      []string
	from, to []int32
	weights  []float64
	columns  map[string]int32 // of the features, by name
	features []string
	values   map[[2]int32]float64 // by row and column
	classes  []string             // by row, "" for none; shorter than nodes where the last ones have none
}

// AddNode adds a node, if it is not there. Only a node that nothing else names needs it.
func (b *Builder) AddNode(id string) { b.row(id) }

// AddEdge adds one entry to the adjacency, from u to v. [Dataset.Graph] adds the mirror, and the weights of an edge that
// is given again.
func (b *Builder) AddEdge(u, v string, weight float64) {
	b.finite(weight, "edge from %q to %q", u, v)
	b.from, b.to, b.weights = append(b.from, b.row(u)), append(b.to, b.row(v)), append(b.weights, weight)
}

// SetFeature sets a feature of a node by its name; a new name makes a column. What is not set is 0,
// and a second value replaces the first.
func (b *Builder) SetFeature(id, name string, value float64) {
	b.finite(value, "feature %q of node %q", name, id)
	if b.columns == nil {
		b.columns, b.values = make(map[string]int32), make(map[[2]int32]float64)
	}
	j, ok := b.columns[name]
	if !ok {
		j = int32(len(b.features))
		b.columns[name], b.features = j, append(b.features, name)
	}
	b.values[[2]int32{b.row(id), j}] = value
}

// SetLabel sets the class of a node. A second class replaces the first, and "" takes it away.
func (b *Builder) SetLabel(id, class string) {
	i := int(b.row(id))
	for len(b.classes) <= i {
		b.classes = append(b.classes, "")
	}
	b.classes[i] = class
}

// Build returns what was added so far, in memory of its own. Features are a *sparse.CSR, nil if none was set. Classes are
// numbered as by [ReadEdgeList]; a node without one has label −1. The error wraps coles.ErrIDs for an empty id,
// coles.ErrNotFinite for a bad weight or feature, coles.ErrTooLarge for more than 2²⁰ classes or 2³¹ − 1 nodes, ErrMissing
// for no nodes. Cost: O(what was added), and the sorting of each row's features.
func (b *Builder) Build() (*Dataset, error) {
	d, err := b.build()
	if err != nil {
		return nil, fmt.Errorf("dataset: build: %w", err)
	}
	return d, nil
}

func (b *Builder) build() (*Dataset, error) {
	if b.err != nil {
		return nil, b.err
	}
	if b.ids == nil {
		return nil, fmt.Errorf("%w: no node", ErrMissing)
	}
	n := len(b.ids)
	d := &Dataset{IDs: slices.Clone(b.ids), Adjacency: edgeset.Compressed(n, n, b.from, b.to, b.weights)}
	if len(b.features) > 0 {
		d.Features, d.FeatureNames = b.matrix(n), slices.Clone(b.features)
	}
	if b.classes != nil {
		if err := d.giveClasses(append(slices.Clone(b.classes), make([]string, n-len(b.classes))...)); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// matrix has the values in n rows.
func (b *Builder) matrix(n int) *sparse.CSR {
	var rows, columns []int32
	var values []float64
	for _, at := range slices.SortedFunc(maps.Keys(b.values), func(v, w [2]int32) int { return slices.Compare(v[:], w[:]) }) {
		rows, columns, values = append(rows, at[0]), append(columns, at[1]), append(values, b.values[at])
	}
	return edgeset.Compressed(n, len(b.features), rows, columns, values)
}

// row is the row of a node, which is added if it is new.
func (b *Builder) row(id string) int32 {
	hash := b.rows.Hash(id)
	i := b.rows.Find(hash, b.ids, id)
	switch {
	case id == "":
		b.fail(fmt.Errorf("%w: an empty node id", coles.ErrIDs))
		return 0
	case i < 0 && len(b.ids) == bounds.Dim:
		b.fail(fmt.Errorf("more than %d nodes: %w", bounds.Dim, coles.ErrTooLarge))
		return 0
	case i < 0:
		i = len(b.ids)
		b.ids = append(b.ids, strings.Clone(id))
		b.rows.Add(hash, i)
	}
	return int32(i)
}

func (b *Builder) finite(v float64, what string, args ...any) {
	if v-v != 0 {
		b.fail(fmt.Errorf(what+": %v: %w", append(slices.Clone(args), v, coles.ErrNotFinite)...))
	}
}
