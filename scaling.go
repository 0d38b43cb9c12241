package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"

	"gonum.org/v1/gonum/mat"
)

// A Scaling weights the columns of an embedding by their eigenvalues. An
// orthonormal P alone adds nothing to a classifier with an L2 penalty, which
// does not see a rotation; the weights are what makes the contrast count.
type Scaling struct {
	Power         float64   // γ
	EffectiveRank float64   // of the centred, scaled embedding
	Factors       []float64 // what each column is multiplied by
}

// maxPower ends the search for γ: beyond it a handful of columns is left.
const maxPower = 3

// SpectralScaling chooses the weights of the columns of E = FXPᵀ (n × d′) with
// eigenvalues λ, the first the largest. With L_j = max(λ_j, τλ₁)/λ₁, τ = 10⁻⁹ or, in
// [Float32], 10⁻⁶, column j is multiplied by s·L_j^γ, where
//
//   - γ is 0 if the effective rank exp(−Σ q_j log q_j), q_j the share of column j in
//     the energy of the centred embedding, is at most max(rank·2^−γ, floor) there; or
//     else where bisection of [0, 3] finds it to become that, which is the smallest such γ
//     unless it does so more than once; 3 where it never does; or fixed by [WithPower];
//   - s makes r the mean of ‖e_i − ē‖ over the rows. The rows are centred to be
//     measured, because their mean may carry most of the energy; E is not.
//
// Columns whose eigenvalues are within τλ₁ of one another count alike, by the mean of λ_j and of
// q_j: their eigenspace has many bases, of which rounding chooses one, and γ and EEᵀ must not
// depend on it. Where λ₁ is at most 10⁻¹²‖E‖², no more than rounding, all of L is 1.
//
// Of the options it reads [WithPower], [WithRank], [WithNorm], and [WithPrecision] for that in
// which E was computed. It costs O(n·d′). An embedding whose rows are all equal, to 10⁻¹² of
// their length, or 10⁻⁶ in [Float32], keeps its scale.
//
// Errors: [ErrShape], [ErrEmpty] for a nil matrix, [ErrNotFinite], [ErrSetting], and ctx's.
func SpectralScaling(ctx context.Context, e *mat.Dense, lambda []float64, opts ...Option) (*Scaling, error) {
	c, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	f, err := readFeatures(ctx, e)
	if err != nil {
		return nil, err
	}
	if f.cols() != len(lambda) {
		return nil, fmt.Errorf("coles: scaling: %w: %d columns, %d eigenvalues", ErrShape, f.cols(), len(lambda))
	}
	for j, l := range lambda {
		if !finite(l) {
			return nil, fmt.Errorf("coles: scaling: %w: eigenvalue %d is %v", ErrNotFinite, j, l)
		}
	}
	s, _, err := spectralScaling(ctx, f.dense, lambda, c.Scaling, roundingOf(c.Precision))
	return s, err
}

// roundingOf is how far, relative to their length, rows are apart by rounding alone, with
// some room: products of long sums lose more than the last digit.
func roundingOf(p Precision) float64 {
	if p == Float32 {
		return 1e-6
	}
	return 1e-12
}

// spectralScaling is [SpectralScaling] where rows that are apart by at most so much,
// relative to their length, count as equal. null says that they are not, but that there is
// nothing but rounding in the eigenvalues.
func spectralScaling(ctx context.Context, e kernel.Matrix[float64], lambda []float64, rule ScalingRule, rounding float64) (s *Scaling, null bool, err error) {
	unit, err := unitOf(ctx, e)
	if err != nil {
		return nil, false, err
	}
	mean, err := columnMeans(ctx, e, unit)
	if err != nil {
		return nil, false, err
	}
	energy, err := sumRows(ctx, e.Rows, e.Cols, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				sum[j] += (v*unit - mean[j]) * (v*unit - mean[j])
			}
		}
	})
	if err != nil {
		return nil, false, err
	}
	spread, length := math.Sqrt(total(energy)/float64(e.Rows)), blas64.Nrm2(vectorOf(mean))
	equal := spread <= rounding*length
	// λ₁ is at most a small multiple of ‖E‖², here in the same units.
	first := 0.0
	if squares := float64(e.Rows) * (spread*spread + length*length); len(lambda) > 0 && lambda[0]*unit*unit > rounding*squares {
		first = lambda[0]
	} else {
		null = len(lambda) > 0 && lambda[0] > 0 && !equal
	}
	weight := levels(lambda, energy, first, max(1e-9, rounding))
	if equal {
		clear(energy)
	}
	s = &Scaling{Power: rule.Power}
	if !rule.FixedPower {
		s.Power = powerForRank(energy, weight, rule)
	}
	s.EffectiveRank = effectiveRank(energy, weight, s.Power)
	s.Factors = make([]float64, len(weight))
	for j, w := range weight {
		s.Factors[j] = math.Pow(w, s.Power)
	}
	if equal {
		return s, null, nil
	}
	norm, err := meanCentredNorm(ctx, e, unit, mean, s.Factors)
	if err != nil {
		return nil, false, err
	}
	if norm > 0 {
		for j := range s.Factors {
			if s.Factors[j] *= rule.Norm / norm * unit; !finite(s.Factors[j]) {
				return nil, false, fmt.Errorf("coles: scaling: %w: the rows are too short to be given the norm %v", ErrNotFinite, rule.Norm)
			}
		}
	}
	return s, null, nil
}

// levels are L for the eigenvalues, of which first is λ₁, or 0 where all are rounding. The
// energies of columns that count alike become their mean.
func levels(lambda, energy []float64, first, tolerance float64) []float64 {
	level := make([]float64, len(lambda))
	for lo, hi := 0, 0; lo < len(lambda); lo = hi {
		for hi = lo + 1; hi < len(lambda) && (first == 0 || math.Abs(lambda[lo]-lambda[hi]) <= tolerance*first); {
			hi++
		}
		count := float64(hi - lo)
		l, mean := 1.0, total(energy[lo:hi])/count
		if first > 0 {
			l = max(total(lambda[lo:hi])/count/first, tolerance)
		}
		for j := lo; j < hi; j++ {
			level[j], energy[j] = l, mean
		}
	}
	return level
}

// unitOf is 1, or the power of two in which rows are measured where the squares of their
// entries would leave the range of the numbers.
func unitOf(ctx context.Context, e kernel.Matrix[float64]) (float64, error) {
	if e.Cols == 0 {
		return 1, nil
	}
	largest, err := largestOfRows(ctx, e.Rows, (&signal[float64]{dense: e}).largest)
	if err != nil || largest == 0 || largest > 0x1p-400 && largest < 0x1p400 {
		return 1, err
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1000)), nil
}

// columnMeans is the mean of every column times unit.
func columnMeans(ctx context.Context, e kernel.Matrix[float64], unit float64) ([]float64, error) {
	mean, err := sumRows(ctx, e.Rows, e.Cols, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				sum[j] += v * unit
			}
		}
	})
	for j := range mean {
		mean[j] /= float64(e.Rows)
	}
	return mean, err
}

// effectiveRank is the exponential of the entropy of the energies after
// weighting (Roy and Vetterli 2007); 0 where there is no energy.
func effectiveRank(energy, weight []float64, power float64) float64 {
	total := 0.0
	q := make([]float64, len(energy))
	for j, e := range energy {
		q[j] = e * math.Pow(weight[j], 2*power)
		total += q[j]
	}
	if total == 0 {
		return 0
	}
	entropy := 0.0
	for _, v := range q {
		if v > 0 {
			entropy -= v / total * math.Log(v/total)
		}
	}
	return math.Exp(entropy)
}

// powerForRank finds γ by bisection.
func powerForRank(energy, weight []float64, rule ScalingRule) float64 {
	above := func(power float64) bool {
		return effectiveRank(energy, weight, power) > max(rule.Rank*math.Exp2(-power), rule.Floor)
	}
	if !above(0) {
		return 0
	}
	lo, hi := 0.0, float64(maxPower)
	for range 50 {
		if mid := (lo + hi) / 2; above(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// meanCentredNorm is the mean over the rows of ‖(e_i·unit − mean)·diag(factors)‖.
func meanCentredNorm(ctx context.Context, e kernel.Matrix[float64], unit float64, mean, factors []float64) (float64, error) {
	sum, err := sumRows(ctx, e.Rows, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			square := 0.0
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				d := (v*unit - mean[j]) * factors[j]
				square += d * d
			}
			sum[0] += math.Sqrt(square)
		}
	})
	return sum[0] / float64(e.Rows), err
}

// Apply returns E with every column multiplied by its factor, in new storage.
//
// Errors: [ErrShape], [ErrEmpty] for a nil matrix, [ErrNotFinite], and ctx's.
func (s *Scaling) Apply(ctx context.Context, e *mat.Dense) (*mat.Dense, error) {
	if s == nil || e == nil {
		return nil, fmt.Errorf("coles: scaling: %w: scaling or matrix is nil", ErrEmpty)
	}
	if _, d := e.Dims(); d != len(s.Factors) {
		return nil, fmt.Errorf("coles: scaling: %w: %d columns, %d factors", ErrShape, d, len(s.Factors))
	}
	from := kernel.Matrix[float64](e.RawMatrix())
	y := kernel.Unset[float64](from.Rows, from.Cols)
	if err := kernel.Convert(ctx, y, from); err != nil {
		return nil, err
	}
	if err := scale(ctx, y, s.Factors); err != nil {
		return nil, err
	}
	return finiteDense(ctx, "the scaled matrix", y)
}

// scale multiplies every column by its factor.
func scale(ctx context.Context, e kernel.Matrix[float64], factors []float64) error {
	if e.Cols == 0 {
		return ctx.Err()
	}
	return eachBlock(ctx, e.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := e.Data[i*e.Stride:][:e.Cols]
			for j, f := range factors {
				row[j] *= f
			}
		}
	})
}
