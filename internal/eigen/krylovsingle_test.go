package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

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
		scale := 0.0
		for _, v := range values {
			scale = max(scale, math.Abs(v))
		}
		if scale > 1e30 || scale > 0 && scale < 1e-30 {
			continue // no numbers of float32
		}
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
