// Package embedtest checks that an embedder keeps the promises of this module: one suite that
// [coles.Fit], [coles.Eigenmaps] and every training of package gnn pass.
package embedtest

import (
	"context"
	"io"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A Model is a fitted model. What else it can do is checked as well: embed other graphs, as an
// [Inductive] one does, and write itself, as an [io.WriterTo].
type Model interface {
	// Embedding returns the embedding of the nodes fitted (n×d′), row by row. It may be nil in a
	// model that was read from a file.
	Embedding() *mat.Dense
}

// An Inductive model embeds graphs without fitting.
type Inductive interface {
	Model
	// Embed returns the embedding of every node of a graph.
	Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
}

// An Embedder makes the models that are checked. Its graphs have up to 40 nodes and features of 12
// columns, so the embeddings should have at most 8.
type Embedder struct {
	// Fit embeds the nodes of a graph with features.
	Fit func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error)
	// Read reads what a model, an [io.WriterTo], wrote; nil if there are no files.
	Read func(r io.Reader) (Model, error)
	// NoFeatures is set if Fit does not use features. It is given none.
	NoFeatures bool
	// Transductive is set if models embed no other graph than the one fitted.
	Transductive bool
	// OrderMatters is set if an embedding may depend on the order of the nodes, as it does where
	// they draw random numbers in turn.
	OrderMatters bool
	// Errors are named errors that package coles does not have.
	Errors []error
	// Tolerance is how far what is equal but for rounding may differ, in units of its largest
	// entry; 0 is 1e-10. Computing in float32 needs about 1e-4.
	Tolerance float64
}

// Test checks an embedder. It makes some hundred fits of small graphs, sets GOMAXPROCS and counts goroutines: nothing else
// should run at the same time.
func Test(t testing.TB, e Embedder) {
	t.Helper()
	if e.Tolerance == 0 {
		e.Tolerance = 1e-10
	}
	edges := randomEdges()
	s := &suite{Embedder: e, TB: t, edges: edges, graph: testkit.Must(coles.NewGraph(nodes, edges)), words: randomWords(nodes)}
	if !s.fits() {
		return // the others compare with this fit
	}
	checks := []func(){s.inputs, s.repeatable, s.processors, s.permutation, s.file, s.cancellation, s.unusualGraphs}
	if !e.NoFeatures {
		checks = append(checks, s.storage, s.badMatrices, s.extremes)
	}
	if _, ok := s.fitted.(Inductive); ok {
		checks = append(checks, s.embedsAgain, s.ownership, s.concurrency, s.subset)
	}
	for _, check := range checks {
		check()
	}
}

// A suite is a run of the checks.
type suite struct {
	Embedder
	testing.TB
	edges  []coles.Edge
	graph  *coles.Graph // of these
	words  *mat.Dense
	fitted Model
	want   *mat.Dense // a copy of its embedding
}

// features are x, or none.
func (s *suite) features(x mat.Matrix) mat.Matrix {
	if s.NoFeatures {
		return nil
	}
	return x
}

// embedding fits a graph that can be fitted and returns the embedding; nil after a failure.
func (s *suite) embedding(what string, g *coles.Graph, x mat.Matrix) *mat.Dense {
	m, err := s.Fit(background, g, s.features(x))
	if err != nil {
		s.Errorf("%s: %v", what, err)
		return nil
	}
	return s.sound(what, m.Embedding(), g.Nodes())
}

// embedded is the embedding of a graph by the fitted model; nil after a failure.
func (s *suite) embedded(what string, m Model, g *coles.Graph, x mat.Matrix) *mat.Dense {
	y, err := m.(Inductive).Embed(background, g, s.features(x))
	if err != nil {
		s.Errorf("%s: %v", what, err)
		return nil
	}
	return s.sound(what, y, g.Nodes())
}

// sound refuses an embedding without n rows of finite numbers; it returns nil then.
func (s *suite) sound(what string, y *mat.Dense, n int) *mat.Dense {
	rows, cols := y.Dims()
	if rows == 0 || cols == 0 {
		return y // no columns are no rows in gonum: nothing was worth one
	}
	if rows != n {
		s.Errorf("%s: %d rows for %d nodes", what, rows, n)
		return nil
	}
	if v := mat.Sum(y); v-v != 0 {
		s.Errorf("%s: the entries add up to %v", what, v)
		return nil
	}
	return y
}

// The graph of the checks: two components of random edges, the first of half the nodes, and the
// last nodes without an edge.
const (
	nodes = 40
	half  = 20
	alone = 3
	words = 12
)

func randomEdges() []coles.Edge {
	rng := testkit.Random(1)
	var edges []coles.Edge
	for u := range nodes - alone {
		if u != 0 && u != half { // a path holds each component together
			edges = append(edges, coles.Edge{U: u - 1, V: u})
		}
		for v := u + 2; v < nodes-alone; v++ {
			if (u < half) == (v < half) && rng.Float64() < 0.2 {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	return edges
}

// randomWords are small counts, about one in three not zero, and no row zero.
func randomWords(n int) *mat.Dense {
	rng := testkit.Random(2)
	x := mat.NewDense(n, words, nil)
	for i := range n {
		for j := range words {
			if rng.IntN(3) == 0 {
				x.Set(i, j, float64(1+rng.IntN(3)))
			}
		}
		x.Set(i, i%words, 1)
	}
	return x
}

// permuted returns the graph and x with node i at place[i].
func (s *suite) permuted(x *mat.Dense, place []int) (*coles.Graph, *mat.Dense) {
	var edges []coles.Edge
	for _, e := range s.edges {
		edges = append(edges, coles.Edge{U: place[e.U], V: place[e.V]})
	}
	y := mat.NewDense(len(place), words, nil)
	for i, p := range place {
		y.SetRow(p, x.RawRowView(i))
	}
	return testkit.Must(coles.NewGraph(len(place), edges)), y
}

// stored is one matrix in every form.
func stored(x *mat.Dense) map[string]mat.Matrix {
	n, d := x.Dims()
	wide := mat.NewDense(n, d+3, nil) // rows with a stride
	wide.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	return map[string]mat.Matrix{
		"*sparse.CSR": testkit.SparseOf(x), "*coles.Dense32": testkit.SingleOf(x),
		"an unknown type": testkit.Foreign{Of: x}, "rows with a stride": wide.Slice(0, n, 0, d),
	}
}

// off is the largest difference of a and b in units of the largest entry of b.
func off(a, b *mat.Dense) float64 {
	if d := testkit.MaxDiff(a, b); d > 0 {
		return d / max(mat.Max(b), -mat.Min(b))
	}
	return 0
}

// products is YYᵀ.
func products(y *mat.Dense) *mat.Dense { return testkit.Product(y, y.T()) }
