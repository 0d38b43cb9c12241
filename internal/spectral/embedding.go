package spectral

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// MostDoubt is how far YYᵀ computed in float32 may be estimated to be from that in float64.
const MostDoubt = 5e-6

// Fit weights the columns of E = FXPᵀ (n × d′) by their eigenvalues, for rows that are exact to
// rounding. If noise is not nil, columns that are not determined get the factor 0 in float64; in float32 Fit
// also returns by how much the weighted EEᵀ may be off.
//
// Errors: [matrix.ErrNotFinite] for rows too short to be given the norm, and ctx's.
func Fit[T kernel.Float](ctx context.Context, r Rule, e kernel.Matrix[T], lambda []float64, rounding float64, noise *Noise) (w Weights, doubt float64, err error) {
	if e.Cols == 0 { // where truncation has left none
		e = kernel.Matrix[T]{Rows: e.Rows}
	}
	unit, err := unitOf(ctx, e)
	if err != nil {
		return w, 0, err
	}
	mean, err := columnMeans(ctx, e, unit)
	if err != nil {
		return w, 0, err
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
		return w, 0, err
	}
	columns := Columns{Rows: e.Rows, Unit: unit, Mean: mean, Energy: energy}
	switch _, single := any(T(0)).(float32); {
	case noise == nil:
		w = r.Weigh(columns, lambda, rounding)
	case single:
		w = r.Weigh(columns, lambda, rounding)
		doubt = r.Doubt(columns, lambda, w, *noise)
	default:
		w = r.WeighFirst(noise.Determined(lambda), noise.Zero, columns, lambda, rounding)
	}
	if w.Equal {
		return w, doubt, nil
	}
	norm, err := meanCentredNorm(ctx, e, unit, mean, w.Factors)
	if err == nil {
		err = r.Stretch(w.Factors, norm, unit)
	}
	return w, doubt, err
}

// Stretch scales the factors so that the mean norm of centred rows becomes Norm. With the factors as given it is norm.
//
// Errors: [matrix.ErrNotFinite] if a factor overflows.
func (r Rule) Stretch(factors []float64, norm, unit float64) error {
	if norm > 0 {
		for j := range factors {
			if factors[j] *= r.Norm / norm * unit; !matrix.Finite(factors[j]) {
				return fmt.Errorf("scaling: %w: the rows are too short to be given the norm %v", matrix.ErrNotFinite, r.Norm)
			}
		}
	}
	return nil
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
