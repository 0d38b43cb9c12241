package eval

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Every function that takes a context stops in time. They have 100,000 rows, so that nothing of
// them is over before it is cancelled.
func TestEveryFunctionStopsPromptly(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes seconds")
	}
	const n, d, k = 100_000, 64, 7
	x, labels := normal(n, d, 1, 1), randomLabels(n, k, 1)
	positive := mat.NewDense(n, d, nil)
	positive.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	edges := make([]coles.Edge, 6*n)
	for q := range edges {
		edges[q] = coles.Edge{U: q % n, V: (q*7919 + q/n + 13) % n}
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	links := &HeldOutLinks{Train: g, Positive: edges[:3*n], Negative: edges[3*n : 6*n]}
	splits := testkit.Must(dataset.RandomSplits(labels, 2000, 2, 1))
	linear := testkit.Must(LogisticRegression{}.Fit(background, x, upTo(1000), labels))
	means := testkit.Must(KMeans{Clusters: 100, Starts: 1, MaxIterations: 1}.Fit(background, normal(2000, d, 1, 2)))
	sample := normal(1, n, 1, 3).RawRowView(0)
	for name, call := range map[string]func(ctx context.Context) error{
		"Classify":            func(ctx context.Context) error { return testkit.Err(Protocol{}.Classify(ctx, x, labels, splits)) },
		"LinearModel.Predict": func(ctx context.Context) error { return testkit.Err(linear.Predict(ctx, x, nil)) },
		"KMeans.Fit":          func(ctx context.Context) error { return testkit.Err(KMeans{Clusters: k}.Fit(ctx, x)) },
		"KMeansModel.Predict": func(ctx context.Context) error { return testkit.Err(means.Predict(ctx, x)) },
		"Silhouette":          func(ctx context.Context) error { return testkit.Err(Silhouette(ctx, x, labels)) },
		"ClusterCount": func(ctx context.Context) error {
			_, _, err := ClusterCount(ctx, x, 3, KMeans{Starts: 1, MaxIterations: 1})
			return err
		},
		"NewIndex":         func(ctx context.Context) error { return testkit.Err(NewIndex(ctx, x, Cosine)) },
		"PCA":              func(ctx context.Context) error { return testkit.Err(PCA(ctx, x, 8)) },
		"RandomProjection": func(ctx context.Context) error { return testkit.Err(RandomProjection(ctx, x, 64, 1)) },
		"SpectralFeatures": func(ctx context.Context) error { return testkit.Err(SpectralFeatures(ctx, positive, 8)) },
		"SpectralGraph":    func(ctx context.Context) error { return testkit.Err(SpectralGraph(ctx, g, 8)) },
		"Induce":           func(ctx context.Context) error { return testkit.Err(Induce(ctx, g, x, upTo(n/2))) },
		"Index.Rows":       func(ctx context.Context) error { return testkit.Err(nearestRows(ctx, x, upTo(1000), 10, Cosine)) },
		"PredictLinks":     func(ctx context.Context) error { return testkit.Err(PredictLinks(ctx, x, links, Cosine, 100)) },
		"HoldOutLinks":     func(ctx context.Context) error { return testkit.Err(HoldOutLinks(ctx, g, 0.1, 1)) },
		"PairScores":       func(ctx context.Context) error { return testkit.Err(PairScores(ctx, x, edges[:4*n])) },
		"NegativePairs":    func(ctx context.Context) error { return testkit.Err(NegativePairs(ctx, g, 3*n, 1)) },
		"ParzenDensity":    func(ctx context.Context) error { return testkit.Err(ParzenDensity(ctx, sample, sample, 0)) },
	} {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}
