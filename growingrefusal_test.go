package coles_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"coles"

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
