package coles

import (
	"fmt"

	"coles/internal/setting"
)

// Precision is the type of the numbers that features, W and ΔW are held and multiplied in, up to M
// and again for FXPᵀ. Scaling is float64 in either, and so is M where it is formed, though in Float32
// its eigenvectors are found to that precision: see [SolverDirect].
//
// The zero value, "auto", is Float32 from 2²¹ numbers of features (n·d) on, where half the memory
// is half the time, and Float64 below, for [PrepareNone], whose numbers may be of any size, without
// features, and where Float32 turns out not to do: the fit is then done over.
type Precision int

const (
	// Float64 keeps rounding errors of the embedding near 1e-14.
	Float64 Precision = iota + 1
	// Float32 takes half the memory and about half the time. Y differs from that in Float64 by
	// rounding: ‖ΔYYᵀ‖ is at most 1e-5 of ‖YYᵀ‖ (Frobenius), mostly below 1e-6, or the fit is an
	// [ErrPrecision]. It is estimated by the perturbation theory of eigenvectors from eigenvalues,
	// their residuals and what float32 makes of sums, and refused from 5e-6 on. So features whose
	// rows are alike but for a thousandth, eigenvalues that are nearly equal where P ends, or weights
	// that hang on tiny eigenvalues are refused.
	// Float32 takes features that are, when prepared, at most 1e15, the largest of them at least
	// 1e-15, and a filter whose coefficients are: their products must be numbers of float32, too.
	Float32
)

var precisionNames = []string{"auto", "float64", "float32"}

// String is the name that UnmarshalText reads.
func (p Precision) String() string { return setting.Name(p, precisionNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Precision) MarshalText() ([]byte, error) { return setting.Marshal(p, precisionNames) }

// UnmarshalText reads a name such as "float32".
func (p *Precision) UnmarshalText(text []byte) error {
	return setting.Unmarshal(p, text, precisionNames)
}

// singleFrom is the size n·d from which an automatic precision means Float32.
const singleFrom = 1 << 21

func (p Precision) resolve(n, d int, how Preparation) Precision {
	switch {
	case p != 0:
		return p
	case how != PrepareNone && float64(n)*float64(d) >= singleFrom:
		return Float32
	}
	return Float64
}

// Rounding is how far, relative to their length, rows are apart by rounding alone, with some room:
// products of long sums lose more than the last digit. It is for the packages of this module.
func (p Precision) Rounding() float64 {
	if p == Float32 {
		return 1e-6
	}
	return 1e-12
}

// singleRange is how far the largest magnitude may be from 1 in [Float32].
const singleRange = 1e15

// CheckRange refuses, for Float32, numbers up to a magnitude that has products which float32 could
// not hold: for the packages of this module.
func (p Precision) CheckRange(what string, largest float64) error {
	if p != Float32 {
		return nil
	}
	return checkSingle(what, largest)
}

// checkSingle refuses what has products that float32 could not hold.
func checkSingle(what string, largest float64) error {
	if largest > singleRange || largest > 0 && largest < 1/singleRange {
		return fmt.Errorf("coles: %s: %w: up to %.3g, beyond what float32 can multiply; scale them or use Float64", what, ErrPrecision, largest)
	}
	return nil
}

// mostDoubt is how far YYᵀ of a fit in [Float32] may be estimated to be from that in [Float64].
const mostDoubt = 5e-6

// checkDoubt refuses what float32 has made of an embedding if too little of it is certain.
func checkDoubt(doubt float64) error {
	if doubt <= mostDoubt {
		return nil
	}
	return fmt.Errorf("coles: fit: %w: rounding in float32 may change YYᵀ by %.2g; use Float64", ErrPrecision, doubt)
}
