package gnn

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// labelledRun is a training on labels before its first step.
func labelledRun(t *testing.T, g *coles.Graph, x mat.Matrix, labels, train, val []int, opts ...Option) *run[float64] {
	t.Helper()
	c := testkit.Must(newConfig(ClassifierSettings(), append(opts, withPrecision(coles.Float64))))
	classes := testkit.Must(classesOf(g.Nodes(), labels, train, val))
	return testkit.Must(newRun[float64](ctx, c, g, x, supervision{len(classes), targetsOf(classes, labels, train), targetsOf(classes, labels, val)}))
}

// Every labelled node is in one block of an epoch with its own label, and asked for with a graph of
// the block.
func TestBlocksOfLabelledNodes(t *testing.T) {
	g, x, labels, train, val := separated()
	r := labelledRun(t, g, x, labels, train, val, withBatchSize(5), withNetwork(GCN(4), ReLU(), GCN(AutoWidth)))
	var orders [][]int
	for epoch := range 2 {
		var seen []int
		for _, b := range batchesOf(t, r, epoch) {
			s := stepOf(r, b)
			rows, classes := s.Labels()
			if len(rows) != 4 || s.Nodes() != 4 || s.Graph().Nodes() != 4 || s.Output(&custom.View{}).Rows() != 4 { // of 12, in three blocks
				t.Errorf("%d labels of %d nodes", len(rows), s.Nodes())
			}
			for k, row := range rows {
				i := b.block[row]
				if want := slices.Index([]int{3, 5, 9}, labels[i]); classes[k] != want {
					t.Errorf("node %d has class %d, want %d", i, classes[k], want)
				}
				seen = append(seen, i)
			}
		}
		orders = append(orders, slices.Clone(seen))
		slices.Sort(seen)
		testkit.WantSame(t, "the nodes", seen, train)
	}
	if slices.Equal(orders[0], orders[1]) {
		t.Error("the blocks of two epochs are the same")
	}
}

// A network that does not look at the graph is evaluated part by part, any other as a whole: either is
// what a step makes of all nodes.
func TestEvaluationInParts(t *testing.T) {
	const n = 2*evaluatedNodes + 100
	g := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 1)))
	x := testkit.RandomDense(testkit.Random(1), n, 5)
	labels, train, val := make([]int, n), []int{0, 1, 2}, []int{n - 1, 7, n / 2}
	labels[1], labels[2] = 1, 2
	for _, network := range []Network{{Linear(6), ReLU(), Linear(AutoWidth)}, {Propagate(coles.SGC(2)), Linear(AutoWidth)}, {GCN(AutoWidth)}} {
		r := labelledRun(t, g, x, labels, train, val, withNetwork(network...))
		whole := dense(stepOf(r, batchesOf(t, r, 0)[0]).Output(&custom.View{}).Data())
		for name, nodes := range map[string][]int{"all": nil, "some": val} {
			h, rows, err := r.outputOf(ctx, nodes)
			testkit.Check(t, err)
			if nodes == nil {
				nodes = testkit.UpTo(g.Nodes())
			}
			all, part, want := dense(h), mat.NewDense(len(nodes), 3, nil), mat.NewDense(len(nodes), 3, nil)
			for k, i := range nodes {
				part.SetRow(k, all.RawRowView(rows[k]))
				want.SetRow(k, whole.RawRowView(i))
			}
			// Sums of some tens of numbers, in another order.
			testkit.WantClose(t, network.String()+", "+name, part, want, 1e-13)
		}
	}
}

// withoutMean takes a running mean of its columns off.
func withoutMean() Layer {
	parameters := func(_, width int) []custom.Parameter {
		return []custom.Parameter{{Name: "mean", Rows: 1, Cols: width, Start: 2, Averaged: true}}
	}
	return NewLayer("without mean", custom.LayerSpec{Width: SameWidth, Parameters: parameters}, withoutMeanOf[float32], withoutMeanOf[float64])
}

func withoutMeanOf[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	mean := make([]float64, h.Cols())
	for i := range h.Rows() {
		for j := range mean {
			mean[j] += float64(h.Data().Data[i*h.Data().Stride+j]) / float64(h.Rows())
		}
	}
	p.Average("mean", mean, 0.25)
	return p.Bias(h, p.Scale(p.Parameter("mean"), -1))
}

// A running average moves in training alone and by the layer alone, and is kept with the model. Of
// features that are all ones behind a weight that does not move, the mean of a column is its sum.
func TestRunningAverage(t *testing.T) {
	g, _ := small(30)
	x := mat.NewDense(40, 3, slices.Repeat([]float64{1}, 120))
	opts := []Option{withNetwork(Linear(2), withoutMean()), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }), withPrecision(coles.Float64),
		withOptimizer(optim.Adam(1e-300).WithDecoupledDecay(1)), withObjective(COLES(1)), withEpochs(3), withNorm(0)}
	m := testkit.Must(Train(ctx, g, x, opts...))
	if got := m.Report().Parameters; got != 3*2+2 {
		t.Errorf("%d numbers trained, want 8", got)
	}
	weight, _ := m.Parameter("0.weight")
	mean, _ := m.Parameter("1.mean")
	for j := range 2 {
		sum := weight.At(0, j) + weight.At(1, j) + weight.At(2, j)
		want := sum + (2-sum)*math.Pow(0.75, 3)
		if got := mean.At(0, j); math.Abs(got-want) > 1e-14 {
			t.Errorf("column %d: a running mean of %v, want %v", j, got, want)
		}
		for i, got := range mat.Col(nil, j, m.Embedding()) {
			if math.Abs(got-(sum-want)) > 1e-14 {
				t.Errorf("node %d, column %d: %v, want %v", i, j, got, sum-want)
			}
		}
	}
	read := testkit.Must(ReadModel(bytes.NewReader(fileOf(m)), Linear(2), withoutMean()))
	testkit.WantSame(t, "the embedding", testkit.Bits(testkit.Must(read.Embed(ctx, g, x))), testkit.Bits(m.Embedding()))
}
