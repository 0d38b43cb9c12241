package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// operator is multiplication by a.
func operator(a panel) Operator[float64] {
	return func(ctx context.Context, dst, src panel) error {
		return kernel.Gemm(ctx, false, false, 1, a, src, 0, dst)
	}
}

// diagonal is multiplication by a diagonal matrix.
func diagonal(d []float64) Operator[float64] {
	return func(ctx context.Context, dst, src panel) error {
		for i, v := range d {
			to := dst.Row(i)
			for j, x := range src.Row(i) {
				to[j] = v * x
			}
		}
		return ctx.Err()
	}
}

// checkKrylov holds a result to the promises: orthogonality, the residual it states and the bound
// on it, and the eigenvalues themselves. A residual r bounds the error of an eigenvalue by r.
func checkKrylov(t *testing.T, name string, a panel, r *Result, want []float64) {
	t.Helper()
	checkPairs(t, name, a, r, 1e-6*math.Sqrt(float64(len(r.Values)+1)), 1e-13)
	if !(r.Residual <= 1e-6) {
		t.Errorf("%s: states a residual of %.2g, promised 1e-6", name, r.Residual)
	}
	norm := 0.0
	for i := range a.Rows {
		norm = max(norm, blas64.Nrm2(vector(a.Row(i))))
	}
	for i, v := range r.Values {
		if !(math.Abs(v-want[i]) <= 2e-6*norm) {
			t.Errorf("%s: value %d is %.12g, the oracle's %.12g", name, i, v, want[i])
			return
		}
	}
}

// TestKrylovFindsTheTopOfAnySpectrum has spectra on a rotated diagonal, whose values are known, for
// orders of which the matrix is formed and for one of the iteration.
func TestKrylovFindsTheTopOfAnySpectrum(t *testing.T) {
	for n, ranks := range map[int][]int{0: {0}, 1: {0, 1}, 2: {0, 1, 2}, 3: {0, 1, 3}, 40: {0, 1, 40}, 100: {0, 1, 100}, 450: {1, 40}} {
		all := spectra(max(n, 1))
		if n == 450 {
			for _, scale := range []float64{1e-200, 1e200} {
				scaled := slices.Clone(all["random"])
				blas64.Scal(scale, vector(scaled))
				all[fmt.Sprint("random, scale ", scale)] = scaled
			}
		}
		for name, values := range all {
			a := withSpectrum(values[:n], 11)
			for _, k := range ranks {
				if o, _ := (KrylovOptions{}).withDefaults(n, k); n == 450 && (3*o.MaxBasis > 2*n || n <= denseOrder) {
					t.Fatalf("k=%d: the matrix would be formed, the test is about the iteration", k)
				}
				r, err := Krylov(background, n, k, operator(a), KrylovOptions{})
				name := fmt.Sprintf("%s, n=%d k=%d", name, n, k)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				checkKrylov(t, name, a, r, descending(values[:n], k))
			}
		}
	}
}

func TestKrylovRestartsInASmallBasis(t *testing.T) {
	const n, k = 600, 12
	a := randomSymmetric(n, 31)
	want := must(Direct(background, clone(a), k))
	r := must(Krylov(background, n, k, operator(a), KrylovOptions{Block: 4, MaxBasis: 60}))
	checkKrylov(t, "small basis", a, r, want.Values)
	got, ref := mat.NewDense(k, n, r.Vectors.Data), mat.NewDense(k, n, want.Vectors.Data)
	// A residual of 1e-6·‖A‖ and a gap g turn the subspace by 1e-6·‖A‖/g.
	if s := sine(ref, got); !(s < 1e-4) {
		t.Errorf("sine of the largest angle to the direct solution %.2g", s)
	}
}

func TestKrylovReportsWhatDidConverge(t *testing.T) {
	const n, k = 800, 20
	for _, c := range []struct{ apart, restarts, least, most int }{{6, 4, 1, k - 1}, {0, 1, 0, 0}} {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Cos(math.Pi * float64(i) / n) // crowded at the top
		}
		if c.apart > 0 {
			d[c.apart] = 3
		}
		_, err := Krylov(background, n, k, diagonal(d), KrylovOptions{Block: 4, MaxBasis: 32, MaxRestarts: c.restarts})
		var e *ConvergenceError
		if !errors.As(err, &e) {
			t.Fatalf("error %v, want a ConvergenceError", err)
		}
		if e.Converged < c.least || e.Converged > c.most || e.Wanted != k || !(e.Residual > 1e-7) {
			t.Errorf("%+v", e)
		}
		if len(e.Result.Values) != e.Converged || e.Result.Vectors.Rows != e.Converged {
			t.Fatalf("%d pairs converged, %d values and %d vectors returned", e.Converged, len(e.Result.Values), e.Result.Vectors.Rows)
		}
		checkKrylov(t, "part", diagonalMatrix(d), e.Result, descending(d, k))
	}
}

func TestKrylovRefusesBadInput(t *testing.T) {
	ctx := background
	one := diagonal(slices.Repeat([]float64{1}, 500))
	for name, c := range map[string]struct {
		k int
		o KrylovOptions
	}{
		"k negative":             {k: -1},
		"k above n":              {k: 501},
		"tolerance not a number": {k: 1, o: KrylovOptions{Tol: math.NaN()}},
		"block negative":         {k: 1, o: KrylovOptions{Block: -1}},
	} {
		if _, err := Krylov(ctx, 500, c.k, one, c.o); !errors.Is(err, ErrShape) {
			t.Errorf("%s: error %v, want ErrShape", name, err)
		}
	}
	for _, n := range []int{10, 500} {
		d := slices.Repeat([]float64{1}, n)
		d[n/2] = math.NaN()
		if _, err := Krylov(ctx, n, 3, diagonal(d), KrylovOptions{}); !errors.Is(err, ErrNotFinite) {
			t.Errorf("n=%d: error %v, want ErrNotFinite", n, err)
		}
		broken := errors.New("broken")
		fails := func(context.Context, panel, panel) error { return broken }
		if _, err := Krylov(ctx, n, 3, fails, KrylovOptions{}); !errors.Is(err, broken) {
			t.Errorf("n=%d: error %v, want the operator's", n, err)
		}
	}
}

func TestKrylovTellsItsProgress(t *testing.T) {
	const n, k = 500, 12
	var told [][2]int
	a := randomSymmetric(n, 51)
	must(Krylov(background, n, k, operator(a), KrylovOptions{Progress: func(done, total int) {
		told = append(told, [2]int{done, total})
	}}))
	if len(told) == 0 || told[len(told)-1] != [2]int{k, k} {
		t.Fatalf("told %v, want %d of %d at the end", told, k, k)
	}
	if !slices.ContainsFunc(told, func(is [2]int) bool { return is[0] > 0 && is[0] < k }) {
		t.Errorf("told %v, want a part before the end", told)
	}
}

// BenchmarkKrylov has a smoothly decaying spectrum as the matrices of feature graphs have, at the
// size of Citeseer's; the product is cheap, so that the time is the solver's own.
func BenchmarkKrylov(b *testing.B) {
	const n = 3703
	d := make([]float64, n)
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range d {
		d[i] = 1 / math.Pow(float64(1+i), 0.8)
	}
	rnd.Shuffle(n, func(i, j int) { d[i], d[j] = d[j], d[i] })
	for _, k := range []int{128, 512} {
		b.Run(fmt.Sprintf("n=%d,k=%d", n, k), func(b *testing.B) {
			var applied int
			for b.Loop() {
				r, err := Krylov(background, n, k, diagonal(d), KrylovOptions{})
				if err != nil {
					b.Fatal(err)
				}
				applied = r.Applied
			}
			b.ReportMetric(float64(applied), "products")
		})
	}
}

// single makes products with a in float32, of a and vectors rounded to that.
func single(a panel) Operator[float32] {
	rounded := kernel.Dense[float32](a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			rounded.Row(i)[j] = float32(v)
		}
	}
	return func(ctx context.Context, dst, src kernel.Matrix[float32]) error {
		return kernel.Gemm(ctx, false, false, 1, rounded, src, 0, dst)
	}
}

// singleTol is the tolerance for operators in float32. Their products and their own rounding add
// singleRounding, with room: sums of 600 terms in float32 are off by some 2e-7 of their norm.
const singleTol, singleRounding = 1e-5, 2e-6

// checkIteration holds a result of products in float32 to what Krylov says of it. The residuals that
// are measured against the matrix in float64 are within the stated ones and rounding; a residual
// bounds the error of a value.
func checkIteration(t *testing.T, name string, a panel, r *Result, want []float64) {
	t.Helper()
	norm := math.Abs(want[0])
	for i := range a.Rows { // of a symmetric matrix, at least |λ|
		norm = max(norm, blas64.Nrm2(vector(a.Row(i))))
	}
	if !(r.Residual <= 10*singleTol) {
		t.Errorf("%s: states a residual of %.2g", name, r.Residual)
	}
	each, orth := residuals(t, a, r)
	for i, v := range r.Values {
		if !(each[i] <= (r.Residual+singleRounding)*norm) {
			t.Errorf("%s: pair %d has a residual of %.2g, stated are %.2g", name, i, each[i]/norm, r.Residual)
			return
		}
		if !(math.Abs(v-want[i]) <= (r.Residual+singleRounding)*norm) {
			t.Errorf("%s: value %d is %.9g, the oracle's %.9g", name, i, v, want[i])
			return
		}
	}
	if !(orth < 1e-13) {
		t.Errorf("%s: |PPᵀ − I| reaches %.2g, promised 1e-13", name, orth)
	}
}

// TestKrylovInFloat32FindsTheTopOfAnySpectrum has all spectra, a room that makes the iteration
// restart, and copies that take a second search.
func TestKrylovInFloat32FindsTheTopOfAnySpectrum(t *testing.T) {
	const n = 500
	all := spectra(n)
	for _, copies := range []int{3, 4, 8, 9, 24} {
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Pow(0.97, float64(max(0, i-copies+1)))
		}
		all[fmt.Sprintf("%d copies", copies)] = d
	}
	for name, values := range all {
		a := withSpectrum(values, 17)
		for _, c := range []struct{ k, basis int }{{1, 0}, {40, 0}, {40, 80}} {
			r, err := Krylov(background, n, c.k, single(a), KrylovOptions{Tol: singleTol, Block: 8, MaxBasis: c.basis})
			name := fmt.Sprintf("%s, k=%d, basis %d", name, c.k, c.basis)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkIteration(t, name, a, r, descending(values, c.k))
		}
	}
}

// An operator of nothing but rounding, which is not even symmetric, is zero.
func TestKrylovOfZero(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testZero[float64](t, 0) })
	t.Run("float32", func(t *testing.T) { testZero[float32](t, singleTol) })
}

func testZero[T kernel.Float](t *testing.T, tol float64) {
	for _, n := range []int{30, 1000} { // by the matrix itself, and by iteration
		rnd := rand.New(rand.NewPCG(1, 2))
		noise := Operator[T](func(_ context.Context, dst, _ kernel.Matrix[T]) error {
			for i := range dst.Rows {
				for j := range dst.Cols {
					dst.Data[i*dst.Stride+j] = 1e-20 * T(rnd.NormFloat64())
				}
			}
			return nil
		})
		r := must(Krylov(background, n, 3, noise, KrylovOptions{Tol: tol, Zero: 1e-17}))
		for i, v := range r.Values {
			if v != 0 || r.Vectors.Data[i*r.Vectors.Stride+i] != 1 {
				t.Errorf("n = %d: pair %d is %v, %v", n, i, v, r.Vectors.Row(i))
			}
		}
		var stopped *ConvergenceError
		if _, err := Krylov(background, n, 3, noise, KrylovOptions{Tol: tol, Zero: 1e-22, MaxRestarts: 2}); !errors.As(err, &stopped) {
			t.Errorf("n = %d: noise above the bound: %v", n, err)
		}
	}
}
