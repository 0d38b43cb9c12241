// Package edgeset collects edges by the rows of their ends.
package edgeset

import (
	"context"
	"iter"

	"coles"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/scratch"

	"github.com/james-bowman/sparse"
)

// A Set holds edges, by the rows of their ends, in blocks: none is moved as more come.
type Set struct {
	Space  *scratch.Space // of the blocks, nil for memory
	blocks []block
	Count  int
}

// A block has 32 bits an end, as long as the number of edges in each row is not known.
type block struct {
	from, to []int32
	weights  []float64 // nil if all are 1
}

// Add appends an edge and, where all have one, its weight.
func (s *Set) Add(u, v int32, weight ...float64) error {
	return s.AddRows([]uint64{uint64(u), uint64(v)}, weight)
}

// AddRows appends edges by the rows of both ends, one after the other. Its error is the space's.
func (s *Set) AddRows(ends []uint64, weights []float64) error {
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
		s.Count, ends = s.Count+more, ends[2*more:]
	}
	return nil
}

// First is the first edge of a set that has one.
func (s *Set) First() (u, v int) { return int(s.blocks[0].from[0]), int(s.blocks[0].to[0]) }

// Unweigh has all weights be 1.
func (s *Set) Unweigh() {
	for k := range s.blocks {
		s.blocks[k].weights = nil
	}
}

// Dropped counts edges that a graph of n nodes leaves out, self loops and others of weight 0, and nodes without any other.
func (s *Set) Dropped(n int) (loops, zeros, isolated int) {
	has := make([]bool, n)
	for _, b := range s.blocks {
		for k, u := range b.from {
			switch v := b.to[k]; {
			case u == v:
				loops++
			case b.weights != nil && b.weights[k] == 0:
				zeros++
			default:
				has[u], has[v] = true, true
			}
		}
	}
	for _, has := range has {
		if !has {
			isolated++
		}
	}
	return loops, zeros, isolated
}

// grow adds a block.
func (s *Set) grow(weighted bool) error {
	room := min(max(256, s.Count), 1<<16)
	if s.Space != nil {
		room = 1 << 20 // of a file each
	}
	ends, err := scratch.Make[int32](s.Space, 2*room)
	if err != nil {
		return err
	}
	b := block{from: ends[:0:room], to: ends[room:room]}
	if weighted && s.Space != nil {
		if b.weights, err = scratch.Make[float64](s.Space, room); err != nil {
			return err
		}
		b.weights = b.weights[:0]
	}
	s.blocks = append(s.blocks, b)
	return nil
}

// Graph is the graph of the edges between n nodes, which lies where they do, and how many were given again.
func (s *Set) Graph(n int, ids []string, repeats string) (*coles.Graph, int, error) {
	if s.Space == nil {
		g, err := inside.FromEdges(n, s.parts(), coles.WithIDs(ids), coles.WithRepeats(repeats))
		if err != nil {
			return nil, 0, err
		}
		return g, g.Report().DuplicatesMerged, nil
	}
	weighted, at := false, 0
	for e, w := range s.All() {
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
	ctx := scratch.With(context.Background(), s.Space)
	a, again, _, err := matrix.FromEntries(ctx, n, parts, s.Count, weighted, matrix.Repeats(repeats))
	if err != nil {
		return nil, 0, err
	}
	g, err := inside.FromRows(a.Ptr, a.Col, a.Val, coles.WithIDs(ids))
	return g, again, err
}

// parts are the edges with their weights, in the order in which they came.
func (s *Set) parts() []iter.Seq2[coles.Edge, float64] {
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

// All yields all parts, one after the other.
func (s *Set) All() iter.Seq2[coles.Edge, float64] {
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

// Move gives each end another row, and leaves out edges with an end whose row is below 0.
func (s *Set) Move(row []int32) {
	s.Count = 0
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
		s.Count += kept
	}
}

// CSR sorts the edges into the rows of a matrix, keeping their order within a row.
func (s *Set) CSR(rows, cols int) *sparse.CSR {
	indptr := make([]int, rows+1)
	for e := range s.All() {
		indptr[e.U+1]++
	}
	for i := range rows {
		indptr[i+1] += indptr[i]
	}
	ind, data := make([]int, s.Count), make([]float64, s.Count)
	next := append([]int(nil), indptr[:rows]...)
	for e, weight := range s.All() {
		p := next[e.U]
		next[e.U]++
		ind[p], data[p] = e.V, weight
	}
	return sparse.NewCSR(rows, cols, indptr, ind, data)
}

// Compressed sorts entries into rows, keeping their order within a row. Without values each is 1.
func Compressed(rows, cols int, is, js []int32, values []float64) *sparse.CSR {
	return (&Set{blocks: []block{{is, js, values}}, Count: len(is)}).CSR(rows, cols)
}

// JoinRepeats counts entries of a row at the place of an earlier one, and joins them as [coles.WithRepeats] does. Those that
// add up stay for the graph, as the other direction of an edge has a say in it.
func JoinRepeats(m *sparse.CSR, repeats string) (again int) {
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
