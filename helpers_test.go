package coles_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"coles/internal/race"

	"coles"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// must unwraps a call that a test does not expect to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// wantError checks that an error wraps the named one and says something more.
func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want one that wraps %q", err, want)
	} else if err.Error() == want.Error() {
		t.Errorf("error %q does not say where", err)
	}
}

// randomEdges draws every pair of n nodes with probability p.
func randomEdges(rng *rand.Rand, n int, p float64) []coles.Edge {
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

// randomGraph is a weighted random graph; its weights are 0.5 to 2.5.
func randomGraph(seed uint64, n int, p float64, opts ...coles.GraphOption) *coles.Graph {
	rng := random(seed)
	edges := randomEdges(rng, n, p)
	weights := make([]float64, len(edges))
	for q := range weights {
		weights[q] = 0.5 + 2*rng.Float64()
	}
	return must(coles.NewGraph(n, edges, append(opts, coles.WithEdgeWeights(weights))...))
}

func randomDense(rng *rand.Rand, r, c int) *mat.Dense {
	x := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// randomWords is a sparse matrix of small counts in which about one entry of
// eight is not zero, and the same matrix dense.
func randomWords(rng *rand.Rand, r, c int) (*sparse.CSR, *mat.Dense) {
	x := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			if rng.IntN(8) == 0 {
				x.Set(i, j, float64(1+rng.IntN(3)))
			}
		}
	}
	return sparseOf(x), x
}

func sparseOf(x mat.Matrix) *sparse.CSR {
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

// denseOf copies any matrix by its entries: what an oracle computes with.
func denseOf(x mat.Matrix) *mat.Dense {
	r, c := x.Dims()
	d := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			d.Set(i, j, x.At(i, j))
		}
	}
	return d
}

func eye(n int) *mat.Dense {
	e := mat.NewDense(n, n, nil)
	for i := range n {
		e.Set(i, i, 1)
	}
	return e
}

func product(factors ...mat.Matrix) *mat.Dense {
	p := mat.DenseCopyOf(factors[0])
	for _, f := range factors[1:] {
		var q mat.Dense
		q.Mul(p, f)
		p = &q
	}
	return p
}

// normalizedDense is D^-½ A D^-½ by the formula; zero rows stay zero.
func normalizedDense(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	w := mat.NewDense(n, n, nil)
	w.Apply(func(i, j int, v float64) float64 {
		if v == 0 {
			return 0
		}
		return v / math.Sqrt(mat.Sum(a.RowView(i))) / math.Sqrt(mat.Sum(a.RowView(j)))
	}, a)
	return w
}

func maxDiff(a, b mat.Matrix) float64 {
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

func wantClose(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	if d := maxDiff(got, want); !(d <= tolerance) {
		t.Errorf("%s: off by %g, allowed %g", what, d, tolerance)
	}
}

// wantSame compares values to the last bit.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		if len(diff) > 800 {
			diff = diff[:800] + " …"
		}
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// bits is the exact content of a dense matrix, for wantSame.
func bits(m *mat.Dense) []uint64 {
	r, c := m.Dims()
	out := []uint64{uint64(r), uint64(c)}
	for i := range r {
		for j := range c {
			out = append(out, math.Float64bits(m.At(i, j)))
		}
	}
	return out
}

// forProcessors runs a function under several values of GOMAXPROCS.
func forProcessors(t *testing.T, do func(procs int)) {
	t.Helper()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

// wantPrompt measures how long a call takes to come back once it is cancelled.
// Other programs on the machine can only make it longer: the best of three counts.
func wantPrompt(t *testing.T, attempt func() time.Duration) {
	t.Helper()
	best := attempt()
	for range 2 {
		if best > 100*time.Millisecond*race.Slowdown {
			best = min(best, attempt())
		}
	}
	if best > 100*time.Millisecond*race.Slowdown {
		t.Errorf("came back %v after its cancellation, promised within 100 ms", best)
	}
}

// wantPromptCancel cancels a call 20 ms after it began and measures how long it
// takes to come back and whether its goroutines are gone.
func wantPromptCancel(t *testing.T, call func(context.Context) error) {
	t.Helper()
	before := runtime.NumGoroutine()
	wantPrompt(t, func() time.Duration {
		stoppable, cancel := context.WithCancel(ctx)
		asked := make(chan time.Time, 1)
		timer := time.AfterFunc(20*time.Millisecond, func() {
			asked <- time.Now()
			cancel()
		})
		defer timer.Stop()
		err := call(stoppable)
		if stoppable.Err() == nil {
			t.Fatal("the call was over before it could be cancelled: the case is too small")
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want context.Canceled", err)
		}
		return time.Since(<-asked)
	})
	// The runtime may take a moment to retire a goroutine that has returned.
	for range 50 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before the call", runtime.NumGoroutine(), before)
}

// chiSquare is Pearson's statistic of counts against expectations.
func chiSquare(counts []int, expected func(i int) float64) float64 {
	x := 0.0
	for i, c := range counts {
		e := expected(i)
		x += (float64(c) - e) * (float64(c) - e) / e
	}
	return x
}

// leadingEntry is the first of a vector's entries of largest magnitude, those
// within 1e-6 of it counting as equal: the entry whose sign is fixed.
func leadingEntry(v []float64) float64 {
	largest := mat.Norm(mat.NewVecDense(len(v), v), math.Inf(1))
	for _, x := range v {
		if math.Abs(x) >= (1-1e-6)*largest {
			return x
		}
	}
	return 0
}
