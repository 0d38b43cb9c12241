package plane

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/cluster"
	"coles/internal/eigen"
	"coles/internal/given"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// spread has columns of distinct spreads, so that the components are unique, about a mean.
func spread(n, d int, mean, decay float64, seed uint64) *mat.Dense {
	x := testkit.Normal(n, d, 1, seed)
	x.Apply(func(_, j int, v float64) float64 { return mean + v*math.Pow(decay, float64(j)) }, x)
	return x
}

// The oracle is gonum's stat.PC, which goes by the singular values of the centred matrix and not by
// the covariance. The mean dwarfs the spread.
func TestPCAEqualsSingularVectors(t *testing.T) {
	for _, size := range [][2]int{{40, 7}, {12, 30}, {2500, 5}, {9, 1}, {2, 2}} {
		n, d := size[0], size[1]
		x := spread(n, d, 100, 0.8, uint64(n))
		k := min(n-1, d, 4)
		var pc stat.PC
		if !pc.PrincipalComponents(x, nil) {
			t.Fatal("the oracle failed")
		}
		var v mat.Dense
		pc.VectorsTo(&v)
		centred := mat.DenseCopyOf(x)
		for j := range d {
			column := mat.Col(nil, j, x)
			floats.AddConst(-stat.Mean(column, nil), column)
			centred.SetCol(j, column)
		}
		for j := range k { // the largest entry of a vector is positive
			column := mat.Col(nil, j, &v)
			if -floats.Min(column) > floats.Max(column) {
				floats.Scale(-1, column)
				v.SetCol(j, column)
			}
		}
		want := testkit.Product(centred, v.Slice(0, d, 0, k))
		for form, input := range testkit.Forms(x) {
			testkit.WantClose(t, form, testkit.Must(PCA(context.Background(), input, k)), want, 1e-9)
		}
	}
}

// The iteration answers the same question as the direct solver; 1e-6 of the largest eigenvalue is
// what it promises, and Rayleigh quotients square that.
func TestPCAByIterationEqualsPCAByCovariance(t *testing.T) {
	const d, k = 700, 12
	x := spread(500, d, 3, 0.9, 73)
	for form, input := range testkit.Forms(x) {
		f := testkit.Must(given.Read(context.Background(), input))
		mean := testkit.Must(given.MeanRow(context.Background(), f))
		want := testkit.Must(leading(context.Background(), f, mean, k))
		got := testkit.Must(leadingOfProducts(context.Background(), f, mean, k))
		for i, v := range want.Values {
			if math.Abs(got.Values[i]-v) > 1e-11*want.Values[0] {
				t.Errorf("%s: eigenvalue %d is %v, want %v", form, i, got.Values[i], v)
			}
			if c := given.Dot(got.Vectors.Row(i), want.Vectors.Row(i)); c < 1-1e-9 {
				t.Errorf("%s: eigenvector %d has cosine %v with the direct one", form, i, c)
			}
		}
	}
}

// Beyond the rank there is nothing: columns of zeros, not noise or an error.
func TestPCABeyondTheRankIsZero(t *testing.T) {
	x := testkit.Product(testkit.Normal(30, 2, 1, 71), testkit.Normal(2, 6, 1, 72))
	p := testkit.Must(PCA(context.Background(), x, 6))
	testkit.WantClose(t, "the columns beyond the rank", p.Slice(0, 30, 2, 6), mat.NewDense(30, 4, nil), 1e-13)
}

// A column whose mean takes up most digits of the products changes nothing, however many columns
// there are.
func TestPCAOfColumnsFarFromZero(t *testing.T) {
	const n, d, k = 60, pcaDirectCols + 4, 3
	rng := testkit.Random(71)
	plain := mat.NewDense(n, d, nil)
	for i := range n {
		for range 30 {
			plain.Set(i, 1+rng.IntN(d-1), rng.NormFloat64())
		}
	}
	moved := mat.DenseCopyOf(plain)
	for i := range n {
		moved.Set(i, 0, 1e6)
	}
	want := testkit.Must(PCA(context.Background(), plain, k))
	for form, x := range testkit.Forms(moved) {
		got := testkit.Must(PCA(context.Background(), x, k))
		for j := range k { // up to its sign
			a, b := mat.Col(nil, j, got), mat.Col(nil, j, want)
			if along, whole := math.Abs(given.Dot(a, b)), given.Dot(b, b); math.Abs(along-whole) > 1e-5*whole {
				t.Errorf("%s: component %d is another: %v of %v", form, j, along, whole)
			}
		}
	}
	equal := mat.NewDense(5, d, nil)
	equal.Apply(func(_, j int, _ float64) float64 { return 0.1 * float64(j%7) }, equal)
	if y := testkit.Must(PCA(context.Background(), equal, 2)); mat.Norm(y, 2) > 1e-9 {
		t.Errorf("equal rows have components %v", y)
	}
}

// What stops the iteration is told in the words of package coles.
func TestErrorsOfTheEigensolver(t *testing.T) {
	stopped := &eigen.ConvergenceError{Wanted: 5, Converged: 3, Residual: 0.1}
	var told *coles.ConvergenceError
	if err := given.EigenError("components", fmt.Errorf("after a while: %w", stopped)); !errors.As(err, &told) {
		t.Fatalf("error %v", err)
	}
	testkit.WantSame(t, "the error", *told, coles.ConvergenceError{Wanted: 5, Converged: 3, Residual: 0.1})
	testkit.WantError(t, given.EigenError("components", eigen.ErrNotFinite), coles.ErrNotFinite)
	testkit.WantError(t, given.EigenError("components", context.Canceled), context.Canceled)
}

// What does not depend on the unit of the rows does not at the ends of the numbers either, where
// their squares vanish or overflow; what depends on it is in that unit.
func TestMeasuresFollowTheUnit(t *testing.T) {
	x := testkit.Normal(40, 4, 1, 63)
	components := testkit.Must(PCA(context.Background(), x, 2))
	clusters := testkit.RandomLabels(40, 3, 72)
	silhouette := testkit.Must(cluster.Silhouette(context.Background(), x, clusters))
	for _, exponent := range []int{-1000, -600, 600, 1000} { // of two, so that nothing is rounded
		scaled := new(mat.Dense)
		scaled.Scale(math.Ldexp(1, exponent), x)
		p := testkit.Must(PCA(context.Background(), scaled, 2))
		p.Scale(math.Ldexp(1, -exponent), p)
		testkit.WantClose(t, "the components", p, components, 1e-12)
		testkit.WantNear(t, "the silhouette", testkit.Must(cluster.Silhouette(context.Background(), scaled, clusters)), silhouette, 1e-14)
	}
}
