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
		for name, values := range spectra(max(n, 1)) {
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

func TestKrylovHandlesAnyScale(t *testing.T) {
	const n, k = 500, 10
	for _, scale := range []float64{1e-200, 1e200} {
		d := make([]float64, n)
		for i := range d {
			d[i] = scale / float64(1+i)
		}
		r, err := Krylov(background, n, k, diagonal(d), KrylovOptions{})
		if err != nil {
			t.Errorf("scale %g: %v", scale, err)
			continue
		}
		for i, v := range r.Values {
			if !(math.Abs(v-d[i]) <= 1e-6*scale) {
				t.Errorf("scale %g: value %d is %g, want %g", scale, i, v, d[i])
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
		t.Errorf("told %v, want %d of %d at the end", told, k, k)
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
