package rivals

import (
	"context"
	"io"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn"
	"coles/internal/embedtest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// largeSystem is one for large graphs that is a network.
type largeSystem struct {
	name     string
	settings func(nodes int) gnn.Settings
	// features replace the features of a graph; nil for these.
	features func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error)
	narrow   func(nodes int) gnn.Network // of the same kind
	// fixed is set if the network is for its own graph only.
	fixed bool
	// trained are the numbers of parameters for the 128 features, 40 classes and nodes of
	// ogbn-arxiv: from the papers, but for GCN and MLP, whose numbers OGB's programs print, and the last, counted
	// by hand from their layers.
	trained, nodes int
}

var largeSystems = []largeSystem{
	{name: "MLP", settings: ofAnyGraph(MLP), narrow: narrowBaseline(gnn.Linear), trained: 110_120},
	{name: "MLP head", settings: ofAnyGraph(MLPHead), narrow: narrowBaseline(gnn.Linear), trained: 110_120},
	{name: "GCN", settings: ofAnyGraph(GCN), narrow: narrowBaseline(gnn.GCN), trained: 110_120},
	{name: "SAGE", settings: ofAnyGraph(SAGE), narrow: narrowBaseline(gnn.SAGE), trained: 218_664},
	{name: "softmax regression", settings: ofAnyGraph(SoftmaxRegression), narrow: func(int) gnn.Network { return gnn.Network{gnn.Linear(gnn.AutoWidth)} }, trained: 5_160},
	{
		name: "SIGN", settings: func(int) gnn.Settings { return SIGN(SIGNHops) }, features: hopFeatures(SIGNHops), trained: 3_566_128,
		narrow: func(int) gnn.Network {
			return gnn.Network{signLayer(SIGNHops+1, 4, 0.5), gnn.PReLU(), gnn.Dropout(0.3), gnn.Linear(gnn.AutoWidth)}
		},
	},
	{
		name: "DeeperGCN", settings: ofAnyGraph(DeeperGCN), trained: 491_176,
		narrow: func(int) gnn.Network { return deeperGCN(3, 5, 0.5).Network },
	},
	{
		name: "FrameLet", settings: func(nodes int) gnn.Settings { return FrameLet("ogbn-arxiv", nodes) }, fixed: true, trained: 1_633_183, nodes: 169_343,
		narrow: func(nodes int) gnn.Network {
			return gnn.Network{frameletLayer(6, nodes), gnn.ReLU(), gnn.Dropout(0.2), frameletLayer(gnn.AutoWidth, nodes)}
		},
	},
	{
		name: "GraphSAGE", settings: ofAnyGraph(GraphSAGE), trained: 256*(128+256) + 257*40,
		narrow: func(int) gnn.Network {
			return gnn.Network{sageLayer(6), gnn.ReLU(), sageLayer(8), unitRowsLayer(), gnn.Linear(gnn.AutoWidth)}
		},
	},
	{
		name: "GraphSAGE-GCN", settings: ofAnyGraph(GraphSAGEGCN), trained: 256*(128+256) + 257*40,
		narrow: func(int) gnn.Network {
			return gnn.Network{sageMeanLayer(6), gnn.ReLU(), sageMeanLayer(8), unitRowsLayer(), gnn.Linear(gnn.AutoWidth)}
		},
	},
	{
		name: "GraphSAGE-LSTM", settings: ofAnyGraph(GraphSAGELSTM), trained: 640*(128+256) + 2*(128*128+129*512) + 257*40,
		narrow: func(int) gnn.Network {
			return gnn.Network{sageLSTMLayer(6, 25), gnn.ReLU(), sageLSTMLayer(8, 10), unitRowsLayer(), gnn.Linear(gnn.AutoWidth)}
		},
	},
	{
		name: "GraphSAINT", settings: ofAnyGraph(GraphSAINT), trained: 2*(128*128+384)*2 + 2*(256*128+384) + 129*40,
		narrow: func(int) gnn.Network {
			return gnn.Network{saintLayer(2, 8), gnn.Dropout(0.2), saintLayer(1, 6), saintLayer(2, 8), unitRowsLayer(), gnn.Linear(gnn.AutoWidth)}
		},
	},
	{
		name: "FastGCN", settings: ofAnyGraph(FastGCN), trained: 129*128 + 129*40,
		narrow: func(int) gnn.Network {
			return gnn.Network{gnn.Propagate(coles.SGC(1)), gnn.Linear(6), gnn.ReLU(), gnn.GCN(gnn.AutoWidth)}
		},
	},
}

func ofAnyGraph(settings func(dataset string) gnn.Settings) func(nodes int) gnn.Settings {
	return func(int) gnn.Settings { return settings("") }
}

func hopFeatures(hops int) func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error) {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error) {
		all, err := SIGNFeatures(ctx, g, x, hops)
		if err != nil {
			return nil, err
		}
		return all, nil
	}
}

func narrowBaseline(layer func(width int) gnn.Layer) func(nodes int) gnn.Network {
	return func(int) gnn.Network {
		return gnn.Network{layer(6), averagedNorm(), gnn.ReLU(), gnn.Dropout(0.3), layer(gnn.AutoWidth)}
	}
}

// still is a model for its own graph.
type still struct{ y *mat.Dense }

func (s still) Embedding() *mat.Dense { return s.y }

// ofFeatures is a classifier that is given features made of a graph's.
type ofFeatures struct {
	scored
	features func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error)
}

func (s ofFeatures) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	made, err := s.features(ctx, g, x)
	if err != nil {
		return nil, err
	}
	return s.Scores(ctx, g, made)
}

// Systems that learn from labels keep the promises of the module, with their scores as embeddings.
func TestClassifiersConform(t *testing.T) {
	all := slices.Clone(largeSystems)
	for _, c := range classifiers {
		all = append(all, largeSystem{name: c.name, settings: ofAnyGraph(c.settings), narrow: func(int) gnn.Network { return c.narrow }})
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			features, tolerance := c.features, 1e-4 // what is made of features is of float32
			if features == nil {
				features, tolerance = func(_ context.Context, _ *coles.Graph, x mat.Matrix) (mat.Matrix, error) { return x, nil }, 0
			}
			e := embedtest.Embedder{
				Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
					made, err := features(ctx, g, x)
					if err != nil {
						return nil, err
					}
					s := c.settings(g.Nodes())
					s.Network, s.Epochs, s.Precision = c.narrow(g.Nodes()), 3, coles.Float64
					m, err := classify(ctx, g, made, 3, s)
					if err != nil {
						return nil, err
					}
					y, err := m.Scores(ctx, g, made)
					if c.fixed {
						return still{y}, err
					}
					return ofFeatures{scored{m, y}, features}, err
				},
				OrderMatters: true, Errors: []error{gnn.ErrDiverged}, Tolerance: tolerance,
			}
			if !c.fixed {
				e.Read = func(r io.Reader) (embedtest.Model, error) {
					m, err := gnn.ReadClassifier(r, c.narrow(0)...)
					return ofFeatures{scored{m, nil}, features}, err
				}
			}
			embedtest.Test(t, e)
		})
	}
}

// A step takes the memory stated in the doc comments, within a tenth: they count what grows with the
// nodes.
func TestLargeSystemsTakeTheMemoryTheySay(t *testing.T) {
	const nodes = 1000
	g, x := words(3, nodes, 128)
	for _, c := range largeSystems {
		want, ok := map[string]float64{
			"MLP": 13 * 256, "GCN": 13 * 256, "SAGE": 21 * 256, "SIGN": (5 + 21) * 512, "DeeperGCN": 54 * 128, "FrameLet": 31 * 256,
		}[c.name]
		if !ok {
			continue
		}
		given := x
		if c.features != nil {
			given = testkit.Must(c.features(ctx, g, x))
		}
		s := c.settings(nodes)
		s.Epochs = 1
		m := testkit.Must(gnn.TrainClassifier(ctx, g, given, inTurn(g, 40), upTo(nodes)[40:], upTo(40), gnn.WithSettings(s)))
		if got := float64(m.Report().Memory) / 4 / nodes; math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.0f numbers for each node, want %.0f", c.name, got, want)
		}
	}
}

// A framelet network is one for its own graph.
func TestFrameletsAreTransductive(t *testing.T) {
	g, x := words(2, 20, 12)
	m := testkit.Must(classify(ctx, g, x, 3, FrameLet("", 20)))
	grown, more := words(2, 21, 12)
	testkit.WantError(t, testkit.Err(m.Scores(ctx, grown, more)), coles.ErrShape)
}

func TestSIGNFeaturesAreMeansOfMeans(t *testing.T) {
	const n, d, hops = 25, 4, 3
	g, x := words(5, n, d)
	a := unitRows(g.CSR(), 1)
	got := testkit.DenseOf(testkit.Must(SIGNFeatures(ctx, g, x, hops)))
	want := mat.DenseCopyOf(x)
	for k := range hops + 1 {
		testkit.WantClose(t, "hop", got.Slice(0, n, k*d, (k+1)*d), want, 1e-5) // in float32
		want = testkit.Product(a, want)
	}
	// Other features than these are refused.
	testkit.WantError(t, testkit.Err(classify(ctx, g, testkit.DenseOf(x), 3, SIGN(hops+1))), coles.ErrShape)
	testkit.WantError(t, testkit.Err(classify(ctx, g, testkit.SparseOf(x), 3, SIGN(hops))), coles.ErrShape)

	testkit.WantError(t, testkit.Err(SIGNFeatures(ctx, g, x, -1)), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(SIGNFeatures(ctx, g, mat.NewDense(3, 4, nil), 1)), coles.ErrShape)
	for _, hops := range []int{math.MaxInt / 8, math.MaxInt} {
		testkit.WantError(t, testkit.Err(SIGNFeatures(ctx, g, mat.NewDense(n, 4, nil), hops)), coles.ErrTooLarge)
	}
}
