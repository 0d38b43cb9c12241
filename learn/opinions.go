package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Weights say how much each opinion of a row counts: z = Vectors·a + Surroundings·b + Columns·c + Shift. The label of the
// row is then, with all three opinions of its kind,
//
//	one class:  p = softmax(z),  a and c log p by a regression, bₖ = log qₖ/πₖ,
//	several:    p = σ(z),        a and c the logits by a regression, bₖ = logit qₖ − logit πₖ,
//	a number:   z,               a and c values by a regression, b the mean deviation of q from all labels,
//
// for the share qₖ of class k in what reaches the row when labels are spread along the edges (Zhou and others 2004), and
// its share πₖ among the labels. A row that no label reaches has b = 0.
type Weights struct {
	Vectors      float64 `json:"vectors"`
	Surroundings float64 `json:"surroundings,omitempty"` // below 0 where neighbours differ
	Columns      float64 `json:"columns,omitempty"`
	Shift        float64 `json:"shift,omitempty"`
}

// String is "vectors count 1.0, labelled surroundings 0.7", without what counts less than 0.05.
func (w Weights) String() string {
	text := fmt.Sprintf("vectors count %.1f", w.Vectors)
	for _, also := range []struct {
		name   string
		weight float64
	}{{"labelled surroundings", w.Surroundings}, {"columns", w.Columns}} {
		if math.Abs(also.weight) >= 0.05 {
			text += fmt.Sprintf(", %s %.1f", also.name, also.weight)
		}
	}
	return text
}

// opinions are those of some rows by vectors, by surroundings and by columns. One that nobody has is empty.
type opinions [3]kernel.Matrix[float64]

// mix sets z of a row.
func (w Weights) mix(of opinions, q int, z []float64) {
	for k := range z {
		z[k] = w.Shift
	}
	for j, weight := range []float64{w.Vectors, w.Surroundings, w.Columns} {
		if of[j].Rows > 0 && weight != 0 {
			floats.AddScaled(z, weight, of[j].Row(q))
		}
	}
}

// lambdas are the precisions of the priors of the weights of surroundings and columns, relative to those of vectors:
// of one class and of several classes.
const oneLambda, severalLambda = 60, 10

// weigh learns the weights of classes from rows with known ones: with Vectors = e^τ, Surroundings = βe^τ, Columns = γe^τ
// and Shift = δ it minimises
//
//	Σ loss + ½(τ² + λβ² + λγ² + δ²),
//
// so that a weak regression, of a small τ, does not amplify the other two. It starts from a guess and returns what it finds.
func weigh(ctx context.Context, rows []int, of opinions, actual func(q int) []int, several bool, guess [4]float64) (Weights, [4]float64, error) {
	problem, v := weighing{of, rows, actual, several}, guess
	f, gradient, curvature, err := problem.loss(ctx, v)
	for range weighSteps {
		var factor mat.Cholesky
		if err != nil || floats.Norm(gradient, math.Inf(1)) < weighTolerance || !factor.Factorize(curvature) {
			break
		}
		step := mat.NewVecDense(4, nil)
		if factor.SolveVecTo(step, mat.NewVecDense(4, gradient)) != nil {
			break
		}
		fell := false
		for s := 1.0; s > 1e-6 && err == nil && !fell; s /= 2 {
			next := v
			for j := range next {
				next[j] -= s * step.AtVec(j)
			}
			var there float64
			var g []float64
			var c *mat.SymDense
			if there, g, c, err = problem.loss(ctx, next); there < f {
				v, f, gradient, curvature, fell = next, there, g, c, true
			}
		}
		if !fell { // rounding hides it
			break
		}
	}
	return weightsOf(v), v, err
}

// weighSteps bounds the steps of Gauss and Newton, which end at a gradient of weighTolerance, of losses of 1 a row.
const weighSteps, weighTolerance = 50, 1e-6

// weightsOf are those of τ, β, γ and δ.
func weightsOf(v [4]float64) Weights {
	e := math.Exp(v[0])
	return Weights{e, e * v[1], e * v[2], v[3]}
}

// weighing is what weigh minimises.
type weighing struct {
	of      opinions
	rows    []int
	actual  func(q int) []int // places of the classes
	several bool
}

// loss is the loss at τ, β, γ and δ with the priors, its gradient, and JᵀHJ for the derivatives J of z and H of the loss by
// z, the part of the second derivatives that is never negative.
func (w weighing) loss(ctx context.Context, v [4]float64) (float64, []float64, *mat.SymDense, error) {
	by, classes := weightsOf(v), w.of[0].Cols
	sum, err := parallel.Sum(ctx, len(w.rows), 5+16, func(sum []float64, lo, hi int) {
		z, rest := make([]float64, classes), make([]float64, classes)
		for _, q := range w.rows[lo:hi] {
			by.mix(w.of, q, z)
			copy(rest, z)
			has := w.actual(q)
			sum[4] += residual(rest, has, w.several)
			var mean [4]float64 // of J, with the probabilities of one class
			for k, r := range rest {
				if math.IsInf(z[k], -1) { // a class that the other parts lack
					continue
				}
				slope, p := [4]float64{z[k] - v[3], 0, 0, 1}, r
				for j := 1; j < 3; j++ {
					if w.of[j].Rows > 0 {
						slope[j] = by.Vectors * w.of[j].Row(q)[k]
					}
				}
				if slices.Contains(has, k) {
					p++
				}
				curved := p
				if w.several {
					curved = p * (1 - p)
				}
				for i, s := range slope {
					sum[i] += r * s
					mean[i] += p * s
					for j, t := range slope {
						sum[5+4*i+j] += curved * s * t
					}
				}
			}
			for i, s := range mean {
				for j, t := range mean {
					if !w.several {
						sum[5+4*i+j] -= s * t
					}
				}
			}
		}
	})
	if err != nil {
		return 0, nil, nil, err
	}
	lambda := float64(oneLambda)
	if w.several {
		lambda = severalLambda
	}
	f, gradient, curvature := sum[4], sum[:4], mat.NewSymDense(4, sum[5:])
	for j, precision := range []float64{1, lambda, lambda, 1} {
		f += precision / 2 * v[j] * v[j]
		gradient[j] += precision * v[j]
		curvature.SetSym(j, j, curvature.At(j, j)+precision)
	}
	return f, gradient, curvature, nil
}

// residual replaces z by p less 1 for the classes that a row has, the derivative of the loss by z, and returns that loss.
func residual(z []float64, has []int, several bool) (loss float64) {
	if several {
		for _, k := range has {
			loss -= z[k]
		}
		for k, v := range z {
			loss -= logSigmoid(-v)
			z[k] = math.Exp(logSigmoid(v))
		}
		for _, k := range has {
			z[k]--
		}
		return loss
	}
	loss = -z[has[0]]
	loss += softmax(z)
	z[has[0]]--
	return loss
}

// softmax replaces z by e^z over their sum, of which it returns the logarithm.
func softmax(z []float64) float64 {
	total := floats.LogSumExp(z)
	for k, v := range z {
		z[k] = math.Exp(v - total)
	}
	return total
}

// weighNumbers learns the weights of numbers from rows with known ones, and returns the mean square of what they leave, too:
// with ȳ the mean of the rows and σ² the mean square of what the vectors' opinion leaves, it minimises
//
//	Σ(y − ȳ − w₁(a − ȳ) − w₂b − w₃(c − ȳ))² + 10σ²·‖w − (1, 0, 0)‖².
func weighNumbers(rows []int, of opinions, actual []float64) (Weights, float64) {
	mean, a := stat.Mean(picked(actual, rows), nil), [3][]float64{}
	for j, centre := range []float64{mean, 0, mean} {
		a[j] = make([]float64, len(rows))
		for r, q := range rows {
			if of[j].Rows > 0 {
				a[j][r] = of[j].Data[q] - centre
			}
		}
	}
	off, noise := make([]float64, len(rows)), 0.0
	for r, q := range rows {
		off[r] = actual[q] - of[0].Data[q]
		noise += off[r] * off[r] / float64(len(rows))
	}
	gram, pull := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for j := range a {
		for k := range a[:j+1] {
			gram.SetSym(j, k, floats.Dot(a[j], a[k]))
		}
		gram.SetSym(j, j, gram.At(j, j)+10*noise+math.SmallestNonzeroFloat64)
		pull.SetVec(j, floats.Dot(a[j], off))
	}
	w := mat.NewVecDense(3, nil)
	var factor mat.Cholesky
	if factor.Factorize(gram) {
		_ = factor.SolveVecTo(w, pull)
	}
	left := 0.0
	for r := range off {
		e := off[r] - w.AtVec(0)*a[0][r] - w.AtVec(1)*a[1][r] - w.AtVec(2)*a[2][r]
		left += e * e / float64(len(rows))
	}
	by := Weights{Vectors: 1 + w.AtVec(0), Surroundings: w.AtVec(1), Columns: w.AtVec(2)}
	by.Shift = (1 - by.Vectors - by.Columns) * mean
	return by, left
}
