package coles_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A script is the bytes of a fuzzer, read as choices; past its end it is zeros.
type script struct{ left []byte }

func (s *script) byte() int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return int(b)
}

// number is mostly tame, sometimes not.
func (s *script) number() float64 {
	odd := []float64{0, 1, -1, 0.5, 1e-320, 1e-160, 1e160, 1e300, 1.7e308, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 3, 1e-9}
	if b := s.byte(); b > 0 {
		return float64(b-128) / 16
	}
	return odd[s.byte()%len(odd)]
}

// graph has up to 12 nodes, weighted or not, with self loops or without.
func (s *script) graph() (*coles.Graph, error) {
	n := s.byte() % 13
	kind := s.byte()
	var pairs []coles.Edge
	var weights []float64
	for range s.byte() % 24 {
		pairs = append(pairs, coles.Edge{U: s.byte() % max(n, 1), V: s.byte() % max(n, 1)})
		if weights = append(weights, s.number()); kind&4 > 0 {
			weights[len(weights)-1] = math.Abs(weights[len(weights)-1])
		}
	}
	var opts []coles.GraphOption
	if kind&1 > 0 {
		opts = append(opts, coles.WithEdgeWeights(weights))
	}
	if kind&2 > 0 {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	return coles.NewGraph(n, pairs, opts...)
}

// features are of n rows, more or less, in one of the types that they come in.
func (s *script) features(n int) mat.Matrix {
	kind, d := s.byte(), s.byte()%6
	if kind&32 > 0 {
		n++
	}
	if n == 0 || d == 0 {
		return new(mat.Dense)
	}
	x, single := mat.NewDense(n, d, nil), make([]float32, 0, n*d)
	for i := range n {
		for j := range d {
			x.Set(i, j, s.number())
			single = append(single, float32(x.At(i, j)))
		}
	}
	switch kind % 4 {
	case 1:
		return sparseOf(x)
	case 2:
		return must(coles.NewDense32(n, d, single))
	case 3:
		ptr := make([]int, n+1)
		ptr[n] = 1
		return sparse.NewCSR(n, d, ptr, []int{s.byte()}, []float64{s.number()}) // perhaps out of range
	}
	return x
}

func (s *script) filter() coles.Filter {
	k, a := s.byte()%5-1, s.number()
	return []coles.Filter{coles.S2GCSum(k), coles.SGC(k), coles.S2GC(k, a), coles.APPNP(k, a), coles.Heat(k, a), coles.Polynomial(a, s.number()), coles.Identity(), {}}[s.byte()%8]
}

func (s *script) negatives() coles.NegativeSampler {
	k, p := s.byte()%5-1, s.number()
	var opts []coles.NegativeOption
	if s.byte()%2 > 0 {
		opts = append(opts, coles.ExcludeEdges())
	}
	return []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.NoNegatives(), coles.UniformNegatives(k, opts...), coles.DegreeNegatives(k, opts...),
		coles.ErdosRenyiNegatives(p, opts...), coles.ExpectedUniformNegatives(), {}}[s.byte()%7]
}

// options are those of Fit, some of them out of range.
func (s *script) options() []coles.Option {
	all := []coles.Option{
		nil, coles.WithDim(s.byte()%9 - 2), coles.WithSeed(uint64(s.byte())), coles.WithFeatures(coles.Preparation(s.byte()%8 - 1)), coles.WithFilter(s.filter()),
		coles.WithNegatives(s.negatives()), coles.WithKappa(s.byte()%5 - 1), coles.WithEta(s.number()), coles.WithCovarianceShare(s.number()),
		coles.WithAutoCovarianceShare(), coles.WithPower(s.number()), coles.WithRank(s.number(), s.number()), coles.WithNorm(s.number()),
		coles.WithTruncation(), coles.WithSolver(coles.Solver(s.byte()%5 - 1)), coles.WithPrecision(coles.Precision(s.byte()%5 - 1)), coles.WithoutComponentVectors(),
	}
	var opts []coles.Option
	for range s.byte() % 6 {
		opts = append(opts, all[s.byte()%len(all)])
	}
	return opts
}

// judge wants an error with a name, or numbers.
func judge(t *testing.T, door string, y mat.Matrix, err error) {
	t.Helper()
	var stopped *coles.ConvergenceError
	switch {
	case errors.As(err, &stopped):
	case err != nil:
		wantNamed(t, door, func() error { return err })
	default:
		wantFinite(t, y)
	}
	if t.Failed() {
		t.Fatalf("%s: error %v", door, err)
	}
}

// inTime is a context for what takes milliseconds, and the end of a hang.
func inTime(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(func() {
		if ctx.Err() != nil {
			t.Error("it hangs")
		}
		cancel()
	})
	return ctx
}

// Seeds are long enough to reach every option; the fuzzer finds what is between.
func addScripts(f *testing.F) {
	for seed := range uint64(24) {
		rnd := random(seed)
		b := make([]byte, 60+10*seed)
		for i := range b {
			b[i] = byte(rnd.IntN(256))
		}
		f.Add(b)
	}
}

// What fits can embed, be written, and be read; nothing panics, hangs, or is no number.
func FuzzFit(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		g, err := s.graph()
		if err != nil {
			judge(t, "NewGraph", nil, err)
			return
		}
		opts := s.options()
		var x mat.Matrix
		if s.byte()%4 > 0 {
			x = s.features(g.Nodes())
		}
		m, err := coles.Fit(ctx, g, x, opts...)
		if err != nil {
			judge(t, "Fit", nil, err)
			return
		}
		wantFinite(t, m.Embedding())
		if x == nil {
			return
		}
		again, err := m.Embed(ctx, g, x)
		judge(t, "Embed", again, err)
		wantSame(t, "Embed", bits(again), bits(m.Embedding()))
		other, err := m.Embed(ctx, g, s.features(g.Nodes()))
		judge(t, "Embed of other features", other, err)
		must(coles.ReadModel(bytes.NewReader(modelBytes(m))))
	})
}

// Each step by itself.
func FuzzSteps(f *testing.F) {
	addScripts(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		g, err := s.graph()
		if err != nil {
			judge(t, "NewGraph", nil, err)
			return
		}
		opts, x, filter, sampler, dim := s.options(), s.features(g.Nodes()), s.filter(), s.negatives(), s.byte()%9-1
		w := coles.Normalize(g, coles.SelfLoops)
		wantFinite(t, w)
		wantFinite(t, coles.Laplacian(g, coles.NoSelfLoops))
		p, err := coles.FitPreparation(ctx, x, coles.Preparation(s.byte()%8-1))
		if err == nil {
			y, err := p.Apply(ctx, x)
			judge(t, "Preparer.Apply", y, err)
		} else {
			judge(t, "FitPreparation", nil, err)
		}
		rho, err := coles.Smoothness(ctx, g, filter, 1)
		judge(t, "Smoothness", mat.NewDense(1, 1, []float64{rho}), err)
		fx, err := filter.Apply(ctx, w, x)
		judge(t, "Filter.Apply", fx, err)
		knn, err := coles.KNN(ctx, x, s.byte()%5-1)
		judge(t, "KNN", knn.CSR(), err)
		dw, err := coles.Contrast(ctx, g, sampler, opts...)
		if err != nil {
			judge(t, "Contrast", nil, err)
			return
		}
		dwx, err := dw.Shift(s.number()).Apply(ctx, x)
		if !errors.Is(err, coles.ErrNotFinite) { // of the shift, perhaps
			judge(t, "DeltaW.Apply", dwx, err)
		}
		for door, call := range map[string]func() (mat.Matrix, error){
			"Solve":         func() (mat.Matrix, error) { return rowsOf(coles.Solve(ctx, x, dw, dim, opts...)) },
			"SolveImplicit": func() (mat.Matrix, error) { return rowsOf(coles.SolveImplicit(ctx, x, w, filter, dw, dim, opts...)) },
			"Eigenmaps": func() (mat.Matrix, error) {
				e, err := coles.Eigenmaps(ctx, dw, dim, opts...)
				if err != nil {
					return nil, err
				}
				return e.Y, nil
			},
		} {
			y, err := call()
			judge(t, door, y, err)
		}
	})
}

func rowsOf(p *coles.Projection, err error) (mat.Matrix, error) {
	if err != nil {
		return nil, err
	}
	return p.P, nil
}
