package link

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A pick is a choice of some of several rows of x.
type pick struct {
	x     *mat.Dense
	taken []bool
}

const (
	conditionalRidge = 10   // in units of the variance of a column
	leastVariance    = 1e-6 // a column that hardly varies says nothing, and must not be divided by
)

// conditionalLogit fits McFadden's conditional logit (1974), drawn towards prior w₀:
//
//	max over w of Σ log(e^{w·x_h}/(e^{w·x_h} + Σ_v e^{w·x_v})) − ½·ridge·Σⱼ σⱼ²(wⱼ − w₀ⱼ)²,
//
// the first sum over the rows x_h that were taken, each against all rows of its pick that were not. Newton's
// method solves it, with steps halved until they gain.
func conditionalLogit(picks []pick, prior []float64) []float64 {
	d := len(prior)
	ridge := varianceOf(picks, d)
	for j := range ridge {
		ridge[j] = conditionalRidge * max(ridge[j], leastVariance)
	}
	w := mat.NewVecDense(d, append([]float64(nil), prior...))
	value, gradient, curvature := likelihood(picks, w, prior, ridge)
	for range 50 {
		var factor mat.Cholesky
		step := mat.NewVecDense(d, nil)
		if !factor.Factorize(curvature) || factor.SolveVecTo(step, gradient) != nil {
			break
		}
		gain := mat.Dot(step, gradient)
		if gain < 1e-12*(1+math.Abs(value)) {
			break
		}
		moved := false
		for size := 1.0; size > 1e-6 && !moved; size /= 2 {
			next := mat.NewVecDense(d, nil)
			next.AddScaledVec(w, size, step)
			if v, g, c := likelihood(picks, next, prior, ridge); v > value {
				w, value, gradient, curvature, moved = next, v, g, c, true
			}
		}
		if !moved {
			break
		}
	}
	return w.RawVector().Data
}

// likelihood is the objective of conditionalLogit, its gradient and the negative of its Hessian.
func likelihood(picks []pick, w *mat.VecDense, prior, ridge []float64) (float64, *mat.VecDense, *mat.SymDense) {
	d := len(prior)
	value, gradient, curvature := 0.0, mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	for j, r := range ridge {
		off := w.AtVec(j) - prior[j]
		value -= r * off * off / 2
		gradient.SetVec(j, -r*off)
		curvature.SetSym(j, j, r)
	}
	mean, square := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	for _, c := range picks {
		scores := scoresOf(c.x, w)
		most := mat.Max(scores)
		// Of the rows not taken the sums of e^s, e^s·x and e^s·xxᵀ, to which each row taken is added in turn.
		others := 0.0
		mean.Zero()
		square.Zero()
		for v, taken := range c.taken {
			if !taken {
				e := math.Exp(scores.AtVec(v) - most)
				others += e
				mean.AddScaledVec(mean, e, c.x.RowView(v))
				square.SymRankOne(square, e, c.x.RowView(v))
			}
		}
		for h, taken := range c.taken {
			if !taken {
				continue
			}
			x, e := c.x.RowView(h), math.Exp(scores.AtVec(h)-most)
			sum := others + e
			value += scores.AtVec(h) - most - math.Log(sum)
			var expected mat.VecDense
			expected.AddScaledVec(mean, e, x)
			expected.ScaleVec(1/sum, &expected)
			gradient.AddVec(gradient, x)
			gradient.SubVec(gradient, &expected)
			var spread mat.SymDense
			spread.SymRankOne(square, e, x)
			spread.ScaleSym(1/sum, &spread)
			spread.SymRankOne(&spread, -1, &expected)
			curvature.AddSym(curvature, &spread)
		}
	}
	return value, gradient, curvature
}

// scoresOf are the products w·x of the rows.
func scoresOf(x *mat.Dense, w mat.Vector) *mat.VecDense {
	var s mat.VecDense
	s.MulVec(x, w)
	return &s
}

// varianceOf is the variance of each column over the rows of all picks.
func varianceOf(picks []pick, d int) []float64 {
	count, mean, square := 0.0, make([]float64, d), make([]float64, d)
	for _, c := range picks {
		for v := range c.taken {
			count++
			for j, x := range c.x.RawRowView(v) { // Welford's update keeps the digits
				off := x - mean[j]
				mean[j] += off / count
				square[j] += off * (x - mean[j])
			}
		}
	}
	for j := range square {
		square[j] /= max(count, 1)
	}
	return square
}
