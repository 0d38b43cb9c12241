package matrix

import (
	"context"
	"iter"
	"slices"
	"sync"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"
)

// FromPairs builds the symmetric matrix with an entry at (u, v) and (v, u) for every pair, pairs at
// the same place joined by merge. A pair with u = v is one diagonal entry. It returns how many
// pairs were joined to another. A nil weight means 1; a nil merge as well makes a pattern. The only
// error is ctx's.
func FromPairs[E ~struct{ U, V int }](ctx context.Context, n int, pairs []E, weight []float64, merge func(x, y float64) float64) (*kernel.CSR[float64], int, error) {
	g := gathering{n: n, entries: len(pairs), valued: weight != nil || merge != nil}
	a, counts, err := gather(ctx, g, PairParts(pairs, weight), func(i int, row, _ *rowPart, out rowPart) (kept int, counts [2]int) {
		row.join(merge)
		at, _ := slices.BinarySearch(row.cols, int32(i))
		counts[0] = len(row.cols) - at
		copy(out.vals, row.vals)
		return copy(out.cols, row.cols), counts
	})
	return a, len(pairs) - counts[0], err
}

// PairParts are the parts of pairs with their weights, nil for 1.
func PairParts[E ~struct{ U, V int }](pairs []E, weight []float64) []iter.Seq2[E, float64] {
	return Parts(len(pairs), func(lo, hi int, yield func(E, float64) bool) {
		for q := lo; q < hi; q++ {
			w := 1.0
			if weight != nil {
				w = weight[q]
			}
			if !yield(pairs[q], w) {
				return
			}
		}
	})
}

// Parts are the sequences of ranges that together cover [0, n), in order.
func Parts[E any](n int, each func(lo, hi int, yield func(E, float64) bool)) []iter.Seq2[E, float64] {
	size := max(1<<8, parallel.Pieces(n, mostParts))
	parts := make([]iter.Seq2[E, float64], parallel.Pieces(n, size))
	for k := range parts {
		parts[k] = func(yield func(E, float64) bool) { each(k*size, min(n, (k+1)*size), yield) }
	}
	return parts
}

// A gathering describes the entries of [gather].
type gathering struct {
	n, entries int
	valued     bool // entries have values
	apart      bool // entries and their mirrors come in two parts
}

// A rowPart holds entries of a row; of a pattern they have no values.
type rowPart struct {
	cols []int32
	vals []float64
	room []entry[float64]
}

func (r *rowPart) value(p int) float64 {
	if r.vals == nil {
		return 1
	}
	return r.vals[p]
}

// join sorts the entries and merges entries of the same column.
func (r *rowPart) join(merge func(x, y float64) float64) {
	if r.vals == nil {
		sortColumns(r.cols)
		r.cols = slices.Compact(r.cols)
		return
	}
	var kept int32
	r.room, kept = sortRow(r.room, r.cols, r.vals, merge)
	r.cols, r.vals = r.cols[:kept], r.vals[:kept]
}

const (
	// together entries of a matrix are sorted at a time, from a cache into a cache: to write each of all
	// entries where it belongs would miss it.
	together = 1 << 17

	// mostBuckets can be written to in turn with the end of each in a cache.
	mostBuckets = 1 << 12

	// mostParts of the entries are counted apart.
	mostParts = 16
)

// gather builds a symmetric matrix from entries at (u, v), each of which counts at (v, u), too. join makes a row of its
// entries in the order in which they came, and of its column's entries if mirrors come apart. It returns the row's length, and
// counts to add up. The only errors come from ctx and its space.
//
// All that has the length of the entries is in the space of the context.
//
// A bucket holds consecutive rows. Entries are brought to the bucket of their row, several parts of them at a time, and then
// each bucket is sorted.
func gather[E ~struct{ U, V int }](ctx context.Context, g gathering, entries []iter.Seq2[E, float64], join joining) (a *kernel.CSR[float64], counts [2]int, err error) {
	d := newDealing(g, entries)
	if err := d.count(ctx); err != nil {
		return nil, counts, err
	}
	begin, total := d.begin()
	a = &kernel.CSR[float64]{Rows: g.n, Cols: g.n, Ptr: make([]int64, g.n+1)}
	space := scratch.Of(ctx)
	if a.Col, err = scratch.Make[int32](space, total); err != nil {
		return nil, counts, err
	}
	if g.valued {
		if a.Val, err = unset[float64](space, total); err != nil {
			return nil, counts, err
		}
	}
	rows, err := scratch.Make[uint16](space, total) // within the bucket
	if err != nil {
		return nil, counts, err
	}
	if err := d.deal(ctx, a, rows); err != nil {
		return nil, counts, err
	}
	found := make([][2]int, d.buckets)
	storage := sync.Pool{New: func() any { return new(bucket) }}
	if err := parallel.For(ctx, d.buckets, func(k int) {
		b := storage.Get().(*bucket)
		defer storage.Put(b)
		b.sort(a, rows, [3]int(begin[2*k:2*k+3]), k<<d.shift, min((k+1)<<d.shift, g.n))
		found[k] = b.join(a, begin[2*k], join)
	}); err != nil {
		return nil, counts, err
	}
	for _, f := range found {
		counts[0], counts[1] = counts[0]+f[0], counts[1]+f[1]
	}
	d.close(a, begin)
	return a, counts, nil
}

// A dealing brings entries to the buckets of their rows.
type dealing[E ~struct{ U, V int }] struct {
	entries []iter.Seq2[E, float64]
	shift   int // 2^shift rows are a bucket, at most as many as 16 bits can number
	buckets int
	apart   int     // the side of mirrors
	next    [][]int // of each part of the entries: how many go to each side of each bucket, then where the next one goes
}

func newDealing[E ~struct{ U, V int }](g gathering, entries []iter.Seq2[E, float64]) *dealing[E] {
	d := &dealing[E]{entries: entries, next: make([][]int, min(len(entries), mostParts))}
	for d.shift < 16 && (g.n>>d.shift > mostBuckets || 2*g.entries/g.n<<(d.shift+1) <= together) {
		d.shift++
	}
	if g.apart {
		d.apart = 1
	}
	d.buckets = (g.n-1)>>d.shift + 1
	return d
}

// each calls do with the entries of every part, several parts at a time.
func (d *dealing[E]) each(ctx context.Context, do func(to []int, entries iter.Seq2[E, float64])) error {
	return parallel.For(ctx, len(d.next), func(k int) {
		if d.next[k] == nil {
			d.next[k] = make([]int, 2*d.buckets)
		}
		for q := k * len(d.entries) / len(d.next); q < (k+1)*len(d.entries)/len(d.next); q++ {
			do(d.next[k], func(yield func(E, float64) bool) {
				left := 0
				for e, v := range d.entries[q] {
					if left--; left < 0 {
						if left = together; ctx.Err() != nil {
							return
						}
					}
					if !yield(e, v) {
						return
					}
				}
			})
		}
	})
}

// count counts the entries of each side of each bucket.
func (d *dealing[E]) count(ctx context.Context) error {
	shift, apart := d.shift, d.apart
	return d.each(ctx, func(to []int, entries iter.Seq2[E, float64]) {
		for e := range entries {
			e := struct{ U, V int }(e)
			to[2*(e.U>>shift)]++
			if e.U != e.V {
				to[2*(e.V>>shift)+apart]++
			}
		}
	})
}

// begin makes places of the counts. It returns where each side of each bucket begins, and the number of entries.
func (d *dealing[E]) begin() (begin []int, total int) {
	begin = make([]int, 2*d.buckets+1)
	for side := range 2 * d.buckets {
		begin[side] = total
		for _, to := range d.next {
			to[side], total = total, total+to[side]
		}
	}
	begin[2*d.buckets] = total
	return begin, total
}

// deal writes the entries where they belong.
func (d *dealing[E]) deal(ctx context.Context, a *kernel.CSR[float64], rows []uint16) error {
	shift, apart := d.shift, d.apart
	return d.each(ctx, func(to []int, entries iter.Seq2[E, float64]) {
		put := func(side, u, v int, w float64) {
			at := to[side]
			to[side]++
			rows[at], a.Col[at] = uint16(u&(1<<shift-1)), int32(v)
			if a.Val != nil {
				a.Val[at] = w
			}
		}
		for e, w := range entries {
			e := struct{ U, V int }(e)
			put(2*(e.U>>shift), e.U, e.V, w)
			if e.U != e.V {
				put(2*(e.V>>shift)+apart, e.V, e.U, w)
			}
		}
	})
}

// close moves the rows, of lengths Ptr[i+1], together.
func (d *dealing[E]) close(a *kernel.CSR[float64], begin []int) {
	out := 0
	for k := range d.buckets {
		at := begin[2*k]
		end := at
		for i := k << d.shift; i < min((k+1)<<d.shift, a.Rows); i++ {
			end += int(a.Ptr[i+1])
			a.Ptr[i+1] += a.Ptr[i]
		}
		if a.Val != nil {
			copy(a.Val[out:], a.Val[at:end])
		}
		out += copy(a.Col[out:], a.Col[at:end])
	}
	if a.Col = a.Col[:out]; a.Val != nil {
		a.Val = a.Val[:out]
	}
}

// joining makes row i of the entries given for it.
type joining func(i int, row, mirror *rowPart, out rowPart) (kept int, counts [2]int)

// A bucket holds the entries of consecutive rows, row by row and part by part.
type bucket struct {
	lo, hi      int   // rows
	ends        []int // of the two parts of each row
	cols        []int32
	vals        []float64
	row, mirror rowPart
}

// sort takes over the entries of rows lo to hi, which stand in two parts in the order in which they came.
func (b *bucket) sort(a *kernel.CSR[float64], rows []uint16, parts [3]int, lo, hi int) {
	b.lo, b.hi = lo, hi
	size := parts[2] - parts[0]
	b.cols = slices.Grow(b.cols[:0], size)[:size]
	b.ends = slices.Grow(b.ends[:0], 2*(hi-lo)+1)[:2*(hi-lo)+1]
	clear(b.ends)
	for part := range 2 {
		for _, row := range rows[parts[part]:parts[part+1]] {
			b.ends[2*int(row)+part+1]++
		}
	}
	for k := range 2 * (hi - lo) {
		b.ends[k+1] += b.ends[k]
	}
	if a.Val != nil {
		b.vals = slices.Grow(b.vals[:0], size)[:size]
	}
	for part := range 2 {
		for k := parts[part]; k < parts[part+1]; k++ {
			at := &b.ends[2*int(rows[k])+part]
			if b.cols[*at] = a.Col[k]; a.Val != nil {
				b.vals[*at] = a.Val[k]
			}
			*at++
		}
	}
}

// join makes the rows, of which the first begins at out.
func (b *bucket) join(a *kernel.CSR[float64], out int, join joining) (counts [2]int) {
	begin := 0
	for i := b.lo; i < b.hi; i++ {
		middle, end := b.ends[2*(i-b.lo)], b.ends[2*(i-b.lo)+1]
		b.row.cols, b.mirror.cols = b.cols[begin:middle], b.cols[middle:end]
		to := rowPart{cols: a.Col[out : out+end-begin]}
		if a.Val != nil {
			b.row.vals, b.mirror.vals = b.vals[begin:middle], b.vals[middle:end]
			to.vals = a.Val[out : out+end-begin]
		}
		kept, found := join(i, &b.row, &b.mirror, to)
		a.Ptr[i+1] = int64(kept)
		counts[0], counts[1] = counts[0]+found[0], counts[1]+found[1]
		out, begin = out+kept, end
	}
	return counts
}
