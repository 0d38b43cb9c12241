package gnn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"coles"
	"coles/internal/kernel"

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

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want one that wraps %q", err, want)
	} else if err.Error() == want.Error() {
		t.Errorf("error %q does not say where", err)
	}
}

// randomGraph joins pairs of n nodes with probability p, the last two stay isolated.
func randomGraph(seed uint64, n int, p float64) *coles.Graph {
	rnd := rand.New(rand.NewPCG(seed, 1))
	var edges []coles.Edge
	for u := range n - 2 {
		for v := u + 1; v < n-2; v++ {
			if rnd.Float64() < p {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	return must(coles.NewGraph(n, edges))
}

// randomWords is an n×d matrix of zeros and ones, sparse and dense.
func randomWords(seed uint64, n, d int) (*sparse.CSR, *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	dok, dense := sparse.NewDOK(n, d), mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if rnd.Float64() < 0.3 {
				dok.Set(i, j, 1)
				dense.Set(i, j, 1)
			}
		}
	}
	return dok.ToCSR(), dense
}

// small is a graph of 40 nodes with 12 words.
func small(seed uint64) (*coles.Graph, *sparse.CSR) {
	x, _ := randomWords(seed, 40, 12)
	return randomGraph(seed, 40, 0.15), x
}

// smallOptions are few epochs of a narrow network.
func smallOptions(more ...Option) []Option {
	return append([]Option{WithNetwork(GCN(8), ReLU(), GCN(5)), WithEpochs(6), WithPrecision(coles.Float64)}, more...)
}

func bits(m mat.Matrix) []uint64 {
	r, c := m.Dims()
	out := []uint64{uint64(r), uint64(c)}
	for i := range r {
		for j := range c {
			out = append(out, math.Float64bits(m.At(i, j)))
		}
	}
	return out
}

func maxDiff(a, b mat.Matrix) float64 {
	r, c := a.Dims()
	worst := 0.0
	for i := range r {
		for j := range c {
			worst = max(worst, math.Abs(a.At(i, j)-b.At(i, j)))
		}
	}
	return worst
}

// dense is a matrix of the kernels as one of gonum's.
func dense[T kernel.Float](m kernel.Matrix[T]) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j := range m.Cols {
			d.Set(i, j, float64(m.Data[i*m.Stride+j]))
		}
	}
	return d
}

// fileOf is the bytes of what writes itself.
func fileOf(w io.WriterTo) []byte {
	var b bytes.Buffer
	must(w.WriteTo(&b))
	return b.Bytes()
}

func forProcessors(t *testing.T, do func(procs int)) {
	t.Helper()
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

// cases are one training of every kind.
var cases = []struct {
	name string
	opts []Option
}{
	{"soft orthogonality", nil},
	{"sampled negatives", []Option{WithNegatives(coles.UniformNegatives(3)), WithEta(0.9), WithKappa(2), WithFreshNegatives(true)}},
	{"Stiefel", []Option{WithNetwork(GCN(8), PReLU(), GCN(5).Orthonormal()), WithObjective(COLES(0))}},
	{"linear", []Option{WithNetwork(Propagate(coles.S2GCSum(3)), Linear(5)), WithObjective(COLES(0)), WithFeatures(coles.PrepareTFIDF, 2)}},
	{"SAGE and NCE", []Option{WithNetwork(SAGE(8), ELU(), SAGE(5)), WithObjective(SampledNCE(3, 0.7)), WithFreshNegatives(true)}},
	{"geometric mean", []Option{WithObjective(PowerMean(0, 4))}},
	{"arithmetic mean", []Option{WithObjective(PowerMean(1, 4))}},
	{"harmonic mean", []Option{WithObjective(PowerMean(-1, 4))}},
	{"quadratic mean", []Option{WithObjective(PowerMean(2, 4))}},
	{"augmentation", []Option{WithAugmentation(Augmentation{[2]float64{0.3, 0.1}, [2]float64{0.2, 0.4}})}},
	{"dropout, dense features", []Option{WithNetwork(Dropout(0.4), GCN(8), ReLU(), Dropout(0.3), Propagate(coles.SGC(2)), Linear(5)), WithFeatures(coles.PrepareStandardize, 1)}},
	{"batches", []Option{WithBatchSize(15)}},
	{"batches of pairs", []Option{WithBatchSize(11), WithObjective(SampledNCE(2, 1)), WithNetwork(SAGE(6), ReLU(), GCN(5))}},
	{"momentum", []Option{WithOptimizer(SGD(0.05, 0.9).WithDecoupledDecay(1e-3)), WithSchedule(Cosine(2))}},
}
