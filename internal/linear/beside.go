package linear

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// Beside is y and z side by side, z with a share of the energy where both have rows of one length.
func Beside[T kernel.Float](ctx context.Context, y kernel.Matrix[T], z kernel.Matrix[float64], share float64) (kernel.Matrix[T], error) {
	own, others := math.Sqrt(1-share), math.Sqrt(share)
	out, err := matrix.DenseIn[T](ctx, y.Rows, y.Cols+z.Cols)
	if err != nil {
		return out, err
	}
	return out, parallel.EachRow(ctx, y.Rows, func(i int) {
		row := out.Row(i)
		for j, v := range y.Row(i) {
			row[j] = T(own * float64(v))
		}
		if z.Cols > 0 { // or it has no rows either
			for j, v := range z.Row(i) {
				row[y.Cols+j] = T(others * v)
			}
		}
	})
}

// Folded has the rows of both roles of a node, which follow each other in z, side by side, with the energy of one.
func Folded(ctx context.Context, z kernel.Matrix[float64]) (kernel.Matrix[float64], error) {
	out, err := matrix.DenseIn[float64](ctx, z.Rows/2, 2*z.Cols)
	if err != nil || z.Cols == 0 {
		return out, err
	}
	return out, parallel.EachRow(ctx, out.Rows, func(i int) {
		for j := range out.Cols {
			out.Row(i)[j] = math.Sqrt(0.5) * z.Row(2*i + j/z.Cols)[j%z.Cols]
		}
	})
}
