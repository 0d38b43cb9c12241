package eigen

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"coles/internal/kernel"
	"coles/internal/race"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// symmetric is an n × n matrix from its entries on and above the diagonal.
func symmetric(n int, at func(i, j int) float64) matrix {
	a := kernel.Dense[float64](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			v := at(i, j)
			a.Data[i*a.Stride+j], a.Data[j*a.Stride+i] = v, v
		}
	}
	return a
}

func randomSymmetric(n int, seed uint64) matrix {
	rnd := rand.New(rand.NewPCG(seed, 1))
	return symmetric(n, func(i, j int) float64 { return rnd.NormFloat64() })
}

// withSpectrum is R·diag(values)·Rᵀ for an R of some random reflections.
func withSpectrum(values []float64, seed uint64) matrix {
	n := len(values)
	rnd := rand.New(rand.NewPCG(seed, 2))
	a := symmetric(n, func(i, j int) float64 {
		if i == j {
			return values[i]
		}
		return 0
	})
	v, w := make([]float64, n), make([]float64, n)
	for range 3 {
		for i := range v {
			v[i] = rnd.NormFloat64()
		}
		normalise(v)
		// (I − 2vvᵀ)·a·(I − 2vvᵀ) = a − 2v·wᵀ − 2w·vᵀ + 4(v·w)·v·vᵀ with w = a·v.
		for i := range w {
			w[i] = blas64.Dot(vector(row(a, i)), vector(v))
		}
		vw := blas64.Dot(vector(v), vector(w))
		for i := range n {
			for j := i; j < n; j++ {
				x := a.Data[i*n+j] - 2*v[i]*w[j] - 2*w[i]*v[j] + 4*vw*v[i]*v[j]
				a.Data[i*n+j], a.Data[j*n+i] = x, x
			}
		}
	}
	return a
}

func clone(a matrix) matrix {
	a.Data = append([]float64(nil), a.Data...)
	return a
}

// residual is ‖A·Pᵀ − Pᵀ·Λ‖ relative to ‖A‖, both in the Frobenius norm, which is at least the
// spectral one over √n; and the largest |PPᵀ − I|.
func residual(t testing.TB, a matrix, r *Result) (res, orth float64) {
	t.Helper()
	k, n := len(r.Values), a.Rows
	if r.Vectors.Rows != k || r.Vectors.Cols != n {
		t.Fatalf("vectors are %d×%d, want %d×%d", r.Vectors.Rows, r.Vectors.Cols, k, n)
	}
	if k == 0 {
		return 0, 0
	}
	// A matrix of extreme scale is brought near 1 by a power of two.
	most := 0.0
	for _, v := range a.Data {
		most = max(most, math.Abs(v))
	}
	_, e := math.Frexp(most)
	a = clone(a)
	for i, v := range a.Data {
		a.Data[i] = math.Ldexp(v, -e)
	}
	pa := kernel.Dense[float64](k, n)
	gram := kernel.Dense[float64](k, k)
	ctx := context.Background()
	if err := kernel.Gemm(ctx, false, false, 1, r.Vectors, a, 0, pa); err != nil {
		t.Fatal(err)
	}
	if err := kernel.Gemm(ctx, false, true, 1, r.Vectors, r.Vectors, 0, gram); err != nil {
		t.Fatal(err)
	}
	for i := range k {
		if i > 0 && !(r.Values[i-1] >= r.Values[i]) {
			t.Fatalf("values %d and %d, %g and %g, are not descending", i-1, i, r.Values[i-1], r.Values[i])
		}
		blas64.Axpy(-math.Ldexp(r.Values[i], -e), vector(row(r.Vectors, i)), vector(row(pa, i)))
		gram.Data[i*k+i]--
	}
	for _, v := range gram.Data {
		orth = max(orth, math.Abs(v))
		if math.IsNaN(v) {
			orth = math.NaN()
		}
	}
	norm := 0.0
	for _, v := range a.Data {
		norm = math.Hypot(norm, v)
	}
	// The spectral norm, from the values themselves if all are there.
	if k == n {
		norm = math.Ldexp(max(math.Abs(r.Values[0]), math.Abs(r.Values[n-1])), -e)
	}
	for _, v := range pa.Data {
		res = math.Hypot(res, v)
	}
	if norm > 0 {
		res /= norm
	}
	return res, orth
}

// checkPairs holds a result to the promises of the package.
func checkPairs(t testing.TB, name string, a matrix, r *Result, tol float64) {
	t.Helper()
	res, orth := residual(t, a, r)
	if !(res <= tol) {
		t.Errorf("%s: residual %.2g, promised %.0g", name, res, tol)
	}
	if !(orth < 1e-13) {
		t.Errorf("%s: |PPᵀ − I| reaches %.2g, promised 1e-13", name, orth)
	}
}

// oracle is gonum's eigendecomposition, descending.
func oracle(t testing.TB, a matrix) (values []float64, vectors *mat.Dense) {
	t.Helper()
	n := a.Rows
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), a.Data...)), true) {
		t.Fatal("the oracle failed")
	}
	up := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	vectors = mat.NewDense(n, n, nil)
	for i := n - 1; i >= 0; i-- {
		values = append(values, up[i])
		vectors.SetRow(n-1-i, mat.Col(nil, i, &v))
	}
	return values, vectors
}

// sameBits compares two results byte by byte.
func sameBits(a, b *Result) bool {
	x := append(append([]float64(nil), a.Values...), a.Vectors.Data...)
	y := append(append([]float64(nil), b.Values...), b.Vectors.Data...)
	for i := range x {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			return false
		}
	}
	return len(x) == len(y)
}

// withProcs runs do at each of the promised GOMAXPROCS.
func withProcs(do func(procs int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

// checkCancellation cancels long work after a while. Of three attempts one must return in time: on
// a machine that is busy with other things any of them may have to wait for a processor.
func checkCancellation(t *testing.T, after time.Duration, work func(context.Context) error) {
	t.Helper()
	before := runtime.NumGoroutine()
	best := time.Hour
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan time.Time, 1)
		time.AfterFunc(after, func() { stopped <- time.Now(); cancel() })
		if err := work(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled; the work must outlast %v", err, after)
		}
		if best = min(best, time.Since(<-stopped)); best <= 100*time.Millisecond*race.Slowdown {
			break
		}
	}
	if best > 100*time.Millisecond*race.Slowdown {
		t.Errorf("returned %v after the cancellation, promised are 100 ms", best)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
