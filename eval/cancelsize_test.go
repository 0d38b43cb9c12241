package eval

import (
	"context"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/race"
	"coles/internal/testkit"
)

// Every function that takes a context stops in time with 300,000 rows of 256 columns.
func TestEveryFunctionStopsPromptlyAtSize(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes two gigabytes")
	}
	const n, d, k = 300_000, 256, 7
	x, labels := normal(n, d, 1, 1), randomLabels(n, k, 1)
	edges := make([]coles.Edge, 3*n)
	for q := range edges {
		edges[q] = coles.Edge{U: q % n, V: (q*7919 + 13) % n}
	}
	g, err := coles.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	splits, err := dataset.RandomSplits(labels, 2000, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	links := &HeldOutLinks{Train: g, Positive: edges[:n], Negative: edges[n : 2*n]}
	linear, err := LogisticRegression{}.Fit(background, x, upTo(1000), labels)
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"Classify":            func(ctx context.Context) error { _, err := Classify(ctx, x, labels, splits); return err },
		"LinearModel.Predict": func(ctx context.Context) error { _, err := linear.Predict(ctx, x, nil); return err },
		"Cluster":             func(ctx context.Context) error { _, err := Cluster(ctx, x, labels); return err },
		"KMeans":              func(ctx context.Context) error { _, err := KMeans{Clusters: k}.Fit(ctx, x); return err },
		"PCA":                 func(ctx context.Context) error { _, err := PCA(ctx, x, 8); return err },
		"RandomProjection":    func(ctx context.Context) error { _, err := RandomProjection(ctx, x, 64, 1); return err },
		"NearestRows":         func(ctx context.Context) error { _, err := NearestRows(ctx, x, upTo(1000), 10, Cosine); return err },
		"PredictLinks":        func(ctx context.Context) error { _, err := PredictLinks(ctx, x, links, Cosine, 100); return err },
		"HoldOutLinks":        func(ctx context.Context) error { _, err := HoldOutLinks(ctx, g, 0.1, 1); return err },
		"PairScores":          func(ctx context.Context) error { _, err := PairScores(ctx, x, edges); return err },
		"NegativePairs":       func(ctx context.Context) error { _, err := NegativePairs(ctx, g, n, 1); return err },
		"Triples":             func(ctx context.Context) error { _, err := Triples(ctx, g, n, 1); return err },
		"EffectiveRank":       func(ctx context.Context) error { _, err := EffectiveRank(ctx, x); return err },
		"Uniformity":          func(ctx context.Context) error { _, err := Uniformity(ctx, x, 2); return err },
		"Alignment":           func(ctx context.Context) error { _, err := Alignment(ctx, x, edges, 2); return err },
		"SpectralGraph":       func(ctx context.Context) error { _, err := SpectralGraph(ctx, g, 8); return err },
		"Induce":              func(ctx context.Context) error { _, err := Induce(ctx, g, x, upTo(n/2)); return err },
	} {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}
