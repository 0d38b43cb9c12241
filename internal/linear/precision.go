package linear

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// Single reports whether T is float32.
func Single[T kernel.Float]() bool {
	_, single := any(T(0)).(float32)
	return single
}

// Rounding is how far, relative to their length, rows are apart by rounding alone, with some room:
// products of long sums lose more than the last digit.
func Rounding(single bool) float64 {
	if single {
		return 1e-6
	}
	return 1e-12
}

// singleRange is how far the largest magnitude may be from 1 in float32.
const singleRange = 1e15

// CheckSingle refuses numbers up to a magnitude that have products which float32 could not hold.
func CheckSingle(what string, largest float64) error {
	if largest > singleRange || largest > 0 && largest < 1/singleRange {
		return fmt.Errorf("%s: %w: up to %.3g, beyond what float32 can multiply; scale them or use Float64", what, matrix.ErrPrecision, largest)
	}
	return nil
}

// Features are prepared features in numbers of type T, which must be able to hold their products.
// plain is set if preparation left them unchanged.
func Features[T kernel.Float](ctx context.Context, prepared *matrix.Source, plain bool) (*matrix.Matrix[T], error) {
	x, err := matrix.As[T](ctx, prepared)
	if err != nil || !Single[T]() {
		return x, err
	}
	if plain { // what vanishes in float32 is seen here only
		largest, err := prepared.Largest(ctx)
		if err != nil {
			return nil, err
		}
		if err := CheckSingle("features", largest); err != nil {
			return nil, err
		}
	}
	largest, err := x.Largest(ctx)
	if err != nil {
		return nil, err
	}
	return x, CheckSingle("features", largest)
}

// leastFeature is the magnitude below which M, made of squares of FX, loses digits to numbers that
// float64 cannot hold: 2⁻⁹⁰⁰ is 2⁻¹²² above the smallest it holds in full.
const leastFeature = 0x1p-450

// CheckUnderflow refuses features up to a magnitude whose squares, filtered, vanish.
func CheckUnderflow(filter []float64, largest float64) error {
	if gain := matrix.Magnitude(filter); largest > 0 && gain > 0 && largest*gain < leastFeature {
		return fmt.Errorf("%w: features up to %.3g, whose squares in M = XᵀFᵀΔWFX underflow; scale them", matrix.ErrPrecision, largest*gain)
	}
	return nil
}

// CheckFilter refuses a filter whose products with prepared features x leave the range of their
// numbers.
func CheckFilter[T kernel.Float](ctx context.Context, x *matrix.Matrix[T], filter []float64, plain bool) error {
	largest := matrix.Magnitude(filter)
	if Single[T]() {
		if err := CheckSingle("filter coefficients", largest); err != nil {
			return err
		}
	}
	if !plain && largest >= leastFeature { // X is near 1
		return nil
	}
	most, err := x.Largest(ctx)
	if err != nil {
		return err
	}
	return CheckUnderflow(filter, most)
}

// Gain is the sum of the magnitudes of a filter's coefficients, at least ‖F‖ as ‖W‖ = 1.
func Gain(filter []float64) float64 {
	gain := 0.0
	for _, a := range filter {
		gain += math.Abs(a)
	}
	return gain
}

// Tamed are the coefficients of a filter, or a multiple of them whose squares are numbers of float64.
// They are not to be written to.
func Tamed(filter []float64) []float64 {
	largest := matrix.Magnitude(filter)
	if largest == 0 || largest > 0x1p-200 && largest < 0x1p200 {
		return filter
	}
	_, exponent := math.Frexp(largest)
	tamed := slices.Clone(filter)
	for k := range tamed {
		tamed[k] = math.Ldexp(tamed[k], -exponent)
	}
	return tamed
}
