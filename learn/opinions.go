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

// Weights say how much each opinion of a row counts: z = Vectors·a + Surroundings·b + Shift. The label of the row is
// then, with both opinions of its kind,
//
//	one class:  p = softmax(z),  a = log p by a regression, bₖ = log qₖ/πₖ,
//	several:    p = σ(z),        a the logits by a regression, bₖ = logit qₖ − logit πₖ,
//	a number:   z,               a the value by a regression, b the deviation from the mean that neighbours pass on.
//
// qₖ is the share of class k in what reaches the row when labels are spread along the edges (Zhou and others 2004), and
// πₖ its share among the labels. Known numbers are held, and each other node takes 0.98 of the mean of its neighbours. A row
// that no label reaches has b = 0.
type Weights struct {
	Vectors      float64 `json:"vectors"`
	Surroundings float64 `json:"surroundings,omitempty"` // below 0 where neighbours differ
	Shift        float64 `json:"shift,omitempty"`
}

// String is "vectors count 1.0, labelled surroundings 0.7"; what counts below 0.05 is left out.
func (w Weights) String() string { return w.Text("vectors") }

// Text is the same sentence with another noun in the place of vectors, such as columns.
func (w Weights) Text(vectors string) string {
	text := fmt.Sprintf("%s count %.1f", vectors, w.Vectors)
	if math.Abs(w.Surroundings) >= 0.05 {
		text += fmt.Sprintf(", labelled surroundings %.1f", w.Surroundings)
	}
	return text
}

// opinions are the opinions of some rows by vectors, and by surroundings unless that matrix is empty.
type opinions [2]kernel.Matrix[float64]

// mix sets z of a row.
func (w Weights) mix(of opinions, q int, z []float64) {
	for k := range z {
		z[k] = w.Shift
	}
	for j, weight := range []float64{w.Vectors, w.Surroundings} {
		if of[j].Rows > 0 && weight != 0 {
			floats.AddScaled(z, weight, of[j].Row(q))
		}
	}
}

// The precision λ of the prior of the surroundings' weight, for one class and for several. It was chosen on eight graphs with
// labels from 5 a class to 20 % of the nodes: 30 to 100 differ by 0.02 points in the mean, and 30 lost 1.2 in the worst.
const oneLambda, severalLambda = 60, 10

// weigh learns the weights of classes from rows with known ones: with Vectors = e^τ, Surroundings = βe^τ and
// Shift = δ it minimises
//
//	Σ loss + ½(τ² + λβ² + δ²),
//
// so that a weak regression, of a small τ, does not amplify the surroundings. It starts from a guess.
func weigh(ctx context.Context, rows []int, of opinions, actual func(q int) []int, several bool, guess Weights) (Weights, error) {
	problem := weighing{of, rows, actual, several}
	v := [3]float64{math.Log(guess.Vectors), guess.Surroundings / guess.Vectors, guess.Shift}
	f, gradient, curvature, err := problem.loss(ctx, v)
	for range weighSteps {
		var factor mat.Cholesky
		if err != nil || floats.Norm(gradient, math.Inf(1)) < weighTolerance || !factor.Factorize(curvature) {
			break
		}
		step := mat.NewVecDense(3, nil)
		if factor.SolveVecTo(step, mat.NewVecDense(3, gradient)) != nil {
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
	return weightsOf(v), err
}

// weighSteps bounds the Gauss–Newton steps. They end at a gradient of weighTolerance, for losses of 1 a row.
const weighSteps, weighTolerance = 50, 1e-6

// weightsOf are the weights for τ, β and δ.
func weightsOf(v [3]float64) Weights {
	e := math.Exp(v[0])
	return Weights{e, e * v[1], v[2]}
}

// weighing is the objective that weigh minimises.
type weighing struct {
	of      opinions
	rows    []int
	actual  func(q int) []int // places of the classes
	several bool
}

// loss is the loss at τ, β and δ with the priors, its gradient, and the part JᵀHJ of its second derivatives, which is never
// negative. J is the derivative of z, and H the second derivative of the loss by z.
func (w weighing) loss(ctx context.Context, v [3]float64) (float64, []float64, *mat.SymDense, error) {
	by, classes := weightsOf(v), w.of[0].Cols
	sum, err := parallel.Sum(ctx, len(w.rows), 4+9, func(sum []float64, lo, hi int) {
		z, rest := make([]float64, classes), make([]float64, classes)
		for _, q := range w.rows[lo:hi] {
			by.mix(w.of, q, z)
			copy(rest, z)
			has := w.actual(q)
			sum[3] += residual(rest, has, w.several)
			var mean [3]float64 // of J, with the probabilities of one class
			for k, r := range rest {
				if math.IsInf(z[k], -1) { // a class that the other parts lack
					continue
				}
				slope, p := [3]float64{z[k] - v[2], 0, 1}, r
				if w.of[1].Rows > 0 {
					slope[1] = by.Vectors * w.of[1].Row(q)[k]
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
						sum[4+3*i+j] += curved * s * t
					}
				}
			}
			for i, s := range mean {
				for j, t := range mean {
					if !w.several {
						sum[4+3*i+j] -= s * t
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
	f, gradient, curvature := sum[3], sum[:3], mat.NewSymDense(3, sum[4:])
	for j, precision := range []float64{1, lambda, 1} {
		f += precision / 2 * v[j] * v[j]
		gradient[j] += precision * v[j]
		curvature.SetSym(j, j, curvature.At(j, j)+precision)
	}
	return f, gradient, curvature, nil
}

// residual replaces z by the derivative of the loss: p less 1 for the classes that a row has. It returns the loss.
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

// softmax replaces z by e^z over their sum, and returns the logarithm of the sum.
func softmax(z []float64) float64 {
	most, sum := floats.Max(z), 0.0
	for k, v := range z {
		z[k] = math.Exp(v - most)
		sum += z[k]
	}
	floats.Scale(1/sum, z)
	return most + math.Log(sum)
}

// weighNumbers learns the weights of numbers from rows with known ones. Let ȳ be the mean of the rows, and σ² the mean square
// that the vectors' opinion leaves. It minimises
//
//	Σ(y − ȳ − w₁(a − ȳ) − w₂b)² + 10σ²·((w₁ − 1)² + w₂²).
func weighNumbers(rows []int, of opinions, actual []float64) Weights {
	n, mean := float64(len(rows)), stat.Mean(picked(actual, rows), nil)
	a, b, off := make([]float64, len(rows)), make([]float64, len(rows)), make([]float64, len(rows))
	for r, q := range rows {
		a[r], off[r] = of[0].Data[q]-mean, actual[q]-of[0].Data[q]
		if of[1].Rows > 0 {
			b[r] = of[1].Data[q]
		}
	}
	penalty := 10*floats.Dot(off, off)/n + math.SmallestNonzeroFloat64
	aa, ab, bb := floats.Dot(a, a)+penalty, floats.Dot(a, b), floats.Dot(b, b)+penalty
	ay, by := floats.Dot(a, off), floats.Dot(b, off)
	w := Weights{Vectors: 1}
	if det := aa*bb - ab*ab; det > 0 {
		w.Vectors, w.Surroundings = 1+(bb*ay-ab*by)/det, (aa*by-ab*ay)/det
	}
	w.Shift = (1 - w.Vectors) * mean
	return w
}
