package main

import (
	"context"
	"slices"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// A scaling is a column of the tables of accuracy: what is done to the scale of an embedding before
// a logistic regression learns from it, and how C is chosen. C·s² for the rows of an embedding is
// nearly C for s times the rows: with C = 1 the scale that a method happens to have decides.
type scaling struct {
	name       string // in -columns and in JSON
	title      string // after the table's; "" for the paper's protocol
	about      string
	scale      func(ctx context.Context, y mat.Matrix) (mat.Matrix, error)
	regression eval.LogisticRegression
}

// scalings are all there are, the paper's protocol first.
var scalings = []scaling{
	{
		name:  "raw",
		about: "C = 1, and every embedding has the scale it comes with: the paper's protocol.",
		scale: func(_ context.Context, y mat.Matrix) (mat.Matrix, error) { return y, nil },
	},
	{
		name: "cv", title: "C by cross-validation",
		about: "No method gains or loses by its scale: the centred rows of every embedding are brought to a mean norm of 4, and multiplied by √C for C a power of two from 1/32 to 8, which makes norms from 0.7 to 11.3. " +
			"Five stratified parts of the training labels are predicted by the others: a C with h right predictions weighs e^(h/2), and the one nearest to the weighted geometric mean of all is taken.",
		scale: toNorm, regression: eval.LogisticRegression{Cs: eval.DefaultCs()},
	},
	{
		name: "scaled", title: "spectral scaling",
		about: "C = 1, after COLES's scaling of the principal components of every embedding, of which there are at most 512: λ^γ with an effective rank of max(20·2^−γ, 8), and a mean norm of 4.",
		scale: scaleSpectrum,
	},
}

func (s scaling) String() string { return s.name }

// toNorm gives the centred rows of an embedding a mean norm of 4, as COLES has it.
func toNorm(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	dense, ok := y.(*mat.Dense)
	if !ok {
		dense = mat.DenseCopyOf(y)
	}
	_, d := dense.Dims()
	return rescale(ctx, coles.ScalingRule{Norm: coles.DefaultSettings().Scaling.Norm}, dense, slices.Repeat([]float64{1}, d))
}

// scaleSpectrum weights the principal components of an embedding by COLES's rule, with their
// variances in place of its eigenvalues.
func scaleSpectrum(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	n, d := y.Dims()
	components, err := eval.PCA(ctx, y, min(n, d, 512))
	if err != nil {
		return nil, err
	}
	_, k := components.Dims()
	lambda := make([]float64, k)
	for j := range lambda {
		column := components.ColView(j)
		lambda[j] = mat.Dot(column, column) / float64(n)
	}
	return rescale(ctx, coles.DefaultSettings().Scaling, components, lambda)
}

func rescale(ctx context.Context, rule coles.ScalingRule, y *mat.Dense, lambda []float64) (mat.Matrix, error) {
	s, err := rule.Fit(ctx, y, lambda)
	if err != nil {
		return nil, err
	}
	return s.Apply(ctx, y)
}
