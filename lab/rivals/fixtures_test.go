package rivals

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
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
	read := testkit.ReadFixture("..", "..", "gnn", "autodiff", "testdata", name+".json")
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
	return testkit.Must(coles.NewGraph(int(f.Number("nodes")), edges, coles.WithWeights(weights)))
}

// sampleOf draws the sample of a file in every step; a file without levels has none.
func sampleOf(f testkit.Fixture) custom.Sampler {
	if f["levels"] == nil {
		return custom.Sampler{}
	}
	s := &custom.Sample{}
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
	return custom.Sampler{Name: "fixture", Start: func(context.Context, *coles.Graph, []int, uint64) (custom.Samples, error) {
		return func(context.Context, int) iter.Seq2[*custom.Sample, error] {
			return func(yield func(*custom.Sample, error) bool) { yield(s, nil) }
		}, nil
	}}
}

// The networks of systems for large graphs, narrow ones without dropout, have torch's outputs, losses
// and gradients of all parameters. The first layer multiplies the identity where the file has no
// features, so that its gradient is the gradient of the input of the others. Two steps of gradient descent
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
			loss := func(s *custom.Step[float64], y *autodiff.Value[float64]) *autodiff.Value[float64] {
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
			probe := func(s *custom.Step[float64]) *autodiff.Value[float64] {
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
				y := s.Output(&custom.View{})
				value := loss(s, y)
				if s.Epoch() == 0 {
					testkit.WantClose(t, "output", dense(y), denseOf(matrixOf(f.Rows("out"))), torchTolerance)
					testkit.WantClose(t, "loss", dense(value), mat.NewDense(1, 1, []float64{f.Number("loss")}), torchTolerance)
				}
				return value
			}
			s := MLP("")
			s.Network, s.Sampler, s.BatchSize, s.Epochs, s.Precision = network, sampleOf(f), 0, 2, coles.Float64
			s.Optimizer, s.Objective = optim.SGD(rate, 0), objectiveOf(bare, probe)
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

// Whole systems, narrow and without dropout, have torch's losses, gradients, parameters after an epoch
// by the authors' setting, and embedding. testdata/systems/systems.py makes the files.
func TestSystemsEqualTorch(t *testing.T) {
	defer func(rates struct{ inputs, weights float64 }, widths []int) {
		maskedDropout, discriminatorWidths = rates, widths
	}(maskedDropout, discriminatorWidths)
	maskedDropout.inputs, maskedDropout.weights = 0, 0
	discriminatorWidths = []int{4, 3, 1}
	type step = *custom.Step[float64]
	type value = *autodiff.Value[float64]
	type draws = map[string]any
	none := func(step) draws { return draws{} }
	normals := func(name string, columns int, deviation float64) func(s step) draws {
		return func(s step) draws {
			made := draws{name: rowsOf(normal[float64](s.Rand(), s.Nodes(), columns, deviation))}
			if s.Phase() == discriminating {
				made["prior"] = rowsOf(normal[float64](s.Rand(), s.Nodes(), 3, 1))
			}
			return made
		}
	}
	mask, attended := masking{share: 0.5, replaced: 0.4, gamma: 3}, attention{heads: 2}.layer(4)
	for name, c := range map[string]struct {
		settings gnn.Settings
		network  gnn.Network
		spec     custom.ObjectiveSpec
		loss     func(s step) value
		draws    func(s step) draws // in the order of the loss
	}{
		"grace": {
			GRACE("citeseer"), gnn.Network{gnn.GCN(6), gnn.PReLU(), gnn.GCN(3), gnn.PReLU()}, graceSpec(4),
			func(s step) value { return graceLoss(s, 0.9, 0) }, none,
		},
		"ccassg": {
			CCASSG("cora"), gnn.Network{gnn.GCN(6), gnn.ReLU(), gnn.GCN(3)}, bare,
			func(s step) value { return ccaLoss(s, 1e-3) }, none,
		},
		"bgrl": {
			unscheduled(BGRL("")), bootstrapNetwork(500, 6, 3), bootstrapSpec(4), bootstrapLoss[float64],
			func(s step) draws { s.Output(&custom.View{}); return draws{} }, // a training has to have statistics
		},
		"polygcl": {
			PolyGCL(""), gnn.Network{filterLayer(4, 10, 0), gnn.ReLU(), mixLayer(4, 10)}, custom.ObjectiveSpec{Parameters: polynomialParameters},
			polynomialLoss[float64], func(s step) draws { return draws{"shuffled": s.Rand().Perm(s.Nodes())} },
		},
		"graphcl": {
			GraphCL(""), gnn.Network{gnn.GCN(4), gnn.PReLU()}, custom.ObjectiveSpec{Parameters: infomaxParameters},
			infomaxLoss[float64], func(s step) draws { return draws{"shuffled": s.Rand().Perm(s.Nodes())} },
		},
		"vgae": {
			VGAE("cora"), gnn.Network{plainGCN(4), gnn.ReLU(), codeGCN(3, true)}, bare,
			func(s step) value { return autoencoderLoss(s, true) }, normals("epsilon", 3, 1),
		},
		"arge": {
			ARGE(""), gnn.Network{plainGCN(4), gnn.ReLU(), noise(0.1), codeGCN(3, false)}, adversarialSpec(),
			func(s step) value { return adversarialLoss(s, false, s.Phase()) }, normals("noise", 4, 0.1),
		},
		"arvge": {
			ARVGE(""), gnn.Network{plainGCN(4), gnn.ReLU(), codeGCN(3, true)}, adversarialSpec(),
			func(s step) value { return adversarialLoss(s, true, s.Phase()) }, normals("epsilon", 3, 1),
		},
		"graphmae": {
			GraphMAE("cora"), gnn.Network{attended, gnn.PReLU(), attended, gnn.PReLU()}, custom.ObjectiveSpec{Parameters: maskingParameters},
			func(s step) value { return maskedLoss(s, mask) }, func(s step) draws {
				rows, masked := mask.draw(s.Nodes(), s.Rand())
				return draws{"rows": rows, "masked": masked}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := testkit.ReadFixture("testdata", "systems", name+".json")
			start := matricesOf(f.Inner("start"))
			s := c.settings
			s.Network, s.Precision, s.Patience = c.network, coles.Float64, 0
			if s.Augmentation.String() != (gnn.Augmentation{}).String() {
				s.Augmentation = viewsOfFile(f)
			}
			trained := func(o optim.Optimizer, epochs int, loss func(s step) value) *gnn.Model {
				s.Optimizer, s.Epochs = o, epochs
				s.Objective = objectiveOf(c.spec, loss)
				return train(t, graphOf(f), denseOf(matrixOf(f.Rows("features"))), s)
			}
			// A training from the start, with the parameters before each step, and its loss.
			traced := func(o optim.Optimizer, epochs int) (states []map[string]*mat.Dense, losses []float64, m *gnn.Model) {
				m = trained(o, epochs, func(s step) value {
					state := map[string]*mat.Dense{}
					for name, first := range start {
						if len(states) == 0 {
							kernel.Copy(s.Parameter(name).Data(), autodiff.Matrix[float64](first.RawMatrix()))
						}
						state[name] = dense(s.Parameter(name))
					}
					loss := c.loss(s)
					states, losses = append(states, state), append(losses, loss.Scalar())
					return loss
				})
				return states, losses, m
			}
			optimizer := s.Optimizer
			var made []draws
			trained(optimizer, 1, func(s step) value {
				made = append(made, c.draws(s))
				all := s.Constant(autodiff.NewMatrix[float64](1, 1))
				for name := range start {
					all = s.Add(all, s.Sum(s.Parameter(name)))
				}
				return all
			})
			wantInFile(t, f, "draws", made)

			descent, _, _ := traced(optim.SGD(1, 0), 2)
			for name, want := range matricesOf(f.Inner("gradient")) {
				var got mat.Dense
				got.Sub(start[name], descent[1][name])
				testkit.WantClose(t, "gradient of "+name, &got, want, torchTolerance)
			}
			states, losses, _ := traced(optimizer, 2)
			steps := len(made)
			var loss []float64
			f.Decode("loss", &loss)
			testkit.WantClose(t, "losses", mat.NewDense(1, steps, losses[:steps]), mat.NewDense(1, len(loss), loss), torchTolerance)
			for name, want := range matricesOf(f.Inner("after")) {
				testkit.WantClose(t, name+" after an epoch", states[steps][name], want, torchTolerance)
			}
			_, _, m := traced(optimizer, 1)
			testkit.WantClose(t, "embedding", m.Embedding(), denseOf(matrixOf(f.Rows("embedding"))), torchTolerance)
		})
	}
}

// unscheduled are settings at one rate.
func unscheduled(s gnn.Settings) gnn.Settings {
	s.Schedule = optim.Schedule{}
	return s
}

// matricesOf are the members of an object.
func matricesOf(f testkit.Fixture) map[string]*mat.Dense {
	all := map[string]*mat.Dense{}
	for name := range f {
		all[name] = denseOf(matrixOf(f.Rows(name)))
	}
	return all
}

// rowsOf are the rows of a matrix.
func rowsOf(m autodiff.Matrix[float64]) (rows [][]float64) {
	for i := range m.Rows {
		rows = append(rows, denseOf(m).RawRowView(i))
	}
	return rows
}

// viewsOfFile makes the views of a file in every epoch.
func viewsOfFile(f testkit.Fixture) gnn.Augmentation {
	return gnn.NewAugmentation("views of a file", true, func(_ context.Context, g *coles.Graph, _ mat.Matrix, _ *rand.Rand) (views []*custom.View, err error) {
		var read []struct {
			Kept, Rows []int
			Columns    []float64
		}
		f.Decode("views", &read)
		for _, v := range read {
			q := -1
			seen := g.Without(func(coles.Edge) bool { q++; return !slices.Contains(v.Kept, q) })
			views = append(views, &custom.View{Graph: seen, Columns: v.Columns, Rows: v.Rows})
		}
		return views, nil
	})
}

// wantInFile compares what is drawn here with a member of a file, and prints it where it is another.
func wantInFile(t *testing.T, f testkit.Fixture, name string, drawn any) {
	t.Helper()
	text := testkit.Must(json.Marshal(drawn))
	var got, want any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	f.Decode(name, &want)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is now\n%s", name, text)
	}
}
