package coles_test

import (
	"context"
	"math"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A script is read as choices of this package.
type script struct{ testkit.Script }

// number is mostly tame, sometimes not.
func (s *script) number() float64 {
	odd := []float64{0, 1, -1, 0.5, 1e-320, 1e-160, 1e160, 1e300, 1.7e308, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 3, 1e-9}
	if b := s.Byte(); b > 0 {
		return float64(b-128) / 16
	}
	return odd[s.Byte()%len(odd)]
}

// graph has up to 12 nodes, weighted or not, with self loops or without.
func (s *script) graph() (*coles.Graph, error) {
	n := s.Byte() % 13
	kind := s.Byte()
	var pairs []coles.Edge
	var weights []float64
	for range s.Byte() % 24 {
		pairs = append(pairs, coles.Edge{U: s.Byte() % max(n, 1), V: s.Byte() % max(n, 1)})
		if weights = append(weights, s.number()); kind&4 > 0 {
			weights[len(weights)-1] = math.Abs(weights[len(weights)-1])
		}
	}
	if kind&1 == 0 {
		weights = nil
	}
	var opts []coles.GraphOption
	if kind&2 > 0 {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	return coles.NewWeightedGraph(n, pairs, weights, opts...)
}

// features are of n rows, more or less, in one of the types that they come in.
func (s *script) features(n int) mat.Matrix {
	kind, d := s.Byte(), s.Byte()%6
	if kind&32 > 0 {
		n++
	}
	if n == 0 || d == 0 {
		return new(mat.Dense)
	}
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, s.number())
		}
	}
	for kind&64 > 0 && d < 40 { // as many as an alignment needs
		var twice mat.Dense
		twice.Augment(x, x)
		x, d = &twice, 2*d
	}
	switch kind % 4 {
	case 1:
		return testkit.SparseOf(x)
	case 2:
		return testkit.SingleOf(x)
	case 3:
		ptr := make([]int, n+1)
		ptr[n] = 1
		return sparse.NewCSR(n, d, ptr, []int{s.Byte()}, []float64{s.number()}) // perhaps out of range
	}
	return x
}

func (s *script) filter() coles.Filter {
	k, a := s.Byte()%5-1, s.number()
	return []coles.Filter{coles.S2GCSum(k), coles.SGC(k), coles.S2GC(k, a), coles.APPNP(k, a), coles.Heat(k, a), coles.Polynomial(a, s.number()), coles.SGC(0), {}}[s.Byte()%8]
}

func (s *script) negatives() coles.NegativeSampler {
	k, p := s.Byte()%5-1, s.number()
	n := []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), {}, coles.UniformNegatives(k), coles.DegreeNegatives(k),
		coles.ErdosRenyiNegatives(p), coles.ExpectedUniformNegatives()}[s.Byte()%6]
	if s.Byte()%2 > 0 {
		n = n.ExcludeEdges()
	}
	return n
}

// options are those of Fit, some of them out of range.
func (s *script) options() []coles.Option {
	all := []coles.Option{
		coles.WithDim(s.Byte()%9 - 2), coles.WithSeed(uint64(s.Byte())), coles.WithPreparation(coles.Preparation(s.Byte()%11 - 1)), coles.WithFilter(s.filter()),
		coles.WithContrast(s.negatives(), s.Byte()%5-1, s.number()), coles.WithModel(coles.ModelKind(s.Byte()%5 - 1)), coles.WithDegreeShare(s.number()),
		coles.WithScaling(coles.ScalingRule{Power: s.number(), Norm: s.number()}), coles.WithScaling(coles.ScalingRule{Rank: s.number(), Floor: s.number(), Norm: 4}),
		coles.WithTruncation(), coles.WithSolver(coles.Solver(s.Byte()%5 - 1)), coles.WithPrecision(coles.Precision(s.Byte()%5 - 1)),
	}
	var opts []coles.Option
	for range s.Byte() % 6 {
		opts = append(opts, all[s.Byte()%len(all)])
	}
	return opts
}

// judge wants an error with a name, or numbers, and reports whether there are some.
func judge(t *testing.T, door string, y mat.Matrix, err error) bool {
	t.Helper()
	if err == nil {
		wantFinite(t, door, y)
	} else if !testkit.IsNamed(err) {
		t.Fatalf("%s: error %v has no name", door, err)
	}
	return err == nil
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

// What fits can embed, be written, and be read; nothing panics, hangs, or is no number.
func FuzzFit(f *testing.F) {
	testkit.AddScripts(f, 24, 60, 10)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		g, err := s.graph()
		if err != nil {
			judge(t, "NewGraph", nil, err)
			return
		}
		opts := s.options()
		var x mat.Matrix
		if s.Byte()%4 > 0 {
			x = s.features(g.Nodes())
		}
		m, err := coles.Fit(ctx, g, x, opts...)
		if err != nil {
			judge(t, "Fit", nil, err)
			return
		}
		wantFinite(t, "Fit", m.Embedding())
		again, err := read(m).Embed(ctx, g, x)
		judge(t, "Embed", again, err)
		testkit.WantSame(t, "Embed", testkit.Bits(again), testkit.Bits(m.Embedding()))
		if x != nil {
			other, err := m.Embed(ctx, g, s.features(g.Nodes()))
			judge(t, "Embed of other features", other, err)
		}
	})
}

// Each step by itself.
func FuzzSteps(f *testing.F) {
	testkit.AddScripts(f, 24, 60, 10)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s, ctx := &script{choices}, inTime(t)
		g, err := s.graph()
		if err != nil {
			judge(t, "NewGraph", nil, err)
			return
		}
		x, filter, sampler, dim := s.features(g.Nodes()), s.filter(), s.negatives(), s.Byte()%9-1
		w := coles.Normalize(g)
		wantFinite(t, "W", w)
		wantFinite(t, "L", g.Positive().Laplacian())
		settings := coles.DefaultSettings()
		settings.Preparation, settings.Filter = coles.Preparation(s.Byte()%11-1), filter
		if p, err := settings.Preparation.Fit(ctx, x); judge(t, "Preparation.Fit", eye(1), err) {
			y, err := p.Apply(ctx, x)
			judge(t, "Preparer.Apply", y, err)
		}
		q, err := settings.Alignment(ctx, g, x)
		judge(t, "Alignment", mat.NewDense(1, 2, []float64{q.Ratio, q.Deviation}), err)
		fx, err := filter.Apply(ctx, w, x)
		judge(t, "Filter.Apply", fx, err)
		if knn, err := coles.KNN(ctx, x, s.Byte()%5-1); judge(t, "KNN", eye(1), err) {
			wantFinite(t, "KNN", knn.CSR())
		}
		dw, err := coles.Contrast(ctx, g, sampler, s.Byte()%5-1, s.number(), uint64(s.Byte()))
		if !judge(t, "Contrast", eye(1), err) {
			return
		}
		dwx, err := dw.Apply(ctx, x)
		judge(t, "DeltaW.Apply", dwx, err)
		p, err := rows(coles.Solve(ctx, x, dw, dim))
		judge(t, "Solve", p, err)
		p, err = rows(coles.SolveImplicit(ctx, x, w, filter, dw, dim))
		judge(t, "SolveImplicit", p, err)
		y, _, err := coles.Eigenmaps(ctx, dw, dim)
		judge(t, "Eigenmaps", y, err)
	})
}
