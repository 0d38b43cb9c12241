package measures

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

// diagnosticCases are written by testdata/diagnostics.py, whose head explains the fields.
type diagnosticCases struct {
	Unit   float64
	Graphs []struct {
		X                  [][]float64
		Edges, Pairs       [][2]int
		Labels             []int
		Node, Edge, Random float64
		Dots               []float64
	}
	Samples []struct {
		X, Y        []float64
		H           float64
		Points      int
		Silverman   float64
		At, Density []float64
		JS, W       float64
	}
}

// openCases reads the 1,000 cases of each list of testdata/NAME.json.gz, which testdata/NAME.py wrote.
func openCases[T any](t *testing.T, name string) *T {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	decode := json.NewDecoder(z)
	decode.DisallowUnknownFields()
	cases := new(T)
	if err := decode.Decode(cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

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

// divided are whole numbers of a fixture, divided by its unit.
func divided(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / unit
	}
	return y
}

// normal has entries of a standard deviation.
func normal(n, d int, deviation float64, seed uint64) *mat.Dense {
	x := testkit.RandomDense(testkit.Random(seed), n, d)
	x.Scale(deviation, x)
	return x
}

// forms are x dense and sparse.
func forms(x *mat.Dense) map[string]mat.Matrix {
	return map[string]mat.Matrix{"dense": x, "sparse": testkit.SparseOf(x)}
}

// drawnGraph joins each pair of n nodes with probability p, and every third node to itself.
func drawnGraph(n int, p float64, seed uint64) *coles.Graph {
	edges := testkit.RandomEdges(testkit.Random(seed), n, p)
	for u := 0; u < n; u += 3 {
		edges = append(edges, coles.Edge{U: u, V: u})
	}
	return testkit.Must(coles.NewGraph(n, edges, coles.WithSelfLoopsKept()))
}
