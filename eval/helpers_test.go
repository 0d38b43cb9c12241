package eval

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

// normal has entries of a standard deviation.
func normal(n, d int, deviation float64, seed uint64) *mat.Dense {
	x := testkit.RandomDense(testkit.Random(seed), n, d)
	x.Scale(deviation, x)
	return x
}

// randomLabels are drawn from [0, c), the first c rows one of each.
func randomLabels(n, c int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 2))
	y := make([]int, n)
	for i := range y {
		y[i] = rng.IntN(c)
		if i < c {
			y[i] = i
		}
	}
	return y
}

func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// forms are x dense and sparse.
func forms(x *mat.Dense) map[string]mat.Matrix {
	return map[string]mat.Matrix{"dense": x, "sparse": testkit.SparseOf(x)}
}

// blobs draws n rows of mean norm near 4, c classes, and column energies that decay like an
// embedding's: what the classifier meets in the tables.
func blobs(n, d, c int, seed uint64) (*mat.Dense, []int) {
	rng := testkit.Random(seed)
	centre := mat.NewDense(c, d, nil)
	scale := make([]float64, d)
	var energy float64
	for j := range scale {
		scale[j] = 1 / math.Sqrt(float64(j+1))
		energy += 2 * scale[j] * scale[j]
		for k := range c {
			centre.Set(k, j, rng.NormFloat64()*scale[j])
		}
	}
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(c)
		for j, s := range scale {
			x.Set(i, j, 4/math.Sqrt(energy)*(centre.At(labels[i], j)+s*rng.NormFloat64()))
		}
	}
	return x, labels
}

// openCases reads testdata/NAME.json.gz, which testdata/NAME.py wrote.
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

// matrixOf reads rows of whole numbers, to be divided by a unit.
func matrixOf(rows [][]float64, unit float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, divided(row, unit))
	}
	return x
}

// drawnGraph joins each pair of n nodes with probability p, and every third node to itself.
func drawnGraph(n int, p float64, seed uint64) *coles.Graph {
	edges := testkit.RandomEdges(testkit.Random(seed), n, p)
	for u := 0; u < n; u += 3 {
		edges = append(edges, coles.Edge{U: u, V: u})
	}
	return testkit.Must(coles.NewGraph(n, edges, coles.WithSelfLoopsKept()))
}

// nearestRows searches an index made for it.
func nearestRows(ctx context.Context, x mat.Matrix, rows []int, k int, by Similarity) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Rows(ctx, rows, k)
}

func nearestVectors(ctx context.Context, x, queries mat.Matrix, k int, by Similarity) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Vectors(ctx, queries, k)
}

func recommended(ctx context.Context, g *coles.Graph, x mat.Matrix, nodes []int, by Similarity, k int) ([][]Match, error) {
	index, err := NewIndex(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.RecommendLinks(ctx, g, nodes, k, nil)
}
