package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/learn"
	"coles/plane"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A scaling is a column of the tables of accuracy: what is done to the scale of an embedding before
// a logistic regression learns from it, and how C is chosen. C·s² for the rows of an embedding is C
// for s times the rows: with C = 1 the scale that a method happens to have decides.
type scaling struct {
	name  string // in -columns and in JSON
	title string // after the table's; "" for the paper's protocol
	about string
	fixed bool // a candidate for the best
	// regression is what learns, and from what; nil for the best of the fixed ones.
	regression func(ctx context.Context, y mat.Matrix) (mat.Matrix, learn.LogisticRegression, error)
}

// scalings are all there are, the paper's protocol first.
var scalings = []scaling{
	{
		name: "raw", fixed: true,
		about: "C = 1, and every embedding has the scale it comes with: the paper's protocol.",
		regression: func(_ context.Context, y mat.Matrix) (mat.Matrix, learn.LogisticRegression, error) {
			return y, learn.LogisticRegression{}, nil
		},
	},
	atNorm(1),
	atNorm(4),
	{
		name: "best", title: "best of three scales",
		about: "C = 1, and every system has in every cell the scale that it is best at in the test: the one it comes with, a mean norm of 1 or one of 4.",
	},
	{
		name: "cv", title: "C by cross-validation",
		about: "The centred rows of every embedding are brought to a mean norm of 4, the one of COLES, and multiplied by √C for C a power of two from 1/32 to 8, which makes norms from 0.7 to 11.3. " +
			"Where the scale that an embedding comes with lies outside, the powers go on until they reach it. " +
			"Five stratified parts of the training labels are predicted by the others: a C with h right predictions weighs e^(h/2), and the one nearest to the weighted geometric mean of all is taken.",
		regression: func(ctx context.Context, y mat.Matrix) (mat.Matrix, learn.LogisticRegression, error) {
			norm, err := centredNorm(ctx, y)
			return y, learn.LogisticRegression{Cs: candidates(norm)}, err
		},
	},
	{
		name: "scaled", title: "spectral scaling",
		about: "C = 1, after COLES's scaling of the principal components of every embedding, of which there are at most 512: λ^γ with an effective rank of max(20·2^−γ, 8), and a mean norm of 4.",
		regression: func(ctx context.Context, y mat.Matrix) (mat.Matrix, learn.LogisticRegression, error) {
			x, err := scaleSpectrum(ctx, y)
			return x, learn.LogisticRegression{}, err
		},
	},
}

func (s scaling) String() string { return s.name }

// atNorm is the column in which the centred rows of every embedding have a mean norm of r, and C = 1. The embedding
// stays as it is: the square of the factor is the only candidate of C, and the intercept is held as by C = 1.
func atNorm(r float64) scaling {
	return scaling{
		name: fmt.Sprint("norm", r), title: fmt.Sprint("norm ", r), fixed: true,
		about: fmt.Sprintf("C = 1, and the centred rows of every embedding are brought to a mean norm of %v.", r),
		regression: func(ctx context.Context, y mat.Matrix) (mat.Matrix, learn.LogisticRegression, error) {
			norm, err := centredNorm(ctx, y)
			return y, learn.LogisticRegression{Cs: []float64{r * r / (norm * norm)}}, err
		},
	}
}

// toMeasure are the columns that an embedding is measured in for those asked for: the best is of others.
func toMeasure(columns []scaling) (all []scaling) {
	best := slices.ContainsFunc(columns, func(s scaling) bool { return s.regression == nil })
	for _, s := range scalings {
		asked := slices.ContainsFunc(columns, func(c scaling) bool { return c.name == s.name })
		if s.regression != nil && (asked || best && s.fixed) {
			all = append(all, s)
		}
	}
	return all
}

// defaultNorm is the mean norm that COLES gives to centred rows.
var defaultNorm = coles.DefaultSettings().Scaling.Norm

// candidates are the C of the column cv for an embedding of that norm, among them 1 to half an octave,
// with which it is as it comes.
func candidates(norm float64) []float64 {
	cs := learn.DefaultCs()
	own := norm * norm / (defaultNorm * defaultNorm)
	for own < cs[0]/math.Sqrt2 {
		cs = slices.Insert(cs, 0, cs[0]/2)
	}
	for last := len(cs) - 1; own > cs[last]*math.Sqrt2; last++ {
		cs = append(cs, cs[last]*2)
	}
	floats.Scale(1/own, cs)
	return cs
}

// centredNorm is the mean of ‖y_i − ȳ‖ over the rows; 1 where all are equal, which no scale changes.
func centredNorm(ctx context.Context, y mat.Matrix) (float64, error) {
	n, d := y.Dims()
	mean, row := make([]float64, d), make([]float64, d)
	for i := range n {
		eachEntry(y, i, func(j int, v float64) { mean[j] += v / float64(n) })
	}
	sum := 0.0
	for i := range n {
		copy(row, mean)
		eachEntry(y, i, func(j int, v float64) { row[j] -= v })
		sum += floats.Norm(row, 2) / float64(n)
	}
	if sum <= 1e-12*floats.Norm(mean, 2) {
		sum = 1
	}
	return sum, ctx.Err()
}

// eachEntry calls do for the entries of a row, of sparse ones for those that are stored.
func eachEntry(x mat.Matrix, i int, do func(j int, v float64)) {
	if sparse, ok := x.(mat.RowNonZeroDoer); ok {
		sparse.DoRowNonZero(i, func(_, j int, v float64) { do(j, v) })
		return
	}
	_, d := x.Dims()
	for j := range d {
		do(j, x.At(i, j))
	}
}

// toNorm gives the centred rows of an embedding the mean norm that COLES gives to them.
func toNorm(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	norm, err := centredNorm(ctx, y)
	if err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(y)
	x.Scale(defaultNorm/norm, x)
	return x, nil
}

// scaleSpectrum weights the principal components of an embedding by COLES's rule, with their
// variances in place of its eigenvalues.
func scaleSpectrum(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	n, d := y.Dims()
	components, err := plane.PCA(ctx, y, min(n, d, 512))
	if err != nil {
		return nil, err
	}
	_, k := components.Dims()
	lambda := make([]float64, k)
	for j := range lambda {
		column := components.ColView(j)
		lambda[j] = mat.Dot(column, column) / float64(n)
	}
	s, err := coles.DefaultSettings().Scaling.Fit(ctx, components, lambda)
	if err != nil {
		return nil, err
	}
	return s.Apply(ctx, components)
}
