package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// A Scaling weights the columns of an embedding by their eigenvalues. An orthonormal P alone adds
// nothing to a classifier with an L2 penalty, which does not see a rotation; the weights are what
// makes the contrast count.
type Scaling struct {
	Power         float64   // γ
	EffectiveRank float64   // of the centred, scaled embedding
	Factors       []float64 // what each column is multiplied by
}

// A ScalingRule chooses the weights of the columns of an embedding by their eigenvalues.
type ScalingRule struct {
	// Rank and Floor bound the effective rank: see [ScalingRule.Fit]. A Rank of 0 fixes γ at Power.
	Rank  float64 `json:"rank"`
	Floor float64 `json:"floor"`
	// Power is γ where Rank is 0; 0 is the paper's letter, FXPᵀ.
	Power float64 `json:"power"`
	// Norm is r, the mean norm of the centred rows.
	Norm float64 `json:"norm"`
}

func (r ScalingRule) check() error {
	switch {
	case !matrix.Finite(r.Power) || r.Power < 0 || r.Rank != 0 && r.Power != 0:
		return fmt.Errorf("coles: %w", setting.Bad("γ = %v with rank %v, want 0 or more, and 0 where γ follows the rank", r.Power, r.Rank))
	case r.Rank != 0 && !(matrix.Finite(r.Rank) && r.Rank >= 1 && r.Floor >= 1 && r.Floor <= r.Rank):
		return fmt.Errorf("coles: %w", setting.Bad("effective rank %v with floor %v, want 1 ≤ floor ≤ rank", r.Rank, r.Floor))
	case !(matrix.Finite(r.Norm) && r.Norm > 0):
		return fmt.Errorf("coles: %w", setting.Bad("row norm r = %v, want more than 0", r.Norm))
	}
	return nil
}

// Fit chooses the weights of the columns of E = FXPᵀ (n × d′) with eigenvalues λ, the first the
// largest. With L_j = max(λ_j, τλ₁)/λ₁, τ = 10⁻⁹, column j is multiplied by s·L_j^γ, where
//
//   - γ is 0 if the effective rank exp(−Σ q_j log q_j), q_j the share of column j in
//     the energy of the centred embedding, is at most max(Rank·2^−γ, Floor) there; or
//     else where bisection of [0, 3] finds it to become that, which is the smallest such γ
//     unless it does so more than once; 3 where it never does; Power where Rank is 0;
//   - s makes Norm the mean of ‖e_i − ē‖ over the rows. The rows are centred to be
//     measured, because their mean may carry most of the energy; E is not.
//
// Columns whose eigenvalues are within τλ₁ of one another, 10⁻⁶λ₁ in a fit in [Float32], count
// alike, by the mean of λ_j and of q_j: their eigenspace has many bases, of which rounding chooses
// one, and γ and EEᵀ must not depend on it. Where λ₁ is at most 10⁻¹²‖E‖², no more than rounding, all of L is 1.
//
// It costs O(n·d′). An embedding whose rows are all equal, to 10⁻¹² of their length, or 10⁻⁶ in
// [Float32], keeps its scale.
//
// Errors: [ErrShape], [ErrNotFinite], [ErrSetting], and ctx's.
func (r ScalingRule) Fit(ctx context.Context, e *mat.Dense, lambda []float64) (*Scaling, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	source, err := readFeatures(ctx, e)
	if err != nil {
		return nil, err
	}
	if source.Cols() != len(lambda) {
		return nil, fmt.Errorf("coles: scaling: %w: %d columns, %d eigenvalues", ErrShape, source.Cols(), len(lambda))
	}
	for j, l := range lambda {
		if !matrix.Finite(l) {
			return nil, fmt.Errorf("coles: scaling: %w: eigenvalue %d is %v", ErrNotFinite, j, l)
		}
	}
	s, _, err := weigh(ctx, r, kernel.Matrix[float64](e.RawMatrix()), lambda, Float64, nil)
	return s, err
}

// weigh is [ScalingRule.Fit] for numbers computed in a precision. It also returns by how much EEᵀ,
// weighted, may be off for the noise, if that is not nil.
func weigh[T kernel.Float](ctx context.Context, r ScalingRule, e kernel.Matrix[T], lambda []float64, p Precision, noise *spectral.Noise) (s *Scaling, doubt float64, err error) {
	unit, err := unitOf(ctx, e)
	if err != nil {
		return nil, 0, err
	}
	mean, err := columnMeans(ctx, e, unit)
	if err != nil {
		return nil, 0, err
	}
	energy, err := parallel.Sum(ctx, e.Rows, e.Cols, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				off := float64(v)*unit - mean[j]
				sum[j] += off * off
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	columns := spectral.Columns{Rows: e.Rows, Unit: unit, Mean: mean, Energy: energy}
	w := spectral.Rule(r).Weigh(columns, lambda, p.Rounding())
	if noise != nil {
		doubt = spectral.Rule(r).Doubt(columns, lambda, w, *noise)
	}
	s = &Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: w.Factors}
	if w.Equal {
		return s, doubt, nil
	}
	norm, err := meanCentredNorm(ctx, e, unit, mean, s.Factors)
	if err == nil && !spectral.Rule(r).Stretch(s.Factors, norm, unit) {
		err = fmt.Errorf("coles: scaling: %w: the rows are too short to be given the norm %v", ErrNotFinite, r.Norm)
	}
	if err != nil {
		return nil, 0, err
	}
	return s, doubt, nil
}

// unitOf is 1, or the power of two in which rows are measured where the squares of their entries
// would leave the range of the numbers.
func unitOf[T kernel.Float](ctx context.Context, e kernel.Matrix[T]) (float64, error) {
	if e.Cols == 0 {
		return 1, nil
	}
	largest, err := matrix.Of(e).Largest(ctx)
	if err != nil || largest == 0 || largest > 0x1p-400 && largest < 0x1p400 {
		return 1, err
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1000)), nil
}

// columnMeans is the mean of every column times unit.
func columnMeans[T kernel.Float](ctx context.Context, e kernel.Matrix[T], unit float64) ([]float64, error) {
	mean, err := parallel.Sum(ctx, e.Rows, e.Cols, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				sum[j] += float64(v) * unit
			}
		}
	})
	for j := range mean {
		mean[j] /= float64(e.Rows)
	}
	return mean, err
}

// meanCentredNorm is the mean over the rows of ‖(e_i·unit − mean)·diag(factors)‖.
func meanCentredNorm[T kernel.Float](ctx context.Context, e kernel.Matrix[T], unit float64, mean, factors []float64) (float64, error) {
	sum, err := parallel.Sum(ctx, e.Rows, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			square := 0.0
			for j, v := range e.Data[i*e.Stride:][:e.Cols] {
				d := (float64(v)*unit - mean[j]) * factors[j]
				square += d * d
			}
			sum[0] += math.Sqrt(square)
		}
	})
	return sum[0] / float64(e.Rows), err
}

// Apply returns E with every column multiplied by its factor, in new storage.
//
// Errors: [ErrShape], [ErrNotFinite], and ctx's.
func (s *Scaling) Apply(ctx context.Context, e *mat.Dense) (*mat.Dense, error) {
	if _, d := e.Dims(); d != len(s.Factors) {
		return nil, fmt.Errorf("coles: scaling: %w: %d columns, %d factors", ErrShape, d, len(s.Factors))
	}
	from := kernel.Matrix[float64](e.RawMatrix())
	y := kernel.Unset[float64](from.Rows, from.Cols)
	if err := kernel.Convert(ctx, y, from); err != nil {
		return nil, err
	}
	if err := matrix.ScaleColumns(ctx, y, s.Factors); err != nil {
		return nil, err
	}
	return matrix.ToFiniteDense(ctx, "the scaled matrix", y)
}

// DegreeDirection is (FX)ᵀs given length 1, for package live. It is nil where the settings want no
// column of degrees, and where (FX)ᵀs is the rounding of sums of that magnitude: where s is
// constant, say, and the columns of X sum to zero.
func (s Settings) DegreeDirection(sum []float64, magnitude float64) []float64 {
	length := matrix.Length(sum)
	if s.DegreeShare == 0 || s.Dim == 1 || s.Model == FeatureModel || !(length > s.Precision.Rounding()*magnitude) {
		return nil
	}
	v := slices.Clone(sum)
	matrix.Scale(v, 1/length)
	return v
}

// scale chooses the weights of the columns of y: of FXPᵀ by their eigenvalues and, where there is
// one column more, of the degree column, which gets its share of the energy. It also returns what
// weigh does.
func scale[T kernel.Float](ctx context.Context, s *Settings, y kernel.Matrix[T], lambda []float64, noise *spectral.Noise) (*Scaling, float64, error) {
	k := len(lambda)
	rest := kernel.Matrix[T]{Rows: y.Rows} // where truncation has left none
	if k > 0 {
		rest = kernel.Columns(y, 0, k)
	}
	if k == y.Cols {
		return weigh(ctx, s.Scaling, rest, lambda, s.Precision, noise)
	}
	column := kernel.Columns(y, k, k+1)
	degree, _, err := weigh(ctx, ScalingRule{Norm: s.Scaling.Norm}, column, []float64{1}, s.Precision, nil)
	if err != nil {
		return nil, 0, err
	}
	mean, err := columnMeans(ctx, column, 1)
	if err != nil {
		return nil, 0, err
	}
	if noise != nil {
		offset := min(degree.Factors[0]*math.Abs(mean[0])/s.Scaling.Norm, mostOffset)
		noise.Beside = offset * math.Sqrt(s.DegreeShare/(1-s.DegreeShare))
	}
	scaling, doubt, err := weigh(ctx, s.Scaling, rest, lambda, s.Precision, noise)
	if err != nil {
		return nil, 0, err
	}
	scaling.Factors = s.JoinDegree(scaling.Factors, degree.Factors[0], mean[0])
	return scaling, doubt, nil
}

// JoinDegree is the factors of the columns of FXPᵀ and that of the column of degrees, which has that
// mean, each having been found to give the norm alone: for the packages of this module.
func (s Settings) JoinDegree(factors []float64, degree, mean float64) []float64 {
	if most := mostOffset * s.Scaling.Norm; degree*math.Abs(mean) > most {
		degree = most / math.Abs(mean)
	}
	matrix.Scale(factors, math.Sqrt(1-s.DegreeShare))
	return append(factors, math.Sqrt(s.DegreeShare)*degree)
}

// mostOffset bounds the mean of the column of degrees, in the norm that it would be given: on real
// graphs it is 2 to 5. Where all nodes have nearly the same degree it would be as large as you like,
// and the column still say nothing.
const mostOffset = 10
