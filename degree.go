package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/spectral"
)

// findDegrees sets the direction v = (FX)ᵀs/‖(FX)ᵀs‖ (d) of the degree column FXv, with s the vector of
// √degree, or finds that there is none: at once, or once FX is formed.
func (p *problem[T]) findDegrees(ctx context.Context, settings Settings, g *Graph, w *SymCSR) error {
	n := p.x.Rows()
	s := kernel.Dense[float64](n, 1)
	for i, degree := range g.degree {
		s.Data[i] = math.Sqrt(degree)
	}
	if length := matrix.Length(s.Data); length > 0 {
		matrix.Scale(s.Data, 1/length)
	}
	squares, err := p.x.Squares(ctx)
	if err != nil {
		return err
	}
	set := func(sum []float64, magnitude float64) error {
		p.degree = settings.DegreeDirection(sum, magnitude)
		noise := columnRounding * magnitude / math.Sqrt(float64(n)) // of every sum, and √d of them
		if p.single() && settings.DegreeShare > 0 && p.dim > 1 && mostDoubt*matrix.Length(sum) < noise && slices.Min(g.degree) < slices.Max(g.degree) {
			return fmt.Errorf("coles: fit: the column of degrees: %w: rounding in float32 may change it; use Float64 or no such column", ErrPrecision)
		}
		return nil
	}
	if w == nil {
		p.degrees = func(ctx context.Context, fx matrix.Filtered[T]) error {
			v, err := fx.TransposeTimes(ctx, s.Data)
			if err != nil {
				return err
			}
			return set(v, p.filter.Gain()*math.Sqrt(squares))
		}
		return nil
	}
	f := p.filter
	f.coef = f.Tamed()
	fs, err := matrix.Horner(ctx, f.coef, w.m, matrix.Of(s), kernel.Unset[float64](n, 1), kernel.Unset[float64](n, 1))
	if err != nil {
		return err
	}
	v, err := matrix.TransposeTimes(ctx, p.x, fs.Data)
	if err != nil {
		return err
	}
	return set(v, f.Gain()*math.Sqrt(squares))
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
