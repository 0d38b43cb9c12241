package rivals

import (
	"context"
	"iter"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A fixture is a loss and its gradients as torch has them in float64.
type fixture struct {
	*autodiff.Tape[float64]
	testkit.Fixture
	gradients map[string]autodiff.Matrix[float64] // of the variables
}

// readFixture reads a file of package autodiff.
func readFixture(name string) *fixture {
	read := testkit.ReadFixture("..", "gnn", "autodiff", "testdata", name+".json")
	return &fixture{autodiff.New[float64](ctx), read, map[string]autodiff.Matrix[float64]{}}
}

func matrixOf(rows [][]float64) autodiff.Matrix[float64] {
	m := autodiff.NewMatrix[float64](len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Data[i*m.Stride:], r)
	}
	return m
}

// variable is a matrix of the file that the loss is differentiated by.
func (f *fixture) variable(name string) *autodiff.Value[float64] {
	m := matrixOf(f.Rows(name))
	f.gradients[name] = autodiff.NewMatrix[float64](m.Rows, m.Cols)
	return f.Variable(m, f.gradients[name])
}

// check compares a loss and the gradients of the variables with the file's.
func (f *fixture) check(t *testing.T, loss *autodiff.Value[float64]) {
	t.Helper()
	if err := f.Backward(loss); err != nil {
		t.Fatal(err)
	}
	if got, want := loss.Scalar(), f.Number("loss"); !(math.Abs(got-want) <= torchTolerance) {
		t.Errorf("the loss is %v, want %v", got, want)
	}
	gradients := f.Inner("gradient")
	for name, got := range f.gradients {
		testkit.WantClose(t, "gradient of "+name, denseOf(got), denseOf(matrixOf(gradients.Rows(name))), torchTolerance)
	}
}

// torchTolerance allows for rounding errors of sums of some tens of numbers of order one.
const torchTolerance = 1e-10

// graphOf is the graph of a file.
func graphOf(f testkit.Fixture) *coles.Graph {
	var pairs [][2]int
	var weights []float64
	f.Decode("edges", &pairs)
	f.Decode("weights", &weights)
	edges := make([]coles.Edge, len(pairs))
	for k, p := range pairs {
		edges[k] = coles.Edge{U: p[0], V: p[1]}
	}
	return testkit.Must(coles.NewWeightedGraph(int(f.Number("nodes")), edges, weights))
}

// sampleOf is what a sampler of the sample of a file draws in every step; there is none in a file
// without levels.
func sampleOf(f testkit.Fixture) gnn.Sampler {
	if f["levels"] == nil {
		return gnn.Sampler{}
	}
	s := &gnn.Sample{}
	var dense [][][]float64
	f.Decode("levels", &s.Levels)
	f.Decode("factors", &dense)
	for _, rows := range dense {
		a := &factors{Rows: len(rows), Cols: len(rows[0]), Ptr: []int64{0}}
		for _, row := range rows {
			for j, v := range row {
				if v != 0 {
					a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
				}
			}
			a.Ptr = append(a.Ptr, int64(len(a.Col)))
		}
		s.Factors = append(s.Factors, a)
	}
	return gnn.NewSampler("fixture", func(context.Context, *coles.Graph, []int, uint64) (gnn.Samples, error) {
		return func(context.Context, int) iter.Seq2[*gnn.Sample, error] {
			return func(yield func(*gnn.Sample, error) bool) { yield(s, nil) }
		}, nil
	})
}

// The networks of systems for large graphs, narrow ones without dropout, have torch's outputs, losses
// and gradients of all parameters. The first layer multiplies the identity where the file has no
// features, so that its gradient is that of what comes into the others. Two steps of gradient descent
// leave, in the first, the gradient, and for batch normalisation averages over two passes.
func TestNetworksEqualTorch(t *testing.T) {
	const rate = 1. / 16
	deep := deeperGCN(3, 3, 0).Network
	deep[len(deep)-1] = gnn.Linear(2)
	for name, network := range map[string]gnn.Network{
		"sign":       {gnn.Linear(4), signLayer(2, 3, 0)},
		"deepergcn":  append(gnn.Network{gnn.Linear(4)}, deep...),
		"sage_norm":  {gnn.Linear(3), gnn.SAGE(3), averagedNorm(), gnn.ReLU(), gnn.SAGE(2)},
		"framelet":   {gnn.Linear(3), frameletLayer(2, 8)},
		"graphsage":  {gnn.Linear(4), sageLayer(6), gnn.ReLU(), sageLayer(4), unitRowsLayer(), gnn.Linear(2)},
		"graphsaint": {gnn.Linear(4), saintLayer(2, 6), saintLayer(1, 3), unitRowsLayer(), gnn.Linear(2)},
		"walkloss":   {gnn.Linear(3)},
		"fastgcn":    {gnn.Propagate(coles.SGC(1)), gnn.Linear(3), gnn.ReLU(), gnn.GCN(3)},
	} {
		t.Run(name, func(t *testing.T) {
			f := testkit.ReadFixture("testdata", name+".json")
			loss := func(s *gnn.Step[float64], y *autodiff.Value[float64]) *autodiff.Value[float64] {
				switch name {
				case "walkloss":
					return walkLoss(s)
				case "fastgcn":
					var classes []int
					f.Decode("classes", &classes)
					return withDecay(s, s.SoftmaxCrossEntropy(y, []int{0, 1, 2, 3}, classes))
				}
				return s.Sum(s.Mul(y, s.Constant(matrixOf(f.Rows("C")))))
			}
			start, gradients := f.Inner("parameters"), f.Inner("gradient")
			probe := func(s *gnn.Step[float64]) *autodiff.Value[float64] {
				for name := range start {
					first, p := matrixOf(start.Rows(name)), s.Parameter(name).Data()
					if s.Epoch() == 0 {
						kernel.Copy(p, first)
						continue
					}
					taken := denseOf(first)
					taken.Sub(taken, denseOf(p))
					taken.Scale(1/rate, taken)
					testkit.WantClose(t, "gradient of "+name, taken, denseOf(matrixOf(gradients.Rows(name))), torchTolerance)
				}
				y := s.Output(&gnn.View{})
				value := loss(s, y)
				if s.Epoch() == 0 {
					testkit.WantClose(t, "output", denseOf(y.Data()), denseOf(matrixOf(f.Rows("out"))), torchTolerance)
					testkit.WantClose(t, "loss", denseOf(value.Data()), mat.NewDense(1, 1, []float64{f.Number("loss")}), torchTolerance)
				}
				return value
			}
			single := func(*gnn.Step[float32]) *autodiff.Value[float32] { return nil }
			s := MLP("")
			s.Network, s.Sampler, s.BatchSize, s.Epochs, s.Precision = network, sampleOf(f), 0, 2, coles.Float64
			s.Optimizer, s.Objective = gnn.SGD(rate, 0), gnn.NewObjective("probe", bare, single, probe)
			g := graphOf(f)
			x := testkit.DenseOf(mat.NewDiagDense(g.Nodes(), slices.Repeat([]float64{1}, g.Nodes())))
			if f["X"] != nil {
				x = denseOf(matrixOf(f.Rows("X")))
			}
			m := train(t, g, x, s)
			if trained := len(trainedOf(m)); trained != len(start) {
				t.Errorf("%d parameters, the file has %d", trained, len(start))
			}
			if f["evaluated"] != nil {
				testkit.WantClose(t, "output in evaluation", m.Embedding(), denseOf(matrixOf(f.Rows("evaluated"))), torchTolerance)
			}
		})
	}
}

func TestCorrectAndSmoothEqualsTorch(t *testing.T) {
	f := testkit.ReadFixture("testdata", "correctandsmooth.json")
	var nodes, classes []int
	f.Decode("train", &nodes)
	f.Decode("classes", &classes)
	c := CorrectAndSmooth{Correct: f.Number("correct"), Smooth: f.Number("smooth"), Steps: int(f.Number("steps"))}
	got := testkit.Must(c.Apply(ctx, graphOf(f), denseOf(matrixOf(f.Rows("scores"))), nodes, classes))
	testkit.WantClose(t, "what it makes of the scores", got, denseOf(matrixOf(f.Rows("out"))), torchTolerance)
}
