package kernel

import (
	"context"

	"coles/internal/parallel"
)

// long is the product c = alpha·qᵀ·w + beta·c, or its transpose, for a q of k × m and a w of k × n. Both have many
// rows, and one has few columns: such are the coefficients of some vectors in a basis. It reads q where it lies,
// once, in the order of its rows.
type long[S, T Float] struct {
	path *path
	shape
	m, n, k     int
	alpha, beta T
	q, w        Matrix[S]
	c           Matrix[T]
	flipped     bool // c is n × m

	columns, terms int       // of q and of its rows, in a task
	sums           Matrix[T] // m rows for each part of the terms
}

const (
	longColumns = 32 // of w, at most
	longTasks   = 16

	// longTerms terms are summed by a task at least, so that its sums are few in comparison.
	longTerms = 700

	// longRange columns of q are summed by a task at least: memory is fastest in long rows.
	longRange = 256

	// longBlock rows of q are multiplied at a time, while the same number after them is fetched.
	longBlock = 64
)

// long reports p as a long product if it is one.
func (p *product[S, T]) long() (l *long[S, T], ok bool) {
	if p.path == &portable || p.k < 2*innerBlock || p.alpha == 0 || p.a.row != 1 || p.b.col != 1 {
		return nil, false
	}
	l = &long[S, T]{
		path: p.path, shape: p.shape, m: p.m, n: p.n, k: p.k, alpha: p.alpha, beta: p.beta, c: p.c,
		q:       Matrix[S]{Rows: p.k, Cols: p.m, Stride: p.a.col, Data: p.a.data},
		w:       Matrix[S]{Rows: p.k, Cols: p.n, Stride: p.b.row, Data: p.b.data},
		flipped: p.n > p.m,
	}
	if l.flipped {
		l.m, l.n, l.q, l.w = l.n, l.m, l.w, l.q
	}
	// Less than half a vector of columns would leave most of the work undone.
	return l, l.n <= longColumns && 2*l.n > l.lanes
}

func (l *long[S, T]) run(ctx context.Context) error {
	parts := max(1, min(longTasks, l.k/longTerms/2*2))
	l.terms = parallel.Pieces(l.k, parts)
	ranges := max(1, min(l.m/longRange, longTasks/parts))
	l.columns = parallel.Pieces(parallel.Pieces(l.m, ranges), l.rows) * l.rows
	sums, release := Scratch[T](parts*l.m, l.n)
	defer release()
	l.sums = sums
	if err := parallel.For(ctx, parts*ranges, func(t int) {
		l.part(ctx, t%ranges*l.columns, t/ranges)
	}); err != nil {
		return err
	}
	const grain = 1 << 15
	return parallel.Ranges(ctx, l.m, max(1, grain/(l.n*parts)), l.add)
}

// part sums a part of the terms of the columns of q from left on. Blocks of at most innerBlock terms are summed in
// the numbers of q, and the sums of blocks in the numbers of c.
func (l *long[S, T]) part(ctx context.Context, left, part int) {
	right := min(l.m, left+l.columns)
	panels := panelsOf(l.shape, l.n)
	packed, inner := borrow[S](panels.padded()*longBlock), borrow[S]((right-left)*l.n)
	defer giveBack(packed)
	defer giveBack(inner)
	sums := l.sums.Data[(part*l.m+left)*l.n:][:(right-left)*l.n]
	start, end := part*l.terms, min(l.k, (part+1)*l.terms)
	for lo := start; lo < end && ctx.Err() == nil; lo += longBlock {
		k := min(longBlock, end-lo)
		p := product[S, S]{path: l.path, shape: l.shape, m: right - left, n: l.n, k: k, alpha: 1}
		p.a = operandOf(true, View(l.q, lo, left, k, p.m))
		p.b = operandOf(false, Rows(l.w, lo, lo+k))
		p.c = Matrix[S]{Rows: p.m, Cols: p.n, Stride: p.n, Data: *inner}
		if (lo-start)%innerBlock != 0 {
			p.beta = 1
		}
		p.packPanels(panels, 0, panels.count, 0, *packed)
		var next ahead[S]
		if lo+k+longBlock <= end {
			next = ahead[S]{l.q.Data[(lo+k)*l.q.Stride+left:], l.q.Stride, 0}
		}
		p.longTiles(panels, *packed, next)
		if last := lo + k; last == end || (last-start)%innerBlock == 0 {
			accumulate(l.path, sums, *inner, last-start > innerBlock)
		}
	}
}

// longTiles computes all tiles of a product of which b is packed.
func (p *product[S, T]) longTiles(s panels, packed []S, next ahead[S]) {
	for i := 0; i < p.m; {
		rows := p.strip(i, p.m)
		for q := range s.count {
			lo, hi := s.bounds(q)
			tile(p.path, rows, hi-lo, p.k, p.a.data[i:], 1, p.a.col, packed[lo*p.k:], s.start(q+1)-lo,
				p.c.Data[i*p.c.Stride+lo:], p.c.Stride, p.alpha, p.beta, next)
		}
		if i += rows; next.data != nil {
			next.data = next.data[min(rows, len(next.data)-1):]
		}
	}
}

// add adds the parts of the sums lo to hi, in order, to c.
func (l *long[S, T]) add(lo, hi int) {
	for i := lo; i < hi; i++ {
		sum := l.sums.Row(i)
		for part := l.m + i; part < l.sums.Rows; part += l.m {
			for j, v := range l.sums.Row(part) {
				sum[j] += v
			}
		}
		at, step := i*l.c.Stride, 1
		if l.flipped {
			at, step = i, l.c.Stride
		}
		out := l.c.Data[at:]
		for j, v := range sum {
			if v *= l.alpha; l.beta != 0 {
				v += l.beta * out[j*step]
			}
			out[j*step] = v
		}
	}
}
