package eval

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// maxProjected is far beyond any use of more columns.
const maxProjected = 1 << 20

// RandomProjection returns x·R, n × k, where the entries of R (d × k) are
// independent normal numbers of variance 1/k, so that lengths are kept in
// expectation: E‖xᵢR‖² = ‖xᵢ‖² (Johnson and Lindenstrauss 1984). k may exceed d.
//
// With x the filtered features it is the baseline RP-S²GC of the paper's table
// 1, which does not say how R is scaled. Measured, the rows printed for Cora
// and Citeseer are those of variance 1, the result here times √k; the row
// printed for Pubmed is that of variance 1/k.
//
// Row j of R is drawn from the stream (seed, j), so the result depends on seed
// alone. Cost O(ndk), or entries × k for sparse x; memory d × k beside the result.
//
// Errors: [ErrDimension] for k outside 1 … 2²⁰, [ErrShape], [ErrCorrupt], [ErrNotFinite],
// and ctx.Err().
func RandomProjection(ctx context.Context, x mat.Matrix, k int, seed uint64) (*mat.Dense, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > maxProjected || k > math.MaxInt/8/max(f.rows, f.cols) {
		return nil, fmt.Errorf("%w: cannot project %d columns to %d", ErrDimension, f.cols, k)
	}
	r := kernel.Dense[float64](f.cols, k)
	scale := 1 / math.Sqrt(float64(k))
	err = parallel.For(ctx, f.cols, func(j int) {
		rng := rand.New(rand.NewPCG(seed, uint64(j)))
		for i := range k {
			r.Data[j*r.Stride+i] = scale * rng.NormFloat64()
		}
	})
	if err != nil {
		return nil, err
	}
	y := kernel.Dense[float64](f.rows, k)
	if err := f.times(ctx, r, y); err != nil {
		return nil, err
	}
	projected := mat.NewDense(f.rows, k, y.Data)
	if _, err := newFeatures(ctx, projected); err != nil { // lengths may overflow
		return nil, fmt.Errorf("projected: %w", err)
	}
	return projected, nil
}

// times sets y = f·r.
func (f *features) times(ctx context.Context, r, y kernel.Matrix[float64]) error {
	if f.sparse != nil {
		return kernel.SpMM(ctx, y, f.sparse, r)
	}
	return kernel.Gemm(ctx, false, false, 1, f.dense, r, 0, y)
}
