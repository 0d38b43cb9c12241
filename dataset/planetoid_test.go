package dataset

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"coles/dataset/internal/pickle"
	"coles/internal/source"
	"coles/internal/testkit"

	"github.com/google/go-cmp/cmp"
	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestPlanetoidPlacesTestRows(t *testing.T) {
	d := testkit.Must(readPlanetoid(planetoidFS(smallPlanetoid()), "toy", ""))
	// tx row 0 belongs at 4 and row 1 at 2; row 3 has neither features nor label.
	want := mat.NewDense(5, 3, []float64{1, 0, 0, 0, 0, 0.5, 0, 0, 2, 0, 0, 0, 4, 5, 0})
	if got := d.Features.(*sparse.CSR).ToDense(); !mat.Equal(got, want) {
		t.Errorf("features\n%v", mat.Formatted(got))
	}
	if !slices.Equal(d.Labels, []int{0, 1, 0, 0, 1}) || !slices.Equal(d.Unlabeled, []int{3}) {
		t.Errorf("labels %v, unlabeled %v", d.Labels, d.Unlabeled)
	}
	adj := d.Adjacency.RawMatrix()
	if !slices.Equal(adj.Indptr, []int{0, 2, 4, 5, 5, 6}) || !slices.Equal(adj.Ind, []int{1, 1, 0, 2, 1, 4}) {
		t.Errorf("adjacency %v %v: repeated neighbours and the loop must stay", adj.Indptr, adj.Ind)
	}
	if diff := cmp.Diff([]Split{{Train: []int{0}, Val: []int{1}, Test: []int{4, 2}}}, d.Splits); diff != "" {
		t.Error(diff)
	}
	for s := range 20 {
		splits := testkit.Must(d.RandomSplits(3, 1, uint64(s)))
		if slices.Contains(splits[0].Train, 3) || slices.Contains(splits[0].Val, 3) {
			t.Fatal("the node without a label was drawn")
		}
	}
}

func FuzzPickle(f *testing.F) {
	for _, data := range smallPlanetoid() {
		f.Add(data)
	}
	f.Add(pk("}K\x00]q\x01(h\x01es")) // a list that holds itself
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := pickle.Load(data)
		var place *source.Error
		if err != nil && !(errors.As(err, &place) && strings.Contains(err.Error(), "byte")) {
			t.Errorf("an error without a place: %v", err)
		}
		for _, part := range []string{"allx", "ty", "graph"} {
			parts := smallPlanetoid()
			parts[part] = data
			if d, err := readPlanetoid(planetoidFS(parts), "toy", ""); err == nil {
				wantValid(t, d)
			}
		}
	})
}
