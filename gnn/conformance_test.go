package gnn

import (
	"context"
	"io"
	"testing"

	"coles"
	"coles/internal/embedtest"
	"coles/internal/race"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"

	"gonum.org/v1/gonum/mat"
)

// Every kind of training keeps the promises of the module.
func TestConformance(t *testing.T) {
	conforms := func(name string, order bool, tolerance float64, opts ...Option) {
		layers := testkit.Must(newConfig(DefaultSettings(), smallOptions(opts...))).Network
		t.Run(name, func(t *testing.T) {
			embedtest.Test(t, embedtest.Embedder{
				Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
					return Train(ctx, g, x, smallOptions(append(opts, withEpochs(4))...)...)
				},
				Read:         func(r io.Reader) (embedtest.Model, error) { return ReadModel(r, layers...) },
				OrderMatters: order,
				Errors:       []error{ErrDiverged},
				Tolerance:    tolerance,
			})
		})
	}
	for _, c := range cases {
		conforms(c.name, c.order, 1e-10, c.opts...)
	}
	conforms("float32", false, 1e-3, withPrecision(coles.Float32))
	conforms("Stiefel in float32", false, 1e-3, append(cases[2].opts, withPrecision(coles.Float32))...)
}

// Wherever a context ends, what trains or embeds says so.
func TestTrainingEndsAnywhere(t *testing.T) {
	g, x := small(1)
	calls := map[string]func(ctx context.Context) error{}
	train := func(name string, opts ...Option) {
		m := trained(t, g, x, opts...)
		calls[name] = func(ctx context.Context) error { return testkit.Err(Train(ctx, g, x, smallOptions(opts...)...)) }
		calls[name+", Embed"] = func(ctx context.Context) error { return testkit.Err(m.Embed(ctx, g, x)) }
	}
	for _, c := range cases {
		train(c.name, append(c.opts, withEpochs(2))...)
	}
	train("float32", withPrecision(coles.Float32), withRankStop(1), withNorm(1), withEpochs(2))
	promise.EndsAnywhere(t, calls)
}

// Training and embedding stop in time on a large graph, whatever the network, the views and the
// batches.
func TestTrainingStopsPromptlyAtSize(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes some hundred megabytes")
	}
	const n, d = 50_000, 128
	rng := testkit.Random(1)
	edges := make([]coles.Edge, 3*n)
	for q := range edges {
		edges[q] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}
	}
	x := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
	for q := range x.Data {
		x.Data[q] = rng.Float32() - 0.5
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	few, _ := small(1)
	m := testkit.Must(Train(ctx, few, testkit.RandomDense(rng, 40, d), withNetwork(GCN(256), ReLU(), GCN(128)), withEpochs(1)))
	train := func(opts ...Option) func(ctx context.Context) error {
		return func(ctx context.Context) error { return testkit.Err(Train(ctx, g, x, opts...)) }
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"dropout and Stiefel": train(withNetwork(Dropout(0.3), GCN(64), ReLU(), GCN(32).Orthonormal()), withRankStop(1)),
		"pairs":               train(withNetwork(SAGE(64), PReLU(), SAGE(32)), withObjective(SampledNCE(5, 1))),
		"blocks":              train(withNetwork(GCN(64)), withBatchSize(30_000)),
		"views":               train(withNetwork(GCN(64)), withAugmentation(Drop([2]float64{0.2, 0.4}, [2]float64{0.3, 0.1}))),
		"Model.Embed":         func(ctx context.Context) error { return testkit.Err(m.Embed(ctx, g, x)) },
	} {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}
