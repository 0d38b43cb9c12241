package kernel

import (
	"context"
	"fmt"

	"coles/internal/parallel"
)

// Convert copies src into dst, of the same size, each number rounded to the
// nearest of dst's type.
func Convert[D, S Float](ctx context.Context, dst Matrix[D], src Matrix[S]) error {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(fmt.Sprintf("kernel: %d×%d converted into %d×%d", src.Rows, src.Cols, dst.Rows, dst.Cols))
	}
	if src.Cols == 0 {
		return ctx.Err()
	}
	const grain = 1 << 16
	return parallel.Ranges(ctx, src.Rows, max(1, grain/src.Cols), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			convert(active, row(dst, i), row(src, i))
		}
	})
}

// ConvertCSR is a with its values rounded to the nearest of another type; it
// shares the places of the entries with a.
func ConvertCSR[D, S Float](a *CSR[S]) *CSR[D] {
	val := make([]D, len(a.Val))
	if len(val) > 0 {
		convert(active, val, a.Val)
	}
	return &CSR[D]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: val}
}

func portableConvert[D, S Float](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = D(v)
	}
}
