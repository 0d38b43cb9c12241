package rivals

import (
	"context"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"coles"
	"coles/gnn"
	"coles/internal/embedtest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// largeSystem is one for large graphs that is a network.
type largeSystem struct {
	name     string
	settings func(nodes int) gnn.Settings
	// features are what the network is given in place of those of a graph; nil for these.
	features func(ctx context.Context, g *coles.Graph, x mat.Matrix) (mat.Matrix, error)
	narrow   func(nodes int) gnn.Network // of the same kind
	// fixed says that the network is one for its own graph.
	fixed bool
	// trained are the numbers trained for 128 features, 40 classes and so many nodes, those of
	// ogbn-arxiv: as the papers print them, but for GCN and MLP, of which OGB's programs print them, and the last, counted
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
				OrderMatters: true, Errors: []error{gnn.ErrDiverged}, Late: time.Second, Tolerance: tolerance,
			}
			if !c.fixed {
				e.Read = func(r io.Reader) (embedtest.Model, error) {
					m, err := gnn.ReadClassifier(r, c.narrow(0)...)
					if err != nil {
						return nil, err
					}
					return ofFeatures{scored{m, nil}, features}, nil
				}
			}
			if err := embedtest.Test(e); err != nil {
				t.Error(err)
			}
		})
	}
}

// A step takes the memory that the doc comments say, within a tenth: they count what grows with the
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
		var train, val []int
		labels := make([]int, nodes)
		for i := range nodes {
			if labels[i] = i % 40; i < 40 {
				val = append(val, i)
			} else {
				train = append(train, i)
			}
		}
		s := c.settings(nodes)
		s.Epochs = 1
		m := testkit.Must(gnn.TrainClassifier(ctx, g, given, labels, train, val, gnn.WithSettings(s)))
		if got := float64(m.Report().Memory) / 4 / nodes; math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.0f numbers for each node, want %.0f", c.name, got, want)
		}
	}
}

// firstStep looks at a network in its first step on all nodes.
func firstStep(t *testing.T, g *coles.Graph, x mat.Matrix, network gnn.Network, look func(s *gnn.Step[float64])) {
	t.Helper()
	s := MLP("")
	s.Network, s.BatchSize = network, 0
	first(t, g, x, s, bare, look)
}

func TestDeeperLayersByTheFormula(t *testing.T) {
	const n, d = 30, 5
	g, x := words(8, n, 12)
	a := testkit.DenseOf(testkit.Must(closedNeighbours(ctx, g)))
	network := gnn.Network{gnn.Linear(d), deeperLayer(true, 0), deeperLayer(false, 0.5)}
	// aggregated adds to every row of z the softmax means of max(z, 0), and multiplies by the weight.
	aggregated := func(z *mat.Dense, s *gnn.Step[float64], layer string) *mat.Dense {
		sums := mat.DenseCopyOf(z)
		for i := range n {
			for c := range d {
				top, bottom := 0.0, 0.0
				for j := range n {
					m := max(z.At(j, c), 0)
					e := a.At(i, j) * math.Exp(m/10)
					top, bottom = top+e*m, bottom+e
				}
				sums.Set(i, c, sums.At(i, c)+top/bottom)
			}
		}
		return testkit.Product(sums, dense(s.Parameter(layer+".weight"))) // the bias is 0 at first
	}
	firstStep(t, g, x, network, func(s *gnn.Step[float64]) {
		outputs := s.Encode(&gnn.View{})
		encoded := dense(outputs[0])
		h := aggregated(encoded, s, "1")
		testkit.WantClose(t, "the first", dense(outputs[1]), h, 1e-12)
	})
	// In evaluation nothing is dropped, and the averages over one step are its statistics.
	s := MLP("")
	s.Network, s.Precision, s.Epochs, s.BatchSize, s.Objective = network, coles.Float64, 1, 0, gnn.COLES(0)
	s.Optimizer = gnn.SGD(1e-300, 0)
	m := train(t, g, x, s)
	var first, second *mat.Dense
	firstStep(t, g, x, network, func(s *gnn.Step[float64]) {
		first = dense(s.Encode(&gnn.View{})[1])
		z := mat.NewDense(n, d, nil)
		for c := range d {
			column := mat.Col(nil, c, first)
			mean, variance := stat.PopMeanVariance(column, nil)
			for i, v := range column {
				z.Set(i, c, max(0, (v-mean)/math.Sqrt(variance+1e-5)))
			}
		}
		second = aggregated(z, s, "2")
		second.Add(second, first)
	})
	testkit.WantClose(t, "the second", m.Embedding(), second, 1e-12)
}

// In evaluation: a perceptron for each hop, side by side, PReLU, and a matrix.
func TestSIGNLayerByTheFormula(t *testing.T) {
	const n, d, width, branches = 20, 4, 3, 3
	g, _ := words(8, n, 12)
	x := testkit.RandomDense(testkit.Random(9), n, d*branches)
	s := MLP("")
	s.Network, s.Precision, s.Epochs, s.BatchSize, s.Objective = gnn.Network{signLayer(branches, width, 0.5)}, coles.Float64, 1, 0, gnn.COLES(0)
	s.Optimizer = gnn.SGD(1e-300, 0)
	m := train(t, g, x, s)
	theta := func(name string) *mat.Dense { return parameter(t, m, "0."+name) }
	bent := func(h *mat.Dense) *mat.Dense { // PReLU with its first slope
		h.Apply(func(_, _ int, v float64) float64 { return max(v, 0) + min(v, 0)/4 }, h)
		return h
	}
	joined, joint := mat.NewDense(n, branches*width, nil), mat.NewDense(branches*width, width, nil)
	for k, name := range []string{"0.", "1.", "2."} {
		h := bent(testkit.Product(x.Slice(0, n, k*d, (k+1)*d), theta(name+"first")))
		joined.Slice(0, n, k*width, (k+1)*width).(*mat.Dense).Mul(h, theta(name+"second")) // the biases are 0 at first
		joint.Slice(k*width, (k+1)*width, 0, width).(*mat.Dense).Copy(theta(name + "joint"))
	}
	testkit.WantClose(t, "the layer", m.Embedding(), testkit.Product(bent(joined), joint), 1e-13)
}

func TestFrameletLayerByTheFormula(t *testing.T) {
	const n = 30
	g, x := words(9, n, 12)
	// The Chebyshev series by the integral of its definition, on another grid: of a smooth periodic
	// function both are exact.
	polynomial := func(level int, mask func(float64) float64) *mat.Dense {
		const points = 200
		var c [2]float64
		for k := range points {
			angle := math.Pi * (float64(k) + 0.5) / points
			v := 2. / points * mask(math.Pi/2*(math.Cos(angle)+1)/2)
			c[0], c[1] = c[0]+v, c[1]+v*math.Cos(angle)
		}
		p := testkit.DenseOf(g.Positive())
		p.Scale(-c[1]*math.Pow(2, float64(level-2)), p)
		for i := range n {
			p.Set(i, i, p.At(i, i)+c[0]/2+c[1]*(math.Pow(2, float64(level-2))-1))
		}
		return p
	}
	p1, p2, q1, q2 := polynomial(1, math.Cos), polynomial(2, math.Cos), polynomial(1, math.Sin), polynomial(2, math.Sin)
	firstStep(t, g, x, gnn.Network{frameletLayer(4, n)}, func(s *gnn.Step[float64]) {
		f := s.Parameter("0.filter").Data()
		product := testkit.Product(x, dense(s.Parameter("0.weight")))
		want := mat.NewDense(n, 4, nil)
		for k, block := range []*mat.Dense{testkit.Product(p2, p1), testkit.Product(q2, p1), q1} {
			filter := mat.NewDense(n, n, nil)
			for i := range n {
				filter.Set(i, i, f.Data[i*f.Stride+k])
			}
			want.Add(want, testkit.Product(block.T(), filter, block, product))
		}
		testkit.WantClose(t, "the layer", dense(s.Output(&gnn.View{})), want, 1e-12)
	})
}

// A framelet network is one for its own graph.
func TestFrameletsAreTransductive(t *testing.T) {
	g, x := words(2, 20, 12)
	m := testkit.Must(classify(ctx, g, x, 3, FrameLet("", 20)))
	grown, more := words(2, 21, 12)
	testkit.WantError(t, testkit.Err(m.Scores(ctx, grown, more)), coles.ErrTransductive)
}

func TestSIGNFeaturesAreMeansOfMeans(t *testing.T) {
	const n, d, hops = 25, 4, 3
	g, x := words(5, n, d)
	a := l1Rows(g.CSR())
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
