package eval

import (
	"testing"

	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Every result is the same to the last byte for every GOMAXPROCS. Products and sums are taken in
// blocks of rows: there are several of them.
func TestTheSameBytesForEveryGOMAXPROCS(t *testing.T) {
	x, labels := blobs(1500, 150, 5, 5)
	splits := testkit.Must(dataset.RandomSplits(labels, 20, 8, 1))
	g := drawnGraph(300, 0.03, 21)
	drawn, words, classes := drawnCommunities(t, dataset.Communities{Nodes: 900, Classes: 4, Features: 200, Homophily: 0.5, Seed: 2}, 0)
	small, _ := blobs(7000, 9, 6, 64)
	single, rows, corners := large(65), normal(5000, 60, 1, 92), normal(250, 5, 1, 4)
	linear := func(x mat.Matrix) *LinearModel {
		return testkit.Must(LogisticRegression{}.Fit(background, x, splits[0].Train, labels))
	}
	means := func(x mat.Matrix) any {
		m := testkit.Must(KMeans{Clusters: 9, Starts: 3, MaxIterations: 4, Seed: 5}.Fit(background, x))
		return []any{m.Labels, m.Inertia, testkit.Bits(m.Centres)}
	}
	for name, compute := range map[string]func() any{
		"regression":        func() any { return testkit.Bits(linear(x).Coef) },
		"sparse regression": func() any { return testkit.Bits(linear(testkit.SparseOf(x)).Coef) },
		"scores":            func() any { return testkit.Bits(testkit.Must(linear(x).Scores(background, x, nil))) },
		"classification":    func() any { return testkit.Must(Protocol{}.Classify(background, x, labels, splits)) },
		"cross-validation": func() any {
			return testkit.Must(LogisticRegression{}.CrossValidate(background, x, splits[0].Train, labels, 1))
		},
		"choice of a model": func() any {
			c := testkit.Must(ChooseModel(background, drawn, words, Labels{Classes: some(classes, 2)}, Smoothing{}))
			return []any{testkit.Bits(c.Model.Embedding()), c.String(), c.Tried, c.Error}
		},
		"components":        func() any { return testkit.Bits(testkit.Must(PCA(background, x, 10))) },
		"clusters":          func() any { return means(small) },
		"sparse clusters":   func() any { return means(testkit.SparseOf(small)) },
		"clusters, float32": func() any { return means(single) },
		"silhouette":        func() any { return testkit.Must(Silhouette(background, x, labels)) },
		"nearest rows":      func() any { return testkit.Must(nearestRows(background, rows, upTo(400), 10, Cosine)) },
		"links": func() any {
			return testkit.Must(recommended(background, g, rows.Slice(0, 300, 0, 60), nil, Cosine, 10))
		},
		"map": func() any { return testkit.Bits(testkit.Must(TSNE{Seed: 7}.Places(background, corners))) },
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
