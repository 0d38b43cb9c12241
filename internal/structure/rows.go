package structure

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// Rows are the features of all nodes of a graph, by their places, −1 for an unknown node. A node without an edge to a known
// one has zeros. Rows also reports whether there is such an edge.
func (s *Structure) Rows(ctx context.Context, a *kernel.CSR[float64], place []int32) (x kernel.Matrix[float32], some bool, err error) {
	l := &kernel.CSR[float32]{Rows: a.Rows, Cols: s.Encoder.Rows, Ptr: make([]int64, a.Rows+1)}
	for i := range l.Rows {
		l.Ptr[i+1] = l.Ptr[i]
		eachNeighbour(a, i, func(_, j int, _ float64) {
			if s.tells(place[j]) {
				l.Ptr[i+1]++
			}
		})
	}
	l.Col, l.Val = make([]int32, l.Ptr[l.Rows]), make([]float32, l.Ptr[l.Rows])
	err = matrix.EachRow(ctx, l, func(i int) {
		cols, vals := l.Row(i)
		weights := make([]float64, 0, len(cols))
		eachNeighbour(a, i, func(_, j int, w float64) {
			if s.tells(place[j]) {
				cols[len(weights)] = place[j]
				weights = append(weights, w)
			}
		})
		s.ratios(vals, cols, weights)
	})
	if err != nil {
		return x, false, err
	}
	x, err = s.times(ctx, l)
	return x, len(l.Col) > 0, err
}

// Row is Rows for one more node, by the places of its known neighbours and the weights of edges, or nil.
func (s *Structure) Row(ctx context.Context, places []int32, weights []float64) (x kernel.Matrix[float32], err error) {
	l := &kernel.CSR[float32]{Rows: 1, Cols: s.Encoder.Rows}
	kept := make([]float64, 0, len(places))
	for q, j := range places {
		w := 1.0
		if weights != nil {
			w = weights[q]
		}
		if err := matrix.CheckPair(l.Cols, q, struct{ U, V int }{int(j), int(j)}, w); err != nil {
			return x, err
		}
		if s.tells(j) && w > 0 {
			l.Col, kept = append(l.Col, j), append(kept, w)
		}
	}
	l.Ptr, l.Val = []int64{0, int64(len(kept))}, make([]float32, len(kept))
	s.ratios(l.Val, l.Col, kept)
	return s.times(ctx, l)
}

// tells reports whether an edge to the node in a place says anything of its other end.
func (s *Structure) tells(place int32) bool { return place >= 0 && s.Logs[place] < 0 }

// ratios sets a row of L by the weights of a node's edges to these nodes.
func (s *Structure) ratios(vals []float32, nodes []int32, weights []float64) {
	degree := matrix.Total(weights)
	for q, j := range nodes {
		vals[q] = s.ratio(weights[q]/degree, int(j))
	}
}

func (s *Structure) times(ctx context.Context, l *kernel.CSR[float32]) (kernel.Matrix[float32], error) {
	x, err := matrix.DenseIn[float32](ctx, l.Rows, s.Encoder.Cols)
	if err != nil {
		return x, err
	}
	return x, kernel.SpMM(ctx, x, l, s.Encoder)
}

// Seated is the structure whose nodes are these places of s. It knows nothing of a node with the place −1. It is s itself if
// that is the same.
func (s *Structure) Seated(places []int32) *Structure {
	to := &Structure{Logs: make([]float64, len(places)), Encoder: kernel.Dense[float32](len(places), s.Encoder.Cols)}
	same := len(places) >= len(s.Logs)
	for i, p := range places {
		if same = same && (int(p) == i || p < 0 && i >= len(s.Logs)); p >= 0 {
			to.Logs[i] = s.Logs[p]
			copy(to.Encoder.Row(i), s.Encoder.Row(int(p)))
		}
	}
	if same {
		return s
	}
	return to
}
