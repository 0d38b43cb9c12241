package eigen

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// FixSigns turns each row of v so that its entry of largest magnitude is
// positive; of several such entries the first decides. An eigenvector is
// determined up to its sign only, and this makes results comparable.
func FixSigns(v blas64.General) {
	for i := range v.Rows {
		r := row(v, i)
		lead := 0
		for j, x := range r {
			if math.Abs(x) > math.Abs(r[lead]) {
				lead = j
			}
		}
		if len(r) > 0 && r[lead] < 0 {
			for j := range r {
				r[j] = -r[j]
			}
		}
	}
}
