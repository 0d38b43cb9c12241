package coles_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"coles"
	"coles/internal/race"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// What cannot be added leaves everything as it was, to the byte.
func TestGrowingRefusesAndStaysAsItWas(t *testing.T) {
	const n, d = 60, 5
	rng := random(4)
	x := randomDense(rng, n+2, d)
	g := must(coles.NewGraph(n, ringEdges(n, 2)))
	old := x.Slice(0, n, 0, d)
	r := must(must(coles.Fit(ctx, g, old, coles.WithFilter(coles.SGC(2)))).Grow(ctx, g, old))
	must(r.Add(ctx, coles.Growth{Features: x.Slice(n, n+1, 0, d), Edges: []coles.Edge{{U: n, V: 4}}}))
	all := make([]int, n+1)
	for i := range all {
		all[i] = i
	}
	y, p, graph := must(r.Embed(ctx, all)), must(r.Solve(ctx)), must(r.Graph()).CSR()
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	next := x.Slice(n+1, n+2, 0, d)
	poisoned := mat.DenseCopyOf(next)
	poisoned.Set(0, 3, math.NaN())
	for _, c := range []struct {
		name string
		ctx  context.Context
		what coles.Growth
		want error
	}{
		{"an edge to nowhere", ctx, coles.Growth{Edges: []coles.Edge{{U: 0, V: n + 1}}}, coles.ErrIndex},
		{"a negative number", ctx, coles.Growth{Edges: []coles.Edge{{U: -1, V: 1}}}, coles.ErrIndex},
		{"a negative weight", ctx, coles.Growth{Edges: []coles.Edge{{U: 0, V: 9}}, Weights: []float64{-1}}, coles.ErrNegativeWeight},
		{"a weight that is no number", ctx, coles.Growth{Edges: []coles.Edge{{U: 0, V: 9}}, Weights: []float64{math.NaN()}}, coles.ErrNotFinite},
		{"weights that overflow", ctx, coles.Growth{Features: next, Edges: []coles.Edge{{U: 0, V: 9}, {U: 0, V: 11}}, Weights: []float64{1.7e308, 1.7e308}}, coles.ErrNotFinite},
		{"too few weights", ctx, coles.Growth{Edges: []coles.Edge{{U: 0, V: 9}, {U: 1, V: 9}}, Weights: []float64{1}}, coles.ErrShape},
		{"narrow features", ctx, coles.Growth{Features: mat.NewDense(1, d-1, nil)}, coles.ErrShape},
		{"features that are no numbers", ctx, coles.Growth{Features: poisoned}, coles.ErrNotFinite},
		{"a typed nil", ctx, coles.Growth{Features: (*mat.Dense)(nil)}, coles.ErrEmpty},
		{"names for numbered nodes", ctx, coles.Growth{Features: next, IDs: []string{"a"}}, coles.ErrIDs},
		{"a cancelled context", stopped, coles.Growth{Features: next, Edges: []coles.Edge{{U: 3, V: n + 1}}}, context.Canceled},
		{"a cancelled context, edges", stopped, coles.Growth{Edges: []coles.Edge{{U: 3, V: 30}}}, context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := r.Add(c.ctx, c.what); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if r.Nodes() != n+1 || !cmp.Equal(must(r.Graph()).CSR().RawMatrix(), graph.RawMatrix()) {
				t.Errorf("the graph has changed")
			}
			if !mat.Equal(must(r.Embed(ctx, all)), y) || !cmp.Equal(must(r.Solve(ctx)).Lambda, p.Lambda) {
				t.Errorf("vectors or eigenvalues have changed")
			}
		})
	}
	if _, err := r.Embed(ctx, []int{0, n + 1}); !errors.Is(err, coles.ErrIndex) {
		t.Errorf("a node that is not there: %v", err)
	}
	// And it still takes what fits.
	must(r.Add(ctx, coles.Growth{Features: next, Edges: []coles.Edge{{U: n + 1, V: n}}}))
}

func TestGrowRefuses(t *testing.T) {
	g, x := must(coles.NewGraph(5, ringEdges(5, 1))), randomDense(random(1), 5, 3)
	fitted := must(coles.Fit(ctx, g, x))
	_, err := must(coles.Fit(ctx, g, nil)).Grow(ctx, g, x)
	wantError(t, err, coles.ErrTransductive)
	_, err = (*coles.Model)(nil).Grow(ctx, g, x)
	wantError(t, err, coles.ErrEmpty)
	for _, r := range []*coles.Growing{nil, new(coles.Growing)} {
		_, err = r.Add(ctx, coles.Growth{})
		wantError(t, err, coles.ErrEmpty)
		_, err = r.Embed(ctx, nil)
		wantError(t, err, coles.ErrEmpty)
		_, err = r.Solve(ctx)
		wantError(t, err, coles.ErrEmpty)
		_, _, err = r.Refit(ctx)
		wantError(t, err, coles.ErrEmpty)
		wantError(t, r.Rebuild(ctx), coles.ErrEmpty)
		if r.Nodes() != 0 {
			t.Errorf("%d nodes of nothing", r.Nodes())
		}
	}
	_, err = must(coles.Fit(ctx, g, x, coles.WithNegatives(coles.UniformNegatives(2)))).Grow(ctx, g, x)
	wantError(t, err, coles.ErrSetting)
	must(must(coles.Fit(ctx, g, x, coles.WithNegatives(coles.UniformNegatives(2)), coles.WithKappa(0))).Grow(ctx, g, x))
	_, err = fitted.Grow(ctx, g, x.Slice(0, 4, 0, 3))
	wantError(t, err, coles.ErrShape)
	_, err = fitted.Grow(ctx, g, x.Slice(0, 5, 0, 2))
	wantError(t, err, coles.ErrShape)
	_, err = fitted.Grow(ctx, nil, x)
	wantError(t, err, coles.ErrEmpty)
}

// What overflows would stay in M for good, and is refused.
func TestGrowingRefusesOverflow(t *testing.T) {
	const n, d = 60, 4
	x := randomDense(random(5), n, d)
	g := must(coles.NewGraph(n, ringEdges(n, 1)))
	for name, negatives := range map[string]coles.NegativeSampler{"degree": coles.ExpectedDegreeNegatives(), "none": coles.NoNegatives()} {
		m := must(coles.Fit(ctx, g, x, coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone), coles.WithNegatives(negatives)))
		r := must(m.Grow(ctx, g, x))
		y, p := must(r.Embed(ctx, []int{2, 3, 4})), must(r.Solve(ctx))
		everywhere := make([]coles.Edge, n)
		for v := range everywhere {
			everywhere[v] = coles.Edge{U: n, V: v}
		}
		for _, large := range []float64{1e155, 1e160, 1.7e308} {
			for _, edges := range [][]coles.Edge{{{U: n, V: 3}}, everywhere} {
				one := mat.NewDense(1, d, []float64{large, large, -large, large})
				_, err := r.Add(ctx, coles.Growth{Features: one, Edges: edges})
				wantError(t, err, coles.ErrNotFinite)
				_, err = m.Grow(ctx, g, growWith(x, one))
				wantError(t, err, coles.ErrNotFinite)
			}
		}
		_, err := r.Add(ctx, coles.Growth{Edges: []coles.Edge{{U: 0, V: 9}, {U: 20, V: 40}, {U: 5, V: 55}}, Weights: []float64{8e307, 8e307, 8e307}})
		wantError(t, err, coles.ErrNotFinite)
		if !mat.Equal(must(r.Embed(ctx, []int{2, 3, 4})), y) || !cmp.Equal(must(r.Solve(ctx)).Lambda, p.Lambda) || r.Nodes() != n {
			t.Errorf("%s: something has changed", name)
		}

		// M holds the squares of large features, of which factors make too large vectors.
		tall := must(coles.Fit(ctx, g, x, coles.WithFilter(coles.SGC(1)), coles.WithFeatures(coles.PrepareNone), coles.WithNegatives(negatives), coles.WithNorm(1e200)))
		tower := must(tall.Grow(ctx, g, x))
		must(tower.Add(ctx, coles.Growth{Features: mat.NewDense(1, d, []float64{1e150, 0, 0, 0})}))
		_, err = tower.Embed(ctx, []int{1, n})
		wantError(t, err, coles.ErrNotFinite)
		f := must(m.Freeze(ctx, g, x))
		_, err = f.Embed(ctx, mat.NewDense(1, d, []float64{1.7e308, 1.7e308, -1.7e308, 1.7e308}), []coles.Edge{{U: n, V: 3}}, nil)
		wantError(t, err, coles.ErrNotFinite)
	}
	heavy := must(coles.NewGraph(n, []coles.Edge{{U: 0, V: 9}, {U: 20, V: 40}}, coles.WithEdgeWeights([]float64{8e307, 8e307})))
	_, err := must(coles.Fit(ctx, g, x)).Grow(ctx, heavy, x)
	wantError(t, err, coles.ErrNotFinite)
}

// growWith puts a row in the place of the last one.
func growWith(x, row *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	out.SetRow(n-1, row.RawRowView(0))
	return out
}

func TestGrowingStopsPromptly(t *testing.T) {
	n, d := 50_000, 128
	if race.Enabled {
		n = 10_000
	}
	rng := random(90)
	x := randomDense(rng, n+1, d)
	g := must(coles.NewGraph(n, ringEdges(n, 5)))
	old := x.Slice(0, n, 0, d)
	m := must(coles.Fit(ctx, g, old, coles.WithDim(64)))
	wantPromptCancel(t, func(ctx context.Context) error {
		_, err := m.Grow(ctx, g, old)
		return err
	})
	wantPromptCancel(t, func(ctx context.Context) error {
		_, err := m.Freeze(ctx, g, old)
		return err
	})
	r := must(m.Grow(ctx, g, old))
	hub := make([]coles.Edge, n)
	for k, v := range rng.Perm(n) {
		hub[k] = coles.Edge{U: n, V: v}
	}
	wantPromptCancel(t, func(ctx context.Context) error {
		_, err := r.Add(ctx, coles.Growth{Features: x.Slice(n, n+1, 0, d), Edges: hub})
		return err
	})
	wantPromptCancel(t, r.Rebuild)
	if r.Nodes() != n {
		t.Errorf("%d nodes, want %d", r.Nodes(), n)
	}
}

// A fading context is cancelled once it has been asked some number of times.
type fading struct {
	context.Context
	left atomic.Int64
}

func (f *fading) Err() error {
	if f.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever an addition stops, and be it at the last moment, everything is as it was.
func TestGrowingStaysAsItWasWhereverItStops(t *testing.T) {
	const n, d = 80, 5
	x := randomDense(random(6), n+1, d)
	g := must(coles.NewGraph(n, ringEdges(n, 2)))
	old := x.Slice(0, n, 0, d)
	m := must(coles.Fit(ctx, g, old, coles.WithFilter(coles.SGC(2)), coles.WithFeatures(coles.PrepareNone)))
	for name, edges := range map[string][]coles.Edge{
		"nearby":     {{U: n, V: 4}, {U: 20, V: 23}},
		"everywhere": {{U: n, V: 4}, {U: n, V: 14}, {U: n, V: 24}, {U: n, V: 34}, {U: n, V: 44}, {U: n, V: 54}, {U: n, V: 64}, {U: n, V: 74}},
	} {
		what := coles.Growth{Features: x.Slice(n, n+1, 0, d), Edges: edges}
		fresh := must(m.Grow(ctx, g, old))
		whole := must(fresh.Add(ctx, what)).Whole
		want := must(fresh.Solve(ctx)).Lambda

		r := must(m.Grow(ctx, g, old))
		lambda := must(r.Solve(ctx)).Lambda
		stops := 0
		for {
			late := &fading{Context: ctx}
			late.left.Store(int64(stops))
			_, err := r.Add(late, what)
			if err == nil {
				break
			}
			stops++
			if !errors.Is(err, context.Canceled) || r.Nodes() != n || must(r.Graph()).Report() != g.Report() || !cmp.Equal(must(r.Solve(ctx)).Lambda, lambda) {
				t.Fatalf("%s: error %v, or something has changed, when it stopped at question %d", name, err, stops)
			}
		}
		if stops < 5 || whole != (name == "everywhere") {
			t.Errorf("%s: it asked %d times, whole: %v", name, stops, whole)
		}
		if got := must(r.Solve(ctx)).Lambda; !cmp.Equal(got, want) {
			t.Errorf("%s: eigenvalues are %v after %d failures, %v without", name, got, stops, want)
		}
	}
}
