package coles

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
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
	if w == nil {
		p.degrees = func(ctx context.Context, fx matrix.Filtered[T]) error {
			v, err := fx.TransposeTimes(ctx, s.Data)
			p.degree = settings.DegreeDirection(v, p.filter.Gain()*math.Sqrt(squares))
			return err
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
	p.degree = settings.DegreeDirection(v, f.Gain()*math.Sqrt(squares))
	return err
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
// one column more, of the degree column, which gets its share of the energy. It reports null as
// [ScalingRule.Fit] does.
func scale[T kernel.Float](ctx context.Context, s *Settings, y kernel.Matrix[T], lambda []float64) (*Scaling, bool, error) {
	k := len(lambda)
	rest := kernel.Matrix[T]{Rows: y.Rows} // where truncation has left none
	if k > 0 {
		rest = kernel.Columns(y, 0, k)
	}
	scaling, null, err := weigh(ctx, s.Scaling, rest, lambda, s.Precision)
	if err != nil || k == y.Cols {
		return scaling, null, err
	}
	column := kernel.Columns(y, k, k+1)
	degree, _, err := weigh(ctx, ScalingRule{Norm: s.Scaling.Norm}, column, []float64{1}, s.Precision)
	if err != nil {
		return nil, null, err
	}
	mean, err := columnMeans(ctx, column, 1)
	if err != nil {
		return nil, null, err
	}
	scaling.Factors = s.JoinDegree(scaling.Factors, degree.Factors[0], mean[0])
	return scaling, null, nil
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
