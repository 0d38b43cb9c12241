package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/eigen"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// EffectiveRank is the number of dimensions that the rows of x (n × d) use, from
// 1 to min(d, n − 1): with λ the eigenvalues of the covariance of the columns,
//
//	exp(−Σ q_j log q_j),  q_j = λ_j/Σλ,
//
// the exponential of their entropy (Roy and Vetterli 2007, of the squares of
// the singular values of the centred x). Unlike the effective rank of a
// coles.Scaling, which is that of the columns' own energies, it does not change
// when x is rotated. It is 0 where all rows are equal.
//
// With m = min(n, d) it takes O(ndm + m³) operations and O(m²) numbers of
// memory; with n < d, a dense copy of x too.
//
// Errors: [ErrShape], [ErrCorrupt], [ErrNotFinite], and ctx.Err().
func EffectiveRank(ctx context.Context, x mat.Matrix) (float64, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return 0, err
	}
	if f, _, err = f.tame(ctx); err != nil {
		return 0, err
	}
	largest, err := f.largest(ctx)
	if err != nil || largest == 0 {
		return 0, err
	}
	mean, err := f.mean(ctx)
	if err != nil {
		return 0, err
	}
	gram, err := f.smallerGram(ctx, mean)
	if err != nil {
		return 0, err
	}
	energy := 0.0
	for i := range gram.Rows {
		energy += gram.Data[i*gram.Stride+i]
	}
	// Rows that are equal leave the rounding of their mean.
	if rounding := 1e-13 * largest; energy <= rounding*rounding*float64(f.rows)*float64(f.cols) {
		return 0, nil
	}
	pairs, err := eigen.Direct(ctx, gram, gram.Rows)
	if err != nil {
		return 0, err
	}
	return rankOf(pairs.Values), nil
}

// smallerGram is the upper triangle of the products of the centred columns or,
// where there are fewer rows, of the rows: their eigenvalues but for zeros are the same.
func (f *features) smallerGram(ctx context.Context, mean []float64) (kernel.Matrix[float64], error) {
	if f.cols <= f.rows {
		return f.scatter(ctx, mean)
	}
	centred, err := f.centred(ctx, 0, f.rows, mean)
	if err != nil {
		return kernel.Matrix[float64]{}, err
	}
	gram := kernel.Dense[float64](f.rows, f.rows)
	return gram, kernel.Gemm(ctx, false, true, 1, centred, centred, 0, gram)
}

// rankOf is the exponential of the entropy of eigenvalues, those below zero being
// the rounding of zeros.
func rankOf(values []float64) float64 {
	share, sum := make([]float64, len(values)), 0.0
	for _, v := range values {
		sum += max(v, 0)
	}
	for j, v := range values {
		share[j] = max(v, 0) / sum
	}
	return math.Exp(stat.Entropy(share))
}

// tame is f if its squares neither vanish nor overflow, or else a copy times a
// power of two, scale.
func (f *features) tame(ctx context.Context) (g *features, scale float64, err error) {
	largest, err := f.largest(ctx)
	if err != nil || largest == 0 || largest >= 1e-100 && largest <= 1e100 {
		return f, 1, err
	}
	scale = math.Ldexp(1, -max(math.Ilogb(largest), -1000))
	return f.scaled(scale), scale, nil
}

// untamed is y times c, a power of two, in its place.
func untamed(ctx context.Context, y kernel.Matrix[float64], c float64) (*mat.Dense, error) {
	result := mat.NewDense(y.Rows, y.Cols, y.Data)
	if c == 1 {
		return result, nil
	}
	result.Scale(c, result)
	if _, err := newFeatures(ctx, result); err != nil {
		return nil, fmt.Errorf("the result, in the units of the matrix: %w", err)
	}
	return result, nil
}

// scaled is a copy of f times c.
func (f *features) scaled(c float64) *features {
	all := make([]int, f.rows)
	for i := range all {
		all[i] = i
	}
	g := f.gather(all)
	values := g.dense.Data
	if g.sparse != nil {
		values = g.sparse.Val
	}
	for q := range values {
		values[q] *= c
	}
	return g
}
