// Package linear computes linear COLES for given settings, wherever a graph and its features
// are kept: in memory, growing, or in blocks.
package linear

import (
	"cmp"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// DefaultDim is d′ where the features allow it.
const DefaultDim = 128

// Dim is d′ for a number of features, of which dim asks for at most so many; 0 is the default.
func Dim(dim, features int) int { return min(cmp.Or(dim, DefaultDim), features) }

// Terms holds the numbers of F, ΔW and the columns, from settings.
type Terms struct {
	// Filter holds the coefficients of F.
	Filter []float64
	// Alone reports that the features are embedded without the graph: ΔW is the identity.
	Alone bool
	// Drawn reports that ΔW has negatives that are drawn.
	Drawn bool
	// Coef is the coefficient −η′ of the rank-one part Coef·v·vᵀ of ΔW, the expectation of the negatives.
	// It is 0 without one.
	Coef float64
	// Uniform is set if v is 1/√n for every node, and not √(degree/volume).
	Uniform bool
	// DegreeShare is the share of the energy that the column of degrees has, or at most has before the
	// fit is [Terms.Resolved]; 0 for no such column.
	DegreeShare float64
	// Dim is d′, or 0 for the default.
	Dim int
}

// Negatives returns v for nodes of these degrees, nil without a part of rank one.
func (f Terms) Negatives(degrees []float64) []float64 {
	switch {
	case f.Coef == 0:
		return nil
	case f.Uniform:
		n := len(degrees)
		return slices.Repeat([]float64{1 / math.Sqrt(float64(n))}, n)
	}
	v := slices.Clone(degrees)
	volume := matrix.Total(v)
	if volume > math.MaxFloat64 { // weights near the end of the numbers
		matrix.Scale(v, 0x1p-64)
		volume = matrix.Total(v)
	}
	for i, d := range v {
		if d > 0 {
			v[i] = math.Sqrt(d / volume)
		}
	}
	return v
}

// Weights returns the weight w of a node of some degree in two sums (FX)ᵀw over the nodes. For the negatives w =
// v·length (see [Terms.Length]), for the column of degrees w = √degree. A sum that is not needed has nil.
func (f Terms) Weights() (negatives, degrees func(degree float64) float64) {
	switch {
	case f.Coef == 0:
	case f.Uniform:
		negatives = func(float64) float64 { return 1 }
	default:
		negatives = math.Sqrt
	}
	if f.DegreeShare > 0 {
		degrees = math.Sqrt
	}
	return negatives, degrees
}

// Length is the length of w for the negatives: of n nodes whose degrees sum to volume.
func (f Terms) Length(n, volume float64) float64 {
	switch {
	case f.Coef == 0:
		return 0
	case f.Uniform:
		return math.Sqrt(n)
	}
	return math.Sqrt(volume)
}

// AddNegatives returns what adds Coef·(Fᵀv)(Fᵀv)ᵀ to M = (FX)ᵀΔW(FX): to the end of its row i, from the
// diagonal on. along is (FX)ᵀw.
func (f Terms) AddNegatives(along []float64, length float64) func(i int, row []float64) {
	unit := make([]float64, len(along))
	if length > 0 {
		for j, v := range along {
			unit[j] = v / length
		}
	}
	return func(i int, row []float64) { matrix.AddScaled(row, f.Coef*unit[i], unit[i:]) }
}

// DegreeDirection is the direction (FX)ᵀs/‖(FX)ᵀs‖ of the column of degrees, with s = √degree or a multiple of it. It
// is nil where the settings want no such column, and where (FX)ᵀs is only rounding error, no more than rounding times
// that magnitude. So it is where degrees are constant and columns centred.
func (f Terms) DegreeDirection(sum []float64, magnitude, rounding float64) []float64 {
	length := matrix.Length(sum)
	if f.DegreeShare == 0 || f.Dim == 1 || !(length > rounding*magnitude) {
		return nil
	}
	v := slices.Clone(sum)
	matrix.Scale(v, 1/length)
	return v
}

// Vectors is the number of rows of P, one less than d′ if there is a column of degrees.
func (f Terms) Vectors(degrees []float64) int {
	if degrees != nil {
		return f.Dim - 1
	}
	return f.Dim
}

// Above is P (k × d), as rows, with the direction of the column of degrees below it, unless that is nil.
func Above(p kernel.Matrix[float64], degrees []float64) kernel.Matrix[float64] {
	if degrees == nil {
		return p
	}
	rows := kernel.Dense[float64](p.Rows+1, len(degrees))
	if p.Rows > 0 {
		kernel.Copy(rows, p)
	}
	copy(rows.Data[p.Rows*rows.Stride:], degrees)
	return rows
}
