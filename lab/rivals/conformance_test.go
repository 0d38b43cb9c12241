package rivals

import (
	"bytes"
	"context"
	"io"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/embedtest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// networks are the systems that are trained without labels.
var networks = []struct {
	name     string
	settings func(dataset string) gnn.Settings
	// narrow is a network of the same kind with at most 8 columns.
	narrow gnn.Network
	// trained are the numbers of parameters for the 1433, 3703 and 500 features of Cora, Citeseer and
	// Pubmed, counted by hand from the layers that the papers describe.
	trained [3]int
}{
	{"DGI", DGI, gnn.Network{gnn.GCN(6), gnn.PReLU()}, [3]int{996_354, 2_158_594, 193_794}},
	{"GraphCL", GraphCL, gnn.Network{gnn.GCN(6), gnn.PReLU()}, [3]int{996_354, 2_158_594, 193_794}},
	{"CCA-SSG", CCASSG, gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(5)}, [3]int{996_864, 1_896_448, 519_168}},
	{"SCE", SCE, gnn.Network{sceLayer(5)}, [3]int{1_729_536, 4_054_016, 321_536}},
	// One more than theirs on Citeseer, where both PReLU have one slope.
	{"GRACE", GRACE, gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(5), gnn.ReLU()}, [3]int{433_024, 2_159_362, 519_424}},
	{"GCA", GCA, gnn.Network{gnn.GCN(8), gnn.PReLU(), gnn.GCN(5), gnn.PReLU()}, [3]int{433_024, 2_159_362, 519_424}},
	{"GAE", GAE, gnn.Network{plainGCN(8), gnn.ReLU(), plainGCN(5)}, [3]int{46_368, 119_008, 16_512}},
	{"VGAE", VGAE, gnn.Network{plainGCN(8), gnn.ReLU(), codeGCN(5, true)}, [3]int{46_880, 119_520, 17_024}},
	{"ARGE", ARGE, gnn.Network{plainGCN(8), gnn.ReLU(), noise(0.1), plainGCN(5)}, [3]int{51_105, 123_745, 21_249}},
	{"ARVGE", ARVGE, gnn.Network{plainGCN(8), gnn.ReLU(), codeGCN(5, true)}, [3]int{52_129, 124_769, 22_273}},
	{"Graph2Gauss", Graph2Gauss, gnn.Network{gnn.Linear(8), gnn.ReLU(), gaussian(5)}, [3]int{799_872, 1_962_112, 322_176}},
	{"GraphSAGE", UnsupervisedGraphSAGE, gnn.Network{sageLayer(8), gnn.ReLU(), sageLayer(6), unitRowsLayer()}, [3]int{432_384, 1_013_504, 193_536}},
	{"GraphSAGE-GCN", UnsupervisedGraphSAGEGCN, gnn.Network{sageMeanLayer(8), gnn.ReLU(), sageMeanLayer(6), unitRowsLayer()}, [3]int{432_384, 1_013_504, 193_536}},
	{"GraphSAGE-LSTM", UnsupervisedGraphSAGELSTM, gnn.Network{sageLSTMLayer(8, 25), gnn.ReLU(), sageLSTMLayer(6, 10), unitRowsLayer()}, [3]int{1_245_824, 2_698_624, 648_704}},
	{"BGRL", BGRL, bootstrapNetwork(3, 6, 5), [3]int{532099, 1113219, 293251}},
	// Without dropout, which draws for the features that are stored.
	{"PolyGCL", PolyGCL, gnn.Network{filterLayer(6, 10, 0), gnn.ReLU(), mixLayer(6, 10)}, [3]int{996_375, 2_158_615, 518_680}},
	{"GraphMAE", GraphMAE, maskedNetwork(), [3]int{1_999_053, 4_330_343, 3_128_798}},
}

// narrowed are the settings for every graph with a narrow network, for some epochs in float64.
func narrowed(settings func(string) gnn.Settings, narrow gnn.Network, epochs int) gnn.Settings {
	s := settings("")
	s.Network, s.Epochs, s.Precision = narrow, epochs, coles.Float64
	return s
}

// words is a graph of n nodes, the last two isolated, with d words.
func words(seed uint64, n, d int) (*coles.Graph, mat.Matrix) {
	rnd := testkit.Random(seed)
	x, _ := testkit.RandomWords(rnd, n, d)
	return testkit.Must(coles.NewGraph(n, testkit.RandomEdges(rnd, n-2, 6/float64(n)))), x
}

// train trains by settings.
func train(t *testing.T, g *coles.Graph, x mat.Matrix, s gnn.Settings, opts ...gnn.Option) *gnn.Model {
	t.Helper()
	m, err := gnn.Train(ctx, g, x, append([]gnn.Option{gnn.WithSettings(s)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every system keeps the promises of the module.
func TestConformance(t *testing.T) {
	for _, n := range networks {
		t.Run(n.name, func(t *testing.T) {
			embedtest.Test(t, embedtest.Embedder{
				Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
					return gnn.Train(ctx, g, x, gnn.WithSettings(narrowed(n.settings, n.narrow, 3)))
				},
				Read:         func(r io.Reader) (embedtest.Model, error) { return gnn.ReadModel(r, n.narrow...) },
				OrderMatters: true,
				Errors:       []error{gnn.ErrDiverged},
			})
		})
	}
}

// A training goes on from a checkpoint's file, once its functions are set anew, as if nothing had
// happened.
func TestResumedTrainingHasTheSameBytes(t *testing.T) {
	g, x := words(3, 40, 12)
	for _, n := range networks {
		t.Run(n.name, func(t *testing.T) {
			s := narrowed(n.settings, n.narrow, 5)
			var file bytes.Buffer
			want := train(t, g, x, s, gnn.WithCheckpoints(2, func(c *gnn.Checkpoint) error {
				if c.Epoch() == 2 {
					testkit.Must(c.WriteTo(&file))
				}
				return nil
			}))
			read := testkit.Must(gnn.ReadCheckpoint(&file))
			again := read.Settings()
			again.Network, again.Objective, again.Augmentation, again.Sampler = s.Network, s.Objective, s.Augmentation, s.Sampler
			got := testkit.Must(gnn.Resume(ctx, read, g, x, gnn.WithSettings(again)))
			testkit.WantSame(t, "embedding", testkit.Bits(got.Embedding()), testkit.Bits(want.Embedding()))
		})
	}
}

// objectiveOf is a loss in float64, for trainings that do not ask for another.
func objectiveOf(spec custom.ObjectiveSpec, loss func(*custom.Step[float64]) *autodiff.Value[float64]) gnn.Objective {
	return gnn.NewObjective("probe", spec, func(*custom.Step[float32]) *autodiff.Value[float32] { return nil }, loss)
}
