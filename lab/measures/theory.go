package measures

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// BlockContrast is, for each row y_v of an embedding (n × d),
//
//	−y_v·(μ⁺ − μ⁻),  μ⁺ = Σ_u W⁺_vu·y_u,  μ⁻ = (η′/κ)·Σ_k Σ_u W⁻ₖ_vu·y_u,
//
// the contrast of the paper by blocks: below 0 for a node that is more like the mean of its neighbours than
// like the one of its negatives. The sum over nodes is −Tr(YᵀΔWY). It takes one product with ΔW.
//
// Errors: [coles.ErrShape] unless ΔW has n rows, [coles.ErrNotFinite] also for products that overflow, and
// ctx's.
func BlockContrast(ctx context.Context, dw *coles.DeltaW, y mat.Matrix) ([]float64, error) {
	means, err := dw.Apply(ctx, y)
	if err != nil {
		return nil, err
	}
	contrast := make([]float64, means.RawMatrix().Rows)
	for v := range contrast {
		for j, m := range means.RawRowView(v) {
			contrast[v] -= y.At(v, j) * m
		}
		if !matrix.Finite(contrast[v]) {
			return nil, fmt.Errorf("%w: the contrast of row %d overflows", coles.ErrNotFinite, v)
		}
	}
	return contrast, nil
}

// AlignmentAndUniformity are the logarithms of the geometric means of e^{u·v}, of scores u·v of positive pairs and
// of negative ones, which [PairScores] gives: the means of these. The paper's loss, the logarithm of a ratio
// of geometric means, is uniformity less alignment. Of rows of length 1 the mean squared distance of positive
// pairs, which Wang and Isola (2020) call alignment, is 2 less twice this one.
//
// Errors: [coles.ErrShape] for no scores, [coles.ErrNotFinite].
func AlignmentAndUniformity(positive, negative []float64) (alignment, uniformity float64, err error) {
	for _, scores := range [][]float64{positive, negative} {
		if err := checkSample(scores); err != nil {
			return 0, 0, err
		}
	}
	return stat.Mean(positive, nil), stat.Mean(negative, nil), nil
}

// LipschitzBound is K = max_v ‖y_v‖_∞, the largest entry of an embedding (n × d): no score of a row moves farther
// than K times the other one,
//
//	|y_v·a − y_v·b| ≤ K·‖a − b‖₁,
//
// which is to be at most 1 where the Wasserstein distance of scores stands for the loss, as it is for rows of length 1 or
// YᵀY = I.
//
// Errors: [coles.ErrShape] and [coles.ErrNotFinite], as for any matrix, and ctx's.
func LipschitzBound(ctx context.Context, y mat.Matrix) (float64, error) {
	s, err := read(ctx, y)
	if err != nil {
		return 0, err
	}
	return s.Largest(ctx)
}
