package testkit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Centred subtracts the mean row.
func Centred(e *mat.Dense) *mat.Dense {
	n, _ := e.Dims()
	out := mat.DenseCopyOf(e)
	out.Apply(func(_, j int, v float64) float64 { return v - mat.Sum(e.ColView(j))/float64(n) }, e)
	return out
}

// MeanNorm is the mean length of the centred rows.
func MeanNorm(e *mat.Dense) float64 {
	c := Centred(e)
	n, _ := e.Dims()
	sum := 0.0
	for i := range n {
		sum += mat.Norm(c.RowView(i), 2)
	}
	return sum / float64(n)
}

// WantNear compares numbers relative to the one wanted.
func WantNear(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %v, want %v to %g of it", what, got, want, tolerance)
	}
}
