package kernel

import (
	"context"
	"fmt"
)

// Gemm computes c = alpha·op(a)·op(b) + beta·c, where op transposes if the
// flag says so. With beta = 0 the entries of c are not read, with alpha = 0
// those of a and b. The cost is O(m·n·k) for an m × n result and sums of k
// terms. Few sums of many terms (m·n ≤ 2¹⁶, k ≥ 512) take up to 32·m·n numbers of
// memory for partial sums.
func Gemm[T Float](ctx context.Context, transA, transB bool, alpha T, a, b Matrix[T], beta T, c Matrix[T]) error {
	return gemm(ctx, transA, transB, alpha, a, b, beta, c)
}

// GemmWide is Gemm for factors in float32 and a result in float64. Blocks of at
// most 256 terms are summed in float32 and the blocks in float64, at the speed
// of the former: the error of a sum of k terms is that of one of 256, however
// large k is.
func GemmWide(ctx context.Context, transA, transB bool, alpha float64, a, b Matrix[float32], beta float64, c Matrix[float64]) error {
	return gemm(ctx, transA, transB, alpha, a, b, beta, c)
}

func gemm[S, T Float](ctx context.Context, transA, transB bool, alpha T, a, b Matrix[S], beta T, c Matrix[T]) error {
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
	p := product[S, T]{
		path: active, shape: shapeOf[S](active), m: m, n: n, k: k,
		alpha: alpha, a: operandOf(transA, a), b: operandOf(transB, b), beta: beta, c: c,
	}
	if p.isSmall() {
		p.small()
		return ctx.Err()
	}
	shared := p // between goroutines, and so on the heap
	return shared.run(ctx)
}
