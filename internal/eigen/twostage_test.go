package eigen

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// directInTwoStages is Direct by way of a band of the given width, whatever the
// order, for matrices of entries near 1.
func directInTwoStages(t *testing.T, a matrix, b, k int) *Result {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	tri, q, err := twoStages(ctx, a, b)
	must(err)
	values, _, err := tri.eigenvalues(ctx, k)
	must(err)
	z, err := tri.eigenvectors(ctx, values)
	must(err)
	must(q.apply(ctx, z))
	vectors, err := kernel.Transposed(ctx, z)
	must(err)
	FixSigns(vectors)
	return &Result{Values: values, Vectors: vectors}
}

// normalised divides a by its largest entry.
func normalised(a matrix) matrix {
	most := 0.0
	for _, v := range a.Data {
		most = max(most, math.Abs(v))
	}
	if most > 0 {
		a = clone(a)
		for i := range a.Data {
			a.Data[i] /= most
		}
	}
	return a
}

// checkEachPair holds the pairs to the promises of the package one by one, where
// the largest eigenvalue in magnitude is known.
func checkEachPair(t *testing.T, name string, a matrix, r *Result, norm float64) {
	t.Helper()
	_, orth := residual(t, a, r)
	if !(orth < 1e-13) {
		t.Errorf("%s: |PPᵀ − I| reaches %.2g, promised 1e-13", name, orth)
	}
	rest := make([]float64, a.Rows)
	for i, value := range r.Values {
		v := vector(row(r.Vectors, i))
		for j := range rest {
			rest[j] = blas64.Dot(vector(row(a, j)), v)
		}
		blas64.Axpy(-value, v, vector(rest))
		if l := blas64.Nrm2(vector(rest)); !(l <= 1e-13*norm) {
			t.Errorf("%s: residual %.2g of pair %d, promised 1e-13", name, l/norm, i)
			return
		}
	}
}

func TestTwoStagesKeepThePromisesOnAnySpectrum(t *testing.T) {
	for _, n := range []int{2, 3, 5, 33, 64, 65, 66, 128, 130, 193, 300} {
		for name, values := range spectra(n) {
			a := normalised(withSpectrum(values, uint64(n)))
			if blas64.Nrm2(vector(a.Data)) == 0 {
				continue // is not reduced at all
			}
			for _, b := range []int{3, bandWidth} {
				r := directInTwoStages(t, clone(a), b, n)
				norm := max(math.Abs(r.Values[0]), math.Abs(r.Values[n-1]))
				checkEachPair(t, fmt.Sprintf("%s, n=%d b=%d", name, n, b), a, r, norm)
			}
		}
	}
}

func TestTwoStagesKeepThePromisesOnSpecialMatrices(t *testing.T) {
	for name, make := range matrices {
		for _, n := range []int{2, 21, 64, 189, 300} {
			a := normalised(make(n))
			values, _ := oracle(t, a)
			norm := max(math.Abs(values[0]), math.Abs(values[n-1]))
			for _, b := range []int{5, bandWidth} {
				r := directInTwoStages(t, clone(a), b, (n+1)/2)
				name := fmt.Sprintf("%s, n=%d b=%d", name, n, b)
				checkEachPair(t, name, a, r, norm)
				for i, v := range r.Values {
					if !(math.Abs(v-values[i]) <= 1e-15*float64(n+10)*norm) {
						t.Errorf("%s: value %d is %.17g, the oracle's %.17g", name, i, v, values[i])
					}
				}
			}
		}
	}
}

func TestTwoStagesAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	a := normalised(randomSymmetric(500, 8))
	var first *Result
	withProcs(func(procs int) {
		r := directInTwoStages(t, clone(a), bandWidth, 150)
		if first == nil {
			first = r
		}
		if !sameBits(first, r) {
			t.Errorf("GOMAXPROCS=%d gives other bytes than 1", procs)
		}
	})
}

// An order and a number of pairs for which the rule says two stages.
func TestDirectInTwoStages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about a second")
	}
	const n, k = 2800, 80
	if !inTwoStages(n, k) || inTwoStages(n, 200) || inTwoStages(2600, 0) {
		t.Fatal("the rule has changed: choose another size")
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 / float64(1+max(0, i-30)) // the largest 31 times
	}
	a := withSpectrum(values, 5)
	padded := matrix{Rows: n, Cols: n, Stride: n + 3, Data: constant(n*(n+3), math.NaN())}
	for i := range n {
		copy(row(padded, i)[i:], row(a, i)[i:])
	}
	r, err := Direct(context.Background(), padded, k)
	if err != nil {
		t.Fatal(err)
	}
	checkPairs(t, "n=2800", a, r, 1e-13)
	for i, v := range r.Values {
		if math.Abs(v-values[i]) > 1e-13 {
			t.Errorf("value %d is %.17g, constructed as %.17g", i, v, values[i])
		}
	}
	for i := range n {
		for j := range padded.Stride {
			if (j < i || j >= n) && !math.IsNaN(padded.Data[i*padded.Stride+j]) {
				t.Fatalf("(%d, %d) was overwritten", i, j)
			}
		}
	}
}

func TestTwoStagesStopWhenCancelled(t *testing.T) {
	const n = 3000
	a := randomSymmetric(n, 8)
	for _, after := range []time.Duration{5, 100, 300} {
		checkCancellation(t, after*time.Millisecond, func(ctx context.Context) error {
			_, err := Direct(ctx, clone(a), 300)
			return err
		})
	}
	// The second stage by itself.
	m := randomBand(n, bandWidth)
	checkCancellation(t, 20*time.Millisecond, func(ctx context.Context) error {
		_, _, err := chaseBulges(ctx, m)
		return err
	})
}
