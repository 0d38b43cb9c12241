package baselines

import (
	"math"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// ‖xR‖²/‖x‖² is χ²ₖ/k: mean 1 and variance 2/k. With 2,000 dimensions and 200 orthogonal rows the
// mean of the ratios has standard deviation √(2/2000/200) = 0.0022; four of them are allowed.
// Orthogonal rows stay so up to entries of standard deviation 1/√k; of 19,900 the largest is below
// 5/√k.
func TestRandomProjectionKeepsLengthsAndAngles(t *testing.T) {
	const n, k = 200, 2000
	y := testkit.Must(RandomProjection(background, testkit.Eye(n), k, 3))
	gram := testkit.Product(y, y.T())
	var sum, worst float64
	for i := range n {
		sum += gram.At(i, i)
		for j := range i {
			worst = max(worst, math.Abs(gram.At(i, j)))
		}
	}
	testkit.WantNear(t, "the mean squared length", sum/n, 1, 4*0.0022)
	if worst > 5/math.Sqrt(k) {
		t.Errorf("a cosine of %v between orthogonal rows", worst)
	}
}

func TestRandomProjectionIsLinearAndSeeded(t *testing.T) {
	x := normal(20, 9, 1, 81)
	a := testkit.Must(RandomProjection(background, x, 4, 1))
	testkit.WantClose(t, "sparse x", testkit.Must(RandomProjection(background, testkit.SparseOf(x), 4, 1)), a, 1e-13)
	double := mat.DenseCopyOf(x)
	double.Scale(2, x)
	c := testkit.Must(RandomProjection(background, double, 4, 1))
	c.Scale(0.5, c) // a power of two rounds nothing
	testkit.WantSame(t, "half the projection of twice x", testkit.Bits(c), testkit.Bits(a))
	if testkit.MaxDiff(a, testkit.Must(RandomProjection(background, x, 4, 2))) < 1e-3 {
		t.Error("another seed gives the same projection")
	}
}
