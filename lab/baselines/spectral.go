package baselines

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/eval"
	"coles/internal/eigen"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// SpectralFeatures is the spectral embedding of the rows of x (n × d) by a linear kernel, whose
// clusters by [cluster.KMeans] are the rows Spectral-f of the paper's clustering table: the columns are the
// k leading eigenvectors of
//
//	S^-½ XXᵀ S^-½,  S = diag(XXᵀ1),
//
// (Shi and Malik 2000; Ng, Jordan and Weiss 2002), divided by S^½ as in scikit-learn's
// SpectralClustering. The first is constant. Rows without any similarity are zero. They come from
// the k right singular vectors of S^-½X, at the cost and with the memory of [PCA] and a copy of x.
//
// Errors: [coles.ErrSetting] for k outside 1..min(n, d), or above the rank of x,
// [coles.ErrNegative] for a row whose similarities add up to a negative number, and as for any matrix, [coles.ErrNotFinite] also for
// similarities that overflow, and ctx's.
func SpectralFeatures(ctx context.Context, x mat.Matrix, k int) (*mat.Dense, error) {
	f, scale, err := given.ReadTame(ctx, x)
	if err != nil {
		return nil, err
	}
	n, d := f.Dims()
	if k < 1 || k > min(n, d) {
		return nil, setting.Bad("k", k, "1 to %d eigenvectors of %d × %d", min(n, d), n, d)
	}
	inverse, err := inverseRootSimilarity(ctx, f)
	if err != nil {
		return nil, err
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	z, err := f.Gather(ctx, all) // a copy
	if err != nil {
		return nil, err
	}
	for i, c := range inverse {
		_, values := z.Row(i)
		matrix.Scale(values, c)
	}
	pairs, err := eigen.Krylov(ctx, d, k, func(ctx context.Context, dst, v kernel.Matrix[float64]) error {
		w := kernel.Dense[float64](n, v.Cols)
		if err := z.Times(ctx, w, v); err != nil {
			return err
		}
		return z.TransposeTimes(ctx, dst, w)
	}, eigen.KrylovOptions{Tol: 1e-12})
	if err != nil {
		return nil, fmt.Errorf("spectral embedding: %w", err)
	}
	// The left singular vector of a singular value σ is S^-½X·v/σ.
	v := kernel.Dense[float64](d, k)
	for c, lambda := range pairs.Values {
		if lambda <= 1e-12*pairs.Values[0] {
			return nil, setting.Bad("k", k, "at most %d, the rank", c)
		}
		for j, entry := range pairs.Vectors.Row(c) {
			v.Data[j*k+c] = entry / math.Sqrt(lambda)
		}
	}
	y := kernel.Dense[float64](n, k)
	if err := z.Times(ctx, y, v); err != nil {
		return nil, err
	}
	for i, c := range inverse {
		matrix.Scale(y.Data[i*k:(i+1)*k], c)
	}
	matrix.Scale(y.Data, scale)
	return matrix.ToFiniteDense(ctx, "the spectral embedding", y)
}

// inverseRootSimilarity returns 1/√ of the sum of each row's products with all rows, 0 where there
// are none.
func inverseRootSimilarity(ctx context.Context, f *matrix.Matrix[float64]) ([]float64, error) {
	ones, total, degree := kernel.Dense[float64](f.Rows(), 1), kernel.Dense[float64](f.Cols(), 1), kernel.Dense[float64](f.Rows(), 1)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	if err := f.TransposeTimes(ctx, total, ones); err != nil {
		return nil, err
	}
	if err := f.Times(ctx, degree, total); err != nil {
		return nil, err
	}
	for i, s := range degree.Data {
		switch {
		case s < 0:
			return nil, fmt.Errorf("%w: the similarities of row %d add up to %v", coles.ErrNegative, i, s)
		case !matrix.Finite(s):
			return nil, fmt.Errorf("%w: the similarities of row %d overflow", coles.ErrNotFinite, i)
		case s > 0:
			degree.Data[i] = 1 / math.Sqrt(s)
		}
	}
	return degree.Data, nil
}

// SpectralGraph is the spectral embedding of the nodes of a graph (Laplacian Eigenmaps). Its clusters by
// [cluster.KMeans] are the rows Spectral-g of the paper's clustering table. The columns are the k eigenvectors of
// D^-½ A D^-½ with the largest eigenvalues, divided by √degree as in scikit-learn's SpectralClustering. Nodes without
// edges are zero, and so are columns beyond the number of the others. Vectors constant on connected components come
// first: with more components than k there are no others.
//
// It takes the time of [coles.Eigenmaps]. Errors: [coles.ErrSetting] for k outside 1..n, as
// coles.Eigenmaps.
func SpectralGraph(ctx context.Context, g *coles.Graph, k int) (*mat.Dense, error) {
	if n := g.Nodes(); k < 1 || k > n {
		return nil, setting.Bad("k", k, "1 to %d, the number of nodes", n)
	}
	// Nodes without edges would come into the eigenvectors of the eigenvalue 0.
	degrees, joined := g.Degrees(), []int(nil)
	for i, degree := range degrees {
		if degree > 0 {
			joined = append(joined, i)
		}
	}
	y := mat.NewDense(g.Nodes(), k, nil)
	if len(joined) == 0 {
		return y, ctx.Err()
	}
	part, err := eval.Induce(ctx, g, nil, joined)
	if err != nil {
		return nil, err
	}
	w, err := coles.Contrast(ctx, part.Graph, coles.NegativeSampler{}, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	vectors, _, err := coles.Eigenmaps(ctx, w, min(k, len(joined)))
	if err != nil {
		return nil, err
	}
	for q, i := range joined {
		for j, v := range vectors.RawRowView(q) {
			y.Set(i, j, v/math.Sqrt(degrees[i]))
		}
	}
	return y, nil
}
