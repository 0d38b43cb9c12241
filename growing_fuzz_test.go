package coles_test

import (
	"errors"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Any history of additions is refused with an error or ends in the M of a fit from scratch.
// The ring is long enough for additions to leave most of it alone.
func FuzzGrow(f *testing.F) {
	f.Add(uint64(1), []byte{1, 2, 3, 200, 9, 30})
	f.Add(uint64(2), []byte{255, 0, 0, 7, 7, 7, 1, 1})
	f.Add(uint64(3), []byte{128, 12, 11, 128, 11, 12})
	f.Add(uint64(28), []byte{130, 60, 3, 3, 60, 61, 5, 60, 3, 131, 62, 62, 4, 62, 62, 2, 62, 9})
	f.Fuzz(func(t *testing.T, seed uint64, history []byte) {
		const n, d = 60, 4
		if len(history) > 60 {
			history = history[:60]
		}
		rng := random(seed)
		x := randomDense(rng, n, d)
		filters := []coles.Filter{coles.SGC(2), coles.Identity(), coles.S2GCSum(3), coles.Polynomial(0.1, -0.4, 0.2)}
		negatives := []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.ExpectedUniformNegatives(), coles.NoNegatives()}
		opts := []coles.Option{
			coles.WithDim(d), coles.WithFeatures(coles.PrepareNone), coles.WithFilter(filters[seed%4]), coles.WithNegatives(negatives[seed/4%3]),
			coles.WithCovarianceShare(float64(seed/12%2) / 4), coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect),
		}
		var edges []coles.Edge
		var weights []float64
		graph := func(n int) *coles.Graph {
			options := []coles.GraphOption{coles.WithEdgeWeights(weights)}
			if seed/24%2 > 0 {
				options = append(options, coles.WithSelfLoopsKept())
			}
			return must(coles.NewGraph(n, edges, options...))
		}
		for _, e := range append(ringEdges(n, 1), coles.Edge{U: 7, V: 7}) {
			edges, weights = append(edges, e), append(weights, 1+rng.Float64())
		}
		r := must(must(coles.Fit(ctx, graph(n), x, opts...)).Grow(ctx, graph(n), x))
		all := mat.DenseCopyOf(x)
		for ; len(history) >= 3; history = history[3:] {
			what := coles.Growth{
				Edges:   []coles.Edge{{U: int(history[1] % 80), V: int(history[2] % 80)}},
				Weights: []float64{[]float64{1, 0.5, 3, 0, 1e-3, 50, 1.5, 2}[history[0]%8]},
			}
			grown := all
			if history[0] >= 128 {
				fresh := randomDense(rng, 1+int(history[0]%3), d)
				what.Features = fresh
				grown = new(mat.Dense)
				grown.Stack(all, fresh)
			}
			if _, err := r.Add(ctx, what); err != nil {
				if !errors.Is(err, coles.ErrIndex) {
					t.Fatal(err)
				}
				continue
			}
			all, edges, weights = grown, append(edges, what.Edges...), append(weights, what.Weights...)
		}
		sameM(t, r, must(coles.Fit(ctx, graph(r.Nodes()), all, opts...)))
	})
}
