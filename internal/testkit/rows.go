package testkit

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// Normal has entries of a standard deviation.
func Normal(n, d int, deviation float64, seed uint64) *mat.Dense {
	x := RandomDense(Random(seed), n, d)
	x.Scale(deviation, x)
	return x
}

// RandomLabels are drawn from [0, c), the first c rows one of each.
func RandomLabels(n, c int, seed uint64) []int {
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

// UpTo is [matrix.UpTo].
func UpTo(n int) []int { return matrix.UpTo(n) }

// Forms are x dense and sparse.
func Forms(x *mat.Dense) map[string]mat.Matrix {
	return map[string]mat.Matrix{"dense": x, "sparse": SparseOf(x)}
}

// Blobs draws n rows of mean norm near 4, c classes, and column energies that decay like an
// embedding's: what the classifier meets in the tables.
func Blobs(n, d, c int, seed uint64) (*mat.Dense, []int) {
	rng := Random(seed)
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

// OpenCases reads PATH.json.gz, which PATH.py wrote.
func OpenCases[T any](t *testing.T, path string) *T {
	t.Helper()
	file, err := os.Open(path + ".json.gz")
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

// MatrixOf reads rows of whole numbers, to be divided by a unit.
func MatrixOf(rows [][]float64, unit float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, Divided(row, unit))
	}
	return x
}

// DrawnGraph joins each pair of n nodes with probability p, and every third node to itself.
func DrawnGraph(n int, p float64, seed uint64) *coles.Graph {
	edges := RandomEdges(Random(seed), n, p)
	for u := 0; u < n; u += 3 {
		edges = append(edges, coles.Edge{U: u, V: u})
	}
	return Must(coles.NewGraph(n, edges, coles.WithSelfLoopsKept()))
}

// Tuples calls do with all sequences of length numbers below n.
func Tuples(n, length int, do func(tuple []int)) {
	tuple := make([]int, length)
	var from func(k int)
	from = func(k int) {
		if k == length {
			do(tuple)
			return
		}
		for tuple[k] = 0; tuple[k] < n; tuple[k]++ {
			from(k + 1)
		}
	}
	from(0)
}

// ClusteringCases are written by testdata/clustering.py, whose head explains the fields.
type ClusteringCases struct {
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

// A comparer reports the numbers of one case that differ from the fixture's by more than 1e-12 of
// it or, where numbers of the size of floor cancel, of floor.
type Comparer struct {
	*testing.T
	Index int
}

func (c Comparer) Equal(what string, got, want, floor float64, err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("case %d, %s: %v", c.Index, what, err)
	}
	if !(math.Abs(got-want) <= 1e-12*max(math.Abs(want), floor)) {
		c.Errorf("case %d, %s: %v, want %v", c.Index, what, got, want)
	}
}

// Divided are whole numbers of a fixture, divided by its unit.
func Divided(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / unit
	}
	return y
}

// Twins is a graph with components, isolated nodes, a self loop, weights and names: a drawn one
// twice, side by side.
func Twins(n int, p float64, seed uint64) *coles.Graph {
	names := make([]string, 2*n+3)
	for i := range names {
		names[i] = "node " + strconv.Itoa(i)
	}
	var edges []coles.Edge
	var weights []float64
	for q, e := range RandomEdges(Random(seed), n, p) {
		edges = append(edges, e, coles.Edge{U: e.U + n, V: e.V + n})
		weights = append(weights, 0.5+float64(q), 0.5+float64(q))
	}
	edges, weights = append(edges, coles.Edge{U: 1, V: 1}), append(weights, 9)
	return Must(coles.NewGraph(len(names), edges, coles.WithWeights(weights), coles.WithIDs(names), coles.WithSelfLoopsKept()))
}

// UnitRows has the rows of x at length 1; a zero row stays one.
func UnitRows(x *mat.Dense) *mat.Dense {
	unit := mat.DenseCopyOf(x)
	for i := range unit.RawMatrix().Rows {
		row := unit.RawRowView(i)
		matrix.Scale(row, 1/max(matrix.Length(row), 0x1p-1022))
	}
	return unit
}
