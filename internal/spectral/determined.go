package spectral

import (
	"math"

	"coles/internal/matrix"
)

// turned bounds how far an eigenvector may have turned into another: the sine of the angle is at most the residual
// divided by the gap between the eigenvalues, here a tenth.
const turned = 10

// Determined is how many of the columns with eigenvalues λ, descending, the input determines. The last
// columns are not determined if their eigenvalues descend to n.Next, the largest eigenvalue that was not found, in
// steps of at most leastLevel·λ₁, rounding, or ten residuals. Their eigenspace is then cut, and rounding or the
// numbering of the nodes chooses among its vectors. No rule could choose instead: symmetries of the graph may map
// any of them to any other, as in a complete graph.
func (n Noise) Determined(lambda []float64) int {
	keep, next := len(lambda), n.Next
	for keep > 0 {
		step := max(leastLevel*math.Abs(lambda[0]), n.Zero)
		if keep <= len(n.Pairs) {
			step = max(step, turned*n.Pairs[keep-1])
		}
		if lambda[keep-1]-next > step {
			break
		}
		keep--
		next = lambda[keep]
	}
	return keep
}

// Positive is how many of the eigenvalues λ, descending, are neither negative nor 0 but for rounding.
func (n Noise) Positive(lambda []float64) int {
	keep := len(lambda)
	for keep > 0 && (lambda[keep-1] < 0 || lambda[keep-1] < n.Zero) {
		keep--
	}
	return keep
}

// nothing is 10⁻²⁴·‖FX‖², up to which ‖E‖² is rounding, in units of [Noise].Zero = 10⁻¹⁴·‖FX‖²·‖ΔW‖, where ‖ΔW‖ ≥ 1.
const nothing = 1e-10

// WeighFirst is [Rule.Weigh] for the first columns, as many as are [Noise.Determined]. The others get the factor 0,
// and so do all where E is FX on its null space, which is rounding: see [Noise].Zero.
func (r Rule) WeighFirst(keep int, zero float64, c Columns, lambda []float64, rounding float64) Weights {
	squares := matrix.Total(c.Energy)
	for _, mean := range c.Mean {
		squares += float64(c.Rows) * mean * mean
	}
	if squares <= nothing*zero*c.Unit*c.Unit {
		keep = 0
	}
	c.Mean, c.Energy = c.Mean[:keep], c.Energy[:keep]
	w := r.Weigh(c, lambda[:keep], rounding)
	w.Undetermined = len(lambda) - keep
	w.Factors = append(w.Factors, make([]float64, w.Undetermined)...)
	return w
}
