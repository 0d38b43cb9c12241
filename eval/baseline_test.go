package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/eigen"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The oracle is gonum's stat.PC, which goes by the singular values of the
// centred matrix and not by the covariance.
func TestPCAEqualsSingularVectors(t *testing.T) {
	for _, size := range [][2]int{{40, 7}, {12, 30}, {2500, 5}, {9, 1}, {2, 2}} {
		n, d := size[0], size[1]
		x := normal(n, d, 1, uint64(n))
		for i := range n {
			for j := range d {
				// Distinct spreads, so that the components are unique, about a
				// mean that dwarfs them.
				x.Set(i, j, 100+x.At(i, j)*math.Pow(0.8, float64(j)))
			}
		}
		k := min(n-1, d, 4)
		var pc stat.PC
		if !pc.PrincipalComponents(x, nil) {
			t.Fatal("the oracle failed")
		}
		var v, want mat.Dense
		pc.VectorsTo(&v)
		centred := mat.DenseCopyOf(x)
		for j := range d {
			mean := stat.Mean(mat.Col(nil, j, x), nil)
			for i := range n {
				centred.Set(i, j, x.At(i, j)-mean)
			}
		}
		want.Mul(centred, v.Slice(0, d, 0, k))
		for j := range k {
			lead := 0
			for i := range d {
				if math.Abs(v.At(i, j)) > math.Abs(v.At(lead, j)) {
					lead = i
				}
			}
			if v.At(lead, j) < 0 {
				for i := range n {
					want.Set(i, j, -want.At(i, j))
				}
			}
		}
		for _, form := range []mat.Matrix{x, toCSR(x)} {
			got, err := PCA(background, form, k)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got, &want, 1e-9) {
				var diff mat.Dense
				diff.Sub(got, &want)
				t.Errorf("%d × %d %T: off by %g", n, d, form, mat.Norm(&diff, math.Inf(1)))
			}
		}
	}
}

// The iteration answers the same question as the direct solver; 1e-6 of the
// largest eigenvalue is what it promises, and Rayleigh quotients square that.
func TestPCAByIterationEqualsPCAByCovariance(t *testing.T) {
	x := normal(500, 700, 1, 73)
	for i := range 500 {
		for j := range 700 {
			x.Set(i, j, 3+x.At(i, j)*math.Pow(0.9, float64(j)))
		}
	}
	for _, form := range []mat.Matrix{x, toCSR(x)} {
		f, err := newFeatures(background, form)
		if err != nil {
			t.Fatal(err)
		}
		mean, err := f.mean(background)
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.leadingDirect(background, mean, 12)
		if err != nil {
			t.Fatal(err)
		}
		for name, iterate := range map[string]func(context.Context, []float64, int) (*eigen.Result, error){
			"formed": f.leadingFormed, "products with x": f.leadingKrylov,
		} {
			got, err := iterate(background, mean, 12)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range want.Values {
				if math.Abs(got.Values[i]-v) > 1e-11*want.Values[0] {
					t.Errorf("%s, %T: eigenvalue %d is %v, want %v", name, form, i, got.Values[i], v)
				}
				a := got.Vectors.Data[i*got.Vectors.Stride:][:700]
				b := want.Vectors.Data[i*want.Vectors.Stride:][:700]
				if c := dot(a, b); c < 1-1e-9 {
					t.Errorf("%s, %T: eigenvector %d has cosine %v with the direct one", name, form, i, c)
				}
			}
		}
	}
}

// Beyond the rank there is nothing: columns of zeros, not noise or an error.
func TestPCABeyondTheRankIsZero(t *testing.T) {
	var x mat.Dense
	x.Mul(normal(30, 2, 1, 71), normal(2, 6, 1, 72))
	p, err := PCA(background, &x, 6)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		for j := 2; j < 6; j++ {
			if v := math.Abs(p.At(i, j)); v > 1e-13 {
				t.Errorf("entry (%d, %d) is %g", i, j, v)
			}
		}
	}
}

// ‖xR‖²/‖x‖² is χ²ₖ/k: mean 1 and variance 2/k. With 2,000 dimensions and
// 200 orthogonal rows the mean of the ratios has standard deviation
// √(2/2000/200) = 0.0022; four of them are allowed. Orthogonal rows stay so up
// to entries of standard deviation 1/√k; of 19,900 the largest is below 5/√k.
func TestRandomProjectionKeepsLengthsAndAngles(t *testing.T) {
	const n, k = 200, 2000
	x := mat.NewDense(n, n, nil)
	for i := range n {
		x.Set(i, i, 1)
	}
	y, err := RandomProjection(background, x, k, 3)
	if err != nil {
		t.Fatal(err)
	}
	var gram mat.Dense
	gram.Mul(y, y.T())
	var sum, worst float64
	for i := range n {
		sum += gram.At(i, i)
		for j := range i {
			worst = max(worst, math.Abs(gram.At(i, j)))
		}
	}
	if mean := sum / n; math.Abs(mean-1) > 4*0.0022 {
		t.Errorf("mean squared length is %v, want 1 ± 0.0088", mean)
	}
	if worst > 5/math.Sqrt(k) {
		t.Errorf("a cosine of %v between orthogonal rows", worst)
	}
}

func TestRandomProjectionIsLinearAndSeeded(t *testing.T) {
	x := normal(20, 9, 1, 81)
	a, err := RandomProjection(background, x, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := RandomProjection(background, toCSR(x), 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(a, b, 1e-13) {
		t.Error("sparse x is projected otherwise than dense x")
	}
	double := mat.DenseCopyOf(x)
	double.Scale(2, x)
	c, err := RandomProjection(background, double, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.Scale(0.5, c)
	if !mat.Equal(a, c) { // a power of two rounds nothing
		t.Error("twice x does not give twice the projection")
	}
	other, err := RandomProjection(background, x, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	if mat.EqualApprox(a, other, 1e-3) {
		t.Error("another seed gives the same projection")
	}
}

func TestBaselinesNameBadInput(t *testing.T) {
	x := normal(5, 3, 1, 91)
	nan := mat.DenseCopyOf(x)
	nan.Set(4, 0, math.NaN())
	cancelled, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		x    mat.Matrix
		k    int
		want error
	}{
		{"no dimension", background, x, 0, ErrDimension},
		{"negative dimension", background, x, -1, ErrDimension},
		{"more than memory can hold", background, x, math.MaxInt / 8, ErrDimension},
		{"nil", background, nil, 1, ErrShape},
		{"NaN", background, nan, 1, ErrNotFinite},
		{"overflow", background, normal(5, 3, 1e308, 92), 1, ErrNotFinite},
		{"cancelled", cancelled, x, 1, context.Canceled},
	} {
		if _, err := PCA(c.ctx, c.x, c.k); !errors.Is(err, c.want) {
			t.Errorf("PCA, %s: error %v, want %v", c.name, err, c.want)
		}
		if _, err := RandomProjection(c.ctx, c.x, c.k, 1); !errors.Is(err, c.want) {
			t.Errorf("RandomProjection, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := PCA(background, x, 4); !errors.Is(err, ErrDimension) {
		t.Errorf("4 components of 3 columns: %v", err)
	}
}

// A column whose mean takes up most digits of the products changes nothing, however many
// columns there are.
func TestPCAOfColumnsFarFromZero(t *testing.T) {
	const n, d, k = 60, 5000, 3 // above the columns that are taken directly
	rng := rand.New(rand.NewPCG(71, 0))
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
	want, err := PCA(background, plain, k)
	if err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]mat.Matrix{"dense": moved, "sparse": toCSR(moved)} {
		got, err := PCA(background, x, k)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for j := range k { // up to its sign
			a, b := mat.Col(nil, j, got), mat.Col(nil, j, want)
			if along, whole := math.Abs(dot(a, b)), dot(b, b); math.Abs(along-whole) > 1e-5*whole {
				t.Errorf("%s: component %d is another: %v of %v", name, j, along, whole)
			}
		}
	}
	equal := mat.NewDense(5, d, nil)
	equal.Apply(func(_, j int, _ float64) float64 { return 0.1 * float64(j%7) }, equal)
	y, err := PCA(background, equal, 2)
	if err != nil || mat.Norm(y, 2) > 1e-9 {
		t.Errorf("equal rows: %v, %v", y, err)
	}
}
