package eval_test

import (
	"context"
	"errors"
	"maps"
	"testing"

	"coles"
	"coles/eval"
	"coles/internal/race"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"
	"coles/learn"
	"coles/near"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

// Every function that takes a context stops at once if it has ended.
func TestEndedContextsAreRefused(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors} {
		for name, open := range doors {
			if err := testkit.Err(open(over, good())); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// Wherever a context ends, the function that was given it says so.
func TestEveryFunctionEndsAnywhere(t *testing.T) {
	calls := map[string]func(ctx context.Context) error{}
	for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors} {
		for name, open := range doors {
			calls[name] = func(ctx context.Context) error { return testkit.Err(open(ctx, good())) }
		}
	}
	promise.EndsAnywhere(t, calls)
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
	x, labels := testkit.Normal(3000, 300, 1, 41), testkit.RandomLabels(3000, 50, 41)
	wide := testkit.Normal(600, 2000, 1, 42) // in the span of its rows
	fit := func(x mat.Matrix, n int, l learn.LogisticRegression) func(context.Context) error {
		return func(ctx context.Context) error { return testkit.Err(l.Fit(ctx, x, testkit.UpTo(n), labels[:n])) }
	}
	few, _ := testkit.Blobs(400, 5, 3, 4)
	return map[string]func(context.Context) error{
		"regression of rows":             fit(x, 3000, learn.LogisticRegression{C: 100}),
		"regression of the span of rows": fit(wide, 600, learn.LogisticRegression{C: 100}),
		"cross-validation":               fit(x, 3000, learn.LogisticRegression{Cs: []float64{1, 10, 100}}),
		"TSNE":                           func(ctx context.Context) error { return testkit.Err(plane.TSNE{Seed: 1}.Places(ctx, few)) },
	}
}

// stoppedFunctions are the doors with arguments that are large, but for those that refuse these or
// hardly read them, and the steps that doors take last.
func stoppedFunctions() map[string]func(ctx context.Context) error {
	const n, d, k = 100_000, 64, 7
	x, labels, edges := testkit.Normal(n, d, 1, 1), testkit.RandomLabels(n, k, 1), make([]coles.Edge, 6*n)
	for q := range edges {
		edges[q] = coles.Edge{U: q % n, V: (q*7919 + q/n + 13) % n}
	}
	g := testkit.Must(coles.NewGraph(n, edges))
	linear := testkit.Must(learn.LogisticRegression{}.Fit(context.Background(), x, testkit.UpTo(1000), labels))
	calls := map[string]func(ctx context.Context) error{
		"LinearModel.Predict": func(ctx context.Context) error { return testkit.Err(linear.Predict(ctx, x, nil)) },
		"NewIndex":            func(ctx context.Context) error { return testkit.Err(near.NewIndex(ctx, x, near.Cosine)) },
		"Induce":              func(ctx context.Context) error { return testkit.Err(eval.Induce(ctx, g, x, testkit.UpTo(n/2))) },
	}
	in := args{x, labels, testkit.UpTo(2000), edges, g, k, 0.5}
	for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors} {
		for name, open := range doors {
			if name != "TSNE" && calls[name] == nil {
				calls[name] = func(ctx context.Context) error { return testkit.Err(open(ctx, in)) }
			}
		}
	}
	return calls
}
