package kernel

import (
	"context"
	"fmt"
)

// Gram adds alpha·aᵀ·b, known to be symmetric, to the square matrix c:
// a and b are r × n, c is n × n. Only the diagonal of c and what lies above it
// is read and written, for half the work of a product: r·n² operations. A small
// result of long sums (n ≤ 256, r ≥ 512) takes up to 32·n² numbers of memory
// for partial sums.
func Gram[T Float](ctx context.Context, alpha T, a, b, c Matrix[T]) error {
	return gram(ctx, alpha, a, b, c)
}

// GramWide is Gram for factors in float32 and a result in float64, summed as by
// [GemmWide].
func GramWide(ctx context.Context, alpha float64, a, b Matrix[float32], c Matrix[float64]) error {
	return gram(ctx, alpha, a, b, c)
}

func gram[S, T Float](ctx context.Context, alpha T, a, b Matrix[S], c Matrix[T]) error {
	r, n := a.Rows, a.Cols
	if b.Rows != r || b.Cols != n || c.Rows != n || c.Cols != n {
		panic(fmt.Sprintf("kernel: (%d×%d)ᵀ times %d×%d into %d×%d", r, n, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	p := product[S, T]{
		path: active, shape: shapeOf[S](active), m: n, n: n, k: r,
		alpha: alpha, a: operandOf(true, a), b: operandOf(false, b), beta: 1, c: c,
		upper: true,
	}
	return p.run(ctx)
}
