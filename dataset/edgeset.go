package dataset

import (
	"context"
	"iter"

	"coles"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/scratch"

	"github.com/james-bowman/sparse"
)

// An edgeSet holds edges, by the rows of their ends, in blocks: none is moved as more come.
type edgeSet struct {
	space  *scratch.Space // of the blocks, nil for memory
	blocks []edgeBlock
	count  int
}

// An edgeBlock has 32 bits an end, as long as the number of edges in each row is not known.
type edgeBlock struct {
	from, to []int32
	weights  []float64 // nil if all are 1
}

// add appends an edge and, where all have one, its weight.
func (s *edgeSet) add(u, v int32, weight ...float64) error {
	return s.addRows([]uint64{uint64(u), uint64(v)}, weight)
}

// addRows appends edges by the rows of both ends, one after the other. Its error is the space's.
func (s *edgeSet) addRows(ends []uint64, weights []float64) error {
	for len(ends) > 0 {
		k := len(s.blocks) - 1
		if k < 0 || len(s.blocks[k].from) == cap(s.blocks[k].from) {
			if err := s.grow(len(weights) > 0); err != nil {
				return err
			}
			k++
		}
		b := &s.blocks[k]
		have := len(b.from)
		more := min(cap(b.from)-have, len(ends)/2)
		b.from, b.to = b.from[:have+more], b.to[:have+more]
		for e := range more {
			b.from[have+e], b.to[have+e] = int32(ends[2*e]), int32(ends[2*e+1])
		}
		given := min(more, len(weights))
		b.weights, weights = append(b.weights, weights[:given]...), weights[given:]
		s.count, ends = s.count+more, ends[2*more:]
	}
	return nil
}

// grow adds a block.
func (s *edgeSet) grow(weighted bool) error {
	room := min(max(256, s.count), 1<<16)
	if s.space != nil {
		room = 1 << 20 // of a file each
	}
	ends, err := scratch.Make[int32](s.space, 2*room)
	if err != nil {
		return err
	}
	b := edgeBlock{from: ends[:0:room], to: ends[room:room]}
	if weighted && s.space != nil {
		if b.weights, err = scratch.Make[float64](s.space, room); err != nil {
			return err
		}
		b.weights = b.weights[:0]
	}
	s.blocks = append(s.blocks, b)
	return nil
}

// graph is the graph of the edges between n nodes, which lies where they do, and how many were given again.
func (s *edgeSet) graph(n int, ids []string, repeats string) (*coles.Graph, int, error) {
	if s.space == nil {
		g, err := inside.FromEdges(n, s.parts(), coles.WithIDs(ids), coles.WithRepeats(repeats))
		if err != nil {
			return nil, 0, err
		}
		return g, g.Report().DuplicatesMerged, nil
	}
	weighted, at := false, 0
	for e, w := range s.all() {
		if err := matrix.CheckPair(n, at, e, w); err != nil {
			return nil, 0, err
		}
		weighted = weighted || w != 1
		at++
	}
	parts := s.parts()
	for k, part := range parts {
		parts[k] = func(yield func(coles.Edge, float64) bool) {
			for e, w := range part {
				if e.U != e.V && w != 0 && !yield(e, w) { // so that the graph has nothing to drop, for which it needs memory
					return
				}
			}
		}
	}
	ctx := scratch.With(context.Background(), s.space)
	a, again, _, err := matrix.FromEntries(ctx, n, parts, s.count, weighted, matrix.Repeats(repeats))
	if err != nil {
		return nil, 0, err
	}
	g, err := inside.FromRows(a.Ptr, a.Col, a.Val, coles.WithIDs(ids))
	return g, again, err
}

// parts are the edges with their weights, in the order in which they came.
func (s *edgeSet) parts() []iter.Seq2[coles.Edge, float64] {
	parts := make([]iter.Seq2[coles.Edge, float64], len(s.blocks))
	for q, b := range s.blocks {
		parts[q] = func(yield func(coles.Edge, float64) bool) {
			for k, u := range b.from {
				weight := 1.0
				if b.weights != nil {
					weight = b.weights[k]
				}
				if !yield(coles.Edge{U: int(u), V: int(b.to[k])}, weight) {
					return
				}
			}
		}
	}
	return parts
}

// all yields all parts, one after the other.
func (s *edgeSet) all() iter.Seq2[coles.Edge, float64] {
	return func(yield func(coles.Edge, float64) bool) {
		for _, part := range s.parts() {
			for e, weight := range part {
				if !yield(e, weight) {
					return
				}
			}
		}
	}
}

// move gives each end another row, and leaves out edges with an end whose row is below 0.
func (s *edgeSet) move(row []int32) {
	s.count = 0
	for k := range s.blocks {
		b, kept := &s.blocks[k], 0
		for e, u := range b.from {
			i, j := row[u], row[b.to[e]]
			if min(i, j) < 0 {
				continue
			}
			b.from[kept], b.to[kept] = i, j
			if b.weights != nil {
				b.weights[kept] = b.weights[e]
			}
			kept++
		}
		b.from, b.to, b.weights = b.from[:kept], b.to[:kept], b.weights[:min(kept, len(b.weights))]
		s.count += kept
	}
}

// csr sorts the edges into the rows of a matrix, keeping their order within a row.
func (s *edgeSet) csr(rows, cols int) *sparse.CSR {
	indptr := make([]int, rows+1)
	for e := range s.all() {
		indptr[e.U+1]++
	}
	for i := range rows {
		indptr[i+1] += indptr[i]
	}
	ind, data := make([]int, s.count), make([]float64, s.count)
	next := append([]int(nil), indptr[:rows]...)
	for e, weight := range s.all() {
		p := next[e.U]
		next[e.U]++
		ind[p], data[p] = e.V, weight
	}
	return sparse.NewCSR(rows, cols, indptr, ind, data)
}

// compressed sorts entries into rows, keeping their order within a row. Without values each is 1.
func compressed(rows, cols int, is, js []int32, values []float64) *sparse.CSR {
	return (&edgeSet{blocks: []edgeBlock{{is, js, values}}, count: len(is)}).csr(rows, cols)
}

// joinRepeats counts entries of a row at the place of an earlier one, and joins them as [coles.WithRepeats] does, but leaves
// those that add up for the graph, as the other direction of an edge has a say in it.
func joinRepeats(m *sparse.CSR, repeats string) (again int) {
	raw := m.RawMatrix()
	how, first := matrix.Repeats(repeats), make([]int, raw.J) // of a column, from 1, beyond what rows before have
	kept := 0
	for i, lo := 0, 0; i < raw.I; i++ {
		hi, begin := raw.Indptr[i+1], kept
		for q := lo; q < hi; q++ {
			j := raw.Ind[q]
			if at := first[j] - 1; at >= begin {
				again++
				if how != matrix.Added {
					raw.Data[at] = how.Merge(raw.Data[at], raw.Data[q])
					continue
				}
			}
			raw.Ind[kept], raw.Data[kept] = j, raw.Data[q]
			kept++
			first[j] = kept
		}
		lo, raw.Indptr[i+1] = hi, kept
	}
	*m = *sparse.NewCSR(raw.I, raw.J, raw.Indptr, raw.Ind[:kept], raw.Data[:kept])
	return again
}
