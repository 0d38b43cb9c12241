package linear

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Beside is y and z side by side, z with a share of the energy where both have rows of one length.
func Beside[T kernel.Float](ctx context.Context, y kernel.Matrix[T], z *mat.Dense, share float64) (kernel.Matrix[T], error) {
	own, others := math.Sqrt(1-share), math.Sqrt(share)
	more := kernel.Matrix[float64](z.RawMatrix())
	out := kernel.Unset[T](y.Rows, y.Cols+more.Cols)
	return out, parallel.EachRow(ctx, y.Rows, func(i int) {
		row := out.Row(i)
		for j, v := range y.Row(i) {
			row[j] = T(own * float64(v))
		}
		for j, v := range more.Row(i) {
			row[y.Cols+j] = T(others * v)
		}
	})
}

// Folded has the rows of both roles of a node, which follow each other in z, side by side, with the energy of one.
func Folded(z *mat.Dense) *mat.Dense {
	if z.IsEmpty() {
		return z
	}
	n, columns := z.Dims()
	both := mat.NewDense(n, columns, nil)
	both.Scale(math.Sqrt(0.5), z)
	return mat.NewDense(n/2, 2*columns, both.RawMatrix().Data)
}
