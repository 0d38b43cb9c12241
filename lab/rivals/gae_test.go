package rivals

import (
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// bare is an objective without parameters or phases.
var bare = custom.ObjectiveSpec{Parameters: noParameters}

// weighted is a graph of n nodes with weights from 0.5 on, two self loops and two isolated nodes,
// and dense features.
func weighted(n, d int) (*coles.Graph, *mat.Dense) {
	rnd := testkit.Random(7)
	edges := append(testkit.RandomEdges(rnd, n-2, 0.3), coles.Edge{U: 2, V: 2}, coles.Edge{U: 5, V: 5})
	weights := make([]float64, len(edges))
	for q := range weights {
		weights[q] = 0.5 + 3*rnd.Float64()
	}
	g := testkit.Must(coles.NewGraph(n, edges, coles.WithWeights(weights), coles.WithSelfLoopsKept()))
	return g, testkit.RandomDense(rnd, n, d)
}

// first calls look in the first step of a training, in place of its loss.
func first(t *testing.T, g *coles.Graph, x mat.Matrix, s gnn.Settings, spec custom.ObjectiveSpec, look func(s *custom.Step[float64])) {
	t.Helper()
	seen := false
	probe := func(s *custom.Step[float64]) *autodiff.Value[float64] {
		if !seen {
			seen = true
			look(s)
		}
		return s.Sum(s.Output(&custom.View{}))
	}
	s.Objective, s.Epochs, s.Precision = objectiveOf(spec, probe), 1, coles.Float64
	train(t, g, x, s)
	if !seen {
		t.Fatal("no step")
	}
}

// dense is a copy of a value.
func dense(v *autodiff.Value[float64]) *mat.Dense { return denseOf(v.Data()) }

func plainSoftplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

// lossOfEdges is the loss of GAE over all n² pairs, as the authors' code has it for edges of weight
// 1 and no loops.
func lossOfEdges(g *coles.Graph, z *mat.Dense) float64 {
	n := g.Nodes()
	a, s := testkit.DenseOf(g.CSR()), testkit.Product(z, z.T())
	edges := 0.0
	joined := func(i, j int) bool { return i != j && a.At(i, j) != 0 }
	for i := range n {
		for j := range n {
			if joined(i, j) {
				edges++
			}
		}
	}
	all := float64(n * n)
	total := 0.0
	for i := range n {
		for j := range n {
			if i == j || joined(i, j) {
				total += (all - edges) / edges * plainSoftplus(-s.At(i, j))
			} else {
				total += plainSoftplus(s.At(i, j))
			}
		}
	}
	return total / all * all / (2 * (all - edges))
}

// Encoder, code and loss of GAE and VGAE by dense products.
func TestAutoencodersByTheirFormula(t *testing.T) {
	const n, d = 14, 6
	g, x := weighted(n, d)
	w := testkit.DenseOf(coles.Normalize(g))
	for _, variational := range []bool{false, true} {
		s := GAE("cora")
		s.Network = gnn.Network{plainGCN(5), gnn.ReLU(), codeGCN(4, variational)}
		var noise *mat.Dense // the draws of the first step
		first(t, g, x, s, bare, func(s *custom.Step[float64]) {
			m := normal[float64](s.Rand(), n, 4, 1)
			noise = mat.NewDense(n, 4, m.Data)
		})
		first(t, g, x, s, bare, func(s *custom.Step[float64]) {
			hidden := testkit.Product(w, x, dense(s.Parameter("0.weight")))
			hidden.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, hidden)
			z := testkit.Product(w, hidden, dense(s.Parameter("2.weight")))
			divergence := 0.0
			if variational {
				logs := testkit.Product(w, hidden, dense(s.Parameter("2.deviations")))
				z.Apply(func(i, l int, mean float64) float64 {
					sigma := math.Exp(logs.At(i, l))
					divergence += (mean*mean + sigma*sigma - 2*logs.At(i, l)) / (2 * n * n)
					return mean + sigma*noise.At(i, l)
				}, z)
			}
			testkit.WantNear(t, fmt.Sprintf("variational %v: the loss", variational), autoencoderLoss(s, variational).Scalar(), lossOfEdges(g, z)+divergence, 1e-12)
		})
	}
}

// In blocks the hidden layer has rows of the surroundings, too; blocks without edges are passed by.
func TestAutoencodersTrainInBlocks(t *testing.T) {
	g, x := words(6, 60, 12)
	for _, n := range networks {
		switch n.name {
		case "GAE", "VGAE", "ARGE", "ARVGE", "Graph2Gauss":
			for _, size := range []int{1, 7, 25} {
				s := narrowed(n.settings, n.narrow, 2)
				s.BatchSize = size
				train(t, g, x, s)
			}
		}
	}
}

// The embedding of VGAE is μ: without draws.
func TestVariationalEmbeddingIsTheMean(t *testing.T) {
	g, x := weighted(14, 6)
	m := train(t, g, x, narrowed(VGAE, gnn.Network{plainGCN(5), gnn.ReLU(), codeGCN(4, true)}, 2))
	theta := func(name string) *mat.Dense { p, _ := m.Parameter(name); return p }
	w := testkit.DenseOf(coles.Normalize(g))
	rows := mat.DenseCopyOf(x) // of length 5, as the setting for every graph has them
	for i := range 14 {
		row := rows.RawRowView(i)
		length := mat.Norm(rows.RowView(i), 2)
		for j := range row {
			row[j] *= 5 / length
		}
	}
	hidden := testkit.Product(w, rows, theta("0.weight"))
	hidden.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, hidden)
	testkit.WantClose(t, "the embedding", m.Embedding(), testkit.Product(w, hidden, theta("2.weight")), 1e-12)
}
