package coles_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/race"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// edges are pairs of nodes, one end after the other.
func edges(ends ...int) []coles.Edge {
	var list []coles.Edge
	for i := 0; i < len(ends); i += 2 {
		list = append(list, coles.Edge{U: ends[i], V: ends[i+1]})
	}
	return list
}

// graphOf is the graph of n nodes and the edges of [edges].
func graphOf(n int, ends ...int) *coles.Graph {
	return testkit.Must(coles.NewGraph(n, edges(ends...)))
}

// weighing is a graph with weights.
func weighing(n int, list []coles.Edge, weights ...float64) *coles.Graph {
	return testkit.Must(coles.NewGraph(n, list, coles.WithWeights(weights)))
}

func completeGraph(n int) *coles.Graph {
	return testkit.Must(coles.NewGraph(n, testkit.RandomEdges(testkit.Random(0), n, 1.1)))
}

func starGraph(leaves int) *coles.Graph {
	return completeGraph(leaves + 1).Without(func(e coles.Edge) bool { return e.U != 0 })
}

func ringGraph(n int) *coles.Graph { return testkit.Must(coles.NewGraph(n, testkit.Ring(n, 1))) }

func pathGraph(n int) *coles.Graph {
	return ringGraph(n).Without(func(e coles.Edge) bool { return e.U == 0 && e.V == n-1 && n > 2 })
}

// sparseGraph has m random edges, some of them twice, in time that does not grow with n².
func sparseGraph(seed uint64, n, m int) *coles.Graph {
	rng := testkit.Random(seed)
	list := make([]coles.Edge, m)
	for q := range list {
		list[q] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}
	}
	return testkit.Must(coles.NewGraph(n, list, coles.WithRepeats("first")))
}

// small is a graph of 120 nodes with 40 words, sparse and dense, that a fit takes milliseconds for. The
// first five are more frequent where a node's degree is high, so that words partly predict degrees.
func small(seed uint64) (*coles.Graph, *sparse.CSR, *mat.Dense) {
	g := testkit.RandomGraph(seed, 120, 0.04)
	_, dense := testkit.RandomWords(testkit.Random(seed), 120, 40)
	for i, degree := range g.Degrees() {
		for j := range 5 {
			dense.Set(i, j, math.Round(min(degree/3, 2)))
		}
	}
	return g, testkit.SparseOf(dense), dense
}

// fitted is a fit that is not expected to fail.
func fitted(g *coles.Graph, x mat.Matrix, opts ...coles.Option) *coles.Model {
	return testkit.Must(coles.Fit(ctx, g, x, opts...))
}

// contrast is ΔW of one negative graph, or of an expectation, at η′ = 1.
func contrast(g *coles.Graph, s coles.NegativeSampler) *coles.DeltaW {
	return testkit.Must(coles.Contrast(ctx, g, s, 1, 1, 1))
}

// noNegatives is the zero sampler: ΔW = W⁺.
var noNegatives coles.NegativeSampler

// prepared are features after a preparation that was fitted to them.
func prepared(x mat.Matrix, how coles.Preparation) mat.Matrix {
	p := testkit.Must(how.Fit(ctx, x))
	return testkit.Must(p.Apply(ctx, x))
}

// read writes a model to a file and reads it again.
func read(m *coles.Model) *coles.Model {
	return testkit.Must(coles.ReadModel(bytes.NewReader(modelBytes(m))))
}

func modelBytes(m *coles.Model) []byte {
	var b bytes.Buffer
	if n := testkit.Must(m.WriteTo(&b)); n != int64(b.Len()) {
		panic("WriteTo counts other bytes than it writes")
	}
	return b.Bytes()
}

// oracle is gonum's eigendecomposition of a matrix that is symmetric but for rounding: eigenvalues
// descending, eigenvectors in rows.
func oracle(a mat.Matrix) (values []float64, vectors *mat.Dense) {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("the oracle's eigensolver failed")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	values, vectors = e.Values(nil), mat.NewDense(n, n, nil)
	slices.Reverse(values)
	for i := range n {
		vectors.SetRow(n-1-i, mat.Col(nil, i, &q))
	}
	return values, vectors
}

// leadingEntry is the first of a vector's entries of largest magnitude, those within 1e-6 of it
// counting as equal: the entry whose sign is fixed.
func leadingEntry(v []float64) float64 {
	largest := mat.Norm(mat.NewVecDense(len(v), v), math.Inf(1))
	for _, x := range v {
		if math.Abs(x) >= (1-1e-6)*largest {
			return x
		}
	}
	return 0
}

// An input is a graph, features, and a number of columns.
type input struct {
	g *coles.Graph
	x mat.Matrix
	k int
}

// doors are the functions that take such things, and what they make of them, to be looked at.
var doors = map[string]func(in input) (mat.Matrix, error){
	"Fit":         func(in input) (mat.Matrix, error) { return fitAndEmbed(in.g, in.x, in.k, coles.SolverDirect, 0) },
	"Fit, krylov": func(in input) (mat.Matrix, error) { return fitAndEmbed(in.g, in.x, in.k, coles.SolverKrylov, 0) },
	"Fit, graph":  func(in input) (mat.Matrix, error) { return fitAndEmbed(in.g, in.x, in.k, 0, coles.UseGraph) },
	"Fit, alone":  func(in input) (mat.Matrix, error) { return fitAndEmbed(in.g, in.x, in.k, 0, coles.UseFeatures) },
	"Fit, no x":   func(in input) (mat.Matrix, error) { return fitAndEmbed(in.g, nil, in.k, coles.SolverKrylov, 0) },
	"Filter":      func(in input) (mat.Matrix, error) { return dense(coles.SGC(2).Apply(ctx, coles.Normalize(in.g), in.x)) },
	"Contrast": func(in input) (mat.Matrix, error) {
		dw, err := coles.Contrast(ctx, in.g, coles.UniformNegatives(2), 1, 1, 1)
		if err != nil {
			return nil, err
		}
		return dense(dw.Apply(ctx, mat.NewDense(in.g.Nodes(), 1, nil)))
	},
	"Solve": func(in input) (mat.Matrix, error) {
		return rows(coles.Solve(ctx, in.x, contrast(in.g, noNegatives), in.k))
	},
	"SolveImplicit": func(in input) (mat.Matrix, error) {
		return rows(coles.SolveImplicit(ctx, in.x, coles.Normalize(in.g), coles.SGC(1), contrast(in.g, noNegatives), in.k))
	},
	"Eigenmaps": func(in input) (mat.Matrix, error) {
		y, _, err := coles.Eigenmaps(ctx, contrast(in.g, coles.ExpectedDegreeNegatives()), in.k)
		return y, err
	},
	"KNN": func(in input) (mat.Matrix, error) {
		if in.g.Nodes() > 1000 {
			return testkit.Eye(1), nil // all pairs would take a minute
		}
		g, err := coles.KNN(ctx, in.x, in.k)
		if err != nil {
			return nil, err
		}
		return g.CSR(), nil
	},
	"Preparation": func(in input) (mat.Matrix, error) {
		n, _ := in.x.Dims()
		all := mat.NewDense(n, 1, nil)
		for how := coles.PrepareNone; how <= coles.PrepareUndamped; how++ {
			p, err := how.Fit(ctx, in.x)
			if err != nil {
				return nil, err
			}
			y, err := p.Apply(ctx, in.x)
			if err != nil {
				return nil, err
			}
			wider := new(mat.Dense)
			wider.Augment(all, y)
			all = wider
			y.(mat.Mutable).Set(0, 0, 17) // it is the caller's
		}
		return all, nil
	},
	"Alignment": func(in input) (mat.Matrix, error) {
		q, err := coles.DefaultSettings().Alignment(ctx, in.g, in.x)
		return mat.NewDense(1, 2, []float64{q.Neighbours, q.Deviation}), err
	},
	"Estimate": func(in input) (mat.Matrix, error) {
		s := coles.DefaultSettings()
		s.Dim = in.k
		bytes, err := s.Estimate(in.g, in.x)
		return mat.NewDense(1, 1, []float64{float64(bytes)}), err
	},
}

// fitAndEmbed sends a model through everything that a model can do.
func fitAndEmbed(g *coles.Graph, x mat.Matrix, k int, solver coles.Solver, kind coles.Kind) (mat.Matrix, error) {
	m, err := coles.Fit(ctx, g, x, coles.With(func(s *coles.Settings) { s.Dim, s.Solver, s.Kind = k, solver, kind }))
	if err != nil {
		return nil, err
	}
	y := m.Embedding()
	if r, c := y.Dims(); r != g.Nodes() || c != m.Report().Dim || c != m.Settings().Dim {
		return nil, fmt.Errorf("an embedding of %d × %d for %d nodes, dim %d", r, c, g.Nodes(), m.Report().Dim)
	}
	again, err := read(m).Embed(ctx, g, x)
	if err == nil && !mat.Equal(again, y) {
		return nil, errors.New("the model that was read embeds otherwise")
	}
	return y, err
}

func dense(y *mat.Dense, err error) (mat.Matrix, error) { return y, err }

func rows(p *coles.Projection, err error) (mat.Matrix, error) {
	if err != nil {
		return nil, err
	}
	return p.P, nil
}

// skipUnderRace is for what takes the race detector a minute.
func skipUnderRace(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("a matter of numbers, not of races")
	}
}

// wantFinite looks for a number that is none.
func wantFinite(t *testing.T, what string, x mat.Matrix) {
	t.Helper()
	rows, cols := x.Dims()
	for i := range min(rows, 2000) {
		for j := range cols {
			if v := x.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: %v in row %d, column %d", what, v, i, j)
			}
		}
	}
}

// A fixture is the NumPy oracle's archive of arrays.
type fixture struct{ zip *zip.ReadCloser }

func openFixture(t testing.TB) fixture {
	t.Helper()
	z := testkit.Must(zip.OpenReader(testkit.Shared(t, "reference", "cora_fixture.npz")))
	t.Cleanup(func() { z.Close() })
	return fixture{z}
}

func (f fixture) array(name string) *mat.Dense {
	file := testkit.Must(f.zip.Open(name + ".npy"))
	defer file.Close()
	return testkit.Must(dataset.ReadNPY(file))
}

func (f fixture) column(name string) []float64 { return mat.Col(nil, 0, f.array(name)) }

// openGraph reads a data set of the shared folder as an undirected graph.
func openGraph(t testing.TB, name string) (*dataset.Dataset, *coles.Graph) {
	t.Helper()
	d := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", name+".npz"), dataset.ReadNPZ))
	return d, testkit.Must(coles.FromCSR(d.Adjacency, coles.WithMirrors()))
}

// negatives is a sampler that returns the fixture's negative graph, made of the pairs the oracle
// drew (5 a node, self pairs left out).
func (f fixture) negatives() coles.NegativeSampler {
	return coles.NegativeFunc("fixture", func(_ context.Context, g *coles.Graph, _ uint64) (*coles.SymCSR, error) {
		drawn := f.array("neg_draw_edges")
		rows, _ := drawn.Dims()
		pairs := make([]coles.Edge, rows)
		for i := range pairs {
			pairs[i] = coles.Edge{U: int(drawn.At(i, 0)), V: int(drawn.At(i, 1))}
		}
		return g.Negative(pairs)
	})
}
