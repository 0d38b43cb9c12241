package coles_test

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Rotating rows by a known angle in one plane.
func TestPrincipalAngleIsThatOfARotation(t *testing.T) {
	p := mat.NewDense(2, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0})
	for _, angle := range []float64{0, 1e-13, 1e-9, 1e-3, 0.5, math.Pi / 4, 1, math.Pi/2 - 1e-3, math.Pi / 2} {
		q := mat.NewDense(2, 4, []float64{math.Cos(angle), 0, math.Sin(angle), 0, 0, -1, 0, 0})
		got, err := coles.PrincipalAngle(p, q)
		bound := 1e-15 + 1e-12*angle
		if angle == math.Pi/2 {
			bound = 0x1p-26 // √ε: the sine of this less than π/2 is 1
		}
		if err != nil || math.Abs(got-angle) > bound {
			t.Errorf("%v (%v), want %v", got, err, angle)
		}
	}
	// A line in a plane, and a plane against a line.
	line := mat.NewDense(1, 4, []float64{0.6, 0.8, 0, 0})
	if got, err := coles.PrincipalAngle(line, p); err != nil || got > 1e-15 {
		t.Errorf("a line in the plane: %v (%v)", got, err)
	}
	_, err := coles.PrincipalAngle(p, line)
	wantError(t, err, coles.ErrShape)
	_, err = coles.PrincipalAngle(p, nil)
	wantError(t, err, coles.ErrEmpty)
	_, err = coles.PrincipalAngle(p, mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0}))
	wantError(t, err, coles.ErrShape)
	_, err = coles.PrincipalAngle(p, mat.NewDense(2, 4, []float64{1, 0, 0, 0, 1, 0, 0, 0}))
	wantError(t, err, coles.ErrSetting)
	_, err = coles.PrincipalAngle(mat.NewDense(1, 4, []float64{math.NaN(), 0, 0, 0}), p)
	wantError(t, err, coles.ErrNotFinite)
}
