package embedtest

import (
	"math"
	"math/rand/v2"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// The graph of the checks: two components of random edges, the first of half the
// nodes, and the last nodes without an edge.
const (
	nodes = 40
	half  = 20
	alone = 3
	words = 12
)

func randomGraph() *coles.Graph {
	rnd := rand.New(rand.NewPCG(1, 0))
	var edges []coles.Edge
	for u := range nodes - alone {
		if u != 0 && u != half { // a path holds each component together
			edges = append(edges, coles.Edge{U: u - 1, V: u})
		}
		for v := u + 2; v < nodes-alone; v++ {
			if (u < half) == (v < half) && rnd.Float64() < 0.2 {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	return built(nodes, edges)
}

// built is a graph that there is.
func built(n int, edges []coles.Edge) *coles.Graph {
	g, err := coles.NewGraph(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// randomWords are small counts, about one in three not zero, and no row zero.
func randomWords(n int) *mat.Dense {
	rnd := rand.New(rand.NewPCG(2, 0))
	x := mat.NewDense(n, words, nil)
	for i := range n {
		for j := range words {
			if rnd.IntN(3) == 0 {
				x.Set(i, j, float64(1+rnd.IntN(3)))
			}
		}
		x.Set(i, i%words, 1)
	}
	return x
}

// permuted is g and x with node i in the place of place[i].
func permuted(g *coles.Graph, x *mat.Dense, place []int) (*coles.Graph, *mat.Dense) {
	var edges []coles.Edge
	for _, e := range edgesOf(g) {
		edges = append(edges, coles.Edge{U: place[e.U], V: place[e.V]})
	}
	y := mat.NewDense(len(place), words, nil)
	for i, p := range place {
		y.SetRow(p, x.RawRowView(i))
	}
	return built(len(place), edges), y
}

func edgesOf(g *coles.Graph) []coles.Edge {
	var edges []coles.Edge
	g.CSR().DoNonZero(func(i, j int, _ float64) {
		if i < j {
			edges = append(edges, coles.Edge{U: i, V: j})
		}
	})
	return edges
}

// A foreign matrix is of a type that nobody knows.
type foreign struct{ of *mat.Dense }

func (m foreign) Dims() (r, c int)    { return m.of.Dims() }
func (m foreign) At(i, j int) float64 { return m.of.At(i, j) }
func (m foreign) T() mat.Matrix       { return mat.Transpose{Matrix: m} }

// stored is one matrix in every form.
func stored(x *mat.Dense) map[string]mat.Matrix {
	n, d := x.Dims()
	ptr, ind, val := []int{0}, []int(nil), []float64(nil)
	single := make([]float32, 0, n*d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if single = append(single, float32(v)); v != 0 {
				ind, val = append(ind, j), append(val, v)
			}
		}
		ptr = append(ptr, len(ind))
	}
	d32, err := coles.NewDense32(n, d, single)
	if err != nil {
		panic(err)
	}
	wide := mat.NewDense(n, d+3, nil) // rows with a stride
	wide.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	return map[string]mat.Matrix{
		"*sparse.CSR": sparse.NewCSR(n, d, ptr, ind, val), "*coles.Dense32": d32, "an unknown type": foreign{x},
		"rows with a stride": wide.Slice(0, n, 0, d),
	}
}

// bits is the exact content of a matrix.
func bits(m mat.Matrix) []uint64 {
	if m == nil {
		return nil
	}
	r, c := m.Dims()
	out := []uint64{uint64(r), uint64(c)}
	for i := range r {
		for j := range c {
			out = append(out, math.Float64bits(m.At(i, j)))
		}
	}
	return out
}

func firstNotFinite(m *mat.Dense) (i, j int, found bool) {
	r, c := m.Dims()
	for i := range r {
		for j := range c {
			if v := m.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// products is YYᵀ.
func products(y *mat.Dense) *mat.Dense {
	n, _ := y.Dims()
	p := mat.NewDense(n, n, nil)
	p.Mul(y, y.T())
	return p
}

// difference is the largest of a − b in units of the largest of b.
func difference(a, b mat.Matrix) float64 {
	r, c := b.Dims()
	if ar, ac := a.Dims(); ar != r || ac != c {
		return math.Inf(1)
	}
	worst, largest := 0.0, 0.0
	for i := range r {
		for j := range c {
			worst = max(worst, math.Abs(a.At(i, j)-b.At(i, j)))
			largest = max(largest, math.Abs(b.At(i, j)))
		}
	}
	if worst == 0 {
		return 0
	}
	return worst / largest
}
