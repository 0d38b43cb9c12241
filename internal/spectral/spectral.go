// Package spectral chooses the weights of the columns of an embedding from their eigenvalues and sums
// over its rows, wherever these are added up.
package spectral

import (
	"math"
	"slices"

	"coles/internal/matrix"
)

// A Rule holds the numbers of a coles.ScalingRule, by the same names.
type Rule struct{ Rank, Floor, Power, Norm float64 }

// Columns are sums over the rows of an embedding E, measured in a unit: E times Unit.
type Columns struct {
	Rows   int       // of E
	Unit   float64   // that E is multiplied by
	Mean   []float64 // of each column
	Energy []float64 // Σ (e − mean)²
}

// Weights of columns, before they get their norm.
type Weights struct {
	Power, EffectiveRank float64   // γ, and the rank at that
	Factors              []float64 // L^γ
	Equal                bool      // all rows are equal, up to rounding
	Null                 bool      // rows differ, but the eigenvalues are all rounding
	Undetermined         int       // last columns, with the factor 0: see [Noise.Determined]
}

// leastLevel is τ: no eigenvalue counts for less, relative to the largest.
const leastLevel = 1e-9

// maxPower ends the search for γ: beyond it a handful of columns is left.
const maxPower = 3

// Weigh chooses γ for columns with eigenvalues λ, descending, for rows that are exact to rounding.
func (r Rule) Weigh(c Columns, lambda []float64, rounding float64) Weights {
	var w Weights
	energy := slices.Clone(c.Energy)
	spread, length := math.Sqrt(matrix.Total(c.Energy)/float64(c.Rows)), matrix.Length(c.Mean)
	w.Equal = spread <= rounding*length
	// λ₁ is at most a small multiple of ‖E‖², here in the same units.
	first := 0.0
	if squares := float64(c.Rows) * (spread*spread + length*length); len(lambda) > 0 && lambda[0]*c.Unit*c.Unit > rounding*squares {
		first = lambda[0]
	} else {
		w.Null = len(lambda) > 0 && lambda[0] > 0 && !w.Equal
	}
	weight := levels(lambda, energy, first, max(leastLevel, rounding))
	if w.Equal {
		clear(energy)
	}
	w.Power = r.Power
	if r.Rank != 0 {
		w.Power = r.power(energy, weight)
	}
	w.EffectiveRank = effectiveRank(energy, weight, w.Power)
	w.Factors = make([]float64, len(weight))
	largest := math.Hypot(spread, length)
	for j, l := range weight {
		// A column that is rounding is 0 for all rows, but not for a row of features that no other has.
		if w.Equal || math.Hypot(math.Sqrt(c.Energy[j]/float64(c.Rows)), c.Mean[j]) > exact*largest {
			w.Factors[j] = math.Pow(l, w.Power)
		}
	}
	return w
}

// levels are L for the eigenvalues, of which first is λ₁, or 0 where all are rounding. The energies
// of columns that count alike become their mean.
func levels(lambda, energy []float64, first, tolerance float64) []float64 {
	level := make([]float64, len(lambda))
	for lo, hi := 0, 0; lo < len(lambda); lo = hi {
		for hi = lo + 1; hi < len(lambda) && (first == 0 || math.Abs(lambda[lo]-lambda[hi]) <= tolerance*first); {
			hi++
		}
		count := float64(hi - lo)
		l, mean := 1.0, matrix.Total(energy[lo:hi])/count
		if first > 0 {
			l = max(matrix.Total(lambda[lo:hi])/count/first, leastLevel)
		}
		for j := lo; j < hi; j++ {
			level[j], energy[j] = l, mean
		}
	}
	return level
}

// effectiveRank is the exponential of the entropy of the energies after weighting (Roy and Vetterli
// 2007); 0 for no energy.
func effectiveRank(energy, weight []float64, power float64) float64 {
	sum := 0.0
	q := make([]float64, len(energy))
	for j, e := range energy {
		q[j] = e * math.Pow(weight[j], 2*power)
		sum += q[j]
	}
	if sum == 0 {
		return 0
	}
	entropy := 0.0
	for _, v := range q {
		if v > 0 {
			entropy -= v / sum * math.Log(v/sum)
		}
	}
	return math.Exp(entropy)
}

// Bound is what the effective rank is to be at most for some γ.
func (r Rule) Bound(power float64) float64 {
	if r.Rank == 0 {
		return math.Inf(1)
	}
	return max(r.Rank*math.Exp2(-power), r.Floor)
}

// power finds γ. Where a column has much energy and an eigenvalue near 0 the effective rank rises before it falls, and
// may be small at 0 by this column alone: so the largest from γ on counts. Where more columns than wanted have the same
// eigenvalue, as in a graph of many pieces, no γ tells them apart, and a large one would erase all others.
func (r Rule) power(energy, weight []float64) float64 {
	const step, near = 1.0 / 16, 1.1
	least, most := float64(maxPower), effectiveRank(energy, weight, maxPower) // the smallest γ that will do, and the largest rank from there on
	bound := r.Bound
	if end := most; end > r.Bound(maxPower) {
		bound = func(power float64) float64 { return max(r.Bound(power), near*end) }
	}
	for power, largest := least, most; power >= 0; power -= step {
		if largest = max(largest, effectiveRank(energy, weight, power)); largest <= bound(power) {
			least, most = power, largest
		}
	}
	if least == 0 {
		return 0
	}
	lo, hi := least-step, least
	for range 50 {
		if mid := (lo + hi) / 2; max(most, effectiveRank(energy, weight, mid)) > bound(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
