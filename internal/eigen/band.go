package eigen

import (
	"context"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// bandWidth is the number of diagonals above the main one that the first of
	// two stages leaves. The wider the band, the less often the matrix is read
	// from memory; the work of the second stage grows in proportion. At order
	// 3703, widths of 32, 48 and 64 took 1.25, 1.19 and 1.15 s in both.
	bandWidth = 64

	// panelPart rows of a panel are cleared one after the other before the
	// others are updated by a product.
	panelPart = 8

	// mirrorStrip rows of a symmetric matrix are multiplied at once by two
	// blocks, the second time from the cache.
	mirrorStrip = 256
)

// banded is a symmetric matrix with b diagonals above the main one, with room
// for as many above these that the chase of a bulge fills: entry (i, j),
// i ≤ j < i+2b, is data[i·2b + j]. So every block above the diagonal is a
// matrix of rows that are 2b numbers apart.
type banded struct {
	n, b int
	data []float64
}

func newBanded(n, b int) banded {
	return banded{n, b, make([]float64, n*(2*b+1))}
}

// from is the memory from entry (i, j) on.
func (m banded) from(i, j int) []float64 { return m.data[i*2*m.b+j:] }

// reduceToBand overwrites the upper triangle of a, entries of magnitude at most
// about 1, so that a = Q·B·Qᵀ with a matrix B of b diagonals above the main one
// and Q = H₀·H₁⋯, H_j = I − tau[j]·v_j·v_jᵀ, where v_j is zero up to entry
// j+b−1 and row j of a from entry j+b on. What is below the diagonal is neither
// read nor written. Nearly all of the 4n³/3 operations are products of matrices
// (Bischof, Lang and Sun 2000: b rows at a time are multiplied from
// the right by the reflections that make them a triangle, and what is below
// and to the right of them from both sides).
func reduceToBand(ctx context.Context, a matrix, b int) (band banded, tau []float64, err error) {
	n := a.Rows
	band = newBanded(n, b)
	tau = make([]float64, max(0, n-b))
	r := newBandReduction(a, b)
	for j := 0; j < n; j += b {
		rows := min(b, n-j)
		count := min(rows, max(0, n-j-b))
		if count > 0 {
			if err := r.panel(ctx, j, tau[j:j+count], band); err != nil {
				return band, tau, err
			}
		}
		for p := range rows {
			i := j + p
			copy(band.from(i, i), row(a, i)[i:min(n, j+b)])
			// To the left of its reflection a row is final.
			copy(band.from(i, min(n, j+b)), row(a, i)[min(n, j+b):min(n, i+b)])
		}
	}
	return band, tau, ctx.Err()
}

// bandReduction is the work space of reduceToBand.
type bandReduction struct {
	a      matrix
	b      int
	v      matrix // b × n: the vectors of the reflections of a panel
	y      matrix // n × b: the matrix times them
	vw, wv matrix // 2b × n
	mirror matrix // a diagonal block with both triangles
}

func newBandReduction(a matrix, b int) *bandReduction {
	n := a.Rows
	return &bandReduction{
		a: a, b: b,
		v: kernel.Dense[float64](b, n), y: kernel.Dense[float64](n, b),
		vw: kernel.Dense[float64](2*b, n), wv: kernel.Dense[float64](2*b, n),
		mirror: kernel.Dense[float64](mirrorStrip, mirrorStrip),
	}
}

// panel clears len(tau) rows from row j on to the right of the band, and
// multiplies the rest of the matrix by the reflections from both sides.
func (r *bandReduction) panel(ctx context.Context, j int, tau []float64, band banded) error {
	s := j + r.b
	m, count := r.a.Rows-s, len(tau)
	rows := kernel.View(r.a, j, s, min(r.b, r.a.Rows-j), m)
	v := kernel.View(r.v, 0, 0, count, m)
	if err := r.triangle(ctx, rows, v, tau, func(p int, beta float64) { band.from(j+p, s+p)[0] = beta }); err != nil {
		return err
	}
	factor, err := blockFactor(ctx, v, tau)
	if err != nil {
		return err
	}
	return r.update(ctx, kernel.View(r.a, s, s, m, m), v, factor)
}

// triangle makes the first len(tau) of some rows a lower triangle, by
// reflections from the right whose vectors it leaves in the rows and, with the
// zeros before them, in v. Their last entries, on the diagonal, go to edge.
func (r *bandReduction) triangle(ctx context.Context, rows, v matrix, tau []float64, edge func(p int, beta float64)) error {
	m := rows.Cols
	for lo := 0; lo < len(tau); lo += panelPart {
		hi := min(len(tau), lo+panelPart)
		for p := lo; p < hi; p++ {
			x := row(rows, p)[p:]
			var beta float64
			beta, tau[p] = reflector(x)
			edge(p, beta)
			for q := p + 1; q < hi; q++ {
				y := vector(row(rows, q)[p:])
				blas64.Axpy(-tau[p]*blas64.Dot(vector(x), y), vector(x), y)
			}
			clear(row(v, p)[:p])
			copy(row(v, p)[p:], x)
		}
		if hi == rows.Rows {
			return ctx.Err()
		}
		part := kernel.View(v, lo, lo, hi-lo, m-lo)
		factor, err := blockFactor(ctx, part, tau[lo:hi])
		if err != nil {
			return err
		}
		// X·(I − VᵀTV) for the rows X below.
		below := kernel.View(rows, hi, lo, rows.Rows-hi, m-lo)
		c, d := kernel.Dense[float64](below.Rows, hi-lo), kernel.Dense[float64](below.Rows, hi-lo)
		if err := kernel.Gemm(ctx, false, true, 1, below, part, 0, c); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, c, factor, 0, d); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, -1, d, part, 1, below); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// update replaces the symmetric matrix a by (I − VᵀTV)ᵀ·a·(I − VᵀTV), which is
// a − W·V − Vᵀ·Wᵀ with Y = a·Vᵀ, core = Tᵀ·(V·Y)·T and W = Y·T − ½·Vᵀ·core.
func (r *bandReduction) update(ctx context.Context, a, v, factor matrix) error {
	m, count := a.Rows, v.Rows
	tall, err := kernel.Transposed(ctx, v)
	if err != nil {
		return err
	}
	y := kernel.View(r.y, 0, 0, m, count)
	if err := r.symm(ctx, a, tall, y); err != nil {
		return err
	}
	vy, half, core := kernel.Dense[float64](count, count), kernel.Dense[float64](count, count), kernel.Dense[float64](count, count)
	if err := kernel.Gemm(ctx, false, false, 1, v, y, 0, vy); err != nil {
		return err
	}
	if err := kernel.Gemm(ctx, true, false, 1, factor, vy, 0, half); err != nil {
		return err
	}
	if err := kernel.Gemm(ctx, false, false, 1, half, factor, 0, core); err != nil {
		return err
	}
	// Wᵀ = Tᵀ·Yᵀ − ½·core·V; vw and wv are V over Wᵀ and Wᵀ over V.
	vw, wv := kernel.View(r.vw, 0, 0, 2*count, m), kernel.View(r.wv, 0, 0, 2*count, m)
	w := kernel.Rows(vw, count, 2*count)
	if err := kernel.Gemm(ctx, true, true, 1, factor, y, 0, w); err != nil {
		return err
	}
	if err := kernel.Gemm(ctx, false, false, -0.5, core, v, 1, w); err != nil {
		return err
	}
	kernel.Copy(kernel.Rows(vw, 0, count), v)
	kernel.Copy(kernel.Rows(wv, 0, count), w)
	kernel.Copy(kernel.Rows(wv, count, 2*count), v)
	return kernel.Gram(ctx, -1, vw, wv, a)
}

// symm computes y = a·x from the upper triangle of a. Each strip of rows is
// taken as it is and as the columns that mirror it.
func (r *bandReduction) symm(ctx context.Context, a, x, y matrix) error {
	n := a.Rows
	for i := range n {
		clear(row(y, i))
	}
	for lo := 0; lo < n; lo += mirrorStrip {
		hi := min(n, lo+mirrorStrip)
		square := kernel.View(r.mirror, 0, 0, hi-lo, hi-lo)
		for i := range hi - lo {
			copy(row(square, i)[i:], row(a, lo+i)[lo+i:hi])
		}
		kernel.MirrorUpper(square)
		if err := kernel.Gemm(ctx, false, false, 1, square, kernel.Rows(x, lo, hi), 1, kernel.Rows(y, lo, hi)); err != nil {
			return err
		}
		if hi == n {
			break
		}
		right := kernel.View(a, lo, hi, hi-lo, n-hi)
		if err := kernel.Gemm(ctx, false, false, 1, right, kernel.Rows(x, hi, n), 1, kernel.Rows(y, lo, hi)); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, true, false, 1, right, kernel.Rows(x, lo, hi), 1, kernel.Rows(y, hi, n)); err != nil {
			return err
		}
	}
	return nil
}
