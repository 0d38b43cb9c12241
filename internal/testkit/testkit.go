// Package testkit holds what the tests of several packages share.
package testkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit/promise"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Must unwraps a call that a test does not expect to fail.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Err is the error of a call whose result nobody wants.
func Err[T any](_ T, err error) error { return err }

// Check ends a test whose preparation fails.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// WantText checks that a text has all of some parts.
func WantText(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// WantError checks that an error wraps the named one and adds to its text.
func WantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want one that wraps %q", err, want)
	} else if err.Error() == want.Error() {
		t.Errorf("error %q does not say where", err)
	}
}

// WantRefusals checks, by name, that an error wraps another, the second of each pair.
func WantRefusals(t *testing.T, refusals map[string][2]error) {
	t.Helper()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) { WantError(t, c[0], c[1]) })
	}
}

// WantSame compares values to the last bit.
func WantSame(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		if len(diff) > 800 {
			diff = diff[:800] + " …"
		}
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// WantClose compares matrices entry by entry.
func WantClose(t testing.TB, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	if d := MaxDiff(got, want); !(d <= tolerance) {
		t.Errorf("%s: off by %g, allowed %g", what, d, tolerance)
	}
}

// MaxDiff is the largest difference of two entries, infinite for other sizes.
func MaxDiff(a, b mat.Matrix) float64 {
	r, c := a.Dims()
	if br, bc := b.Dims(); br != r || bc != c {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range r {
		for j := range c {
			if d := math.Abs(a.At(i, j) - b.At(i, j)); !(d <= worst) {
				worst = d
			}
		}
	}
	return worst
}

// Bits is the exact content of a matrix, for [WantSame].
func Bits(m mat.Matrix) []uint64 {
	r, c := m.Dims()
	out := []uint64{uint64(r), uint64(c)}
	for i := range r {
		for j := range c {
			out = append(out, math.Float64bits(m.At(i, j)))
		}
	}
	return out
}

// ForProcessors is [promise.ForProcessors].
func ForProcessors(_ testing.TB, do func(procs int)) { promise.ForProcessors(do) }

// Stops is [promise.Stops].
func Stops(t *testing.T, call func(ctx context.Context) error) {
	t.Helper()
	promise.Stops(t, call)
}

// Shared is a path in the folder of real graphs and oracles next to the project, whose nested modules find it too; it is
// no part of it. A test that needs a missing path is skipped, and fails if COLES_SHARED is set.
func Shared(t testing.TB, path ...string) string {
	t.Helper()
	root, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(root, "coles.go")); err == nil {
			break
		}
		if up := filepath.Dir(root); up != root {
			root = up
			continue
		}
		t.Fatal("the test does not run in the module")
	}
	full := filepath.Join(append([]string{root, "..", "shared"}, path...)...)
	if _, err := os.Stat(full); err != nil {
		if os.Getenv("COLES_SHARED") != "" {
			t.Fatal(err)
		}
		t.Skipf("%s is not there (real graphs and the oracle's fixtures are kept beside the project, not in it)", full)
	}
	return full
}

// Long skips a test that repeats a protocol on real graphs for many seconds, unless COLES_SHARED is set. A change has
// to pass it, but it is too long for every save of a file.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() || os.Getenv("COLES_SHARED") == "" {
		t.Skip("takes many seconds: runs where COLES_SHARED=1 is set")
	}
}

// Random is a generator for a test's data.
func Random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// RandomDense has entries of the normal distribution.
func RandomDense(rng *rand.Rand, r, c int) *mat.Dense {
	x := mat.NewDense(r, c, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	return x
}

// RandomWords is a sparse matrix of small counts in which about one entry of eight is not zero, and
// the same matrix dense.
func RandomWords(rng *rand.Rand, r, c int) (*sparse.CSR, *mat.Dense) {
	x := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			if rng.IntN(8) == 0 {
				x.Set(i, j, float64(1+rng.IntN(3)))
			}
		}
	}
	return SparseOf(x), x
}

// SparseOf are the entries of a matrix that are not zero.
func SparseOf(x mat.Matrix) *sparse.CSR {
	r, c := x.Dims()
	ptr, ind, val := make([]int, r+1), []int(nil), []float64(nil)
	for i := range r {
		for j := range c {
			if v := x.At(i, j); v != 0 {
				ind, val = append(ind, j), append(val, v)
			}
		}
		ptr[i+1] = len(ind)
	}
	return sparse.NewCSR(r, c, ptr, ind, val)
}

// DenseOf copies any matrix by its entries: what an oracle computes with.
func DenseOf(x mat.Matrix) *mat.Dense {
	r, c := x.Dims()
	d := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			d.Set(i, j, x.At(i, j))
		}
	}
	return d
}

// SingleOf rounds a matrix to float32.
func SingleOf(x mat.Matrix) *coles.Dense32 {
	r, c := x.Dims()
	s := &coles.Dense32{Rows: r, Cols: c, Stride: c}
	for i := range r {
		for j := range c {
			s.Data = append(s.Data, float32(x.At(i, j)))
		}
	}
	return s
}

// A Foreign matrix has a type that no package of the module recognises.
type Foreign struct{ Of mat.Matrix }

func (m Foreign) Dims() (r, c int)    { return m.Of.Dims() }
func (m Foreign) At(i, j int) float64 { return m.Of.At(i, j) }
func (m Foreign) T() mat.Matrix       { return mat.Transpose{Matrix: m} }

// Product multiplies matrices from left to right.
func Product(factors ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(factors[0])
	for _, f := range factors[1:] {
		var q mat.Dense
		q.Mul(p, f)
		p = &q
	}
	return p
}

// RandomEdges draws every pair of n nodes with probability p.
func RandomEdges(rng *rand.Rand, n int, p float64) []coles.Edge {
	var edges []coles.Edge
	for u := range n {
		for v := u + 1; v < n; v++ {
			if rng.Float64() < p {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	return edges
}

// RandomGraph is a weighted random graph; its weights are 0.5 to 2.5.
func RandomGraph(seed uint64, n int, p float64, opts ...coles.GraphOption) *coles.Graph {
	rng := Random(seed)
	edges := RandomEdges(rng, n, p)
	weights := make([]float64, len(edges))
	for q := range weights {
		weights[q] = 0.5 + 2*rng.Float64()
	}
	return Must(coles.NewGraph(n, edges, append(opts, coles.WithWeights(weights))...))
}

// Ring joins every node of a ring to the next ones on either side: few nodes are within a hop or
// two.
func Ring(n, side int) []coles.Edge {
	var edges []coles.Edge
	for u := range n {
		for k := 1; k <= side; k++ {
			edges = append(edges, coles.Edge{U: u, V: (u + k) % n})
		}
	}
	return edges
}

// A Script is the bytes of a fuzzer, read as choices; past its end it is zeros.
type Script []byte

// Byte is the next byte.
func (s *Script) Byte() int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b)
}

// AddScripts gives a fuzzer some scripts to begin with, the k-th of least + step·k bytes.
func AddScripts(f *testing.F, scripts, least, step int) {
	for k := range scripts {
		rng := Random(uint64(k))
		b := make([]byte, least+step*k)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		f.Add(b)
	}
}
