package eval

import (
	"math"
	"testing"

	"coles"
)

// clusteringCases are written by testdata/clustering.py, whose head explains the fields.
type clusteringCases struct {
	Unit  float64
	Cases []struct {
		Pred, True        []int
		Acc, Micro, Macro float64
		Mapped            float64
		MappedF1          []float64
		NMI               float64
		X                 [][]float64
		Silhouette        *float64
		Edges             [][2]int
		Weights           []float64
		Q                 *float64
		Cost              []int
		Rows, Best        int
	}
	KMeans []struct {
		X, Start, Centres [][]float64
		Labels            []int
		Inertia           float64
		Iterations        int
	}
}

// wantCases checks that a list of a fixture is the whole one.
func wantCases(t *testing.T, count int) {
	t.Helper()
	if count != 1000 {
		t.Fatalf("%d cases, want 1000", count)
	}
}

// A comparer reports the numbers of one case that differ from the fixture's by more than 1e-12 of
// it or, where numbers of the size of floor cancel, of floor.
type comparer struct {
	*testing.T
	index int
}

func (c comparer) equal(what string, got, want, floor float64, err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("case %d, %s: %v", c.index, what, err)
	}
	if !(math.Abs(got-want) <= 1e-12*max(math.Abs(want), floor)) {
		c.Errorf("case %d, %s: %v, want %v", c.index, what, got, want)
	}
}

func divided(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / unit
	}
	return y
}

func toEdges(pairs [][2]int) []coles.Edge {
	edges := make([]coles.Edge, len(pairs))
	for q, p := range pairs {
		edges[q] = coles.Edge{U: p[0], V: p[1]}
	}
	return edges
}
