package eval

import (
	"context"
	"errors"
	"fmt"
	"math"

	"coles"
	"coles/internal/eigen"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// SpectralFeatures is the spectral embedding of the rows of x (n × d) by a linear
// kernel, whose clusters by [KMeans] are the rows Spectral-f of the paper's
// clustering table: the columns are the k leading eigenvectors of
//
//	S^-½ XXᵀ S^-½,  S = diag(XXᵀ1),
//
// (Shi and Malik 2000; Ng, Jordan and Weiss 2002), divided by S^½ as
// scikit-learn's SpectralClustering does. The first is constant. Rows without any
// similarity are zero. They come from the k right singular vectors of S^-½X, at the
// cost and with the memory of [PCA] and a copy of x.
//
// Errors: [ErrDimension] for k outside 1..min(n, d), or above the rank of x,
// [ErrParameter] for a row whose similarities add up to a negative number, and
// those of PCA.
func SpectralFeatures(ctx context.Context, x mat.Matrix, k int) (*mat.Dense, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > min(f.rows, f.cols) {
		return nil, fmt.Errorf("%w: %d eigenvectors of %d rows of %d columns", ErrDimension, k, f.rows, f.cols)
	}
	f, scale, err := f.tame(ctx)
	if err != nil {
		return nil, err
	}
	inverse, err := f.inverseRootSimilarity(ctx)
	if err != nil {
		return nil, err
	}
	z := f.scaledRows(func(i int) float64 { return inverse[i] })
	pairs, err := z.leading(ctx, make([]float64, z.cols), k)
	if errors.Is(err, eigen.ErrNotFinite) {
		return nil, fmt.Errorf("%w: the similarities overflow: %v", ErrNotFinite, err)
	}
	var unfinished *eigen.ConvergenceError
	if errors.As(err, &unfinished) {
		return nil, fmt.Errorf("%w: spectral embedding: %v", ErrConvergence, err)
	}
	if err != nil {
		return nil, fmt.Errorf("spectral embedding: %w", err)
	}
	// The left singular vector of a singular value σ is S^-½X·v/σ.
	v := kernel.Dense[float64](f.cols, k)
	for c, lambda := range pairs.Values {
		if lambda <= 1e-12*pairs.Values[0] {
			return nil, fmt.Errorf("%w: %d eigenvectors of a matrix of rank %d", ErrDimension, k, c)
		}
		for j, entry := range pairs.Vectors.Data[c*pairs.Vectors.Stride:][:f.cols] {
			v.Data[j*k+c] = entry / math.Sqrt(lambda)
		}
	}
	y := kernel.Dense[float64](f.rows, k)
	if err := z.times(ctx, v, y); err != nil {
		return nil, err
	}
	for i, c := range inverse {
		for j := range k {
			y.Data[i*k+j] *= c
		}
	}
	return untamed(ctx, y, scale)
}

// inverseRootSimilarity is 1/√ of the sum of each row's products with all rows, 0
// where there are none.
func (f *features) inverseRootSimilarity(ctx context.Context) ([]float64, error) {
	sum, err := f.mean(ctx)
	if err != nil {
		return nil, err
	}
	total, degree := kernel.Dense[float64](f.cols, 1), kernel.Dense[float64](f.rows, 1)
	for j, v := range sum {
		total.Data[j] = v * float64(f.rows)
	}
	if err := f.times(ctx, total, degree); err != nil {
		return nil, err
	}
	for i, s := range degree.Data {
		switch {
		case s < 0:
			return nil, fmt.Errorf("%w: the similarities of row %d add up to %v", ErrParameter, i, s)
		case math.IsInf(s, 0) || math.IsNaN(s):
			return nil, fmt.Errorf("%w: the similarities of row %d overflow", ErrNotFinite, i)
		case s > 0:
			degree.Data[i] = 1 / math.Sqrt(s)
		}
	}
	return degree.Data, nil
}

// SpectralGraph is the spectral embedding of the nodes of a graph, whose clusters
// by [KMeans] are the rows Spectral-g of the paper's clustering table: the columns
// are the k eigenvectors of D^-½ A D^-½ with the largest eigenvalues (Laplacian
// Eigenmaps), divided by √degree as scikit-learn's SpectralClustering does.
// Nodes without edges are zero, and so are columns beyond the number of the others.
// Those constant on connected components come first, so that of a graph with more
// components than k nothing else is seen.
//
// It takes the time of coles.Eigenmaps. Errors: [ErrDimension] for k outside 1..n,
// [ErrConvergence], and ctx.Err().
func SpectralGraph(ctx context.Context, g *coles.Graph, k int) (*mat.Dense, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if n := g.Nodes(); k < 1 || k > n {
		return nil, fmt.Errorf("%w: %d eigenvectors of a graph of %d nodes", ErrDimension, k, n)
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
	part := g
	if len(joined) < g.Nodes() {
		induced, err := Induce(ctx, g, nil, joined)
		if err != nil {
			return nil, err
		}
		part = induced.Graph
	}
	dw, err := coles.Contrast(ctx, part, coles.NoNegatives())
	if err != nil {
		return nil, err
	}
	e, err := coles.Eigenmaps(ctx, dw, min(k, len(joined)))
	var unfinished *coles.ConvergenceError
	if errors.As(err, &unfinished) {
		return nil, fmt.Errorf("%w: %v", ErrConvergence, err)
	}
	if err != nil {
		return nil, err
	}
	for q, i := range joined {
		for j, v := range e.Y.RawRowView(q) {
			y.Set(i, j, v/math.Sqrt(degrees[i]))
		}
	}
	return y, nil
}
