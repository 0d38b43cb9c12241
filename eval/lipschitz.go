package eval

import (
	"context"
	"math"
	"slices"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// LipschitzConstant is K = max_v ‖x_v‖_max, the largest magnitude among the
// entries of x (n × d): |u·v − u′·v| ≤ K·‖u − u′‖₁ for any row v (the COLES
// paper, on the Wasserstein distance of scores). It is at most 1 for unit rows
// and for orthonormal columns. It takes O(nd).
//
// Errors: [ErrShape], [ErrCorrupt], [ErrNotFinite], and ctx.Err().
func LipschitzConstant(ctx context.Context, x mat.Matrix) (float64, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return 0, err
	}
	return f.largest(ctx)
}

// largest is the largest magnitude of an entry.
func (f *features) largest(ctx context.Context) (float64, error) {
	const rows = 256
	part := make([]float64, (f.rows+rows-1)/rows)
	err := parallel.Ranges(ctx, f.rows, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, values := f.row(i)
			for _, v := range values {
				part[lo/rows] = max(part[lo/rows], math.Abs(v))
			}
		}
	})
	return slices.Max(part), err
}
