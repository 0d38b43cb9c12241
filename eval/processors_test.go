package eval_test

import (
	"context"
	"slices"
	"testing"

	"coles/cluster"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"
	"coles/learn"
	"coles/near"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

// Every result is the same to the last byte for every GOMAXPROCS. Products and sums are taken in
// blocks of rows: there are several of them.
func TestTheSameBytesForEveryGOMAXPROCS(t *testing.T) {
	x, labels := testkit.Blobs(1500, 150, 5, 5)
	splits := testkit.Must(dataset.RandomSplits(labels, 20, 8, 1))
	g := testkit.DrawnGraph(300, 0.03, 21)
	data := testkit.Must(synthetic.Communities{Nodes: 600, Classes: 4, Features: 100, Homophily: 0.5, Seed: 2}.Generate(context.Background()))
	drawn, half := testkit.Must(data.Graph()), slices.Clone(data.Labels)
	for i := 1; i < len(half); i += 2 {
		half[i] = -1
	}
	small, _ := testkit.Blobs(7000, 9, 6, 64)
	wide, _ := testkit.Blobs(1<<15, 64, 12, 65) // entries from which on distances are in float32
	single, rows, corners := wide, testkit.Normal(5000, 60, 1, 92), testkit.Normal(250, 5, 1, 4)
	linear := func(x mat.Matrix) *learn.LinearModel {
		return testkit.Must(learn.LogisticRegression{}.Fit(context.Background(), x, splits[0].Train, labels))
	}
	means := func(x mat.Matrix) any {
		m := testkit.Must(cluster.KMeans{Clusters: 9, Starts: 2, MaxIterations: 3, Seed: 5}.Fit(context.Background(), x))
		return []any{m.Of, m.Inertia, testkit.Bits(m.Centres)}
	}
	for name, compute := range map[string]func() any{
		"regression":        func() any { return testkit.Bits(linear(x).Coef) },
		"sparse regression": func() any { return testkit.Bits(linear(testkit.SparseOf(x)).Coef) },
		"scores":            func() any { return testkit.Bits(testkit.Must(linear(x).Scores(context.Background(), x, nil))) },
		"classification":    func() any { return testkit.Must(eval.Protocol{}.Classify(context.Background(), x, labels, splits)) },
		"cross-validation": func() any {
			return testkit.Must(learn.Fit(context.Background(), nil, x, learn.Labels{Classes: labels}, learn.Options{Cs: []float64{1}})).Confusion
		},
		"choice of a model": func() any {
			c := testkit.Must(learn.ChooseModel(context.Background(), drawn, data.Features, learn.Labels{Classes: half}, learn.Options{}))
			return []any{testkit.Bits(c.Model.Embedding()), c.String(), c.Tried, c.Error}
		},
		"components":        func() any { return testkit.Bits(testkit.Must(plane.PCA(context.Background(), x, 10))) },
		"clusters":          func() any { return means(small) },
		"sparse clusters":   func() any { return means(testkit.SparseOf(small)) },
		"clusters, float32": func() any { return means(single) },
		"silhouette":        func() any { return testkit.Must(cluster.Silhouette(context.Background(), x, labels)) },
		"nearest rows": func() any {
			return testkit.Must(nearestRows(context.Background(), rows, testkit.UpTo(400), 10, near.Cosine))
		},
		"nearest sparse rows": func() any {
			return testkit.Must(nearestRows(context.Background(), testkit.SparseOf(rows), testkit.UpTo(400), 10, near.Cosine))
		},
		"links": func() any {
			return testkit.Must(recommended(context.Background(), g, rows.Slice(0, 300, 0, 60), nil, near.Cosine, 10))
		},
		"map": func() any {
			return testkit.Bits(testkit.Must(plane.TSNE{Seed: 7}.Places(context.Background(), corners)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want any
			testkit.ForProcessors(t, func(int) {
				got := compute()
				if want == nil {
					want = got
				}
				testkit.WantSame(t, name, got, want)
			})
		})
	}
}
