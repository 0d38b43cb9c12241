package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// checkOverflow refuses a result that has left the range of its numbers.
func checkOverflow[T kernel.Float](ctx context.Context, what string, s *signal[T]) error {
	largest, err := largestOfRows(ctx, s.rows(), s.largest)
	if err != nil {
		return err
	}
	if !finite(largest) {
		return fmt.Errorf("coles: %w: %s overflows; scale the features", ErrNotFinite, what)
	}
	return nil
}

// leastFeature is the magnitude below which M, made of squares of FX, loses digits to numbers
// that float64 cannot hold: 2⁻⁹⁰⁰ is 2⁻¹²² above the smallest it holds in full.
const leastFeature = 0x1p-450

// checkUnderflow refuses features whose squares, filtered, vanish.
func checkUnderflow[T kernel.Float](ctx context.Context, x *signal[T], f Filter) error {
	largest, err := largestOfRows(ctx, x.rows(), x.largest)
	if err != nil {
		return err
	}
	if gain := magnitude(f.coef); largest > 0 && gain > 0 && largest*gain < leastFeature {
		return fmt.Errorf("coles: %w: features up to %.3g, whose squares in M = XᵀFᵀΔWFX underflow; scale them", ErrPrecision, largest*gain)
	}
	return nil
}

// finiteDense is y as the world takes it, or an error where it has overflowed.
func finiteDense(ctx context.Context, what string, y kernel.Matrix[float64]) (*mat.Dense, error) {
	if y.Cols > 0 {
		if err := checkOverflow(ctx, what, &signal[float64]{dense: y}); err != nil {
			return nil, err
		}
	}
	return denseOf(y), nil
}

// checkPanel refuses a dense matrix of more bytes than a number of this machine counts,
// which takes one of 32 bits, before there is memory taken for it.
func checkPanel(rows, cols int) error {
	if cols > 0 && rows > math.MaxInt/16/cols {
		return fmt.Errorf("coles: %w: a dense matrix of %d × %d", ErrTooLarge, rows, cols)
	}
	return nil
}

// tame multiplies a row by a power of two, where it must be, so that neither sums of its
// entries nor of their squares leave the range of float64. The row is scaled to
// a length of its own afterwards.
func tame(row []float64) {
	switch largest := magnitude(row); {
	case largest > 0x1p900:
		multiply(row, 0x1p-100)
	case largest > 0 && largest < 0x1p-900:
		multiply(row, 0x1p100)
	}
}

func multiply(row []float64, c float64) {
	for q := range row {
		row[q] *= c
	}
}

// deviationOf is v − mean in units of 1/weight, where the difference may overflow.
func deviationOf(v, mean, weight float64) float64 {
	if off := v - mean; math.Abs(off) <= math.MaxFloat64 {
		return off * weight
	}
	return (v/2 - mean/2) * weight * 2
}
