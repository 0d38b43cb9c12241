// Package baselines has the untrained baselines of the COLES paper's tables: spectral
// embeddings for clusters, and random projections.
package baselines

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// read checks a matrix from outside, which has to have rows and columns. It returns x times a power of two,
// scale, where sums of squares of x would vanish or overflow.
func read(ctx context.Context, x mat.Matrix) (f *matrix.Matrix[float64], scale float64, err error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, 0, err
	}
	if s.Rows() == 0 || s.Cols() == 0 {
		return nil, 0, fmt.Errorf("%w: the matrix is %d × %d", coles.ErrShape, s.Rows(), s.Cols())
	}
	largest, err := s.Largest(ctx)
	if err != nil {
		return nil, 0, err
	}
	scale = 1
	if largest != 0 && (largest < 1e-100 || largest > 1e100) {
		scale = math.Ldexp(1, -max(math.Ilogb(largest), -1000))
		s = s.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, scale) })
	}
	f, err = matrix.As[float64](ctx, s)
	return f, scale, err
}
