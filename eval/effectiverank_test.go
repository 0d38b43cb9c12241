package eval

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// centredOrthonormal draws k orthonormal columns of n entries that sum to zero.
func centredOrthonormal(n, k int, seed uint64) *mat.Dense {
	x := normal(n, k+1, 1, seed)
	for i := range n {
		x.Set(i, 0, 1)
	}
	var qr mat.QR
	qr.Factorize(x)
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, n, 1, k+1))
}

func TestEffectiveRankOfKnownSpectra(t *testing.T) {
	for _, size := range [][2]int{{50, 6}, {13, 40}} {
		n, d := size[0], size[1]
		k := 6
		u, v := centredOrthonormal(n, k, 81), centredOrthonormal(d+8, d, 82).Slice(0, d, 0, d)
		var q mat.QR
		q.Factorize(v)
		var rotation mat.Dense
		q.QTo(&rotation)
		for name, energies := range map[string][]float64{
			"flat":      {1, 1, 1, 1, 1, 1},
			"steep":     {1, 0.5, 0.25, 0.125, 0.0625, 0.03125},
			"one alone": {1, 0, 0, 0, 0, 0},
		} {
			total, entropy := 0.0, 0.0
			for _, e := range energies {
				total += e
			}
			for _, e := range energies {
				if e > 0 {
					entropy -= e / total * math.Log(e/total)
				}
			}
			var x mat.Dense
			scaled := mat.DenseCopyOf(u)
			for j, e := range energies {
				for i := range n {
					scaled.Set(i, j, u.At(i, j)*math.Sqrt(e))
				}
			}
			x.Mul(scaled, rotation.Slice(0, k, 0, d))
			x.Apply(func(_, j int, w float64) float64 { return w + float64(j%3) }, &x) // a mean changes nothing
			// Squares of entries that are not scaled would vanish or overflow.
			for _, scale := range []float64{1, 1e-200, 1e200, 1e-290} {
				y := mat.DenseCopyOf(&x)
				y.Scale(scale, y)
				got, err := EffectiveRank(background, y)
				if err != nil {
					t.Fatal(err)
				}
				// Zeros of the spectrum are 1e-16 here, each adding 37 times that.
				if want := math.Exp(entropy); math.Abs(got-want) > 1e-12*want {
					t.Errorf("%d × %d, %s, times %v: %v, want %v", n, d, name, scale, got, want)
				}
			}
		}
	}
}

// Columns without correlation carry the eigenvalues as their energies.
func TestEffectiveRankIsThatOfTheScalingForUncorrelatedColumns(t *testing.T) {
	x := centredOrthonormal(80, 9, 83)
	lambda := make([]float64, 9)
	for j := range 9 {
		lambda[j] = 1 - float64(j)/100 // apart: equal ones have their energies shared
		for i := range 80 {
			x.Set(i, j, x.At(i, j)/float64(j+1)+3)
		}
	}
	s, err := coles.SpectralScaling(background, x, lambda, coles.WithPower(0))
	if err != nil {
		t.Fatal(err)
	}
	got, err := EffectiveRank(background, x)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got-s.EffectiveRank) > 1e-12*got {
		t.Errorf("%v, by column energies %v", got, s.EffectiveRank)
	}
}

func TestEffectiveRankOfEqualRowsIsZero(t *testing.T) {
	for _, n := range []int{1, 7, 3000} {
		for _, v := range []float64{0, 0.1, 1e5 / 3., 1e-320} {
			x := mat.NewDense(n, 4, nil)
			x.Apply(func(_, j int, _ float64) float64 { return v * float64(j+1) }, x)
			if got, err := EffectiveRank(background, x); got != 0 || err != nil {
				t.Errorf("%d rows of %v: %v, %v", n, v, got, err)
			}
		}
	}
}
