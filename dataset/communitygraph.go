package dataset

import (
	"context"
	"slices"
	"sync"

	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

const (
	// placeTasks is the number of ranges of places that draw their edges side by side.
	placeTasks = 256
	// rowGroups is about the number of groups of rows that are sorted side by
	// side, at least rowsGrouped each: few enough for a write position of each
	// to stay in the cache, many enough for a group to.
	rowGroups   = 512
	rowsGrouped = 1 << 12
)

// A scatter puts the two entries of every edge into the part of the adjacency
// that belongs to the group of their row. Places come in an order that rows do
// not; without groups every entry would miss the cache.
type scatter struct {
	*blocks
	perTask int     // places of a task
	perRows int     // rows of a group
	next    [][]int // [task][group]: entries counted, then the position to write to
}

// adjacency draws the edges and puts them into rows.
func (g *blocks) adjacency(ctx context.Context) (*sparse.CSR, error) {
	n := g.Nodes
	s := &scatter{blocks: g}
	s.perTask = max(256, (n+placeTasks-1)/placeTasks)
	s.perRows = max(rowsGrouped, (n+rowGroups-1)/rowGroups)
	groups := (n + s.perRows - 1) / s.perRows
	s.next = make([][]int, (n+s.perTask-1)/s.perTask)
	for t := range s.next {
		s.next[t] = make([]int, groups)
	}
	err := s.each(ctx, func(next []int, i, j int32) {
		next[int(i)/s.perRows]++
		next[int(j)/s.perRows]++
	})
	if err != nil {
		return nil, err
	}
	m := newRagged(n, groups)
	total := 0
	for b := range groups {
		m.start[b] = total
		for _, next := range s.next {
			count := next[b]
			next[b] = total
			total += count
		}
	}
	m.allocate(total)
	// Until its group is sorted, an entry has its row, counted within the
	// group, where its value will be.
	err = s.each(ctx, func(next []int, i, j int32) {
		for range 2 {
			b := int(i) / s.perRows
			m.ind[next[b]], m.data[next[b]] = int(j), float64(int(i)-b*s.perRows)
			next[b]++
			i, j = j, i
		}
	})
	if err != nil {
		return nil, err
	}
	scratch := sync.Pool{New: func() any { return new(rowScratch) }}
	err = parallel.For(ctx, groups, func(b int) {
		r := scratch.Get().(*rowScratch)
		lo := b * s.perRows
		ind, data := m.group(b)
		m.kept[b] = r.sortRows(ind, data, m.indptr[lo+1:min(n, lo+s.perRows)+1])
		scratch.Put(r)
	})
	if err != nil {
		return nil, err
	}
	return m.squeeze(n), ctx.Err()
}

// each calls f for every edge, with the positions of the task that draws it.
func (s *scatter) each(ctx context.Context, f func(next []int, i, j int32)) error {
	return parallel.For(ctx, len(s.next), func(t int) {
		d, next := s.draw(), s.next[t]
		lo := t * s.perTask
		k := s.class(lo)
		for p := lo; p < min(s.Nodes, lo+s.perTask); p++ {
			if ctx.Err() != nil { // a place may have thousands of edges
				return
			}
			for p >= s.first[k+1] {
				k++
			}
			i := s.node[p]
			d.edges(ctx, p, k, func(j int32) { f(next, i, j) })
		}
	})
}

// rowScratch is what sorting a group of rows takes.
type rowScratch struct {
	end  []int   // where each row ends
	cols []int32 // the columns, row after row
}

// sortRows puts the entries of a group, ind their columns and data their rows,
// into row order, each row sorted and pairs drawn twice merged, with ones for
// values. It sets the lengths of the rows and returns their sum.
func (r *rowScratch) sortRows(ind []int, data []float64, lengths []int) int {
	r.end = slices.Grow(r.end[:0], len(lengths)+1)[:len(lengths)+1]
	r.cols = slices.Grow(r.cols[:0], len(ind))[:len(ind)]
	clear(r.end)
	for _, row := range data {
		r.end[int(row)+1]++
	}
	for i := range lengths {
		r.end[i+1] += r.end[i]
	}
	for q, row := range data { // end walks from the start of a row to its end
		r.cols[r.end[int(row)]] = int32(ind[q])
		r.end[int(row)]++
	}
	kept, start := 0, 0
	for i := range lengths {
		row := r.cols[start:r.end[i]]
		start = r.end[i]
		slices.Sort(row)
		row = slices.Compact(row)
		for _, j := range row {
			ind[kept], data[kept] = int(j), 1
			kept++
		}
		lengths[i] = len(row)
	}
	return kept
}

// ragged is a sparse matrix under construction: rows in groups that are filled
// side by side, each with room that it may not use up.
type ragged struct {
	start, kept []int // of each group: its first entry, the number of entries it keeps
	indptr      []int // indptr[i+1] is the length of row i
	ind         []int
	data        []float64
}

func newRagged(rows, groups int) *ragged {
	return &ragged{start: make([]int, groups), kept: make([]int, groups), indptr: make([]int, rows+1)}
}

func (m *ragged) allocate(entries int) {
	m.ind, m.data = make([]int, entries), make([]float64, entries)
}

// group returns the entries that group b has room for.
func (m *ragged) group(b int) ([]int, []float64) {
	hi := len(m.ind)
	if b+1 < len(m.start) {
		hi = m.start[b+1]
	}
	return m.ind[m.start[b]:hi:hi], m.data[m.start[b]:hi:hi]
}

// squeeze closes the gaps between the groups, in place.
func (m *ragged) squeeze(cols int) *sparse.CSR {
	kept := 0
	for b := range m.start {
		ind, data := m.group(b)
		copy(m.data[kept:], data[:m.kept[b]])
		kept += copy(m.ind[kept:], ind[:m.kept[b]])
	}
	rows := len(m.indptr) - 1
	for i := range rows {
		m.indptr[i+1] += m.indptr[i]
	}
	return sparse.NewCSR(rows, cols, m.indptr, m.ind[:kept:kept], m.data[:kept:kept])
}
