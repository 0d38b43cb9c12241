package baselines

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// RandomProjection returns x·R, n × k, where the entries of R (d × k) are independent normal
// numbers of variance 1/k, so that lengths are kept in expectation: E‖xᵢR‖² = ‖xᵢ‖² (Johnson and
// Lindenstrauss 1984). k may exceed d. Row j of R is drawn from the stream (seed, j).
//
// With x the filtered features it is the baseline RP-S²GC of the paper's table 1, which does not
// state how R is scaled. Measured, its rows for Cora and Citeseer have variance 1, the result here
// times √k, and its row for Pubmed has variance 1/k.
//
// Cost O(ndk), or entries × k for sparse x; memory d × k besides the result.
//
// Errors: [coles.ErrSetting] for k outside 1 … 2²⁰, [coles.ErrTooLarge], [coles.ErrShape],
// [coles.ErrIndex], [coles.ErrNotFinite], and ctx's.
func RandomProjection(ctx context.Context, x mat.Matrix, k int, seed uint64) (*mat.Dense, error) {
	f, scale, err := given.ReadTame(ctx, x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > 1<<20 { // far beyond any use of more columns
		return nil, fmt.Errorf("%w: a projection to %d columns", coles.ErrSetting, k)
	}
	if err := matrix.CheckSize(max(f.Rows(), f.Cols()), k); err != nil {
		return nil, err
	}
	r := kernel.Dense[float64](f.Cols(), k)
	deviation := 1 / math.Sqrt(float64(k))
	err = parallel.For(ctx, f.Cols(), func(j int) {
		rng := rand.New(rand.NewPCG(seed, uint64(j)))
		for i := range k {
			r.Data[j*r.Stride+i] = deviation * rng.NormFloat64()
		}
	})
	if err != nil {
		return nil, err
	}
	y := kernel.Dense[float64](f.Rows(), k)
	if err := f.Times(ctx, y, r); err != nil {
		return nil, err
	}
	matrix.Scale(y.Data, 1/scale)
	return matrix.ToFiniteDense(ctx, "the projection", y)
}
