package measures

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// read checks a matrix from outside, which has to have rows and columns.
func read(ctx context.Context, x mat.Matrix) (*matrix.Matrix[float64], error) {
	s, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if s.Rows() == 0 || s.Cols() == 0 {
		return nil, fmt.Errorf("%w: the matrix is %d × %d", coles.ErrShape, s.Rows(), s.Cols())
	}
	return matrix.As[float64](ctx, s)
}

// checkSample wants at least one number, and all of them finite.
func checkSample(sample []float64) error {
	if len(sample) == 0 {
		return fmt.Errorf("%w: no numbers", coles.ErrShape)
	}
	for i, x := range sample {
		if !matrix.Finite(x) {
			return fmt.Errorf("%w: number %d is %v", coles.ErrNotFinite, i, x)
		}
	}
	return nil
}
