package matrix

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/scratch"
)

// RowSums are the row sums of A without its diagonal, or with loops of A + I.
func RowSums(ctx context.Context, a *kernel.CSR[float64], loops bool) ([]float64, error) {
	sums := make([]float64, a.Rows)
	return sums, EachRow(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		degree, loop := Degree(i, cols, vals)
		if loops {
			degree = degree + 1 + loop
		}
		sums[i] = degree
	})
}

// Normalized returns D^-½ B D^-½ with D = diag(B·1): B is A without its diagonal, or with loops A + I.
// A row that sums to zero becomes zero. The only error is ctx's.
func Normalized(ctx context.Context, a *kernel.CSR[float64], loops bool) (*kernel.CSR[float64], error) {
	sums, err := RowSums(ctx, a, loops)
	if err != nil {
		return nil, err
	}
	loop := 0.0
	if loops {
		loop = 1
	}
	scale := make([]float64, a.Rows)
	w := &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int64, a.Rows+1)}
	if err := EachRow(ctx, a, func(i int) {
		if d := sums[i]; d > 0 {
			scale[i] = 1 / math.Sqrt(d)
		}
		cols, _ := a.Row(i)
		w.Ptr[i+1] = int64(len(cols)) + int64(loop)
		if _, found := slices.BinarySearch(cols, int32(i)); found {
			w.Ptr[i+1]--
		}
	}); err != nil {
		return nil, err
	}
	if err := makeEntriesIn(scratch.Of(ctx), w); err != nil {
		return nil, err
	}
	return w, EachRow(ctx, a, func(i int) {
		cols, vals := a.Row(i)
		to, out := w.Row(i)
		put := func(j int, weight float64) {
			to[0], out[0] = int32(j), Scaled(weight, scale[i], scale[j])
			to, out = to[1:], out[1:]
		}
		self := loop
		for q, j := range cols {
			weight := 1.0
			if vals != nil {
				weight = vals[q]
			}
			switch {
			case int(j) == i && loops:
				self += weight
				continue
			case int(j) == i:
				continue
			case int(j) > i && self > 0:
				put(i, self)
				self = 0
			}
			put(int(j), weight)
		}
		if self > 0 {
			put(i, self)
		}
	})
}
