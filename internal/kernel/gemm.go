package kernel

import (
	"context"
	"fmt"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// One task computes gemmRows × gemmCols entries of the result. Three
	// squares of 64 is the most that gonum's Dgemm computes without starting
	// goroutines of its own.
	gemmRows, gemmCols = 64, 192

	// gemmInner terms of the sums are added between two looks at the context:
	// less than a millisecond's work, and the factors stay in cache.
	gemmInner = 256
)

// Gemm computes c = alpha·op(a)·op(b) + beta·c, where op transposes if the
// flag says so. With beta = 0 the entries of c are not read. The cost is
// O(m·n·k) for an m × n result and sums of k terms.
func Gemm(ctx context.Context, transA, transB bool, alpha float64, a, b blas64.General, beta float64, c blas64.General) error {
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
	if m == 0 || n == 0 {
		return ctx.Err()
	}
	down, across := ceilDiv(m, gemmRows), ceilDiv(n, gemmCols)
	return parallel.For(ctx, down*across, func(t int) {
		i, j := t/across*gemmRows, t%across*gemmCols
		rows, cols := min(gemmRows, m-i), min(gemmCols, n-j)
		tile := View(c, i, j, rows, cols)
		if k == 0 {
			scale(beta, tile)
			return
		}
		by := beta
		for l := 0; l < k && ctx.Err() == nil; l += gemmInner {
			inner := min(gemmInner, k-l)
			blas64.Gemm(transpose(transA), transpose(transB), alpha,
				opView(transA, a, i, l, rows, inner), opView(transB, b, l, j, inner, cols), by, tile)
			by = 1
		}
	})
}

// scale multiplies c by beta; by zero without reading it.
func scale(beta float64, c blas64.General) {
	for i := range c.Rows {
		r := row(c, i)
		if beta == 0 {
			clear(r)
			continue
		}
		for j := range r {
			r[j] *= beta
		}
	}
}

// opView is the stored form of the given part of op(a).
func opView(trans bool, a blas64.General, i, j, rows, cols int) blas64.General {
	if trans {
		return View(a, j, i, cols, rows)
	}
	return View(a, i, j, rows, cols)
}

func transpose(trans bool) blas.Transpose {
	if trans {
		return blas.Trans
	}
	return blas.NoTrans
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
