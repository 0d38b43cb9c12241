package eval

import (
	"reflect"
	"testing"

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
