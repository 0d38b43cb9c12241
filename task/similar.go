package task

import (
	"context"

	"coles"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// A Similar finds the nodes that are most similar to others.
type Similar struct {
	graph *coles.Graph // whose neighbours are compared; nil where vectors are
	index *near.Index
	n     int
}

// NewSimilar compares nodes by their vectors y. In a graph without features, of one kind of nodes, or for nil y it compares
// neighbours instead: the nearest vectors of a node are often its leaves. Errors: as [near.NewIndex].
func NewSimilar(ctx context.Context, d *Data, y mat.Matrix, by near.Similarity, progress coles.Progress) (*Similar, error) {
	s := &Similar{}
	if d.Graph != nil && (y == nil || d.Features == nil && d.Sides == nil) {
		s.graph, s.n = d.Graph, d.Graph.Nodes()
	}
	if y == nil {
		return s, nil
	}
	var err error
	if s.index, err = near.NewIndex(ctx, y, by); err == nil {
		s.n, _ = y.Dims()
		s.index.Progress = progress
	}
	return s, err
}

// Nodes is how many nodes are compared.
func (s *Similar) Nodes() int { return s.n }

// Rows are the k nodes most similar to each of these, or all others, best first. Errors: as [near.Index.Rows] and
// [near.Alike].
func (s *Similar) Rows(ctx context.Context, rows []int, k int) ([][]near.Match, error) {
	if k = min(k, s.n-1); k == 0 {
		return make([][]near.Match, len(rows)), nil
	}
	if s.graph != nil {
		return near.Alike(ctx, s.graph, rows, k)
	}
	return s.index.Rows(ctx, rows, k)
}

// Index has the vectors, for questions by a vector.
func (s *Similar) Index() *near.Index { return s.index }

// ByVectors reports whether vectors are compared, not neighbours.
func (s *Similar) ByVectors() bool { return s.graph == nil }
