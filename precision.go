package coles

import (
	"context"
	"fmt"
	"math"

	"coles/internal/enum"
	"coles/internal/kernel"
)

// Precision is the type of the numbers that features, W and ΔW are held and
// multiplied in, up to M and again for FXPᵀ. Eigenvectors, eigenvalues and scaling
// are float64 in either, and so is M where it is formed.
type Precision int

const (
	// PrecisionAuto is Float32 from 2²¹ numbers of features (n·d) on, where half
	// the memory is half the time, and Float64 below, for [PrepareNone], whose
	// numbers may be of any size, without features, and where Float32 turns out not to do.
	PrecisionAuto Precision = iota
	// Float64 keeps rounding errors of the embedding near 1e-14.
	Float64
	// Float32 takes half the memory and about half the time. Rounding errors
	// of the embedding are near 1e-6, which no accuracy in the tables shows.
	// It takes features that are, when prepared, at most 1e15, the largest of
	// them at least 1e-15, and a filter whose coefficients are: their products must be
	// numbers of float32, too.
	Float32
)

var precisionNames = []string{"auto", "float64", "float32"}

// String is the name that UnmarshalText reads.
func (p Precision) String() string { return enum.Name(p, precisionNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Precision) MarshalText() ([]byte, error) { return enum.Marshal(p, precisionNames, ErrSetting) }

// UnmarshalText reads a name such as "float32".
func (p *Precision) UnmarshalText(text []byte) error {
	return enum.Unmarshal(p, text, precisionNames, ErrSetting)
}

// singleFrom is the size n·d from which PrecisionAuto means Float32.
const singleFrom = 1 << 21

func (p Precision) resolve(n, d int, how Preparation) Precision {
	switch {
	case p != PrecisionAuto:
		return p
	case how != PrepareNone && float64(n)*float64(d) >= singleFrom:
		return Float32
	}
	return Float64
}

// singleRange is how far the largest magnitude may be from 1 in Float32.
const singleRange = 1e15

// checkRange refuses features, as they are or prepared, whose products float32
// could not hold.
func checkRange(ctx context.Context, rows int, largestOf func(lo, hi int) float64) error {
	largest, err := largestOfRows(ctx, rows, largestOf)
	if err != nil {
		return err
	}
	if largest > singleRange || largest > 0 && largest < 1/singleRange {
		return fmt.Errorf("coles: features: %w: up to %.3g, beyond what float32 can multiply; scale them or use Float64", ErrPrecision, largest)
	}
	return nil
}

// checkSingleFilter refuses a filter whose coefficients, or products of them, float32 could
// not hold.
func checkSingleFilter(f Filter) error {
	if largest := magnitude(f.coef); largest > singleRange || largest > 0 && largest < 1/singleRange {
		return fmt.Errorf("coles: filter: %w: coefficients up to %.3g, beyond what float32 can multiply; use Float64", ErrPrecision, largest)
	}
	return nil
}

// largestOfRows is the largest magnitude in all rows, NaN if there is one among them.
func largestOfRows(ctx context.Context, rows int, largestOf func(lo, hi int) float64) (float64, error) {
	largest, err := foldRows(ctx, rows,
		func() *float64 { return new(float64) },
		func(largest *float64, lo, hi int) {
			*largest = max(*largest, largestOf(lo, hi))
		},
		func(largest, part *float64) { *largest = max(*largest, *part) })
	return *largest, err
}

// magnitude is the largest magnitude, NaN if there is one. Without their signs the bits of
// floating point numbers are in the order of the numbers, NaN above infinity, and
// integers compare in a fraction of the time.
func magnitude[T kernel.Float](row []T) float64 {
	switch row := any(row).(type) {
	case []float32:
		var even, odd uint32
		for ; len(row) >= 2; row = row[2:] {
			even = max(even, math.Float32bits(row[0])&^(1<<31))
			odd = max(odd, math.Float32bits(row[1])&^(1<<31))
		}
		if len(row) > 0 {
			even = max(even, math.Float32bits(row[0])&^(1<<31))
		}
		return float64(math.Float32frombits(max(even, odd)))
	case []float64:
		var even, odd uint64
		for ; len(row) >= 2; row = row[2:] {
			even = max(even, math.Float64bits(row[0])&^(1<<63))
			odd = max(odd, math.Float64bits(row[1])&^(1<<63))
		}
		if len(row) > 0 {
			even = max(even, math.Float64bits(row[0])&^(1<<63))
		}
		return math.Float64frombits(max(even, odd))
	}
	return 0
}

// tolerance is that of SolverKrylov, 0 for its own: with products in float32
// residuals stop falling somewhat below 1e-7.
func (p Precision) tolerance() float64 {
	if p == Float32 {
		return 2e-7
	}
	return 0
}
