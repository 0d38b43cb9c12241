package coles_test

import (
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Any history of additions is refused with an error or ends in what a fit from
// scratch ends in.
func FuzzGrow(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3, 200, 9, 30})
	f.Add(uint64(2), []byte{255, 0, 0, 7, 7, 7, 1, 1})
	f.Add(uint64(3), []byte{128, 12, 11, 128, 11, 12})
	f.Fuzz(func(t *testing.T, seed uint64, history []byte) {
		const n, d = 12, 4
		if len(history) > 60 {
			history = history[:60]
		}
		rng := random(seed)
		x := randomDense(rng, n, d)
		filters := []coles.Filter{coles.SGC(2), coles.Identity(), coles.S2GCSum(3), coles.Polynomial(0.1, -0.4, 0.2)}
		opts := []coles.Option{coles.WithDim(2), coles.WithFeatures(coles.PrepareNone), coles.WithFilter(filters[seed%4]), coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect)}
		edges := ringEdges(n, 1)
		m := must(coles.Fit(ctx, must(coles.NewGraph(n, edges)), x, opts...))
		r := must(m.Grow(ctx, must(coles.NewGraph(n, edges)), x))
		all := mat.DenseCopyOf(x)
		for ; len(history) >= 3; history = history[3:] {
			what := coles.Growth{Edges: []coles.Edge{{U: int(history[1] % 32), V: int(history[2] % 32)}}}
			grown := all
			if history[0] >= 128 {
				fresh := randomDense(rng, 1+int(history[0]%3), d)
				what.Features = fresh
				grown = new(mat.Dense)
				grown.Stack(all, fresh)
			}
			if _, err := r.Add(ctx, what); err != nil {
				continue
			}
			all, edges = grown, append(edges, what.Edges...)
		}
		rows, _ := all.Dims()
		got, _, err := r.Refit(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := must(coles.Fit(ctx, must(coles.NewGraph(rows, edges)), all, opts...))
		lambda := want.Lambda()
		for k, l := range got.Lambda() {
			if d := l - lambda[k]; d > 1e-9 || d < -1e-9 {
				t.Errorf("eigenvalue %d is %v, a refit finds %v", k, l, lambda[k])
			}
		}
	})
}
