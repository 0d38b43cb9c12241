package dataset

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"coles/dataset/internal/pickle"
	"coles/internal/source"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
)

func TestPlanetoidPlacesTestRows(t *testing.T) {
	d := testkit.Must(readPlanetoid(planetoidFS(smallPlanetoid()), "toy", ""))
	// tx row 0 belongs at 4 and row 1 at 2; row 3 has neither features nor label. A repeated neighbour is one, and
	// the loop stays.
	wantSame(t, d, &Dataset{
		Adjacency: sparse.NewCSR(5, 5, []int{0, 1, 3, 4, 4, 5}, []int{1, 0, 2, 1, 4}, []float64{1, 1, 1, 1, 1}),
		Features:  sparse.NewCSR(5, 3, []int{0, 1, 2, 3, 3, 5}, []int{0, 2, 2, 0, 1}, []float64{1, 0.5, 2, 4, 5}),
		Labels:    []int{0, 1, 0, 0, 1},
		Unlabeled: []int{3},
		Splits:    []Split{{Train: []int{0}, Val: []int{1}, Test: []int{4, 2}}},
	})
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
