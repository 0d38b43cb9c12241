package eigen

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

// symmetric is an n × n matrix from its entries on and above the diagonal.
func symmetric(n int, at func(i, j int) float64) panel {
	a := kernel.Dense[float64](n, n)
	for i := range n {
		for j := i; j < n; j++ {
			v := at(i, j)
			a.Data[i*a.Stride+j], a.Data[j*a.Stride+i] = v, v
		}
	}
	return a
}

func randomSymmetric(n int, seed uint64) panel {
	rnd := rand.New(rand.NewPCG(seed, 1))
	return symmetric(n, func(i, j int) float64 { return rnd.NormFloat64() })
}

// withSpectrum is R·diag(values)·Rᵀ for an R of some random reflections.
func withSpectrum(values []float64, seed uint64) panel {
	n := len(values)
	rnd := rand.New(rand.NewPCG(seed, 2))
	a := diagonalMatrix(values)
	v, w := make([]float64, n), make([]float64, n)
	for range 3 {
		for i := range v {
			v[i] = rnd.NormFloat64()
		}
		normalise(v)
		// (I − 2vvᵀ)·a·(I − 2vvᵀ) = a − 2v·wᵀ − 2w·vᵀ + 4(v·w)·v·vᵀ with w = a·v.
		for i := range w {
			w[i] = blas64.Dot(vector(a.Row(i)), vector(v))
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

func clone(a panel) panel {
	a.Data = slices.Clone(a.Data)
	return a
}

// diagonalMatrix is diag(d).
func diagonalMatrix(d []float64) panel {
	return symmetric(len(d), func(i, j int) float64 {
		if i == j {
			return d[i]
		}
		return 0
	})
}

// descending are the k largest of values.
func descending(values []float64, k int) []float64 {
	v := slices.Sorted(slices.Values(values))
	slices.Reverse(v)
	return v[:k]
}

// sameBytes compares values and vectors of two results.
func sameBytes(a, b *Result) bool {
	equal := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
	return slices.EqualFunc(a.Values, b.Values, equal) && slices.EqualFunc(a.Vectors.Data, b.Vectors.Data, equal)
}

// residuals are ‖A·v − λ·v‖ of every pair of a result, and the largest |PPᵀ − I|.
func residuals(t testing.TB, a panel, r *Result) (each []float64, orth float64) {
	t.Helper()
	k, n := len(r.Values), a.Rows
	if r.Vectors.Rows != k || r.Vectors.Cols != n {
		t.Fatalf("vectors are %d×%d, want %d×%d", r.Vectors.Rows, r.Vectors.Cols, k, n)
	}
	pa, gram := kernel.Dense[float64](k, n), kernel.Dense[float64](k, k)
	check(t, kernel.Gemm(background, false, false, 1, r.Vectors, a, 0, pa))
	check(t, kernel.Gemm(background, false, true, 1, r.Vectors, r.Vectors, 0, gram))
	for i, v := range r.Values {
		if i > 0 && !(r.Values[i-1] >= v) {
			t.Fatalf("values %d and %d, %g and %g, are not descending", i-1, i, r.Values[i-1], v)
		}
		blas64.Axpy(-v, vector(r.Vectors.Row(i)), vector(pa.Row(i)))
		each = append(each, blas64.Nrm2(vector(pa.Row(i))))
		gram.Row(i)[i]--
	}
	for _, v := range gram.Data {
		orth = max(orth, math.Abs(v))
	}
	return each, orth
}

// checkPairs holds a result to the promises of the package: the residual of all pairs together,
// relative to ‖A‖ (Frobenius), which is at least the spectral norm over √n, and the orthogonality.
func checkPairs(t testing.TB, name string, a panel, r *Result, tol, orthTol float64) {
	t.Helper()
	each, orth := residuals(t, a, r)
	norm, k := blas64.Nrm2(vector(a.Data)), len(each)
	if k > 0 && k == a.Rows { // the spectral norm, from the values
		norm = max(math.Abs(r.Values[0]), math.Abs(r.Values[k-1]))
	}
	if res := blas64.Nrm2(vector(each)); !(res <= tol*norm) {
		t.Errorf("%s: residual %.2g of the norm, promised %.0g", name, res/norm, tol)
	}
	if !(orth < orthTol) {
		t.Errorf("%s: |PPᵀ − I| reaches %.2g, promised %.0g", name, orth, orthTol)
	}
}

// oracle is gonum's eigendecomposition, descending.
func oracle(t testing.TB, a panel) (values []float64, vectors *mat.Dense) {
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

// must unwraps a call that is not expected to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// check fails the test at an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
