package coles

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/spectral"

	"gonum.org/v1/gonum/mat"
)

// Fit chooses the weights of the columns of E = FXPᵀ (n × d′) with eigenvalues λ, the first the largest. With L_j = max(λ_j,
// τλ₁)/λ₁, τ = 10⁻⁹, column j is multiplied by s·L_j^γ. s makes Norm the mean of ‖e_i − ē‖ over the rows; E is not centred. γ
// is Power where Rank is 0. Else γ is the smallest from which on, up to 3, in steps of 1/16 and by bisection, the effective
// rank is at most max(Rank·2^−γ, Floor). The effective rank is exp(−Σ q_j log q_j), q_j the share of column j in the energy of
// the centred embedding. If the rank at 3 is more, as [Report] says, the bound is at least 1.1 times that.
//
// Columns whose eigenvalues are within τλ₁ of one another, 10⁻⁶λ₁ in [Float32], count alike, by the mean of λ_j and of q_j: γ
// and EEᵀ do not depend on the basis of an eigenspace. Where λ₁ is at most 10⁻¹²‖E‖², no more than rounding, all of L is 1.
// Rows that are all equal, to 10⁻¹² of their length, or 10⁻⁶ in [Float32], keep their scale. Else a column that is no more
// than that has the factor 0. It costs O(n·d′).
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
	w, _, err := spectral.Fit(ctx, spectral.Rule(r), kernel.Matrix[float64](e.RawMatrix()), lambda, linear.Rounding(false), nil)
	if err != nil {
		return nil, fmt.Errorf("coles: %w", err)
	}
	return &Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: w.Factors}, nil
}

// Apply returns E with every column multiplied by its factor, in new storage.
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
