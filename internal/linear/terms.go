// Package linear computes linear COLES for given settings, wherever a graph and its features
// are kept: in memory, growing, or in blocks.
package linear

import (
	"cmp"
	"math"
	"slices"

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

// Weights returns the weight w = v·length (see [Terms.Length]) of a node of some degree in the sum (FX)ᵀw over the nodes. It is
// nil without a part of rank one.
func (f Terms) Weights() func(degree float64) float64 {
	switch {
	case f.Coef == 0:
		return nil
	case f.Uniform:
		return func(float64) float64 { return 1 }
	}
	return math.Sqrt
}

// Length is the length of w: of n nodes whose degrees sum to volume.
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
