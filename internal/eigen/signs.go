package eigen

import (
	"math"
	"slices"

	"coles/internal/matrix"
)

// nearTie is how far, as a share of the largest, an entry may lie below it and still count as
// equal. Symmetric problems have eigenvectors with entries of equal magnitude, which rounding would
// choose between differently on every kind of processor.
const nearTie = 1e-6

// FixSigns turns each row of v so that its entry of largest magnitude is positive; of several such
// entries, up to rounding, the first decides. An eigenvector is determined up to its sign only, and
// this makes results comparable.
func FixSigns(v panel) {
	for i := range v.Rows {
		r := v.Row(i)
		largest := matrix.Magnitude(r)
		lead := slices.IndexFunc(r, func(x float64) bool { return math.Abs(x) >= (1-nearTie)*largest })
		if lead >= 0 && r[lead] < 0 {
			matrix.Scale(r, -1)
		}
	}
}
