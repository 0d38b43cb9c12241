package eval

import (
	"context"
	"errors"
	"maps"
	"testing"

	"coles"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Every function that takes a context stops at once if it has ended.
func TestEndedContextsAreRefused(t *testing.T) {
	over, cancel := context.WithCancel(background)
	cancel()
	for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors} {
		for name, open := range doors {
			if err := testkit.Err(open(over, good())); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// Every function that takes a context stops in time. Most have 100,000 rows, so that nothing of
// them is over before it is cancelled.
func TestEveryFunctionStopsPromptly(t *testing.T) {
	calls := stoppedRegressions()
	if !testing.Short() && !race.Enabled { // they take seconds
		maps.Copy(calls, stoppedFunctions())
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}

func stoppedRegressions() map[string]func(ctx context.Context) error {
	x, labels := normal(3000, 300, 1, 41), randomLabels(3000, 50, 41)
	wide := normal(600, 2000, 1, 42) // in the span of its rows
	fit := func(x mat.Matrix, n int, l LogisticRegression) func(context.Context) error {
		return func(ctx context.Context) error { return testkit.Err(l.Fit(ctx, x, upTo(n), labels[:n])) }
	}
	few, _ := clusters(400, 5)
	return map[string]func(context.Context) error{
		"regression of rows":             fit(x, 3000, LogisticRegression{C: 100}),
		"regression of the span of rows": fit(wide, 600, LogisticRegression{C: 100}),
		"cross-validation":               fit(x, 3000, LogisticRegression{Cs: []float64{1, 10, 100}}),
		"TSNE":                           func(ctx context.Context) error { return testkit.Err(TSNE{Seed: 1}.Places(ctx, few)) },
	}
}

// stoppedFunctions are the doors with arguments that are large, but for those that refuse these or
// hardly read them, and the steps that doors take last.
func stoppedFunctions() map[string]func(ctx context.Context) error {
	const n, d, k = 100_000, 64, 7
	x, labels, edges := normal(n, d, 1, 1), randomLabels(n, k, 1), make([]coles.Edge, 6*n)
	for q := range edges {
		edges[q] = coles.Edge{U: q % n, V: (q*7919 + q/n + 13) % n}
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	linear := testkit.Must(LogisticRegression{}.Fit(background, x, upTo(1000), labels))
	means := testkit.Must(KMeans{Clusters: 100, Starts: 1, MaxIterations: 1}.Fit(background, normal(2000, d, 1, 2)))
	calls := map[string]func(ctx context.Context) error{
		"LinearModel.Predict": func(ctx context.Context) error { return testkit.Err(linear.Predict(ctx, x, nil)) },
		"KMeansModel.Predict": func(ctx context.Context) error { return testkit.Err(means.Predict(ctx, x)) },
		"NewIndex":            func(ctx context.Context) error { return testkit.Err(NewIndex(ctx, x, Cosine)) },
		"Induce":              func(ctx context.Context) error { return testkit.Err(Induce(ctx, g, x, upTo(n/2))) },
	}
	in := given{x, labels, upTo(2000), edges, g, k, 0.5}
	for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors} {
		for name, open := range doors {
			if name != "TSNE" && calls[name] == nil {
				calls[name] = func(ctx context.Context) error { return testkit.Err(open(ctx, in)) }
			}
		}
	}
	return calls
}
