package coles

// Precision is the type of the numbers that features, W and ΔW are held and
// multiplied in. M and everything after it, that is eigenvectors, eigenvalues and
// scaling, are float64 in either.
type Precision int

const (
	// PrecisionAuto is Float32 from 2²¹ numbers of features (n·d) on, where half
	// the memory is half the time, and Float64 below.
	PrecisionAuto Precision = iota
	// Float64 keeps rounding errors of the embedding near 1e-14.
	Float64
	// Float32 takes half the memory and about half the time. Rounding errors
	// of the embedding are near 1e-6, which no accuracy in the tables shows.
	Float32
)

var precisionNames = []string{"auto", "float64", "float32"}

// String is the name that UnmarshalText reads.
func (p Precision) String() string { return enumName(p, precisionNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Precision) MarshalText() ([]byte, error) { return marshalEnum(p, precisionNames) }

// UnmarshalText reads a name such as "float32".
func (p *Precision) UnmarshalText(text []byte) error { return unmarshalEnum(p, text, precisionNames) }

// singleFrom is the size n·d from which PrecisionAuto means Float32.
const singleFrom = 1 << 21

func (p Precision) resolve(n, d int) Precision {
	switch {
	case p != PrecisionAuto:
		return p
	case float64(n)*float64(d) >= singleFrom:
		return Float32
	}
	return Float64
}

// tolerance is that of SolverKrylov, 0 for its own: with products in float32
// residuals stop falling somewhat below 1e-7.
func (p Precision) tolerance() float64 {
	if p == Float32 {
		return 2e-7
	}
	return 0
}
