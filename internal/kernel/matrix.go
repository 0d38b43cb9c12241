package kernel

import (
	"context"
	"fmt"
	"unsafe"

	"coles/internal/parallel"
)

// Float is a number type that the package computes with.
type Float interface{ float32 | float64 }

// Matrix is a dense matrix: entry (i, j) is Data[i·Stride + j], Stride ≥ Cols.
// Its fields are those of gonum's blas64.General and blas32.General, to and
// from which it converts for free.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// isDouble is a constant wherever T is known.
func isDouble[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }

// Convert copies src into dst, of the same size, each number rounded to the
// nearest of dst's type.
func Convert[D, S Float](ctx context.Context, dst Matrix[D], src Matrix[S]) error {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(fmt.Sprintf("kernel: %d×%d converted into %d×%d", src.Rows, src.Cols, dst.Rows, dst.Cols))
	}
	const grain = 1 << 16
	return parallel.Ranges(ctx, src.Rows, max(1, grain/max(1, src.Cols)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out := row(dst, i)
			for j, v := range row(src, i) {
				out[j] = D(v)
			}
		}
	})
}
