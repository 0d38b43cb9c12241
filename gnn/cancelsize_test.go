package gnn

import (
	"context"
	"math/rand/v2"
	"testing"

	"coles"
	"coles/internal/race"
	"coles/internal/testkit"
)

// Training and embedding stop in time with 300,000 nodes of 256 features, whatever the network,
// the views and the batches.
func TestTrainingStopsPromptlyAtSize(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes two gigabytes")
	}
	const n, d = 300_000, 256
	rnd := rand.New(rand.NewPCG(1, 3))
	edges, labels := make([]coles.Edge, 3*n), make([]int, n)
	for q := range edges {
		edges[q] = coles.Edge{U: rnd.IntN(n), V: rnd.IntN(n)}
	}
	x := must(coles.NewDense32(n, d, nil))
	for q := range x.RawMatrix().Data {
		x.RawMatrix().Data[q] = rnd.Float32() - 0.5
	}
	for i := range labels {
		labels[i] = i % 7
	}
	rows := make([]int, 1000)
	for i := range rows {
		rows[i] = i
	}
	g := must(coles.NewGraph(n, edges))
	network := WithNetwork(Dropout(0.3), GCN(64), ReLU(), GCN(32))
	m := must(Train(ctx, g, x, network, WithEpochs(1)))
	train := func(opts ...Option) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			_, err := Train(ctx, g, x, append([]Option{network}, opts...)...)
			return err
		}
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"Train":          train(),
		"Train, wide":    train(WithNetwork(GCN(256), ReLU(), GCN(128))),
		"Train, float64": train(WithPrecision(coles.Float64)),
		"Train, Stiefel": train(WithSettings(StiefelSettings())),
		"Train, SAGE":    train(WithNetwork(SAGE(64), PReLU(), SAGE(32)), WithObjective(SampledNCE(5, 1))),
		"Train, blocks":  train(WithBatchSize(30_000)),
		"Train, views":   train(WithAugmentation(Augmentation{DropEdges: [2]float64{0.2, 0.4}, MaskFeatures: [2]float64{0.3, 0.1}})),
		"TrainClassifier": func(ctx context.Context) error {
			_, err := TrainClassifier(ctx, g, x, labels, rows[:500], rows[500:])
			return err
		},
		"Model.Embed": func(ctx context.Context) error { _, err := m.Embed(ctx, g, x); return err },
	} {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}
