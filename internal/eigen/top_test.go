package eigen

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// The adjacency matrix of a ring over 2 has the eigenvalues cos(2πj/n), the largest of them 10⁻⁴
// apart and all but two double; rotated, one of the other spectrum has neighbours too near for its
// power.
func TestTopFindsTheTopOfCloseSpectra(t *testing.T) {
	const n = 600
	ring := make([]float64, n)
	for j := range ring {
		ring[j] = math.Cos(2 * math.Pi * float64(j) / n)
	}
	// Of 0.1 the 16th power is 10⁻¹⁶ of that of 1: what is found of those has to be found again.
	deep := make([]float64, n)
	for j := range deep {
		deep[j] = 0.1 * float64(n-j) / n
		if j < 5 {
			deep[j] = 1 - 0.01*float64(j)
		}
	}
	for _, c := range []struct {
		name   string
		values []float64
		lo     float64
		k      int
		again  bool // Top falls back on A itself
	}{
		{"ring", ring, -1, 12, false},
		{"ring, a large part", ring, -1, 40, true},
		{"deep", deep, 0, 20, true},
	} {
		a := withSpectrum(c.values, 5)
		apply, counted := operator(a), 0
		r, err := Top(context.Background(), n, c.k, func(ctx context.Context, dst, src matrix) error {
			counted += src.Cols
			return apply(ctx, dst, src)
		}, c.lo, 1, KrylovOptions{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		checkPairs(t, c.name, a, r, 1e-6*math.Sqrt(float64(c.k)))
		want := slices.Sorted(slices.Values(c.values))
		slices.Reverse(want)
		for i, v := range r.Values {
			if math.Abs(v-want[i]) > 1e-9 { // the square of a residual of 5·10⁻⁷, over gaps of 10⁻⁴
				t.Errorf("%s: value %d is %v, want %v", c.name, i, v, want[i])
			}
		}
		// What came from a power was multiplied by A sixteen times as often as the result says.
		if again := counted < sharpness*r.Applied; again != c.again {
			t.Errorf("%s: %d products with A, %d stated: done again: %v", c.name, counted, r.Applied, again)
		}
	}
}

// dense is a matrix for gonum, which shares the numbers.
func dense(a matrix) *mat.Dense { return mat.NewDense(a.Rows, a.Cols, a.Data) }

// Split is the formula of its comment, written out with an m and an exact M that have nothing in
// common: with u = c/‖c‖, x₀ = x − u·s, it is (I − u·uᵀ)·m·x₀ + u·(M·u)ᵀ·x₀ + (M·u)·s.
func TestSplitTakesOneDirectionFromTheExactOperator(t *testing.T) {
	const n, b = 60, 7
	m, exact := randomSymmetric(n, 1), randomSymmetric(n, 2)
	x := kernel.Dense[float64](n, b)
	c := make([]float64, n)
	for i := range c {
		c[i] = math.Sin(float64(i)) + 3
	}
	copy(x.Data, randomSymmetric(n, 3).Data)
	split, err := Split(context.Background(), operator(m), operator(exact), c)
	if err != nil {
		t.Fatal(err)
	}
	u := mat.NewVecDense(n, slices.Clone(c))
	u.ScaleVec(1/mat.Norm(u, 2), u)
	var image, s, rest, first, along, shares, want mat.Dense
	image.Mul(dense(exact), u)
	s.Mul(u.T(), dense(x))
	rest.Mul(u, &s)
	rest.Sub(dense(x), &rest)
	first.Mul(dense(m), &rest)
	along.Mul(u.T(), &first)
	shares.Mul(image.T(), &rest)
	shares.Sub(&shares, &along)
	want.Mul(u, &shares)
	want.Add(&want, &first)
	along.Reset()
	along.Mul(&image, &s)
	want.Add(&want, &along)
	for range 2 { // its buffers are used again
		wide := kernel.Dense[float64](n, b+2) // an operator may be given padding
		if err := split(context.Background(), kernel.Columns(wide, 1, b+1), x); err != nil {
			t.Fatal(err)
		}
		var off mat.Dense
		off.Sub(&want, dense(wide).Slice(0, n, 1, b+1))
		if d := mat.Norm(&off, 2); !(d < 1e-12*mat.Norm(&want, 2)) {
			t.Errorf("off by %.2g of %.2g", d, mat.Norm(&want, 2))
		}
	}
	same, err := Split(context.Background(), operator(m), nil, make([]float64, n))
	if err != nil {
		t.Fatal(err)
	}
	got, plain := kernel.Dense[float64](n, b), kernel.Dense[float64](n, b)
	if same(context.Background(), got, x) != nil || operator(m)(context.Background(), plain, x) != nil || !slices.Equal(got.Data, plain.Data) {
		t.Error("without a direction it is not M itself")
	}
}

func TestWidenComputesInTheNumbersOfItsOperator(t *testing.T) {
	const n, b = 30, 4
	a, x := randomSymmetric(n, 6), kernel.Dense[float64](n, b)
	copy(x.Data, randomSymmetric(n, 7).Data)
	narrow, single := kernel.Dense[float32](n, n), kernel.Dense[float32](n, b)
	for i, v := range a.Data {
		narrow.Data[i] = float32(v)
	}
	for i, v := range x.Data {
		single.Data[i] = float32(v)
	}
	want := kernel.Dense[float32](n, b)
	if err := kernel.Gemm(context.Background(), false, false, 1, narrow, single, 0, want); err != nil {
		t.Fatal(err)
	}
	got := kernel.Dense[float64](n, b)
	wide := Widen(func(ctx context.Context, dst, src kernel.Matrix[float32]) error {
		return kernel.Gemm(ctx, false, false, 1, narrow, src, 0, dst)
	})
	if err := wide(context.Background(), got, x); err != nil {
		t.Fatal(err)
	}
	for i, v := range got.Data {
		if v != float64(want.Data[i]) {
			t.Fatalf("number %d is %v, want %v", i, v, want.Data[i])
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if err := wide(stopped, got, x); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	reached := matrix{}
	same := Widen(func(_ context.Context, _, src matrix) error { reached = src; return nil })
	if same(context.Background(), got, x) != nil || &reached.Data[0] != &x.Data[0] {
		t.Error("numbers that are float64 already are copied")
	}
}
