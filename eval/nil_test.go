package eval

import (
	"context"
	"reflect"
	"testing"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

func TestNilOptionsChangeNothing(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 7, 8, 9})
	labels := []int{0, 0, 0, 1, 1, 1}
	splits := []dataset.Split{{Train: []int{0, 3}, Test: []int{1, 2, 4, 5}}}
	same := func(name string, got, want any, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v, error %v", name, got, want, err)
		}
	}
	classified, err := Classify(background, x, labels, splits, nil)
	want, _ := Classify(background, x, labels, splits)
	same("Classify", classified, want, err)
	clustered, err := Cluster(background, x, labels, nil)
	wantClusters, _ := Cluster(background, x, labels)
	same("Cluster", clustered, wantClusters, err)
	a, b := []float64{1, 2, 4}, []float64{2, 2, 5}
	compared, err := Compare(a, b, nil)
	wantComparison, _ := Compare(a, b)
	same("Compare", compared, wantComparison, err)
}

// Every door that takes a context refuses a nil one.
func TestNilContext(t *testing.T) {
	var none context.Context
	const n = 24
	x, labels := normal(n, 5, 1, 62), randomLabels(n, 3, 62)
	refused := []refusal{by(ErrParameter, "")}
	for _, door := range matrixDoors {
		t.Run(door.name, func(t *testing.T) {
			try(t, "", refused, func() (any, error) { return door.open(none, given{x, labels, 2}) })
		})
	}
	g := graphOf(n, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}})
	linear, _ := LogisticRegression{}.Fit(background, x, upTo(n), labels)
	near, _ := KNN{K: 2}.Fit(background, x, upTo(n), labels)
	mlp, _ := tinyMLP.Fit(background, x, upTo(n), nil, labels)
	means, _ := KMeans{Clusters: 2}.Fit(background, x)
	for name, open := range map[string]func() (any, error){
		"HoldOutLinks":           func() (any, error) { return HoldOutLinks(none, g, 0.1, 1) },
		"SpectralGraph":          func() (any, error) { return SpectralGraph(none, g, 2) },
		"Induce":                 func() (any, error) { return Induce(none, g, nil, []int{0}) },
		"EmbedInductive":         func() (any, error) { return EmbedInductive(none, g, x, []int{0, 1, 2}) },
		"Triples":                func() (any, error) { return Triples(none, g, 2, 1) },
		"NegativePairs":          func() (any, error) { return NegativePairs(none, g, 2, 1) },
		"ParzenDensity":          func() (any, error) { return ParzenDensity(none, []float64{1, 2}, []float64{1}, 1) },
		"JensenShannonOfSamples": func() (any, error) { return JensenShannonOfSamples(none, []float64{1, 2}, []float64{1, 3}, 99, 0) },
		"LinearModel.Scores":     func() (any, error) { return linear.Scores(none, x, nil) },
		"LinearModel.Predict":    func() (any, error) { return linear.Predict(none, x, nil) },
		"KNNModel.Predict":       func() (any, error) { return near.Predict(none, x, nil) },
		"MLPModel.Predict":       func() (any, error) { return mlp.Predict(none, x, nil) },
		"KMeansModel.Predict":    func() (any, error) { return means.Predict(none, x) },
	} {
		t.Run(name, func(t *testing.T) { try(t, "", refused, open) })
	}
}
