package kernel

import (
	"context"
	"fmt"

	"coles/internal/parallel"
)

// Gemm computes c = alpha·op(a)·op(b) + beta·c, where op transposes if its flag is set. With beta =
// 0 the entries of c are not read, with alpha = 0 the entries of a and b. The cost is O(m·n·k) for an m ×
// n result and sums of k terms. Few sums of many terms (m·n ≤ 2¹⁶, k ≥ 512) take up to 32·m·n
// numbers of memory for partial sums.
//
// With factors in float32 and a result in float64, blocks of at most 256 terms are summed in float32, and the blocks
// in float64. That has the speed of float32, and an error that does not grow with the number of blocks. A result in
// float32 needs factors in float32.
func Gemm[S, T Float](ctx context.Context, transA, transB bool, alpha T, a, b Matrix[S], beta T, c Matrix[T]) error {
	m, k := a.Rows, a.Cols
	if transA {
		m, k = k, m
	}
	kb, n := b.Rows, b.Cols
	if transB {
		kb, n = n, kb
	}
	if k != kb || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("kernel: %d×%d times %d×%d into %d×%d", m, k, kb, n, c.Rows, c.Cols))
	}
	p := newProduct(m, n, k, alpha, operandOf(transA, a), operandOf(transB, b), beta, c)
	if p.isSmall() {
		p.small()
		return ctx.Err()
	}
	if long, ok := p.long(); ok {
		return long.run(ctx)
	}
	shared := p // between goroutines, and so on the heap
	return shared.run(ctx)
}

// Gram adds alpha·aᵀ·b, known to be symmetric, to the square matrix c: a and b are r × n, c is n ×
// n. Only the upper triangle of c with its diagonal is read and written, in r·n² operations, half
// as many as in a product, summed as by [Gemm]. A small result of long sums (n ≤ 256, r ≥ 512) takes
// up to 32·n² numbers of memory for partial sums.
func Gram[S, T Float](ctx context.Context, alpha T, a, b Matrix[S], c Matrix[T]) error {
	r, n := a.Rows, a.Cols
	if b.Rows != r || b.Cols != n || c.Rows != n || c.Cols != n {
		panic(fmt.Sprintf("kernel: (%d×%d)ᵀ times %d×%d into %d×%d", r, n, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	p := newProduct(n, n, r, alpha, operandOf(true, a), operandOf(false, b), 1, c)
	p.upper = true
	return p.run(ctx)
}

// smallProduct is the number of multiplications up to which the tiles are computed one after the
// other without any preparation.
const smallProduct = 1 << 15

// isSmall reports whether p can be left to small.
func (p *product[S, T]) isSmall() bool {
	if isDouble[S]() != isDouble[T]() && p.k > innerBlock {
		return false // one tile would sum all terms in float32
	}
	work := p.m * p.n * p.k
	return 0 < work && work <= smallProduct && p.alpha != 0 && p.b.col == 1 && !p.packs
}

// small computes all tiles from the factors as they lie.
func (p *product[S, T]) small() {
	s := panelsOf(p.shape, p.n)
	for q := range s.count {
		lo, hi := s.bounds(q)
		for i := 0; i < p.m; {
			rows := p.strip(i, p.m)
			tile(p.path, rows, hi-lo, p.k, p.a.data[i*p.a.row:], p.a.row, p.a.col,
				p.b.data[lo:], p.b.row, p.c.Data[i*p.c.Stride+lo:], p.c.Stride, p.alpha, p.beta, ahead[S]{})
			i += rows
		}
	}
}

const (
	// innerBlock terms of the sums are added at once: the strips of the factors that make a tile
	// then stay in the first cache.
	innerBlock = 256

	// rowBlock rows of the first factor stay in the second cache.
	rowBlock = 192

	// columnBlock is the number of columns of the result that are computed at a time.
	columnBlock = 3072

	// packedSize is the number of entries of the second factor that are packed at a time.
	packedSize = 1 << 20

	// productTask is the number of multiplications below which work is not divided: some tens of
	// microseconds.
	productTask = 1 << 19

	// productTasks tasks are enough for sixteen processors to end at about the same time.
	productTasks = 32
)

// product is c = alpha·a·b + beta·c. With upper, only the entries (i, j) of c with j + shift ≥ i
// are read and written.
type product[S, T Float] struct {
	path        *path
	shape       // of its tiles
	m, n, k     int
	alpha, beta T
	a, b        operand[S]
	c           Matrix[T]
	upper       bool
	shift       int
}

func newProduct[S, T Float](m, n, k int, alpha T, a, b operand[S], beta T, c Matrix[T]) product[S, T] {
	if isDouble[S]() && !isDouble[T]() {
		panic("kernel: factors in float64 of a product in float32")
	}
	return product[S, T]{path: active, shape: shapeOf[S](active), m: m, n: n, k: k, alpha: alpha, a: a, b: b, beta: beta, c: c}
}

// operand is a matrix or its transpose: entry (i, j) is data[i·row + j·col].
type operand[S Float] struct {
	data     []S
	row, col int
}

func operandOf[S Float](trans bool, a Matrix[S]) operand[S] {
	if trans {
		return operand[S]{a.Data, 1, a.Stride}
	}
	return operand[S]{a.Data, a.Stride, 1}
}

// from is the part of o whose first entry is (i, j).
func (o operand[S]) from(i, j int) operand[S] {
	return operand[S]{o.data[i*o.row+j*o.col:], o.row, o.col}
}

func (p *product[S, T]) run(ctx context.Context) error {
	if p.m == 0 || p.n == 0 {
		return ctx.Err()
	}
	if p.k == 0 || p.alpha == 0 {
		p.scale()
		return ctx.Err()
	}
	if slabs := p.slabs(); slabs > 1 {
		return p.sumSlabs(ctx, slabs)
	}
	return p.inChunks(ctx)
}

// scale multiplies c by beta; by zero without reading it.
func (p *product[S, T]) scale() {
	for i := range p.m {
		r := p.c.Row(i)
		if p.upper {
			r = r[min(len(r), max(0, i-p.shift)):]
		}
		if p.beta == 0 {
			clear(r)
		} else if p.beta != 1 {
			for j := range r {
				r[j] *= p.beta
			}
		}
	}
}

// slabs is the number of parts into which the sums are cut where there are too few of them for all
// processors.
func (p *product[S, T]) slabs() int {
	if p.k < 2*innerBlock || p.m*p.n > productTask/8 {
		return 1
	}
	work := p.m * p.n * p.k / productTask
	return max(1, min(productTasks, p.k/innerBlock, work))
}

// sumSlabs computes the parts of the sums as tasks and adds them up in order.
func (p *product[S, T]) sumSlabs(ctx context.Context, slabs int) error {
	buffer := borrow[T](slabs * p.m * p.n)
	defer giveBack(buffer)
	part := func(s int) Matrix[T] {
		return Matrix[T]{Rows: p.m, Cols: p.n, Stride: p.n, Data: (*buffer)[s*p.m*p.n : (s+1)*p.m*p.n]}
	}
	start := func(s int) int { return s * p.k / slabs }
	alone := parallel.Alone(ctx)
	if err := parallel.For(ctx, slabs, func(s int) {
		q := p.terms(start(s), start(s+1))
		q.beta, q.c = 0, part(s)
		// For reports the context's error.
		_ = q.inChunks(alone)
	}); err != nil {
		return err
	}
	const grain = 1 << 15
	return parallel.Ranges(ctx, p.m, max(1, grain/(p.n*slabs)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			first := 0
			if p.upper {
				first = min(p.n, max(0, i-p.shift))
			}
			out := p.c.Row(i)[first:]
			sum := part(0).Row(i)[first:]
			for s := 1; s < slabs; s++ {
				for j, v := range part(s).Row(i)[first:] {
					sum[j] += v
				}
			}
			add(p.beta, out, sum)
		}
	})
}

// add sets out to beta·out + sum; with beta = 0 it does not read it.
func add[T Float](beta T, out, sum []T) {
	if beta == 0 {
		copy(out, sum)
		return
	}
	for j, v := range sum {
		out[j] = beta*out[j] + v
	}
}

// inChunks computes columnBlock columns at a time.
func (p *product[S, T]) inChunks(ctx context.Context) error {
	for lo := 0; lo < p.n; lo += columnBlock {
		q := *p
		q.n = min(columnBlock, p.n-lo)
		if p.upper {
			q.shift += lo
			q.m = min(p.m, q.shift+q.n)
		}
		q.b = p.b.from(0, lo)
		q.c = View(p.c, 0, lo, q.m, q.n)
		if err := q.inBlocks(ctx); err != nil {
			return err
		}
	}
	return nil
}

// inBlocks computes the blocks of the grid. If there is more than one block of rows, they share the
// packed columns of b, for as many terms at a time as packedSize allows.
func (p *product[S, T]) inBlocks(ctx context.Context) error {
	g := p.grid()
	down, across := parallel.Pieces(p.m, g.rows), parallel.Pieces(g.panels.count, g.columns)
	if down == 1 || !g.packB {
		return parallel.For(ctx, down*across, func(t int) {
			p.block(ctx, g, t/across*g.rows, t%across*g.columns, nil)
		})
	}
	terms := max(1, packedSize/(g.panels.padded()*innerBlock)) * innerBlock
	buffer := borrow[S](g.panels.padded() * min(p.k, terms))
	defer giveBack(buffer)
	for lo := 0; lo < p.k; lo += terms {
		q := p.terms(lo, min(p.k, lo+terms))
		depth := parallel.Pieces(q.k, innerBlock)
		if err := parallel.For(ctx, depth*across, func(t int) {
			lo := t / across * innerBlock
			part := q.terms(lo, min(q.k, lo+innerBlock))
			first := t % across * g.columns
			part.packPanels(g.panels, first, min(g.panels.count, first+g.columns), 0, (*buffer)[lo*g.panels.padded():])
		}); err != nil {
			return err
		}
		if err := parallel.For(ctx, down*across, func(t int) {
			q.block(ctx, g, t/across*g.rows, t%across*g.columns, *buffer)
		}); err != nil {
			return err
		}
	}
	return nil
}

// terms is the part of p that adds the terms lo to hi of the sums.
func (p product[S, T]) terms(lo, hi int) product[S, T] {
	p.k = hi - lo
	p.a, p.b = p.a.from(0, lo), p.b.from(lo, 0)
	if lo > 0 {
		p.beta = 1
	}
	return p
}
