package dataset

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"coles"
	"coles/internal/scratch"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// edgeFiles holds the content of an edge list's files; slices with an entry a node are in the order of
// the nodes.
type edgeFiles struct {
	nodes    *nodeIDs
	features mat.Matrix // dense ones are NaN at a gap; nodes after the last row have none
	names    []string   // of the features
	table    *table.Table
	edges    edgeSet
	class    []string // "" for none; nil without labels

	featuresFile, edgesFile string // in errors
}

// scratchHeld is enough for the pages into which a sort deals edges.
const scratchHeld = 512 << 20

// collect reads edges by way of read, to where the options say.
func (o EdgeListOptions) collect(read func(l *edgeFiles) (*Dataset, error)) (*Dataset, error) {
	l := &edgeFiles{nodes: newNodeIDs()}
	if o.Scratch == "" || !o.Undirected {
		return read(l)
	}
	space, err := scratch.Open(o.Scratch, scratchHeld)
	if err != nil {
		return nil, fmt.Errorf("dataset: scratch: %w", err)
	}
	l.edges.space = space
	d, err := read(l)
	if err != nil {
		return nil, errors.Join(err, space.Close())
	}
	d.release = space.Close
	return d, nil
}

// nameNodes numbers nodes that are all there are.
func (l *edgeFiles) nameNodes(ids []string, rows int) error {
	switch {
	case ids == nil && rows == 0:
		return nil
	case ids != nil && rows > 0 || l.features != nil || l.table != nil:
		return fmt.Errorf("%w: the nodes are named by more than one of Nodes, Rows and the file of features", coles.ErrSetting)
	}
	l.nodes.span = rows
	for i, id := range ids {
		if row, _ := l.nodes.number(id); row < i || id == "" || !utf8.ValidString(id) {
			return fmt.Errorf("%w: node %d, %q, is empty, given twice or not UTF-8", coles.ErrIDs, i, id)
		}
	}
	l.nodes.closed = "unknown node"
	return nil
}
