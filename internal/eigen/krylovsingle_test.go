package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/kernel"
)

// single makes products with a in float32, of a and vectors rounded to that.
func single(a matrix) Operator[float32] {
	rounded := kernel.Dense[float32](a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range row(a, i) {
			row(rounded, i)[j] = float32(v)
		}
	}
	return func(ctx context.Context, dst, src kernel.Matrix[float32]) error {
		return kernel.Gemm(ctx, false, false, 1, rounded, src, 0, dst)
	}
}

// singleTol is what an operator in float32 is asked for, and singleRounding what its products and
// its own rounding add, with room: sums of 600 terms in float32 are off by some 2e-7 of their norm.
const singleTol, singleRounding = 1e-5, 2e-6

// checkIteration holds a result of products in float32 to what Krylov says of it. The residuals that
// are measured against the matrix in float64 are within the stated ones and rounding; a residual
// bounds the error of a value.
func checkIteration(t *testing.T, name string, a matrix, r *Result, want []float64) {
	t.Helper()
	norm := math.Abs(want[0])
	for i := range a.Rows { // of a symmetric matrix, at least |λ|
		sum := 0.0
		for _, v := range row(a, i) {
			sum += v * v
		}
		norm = max(norm, math.Sqrt(sum))
	}
	if !(r.Residual <= 10*singleTol) {
		t.Errorf("%s: states a residual of %.2g", name, r.Residual)
	}
	k, n := len(r.Values), a.Rows
	pa, gram := kernel.Dense[float64](k, n), kernel.Dense[float64](k, k)
	if err := errors.Join(
		kernel.Gemm(context.Background(), false, false, 1, r.Vectors, a, 0, pa),
		kernel.Gemm(context.Background(), false, true, 1, r.Vectors, r.Vectors, 0, gram)); err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Values {
		square := 0.0
		for j, x := range row(pa, i) {
			square += (x - v*row(r.Vectors, i)[j]) * (x - v*row(r.Vectors, i)[j])
		}
		if !(math.Sqrt(square) <= (r.Residual+singleRounding)*norm) {
			t.Errorf("%s: pair %d has a residual of %.2g, stated are %.2g", name, i, math.Sqrt(square)/norm, r.Residual)
			return
		}
		if !(math.Abs(v-want[i]) <= (r.Residual+singleRounding)*norm) {
			t.Errorf("%s: value %d is %.9g, the oracle's %.9g", name, i, v, want[i])
			return
		}
		row(gram, i)[i]--
	}
	for _, v := range gram.Data {
		if !(math.Abs(v) < 1e-13) {
			t.Errorf("%s: |PPᵀ − I| reaches %.2g, promised 1e-13", name, v)
			return
		}
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
			r, err := Krylov(context.Background(), n, c.k, single(a), KrylovOptions{Tol: singleTol, Block: 8, MaxBasis: c.basis})
			name := fmt.Sprintf("%s, k=%d, basis %d", name, c.k, c.basis)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			checkIteration(t, name, a, r, descending(values, c.k))
		}
	}
}

func TestKrylovInFloat32OfZero(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	noise := Operator[float32](func(_ context.Context, dst, _ kernel.Matrix[float32]) error {
		for i := range dst.Rows {
			for j := range dst.Cols {
				dst.Data[i*dst.Stride+j] = 1e-20 * float32(rnd.NormFloat64())
			}
		}
		return nil
	})
	r, err := Krylov(context.Background(), 1000, 3, noise, KrylovOptions{Tol: singleTol, Zero: 1e-17})
	if err != nil || r.Values[0] != 0 || r.Values[2] != 0 {
		t.Errorf("%v, %v", r, err)
	}
	var stopped *ConvergenceError
	if _, err := Krylov(context.Background(), 1000, 3, noise, KrylovOptions{Tol: singleTol, MaxRestarts: 2}); !errors.As(err, &stopped) {
		t.Errorf("noise above the bound: %v", err)
	}
}
