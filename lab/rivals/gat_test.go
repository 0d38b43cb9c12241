package rivals

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// classifiers are the systems that learn from labels.
var classifiers = []struct {
	name     string
	settings func(dataset string) gnn.Settings
	// narrow is a network of the same kind. Of sparse features dropout would draw for other entries
	// than of dense ones, and statistics of all nodes carry information from nodes it is not joined to.
	narrow gnn.Network
	// trained are the numbers trained for Cora, Citeseer and Pubmed, of 1433, 3703 and 500 features and
	// 7, 6 and 3 classes, counted by hand from the layers that the papers describe.
	trained [3]int
}{
	{"GAT", GAT, gnn.Network{attention{heads: 2, parts: 0.3, weights: 0.4}.layer(6), gnn.ELU(), gnn.Dropout(0.2),
		attention{heads: 3, weights: 0.2, mean: true}.layer(gnn.AutoWidth)}, [3]int{92_373, 237_586, 33_779}},
	{"MixHop", MixHop, gnn.Network{gnn.Dropout(0), mixHopLayer([]int{3, 1, 2}), gnn.Dropout(0), gnn.ReLU(), gnn.Dropout(0.3),
		mixHopOutput([]int{0, 2, 1})}, [3]int{86_882, 223_323, 30_784}},
}

// inTurn are labels i mod classes.
func inTurn(g *coles.Graph, classes int) []int {
	labels := upTo(g.Nodes())
	for i := range labels {
		labels[i] %= classes
	}
	return labels
}

// classify trains on the labels i mod 3 of the first nodes.
func classify(ctx context.Context, g *coles.Graph, x mat.Matrix, classes int, s gnn.Settings) (*gnn.Classifier, error) {
	n := g.Nodes()
	train, val := upTo(n)[:min(classes, n)], upTo(n)[min(classes, n):min(2*classes, n)]
	return gnn.TrainClassifier(ctx, g, x, inTurn(g, classes), train, val, gnn.WithSettings(s))
}

// scored is a classifier with its scores as embeddings.
type scored struct {
	*gnn.Classifier
	y *mat.Dense
}

func (s scored) Embedding() *mat.Dense { return s.y }

func (s scored) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	return s.Scores(ctx, g, x)
}

// The output of layers of attention, entry by entry as the paper has it.
func TestAttentionByTheFormula(t *testing.T) {
	const n = 30
	g, x := words(7, n, 12)
	w := testkit.DenseOf(coles.Normalize(g))
	for name, a := range map[string]attention{"joined": {heads: 3}, "averaged": {heads: 3, mean: true}} {
		t.Run(name, func(t *testing.T) {
			s := GAT("")
			s.Network = gnn.Network{a.layer(6)}
			width := map[bool]int{false: 2, true: 6}[a.mean]
			first(t, g, x, s, bare, func(s *custom.Step[float64]) {
				bias := dense(s.Parameter("0.bias"))
				z := testkit.Product(unitRows(x, 1), dense(s.Parameter("0.weight")))
				target, source := dense(s.Parameter("0.target")), dense(s.Parameter("0.source"))
				want := mat.NewDense(n, 6, nil)
				for k := range a.heads {
					part := z.Slice(0, n, k*width, (k+1)*width).(*mat.Dense)
					alpha := attentionOf(w, part, target.RowView(k), source.RowView(k))
					y := testkit.Product(alpha, part)
					for i := range n {
						for j := range width {
							if a.mean {
								want.Set(i, j, want.At(i, j)+y.At(i, j)/float64(a.heads))
							} else {
								want.Set(i, k*width+j, y.At(i, j)+bias.At(0, k*width+j))
							}
						}
					}
				}
				testkit.WantClose(t, "output", dense(s.Output(&custom.View{})), want, 1e-12)
			})
		})
	}
}

// attentionOf is the matrix α of one head for the rows of z, over the pattern of w.
func attentionOf(w mat.Matrix, z *mat.Dense, target, source mat.Vector) *mat.Dense {
	n, _ := z.Dims()
	alpha := mat.NewDense(n, n, nil)
	for i := range n {
		sum := 0.0
		for j := range n {
			if w.At(i, j) != 0 {
				e := mat.Dot(z.RowView(i), target) + mat.Dot(z.RowView(j), source)
				alpha.Set(i, j, math.Exp(max(e, 0.2*e)))
				sum += alpha.At(i, j)
			}
		}
		for j := range n {
			alpha.Set(i, j, alpha.At(i, j)/sum)
		}
	}
	return alpha
}
