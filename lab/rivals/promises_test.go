package rivals

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A fit is a computation of which the promises of the module are checked.
type fit func(ctx context.Context) (mat.Matrix, error)

// sampledFits are trainings in several steps of sampled systems. They are narrow ones, at a size where
// drawing is shared out.
func sampledFits(t *testing.T, epochs int) map[string]fit {
	g, x := words(1, 3000, 60)
	labels, nodes := inTurn(g, 3), upTo(g.Nodes())
	told := func(opts ...gnn.Option) (options []gnn.Option, all func() error) {
		last := 0
		options = append(opts, gnn.With(func(s *gnn.Settings) { s.Epochs = epochs }), gnn.WithEpochReport(func(p gnn.EpochReport) {
			if last++; p.Epoch != last {
				t.Errorf("epoch %d is told, want %d", p.Epoch, last)
			}
		}))
		return options, func() error {
			if last != epochs {
				return fmt.Errorf("%d of %d epochs were told", last, epochs)
			}
			return nil
		}
	}
	fits := map[string]fit{"unsupervised GraphSAGE": func(ctx context.Context) (mat.Matrix, error) {
		options, all := told(gnn.WithSettings(UnsupervisedGraphSAGE("")), gnn.With(func(s *gnn.Settings) {
			s.Network = gnn.Network{sageLayer(8), gnn.ReLU(), sageLayer(6), unitRowsLayer()}
		}))
		m, err := gnn.Train(ctx, g, x, options...)
		if err != nil {
			return nil, err
		}
		return m.Embedding(), all()
	}}
	for _, c := range largeSystems {
		s := c.settings(0)
		if s.Sampler.String() == (custom.Sampler{}).String() {
			continue
		}
		if s.Network = c.narrow(0); c.name == "GraphSAINT" {
			s.Sampler = subgraphSampler(200, 4, 10)
		}
		s.Patience = epochs // none ends before the last one
		fits[c.name] = func(ctx context.Context) (mat.Matrix, error) {
			options, all := told(gnn.WithSettings(s))
			m, err := gnn.TrainClassifier(ctx, g, x, labels, nodes[:2500], nodes[2500:], options...)
			if err != nil {
				return nil, err
			}
			if err := all(); err != nil {
				return nil, err
			}
			return m.Scores(ctx, g, x)
		}
	}
	if len(fits) != 6 {
		t.Fatalf("%d sampled systems, want 6", len(fits))
	}
	return fits
}

// At a size where work is shared out, the bytes equal the bytes of one processor.
func TestBytesDoNotDependOnProcessors(t *testing.T) {
	fits := sampledFits(t, 2)
	g, x := words(1, testkit.Draws(375), 60)
	for _, n := range networks {
		s := narrowed(n.settings, n.narrow, 2)
		s.Precision = coles.Float32
		fits[n.name] = func(context.Context) (mat.Matrix, error) { return train(t, g, x, s).Embedding(), nil }
	}
	for name, g := range map[string]*coles.Graph{
		"weighted": testkit.RandomGraph(1, 1100, 0.005), "unweighted": testkit.Must(coles.NewGraph(1100, testkit.Ring(1100, 3))),
	} {
		fits["skip-gram, "+name] = func(ctx context.Context) (mat.Matrix, error) { return smallSkipGram().Fit(ctx, g, nil) }
		fits["GraphZoom, "+name] = func(ctx context.Context) (mat.Matrix, error) { return zoomed(ctx, smallZoom(), g) }
		fits["correct and smooth, "+name] = func(ctx context.Context) (mat.Matrix, error) {
			scores := testkit.RandomDense(testkit.Random(7), g.Nodes(), 3)
			return DefaultCorrectAndSmooth().Apply(ctx, g, scores, []int{2, 5, 11, 20}, []int{0, 2, 1, 1})
		}
	}
	for name, fit := range fits {
		t.Run(name, func(t *testing.T) {
			var first []uint64
			testkit.ForProcessors(t, func(procs int) {
				got := testkit.Bits(testkit.Must(fit(ctx)))
				if first == nil {
					first = got
				}
				testkit.WantSame(t, fmt.Sprint("procs=", procs), got, first)
			})
		})
	}
}

// What takes long ends with its context: trainings, and what is made of a graph before the first step.
func TestComputationsEndWithTheirContext(t *testing.T) {
	calls := map[string]func(ctx context.Context) error{}
	for name, fit := range sampledFits(t, 500) {
		calls[name] = func(ctx context.Context) error { return testkit.Err(fit(ctx)) }
	}
	const n = 100_000
	ring := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 3)))
	for name, change := range map[string]func(s *SkipGram){
		"walks":   func(s *SkipGram) { s.Q = 0.01 },
		"steps":   func(s *SkipGram) { s.Walks, s.Length, s.Parts = 1, 20, 1 },
		"vectors": func(s *SkipGram) { s.Walks, s.Length, s.Window, s.Dim, s.Parts = 1, 2, 1, 512, 1 },
	} {
		s := DeepWalk()
		change(&s)
		calls[name] = func(ctx context.Context) error { return testkit.Err(s.Fit(ctx, ring, nil)) }
	}
	calls["coarsening"] = func(ctx context.Context) error {
		_, _, err := smallZoom().Coarsen(ctx, ring)
		return err
	}
	many, wide := words(6, 5000, 100)
	calls["SIGN features"] = func(ctx context.Context) error { return testkit.Err(SIGNFeatures(ctx, many, wide, 20)) }
	scores := testkit.RandomDense(testkit.Random(7), 5000, 20)
	calls["correct and smooth"] = func(ctx context.Context) error {
		return testkit.Err(DefaultCorrectAndSmooth().Apply(ctx, many, scores, []int{2, 5, 11, 20}, []int{0, 2, 1, 1}))
	}

	var edges []coles.Edge
	var weights []float64
	for u := range n {
		for k := range 10 {
			edges, weights = append(edges, coles.Edge{U: u, V: (u + 1 + k*k) % n}), append(weights, 1+float64(k))
		}
	}
	g := testkit.Must(coles.NewGraph(n, edges, coles.WithWeights(weights)))
	for name, of := range map[string]func(context.Context, *coles.Graph) (*sparse.CSR, error){
		"means": sparseMeans, "row means": rowMeans, "neighbours": closedNeighbours, "framelets": frameletOperator(1, math.Cos),
	} {
		calls[name] = func(ctx context.Context) error { return testkit.Err(of(ctx, g)) }
	}
	calls["pairs"] = func(ctx context.Context) error { return testkit.Err(newPairs(ctx, g, 512, sageCounts, 1)) }
	calls["importance"] = func(ctx context.Context) error { return testkit.Err(newImportance(ctx, g, 400)) }
	calls["counted subgraphs"] = func(ctx context.Context) error {
		s, err := newSubgraphs(ctx, g, []int{0, n / 2}, 2000, 4)
		if err != nil {
			return err
		}
		return s.count(ctx, 5000, 1)
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}

// Networks have as many parameters as in the papers. Citeseer, the widest, is left out unless
// COLES_SHARED is set.
func TestParametersAreThoseOfThePapers(t *testing.T) {
	sets := []struct {
		name              string
		features, classes int
	}{{"cora", 1433, 7}, {"citeseer", 3703, 6}, {"pubmed", 500, 3}}
	for k, set := range sets {
		if os.Getenv("COLES_SHARED") == "" && set.name == "citeseer" {
			continue
		}
		g, x := words(2, 20, set.features)
		for _, n := range networks {
			got := train(t, g, x, withEpochs(n.settings(set.name), 1)).Report().Parameters
			testkit.WantSame(t, n.name+" on "+set.name, got, n.trained[k])
		}
		for _, c := range classifiers {
			got := testkit.Must(classify(ctx, g, x, set.classes, withEpochs(c.settings(set.name), 1))).Report().Parameters
			testkit.WantSame(t, c.name+" on "+set.name, got, c.trained[k])
		}
	}
	const nodes = 90
	g, x := words(2, nodes, 128)
	for _, c := range largeSystems {
		given := x
		if c.features != nil {
			given = testkit.Must(c.features(ctx, g, x))
		}
		got := testkit.Must(classify(ctx, g, given, 40, withEpochs(c.settings(nodes), 1))).Report().Parameters
		if c.fixed { // 9 for each node
			got += 9 * (c.nodes - nodes)
		}
		testkit.WantSame(t, c.name, got, c.trained)
	}
	// The perceptron takes an embedding and 128 features: the sizes of ogbn-arxiv, and the COLES paper's
	// number.
	g, x = words(2, nodes, 256)
	head := testkit.Must(classify(ctx, g, x, 40, withEpochs(MLP(""), 1))).Report().Parameters
	coarse := 68_912 // nodes that the closed coarsening leaves
	testkit.WantSame(t, "GraphZoom", coarse*DefaultGraphZoom().Embedding.Dim+head, 8_963_624)
	testkit.WantSame(t, "node2vec", 169_343*Node2Vec(1, 1).Dim+head, 21_818_792)
}

func withEpochs(s gnn.Settings, epochs int) gnn.Settings {
	s.Epochs = epochs
	return s
}

// Settings survive JSON but for the functions in them, of which the names stay.
func TestSettingsSurviveJSON(t *testing.T) {
	all := map[string]any{}
	for _, name := range []string{"cora", "cora_full", "citeseer", "pubmed", "amazon_photo", ""} {
		for _, n := range networks {
			all[n.name+" for "+name] = n.settings(name)
		}
		for _, c := range classifiers {
			all[c.name+" for "+name] = c.settings(name)
		}
	}
	for _, c := range largeSystems {
		all[c.name] = c.settings(90)
	}
	zoom := smallZoom()
	zoom.Levels, zoom.Threshold, zoom.Lambda, zoom.Seed = 3, 0.2, 0.4, 5
	all["GraphZoom"], all["node2vec"] = zoom, Node2Vec(0.25, 4)
	for name, settings := range all {
		text := string(testkit.Must(json.Marshal(settings)))
		read := reflect.New(reflect.TypeOf(settings))
		if err := json.Unmarshal([]byte(text), read.Interface()); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		testkit.WantSame(t, name, string(testkit.Must(json.Marshal(read.Elem().Interface()))), text)
		if !strings.Contains(fmt.Sprintf("%T", settings), "gnn.") { // without functions
			testkit.WantSame(t, name, read.Elem().Interface(), settings)
		}
	}
	want := `{"walks":10,"length":80,"window":10,"dim":128,"negatives":5,"p":0.25,"q":4,"rate":0.025,"parts":8,"seed":1}`
	testkit.WantSame(t, "node2vec", string(testkit.Must(json.Marshal(all["node2vec"]))), want)
}

// Settings that make no sense, or not with one another, are refused.
func TestWrongSettingsAreRefused(t *testing.T) {
	with := func(s gnn.Settings, change func(s *gnn.Settings)) gnn.Settings { change(&s); return s }
	augmented := func(s gnn.Settings, a gnn.Augmentation) gnn.Settings {
		return with(s, func(s *gnn.Settings) { s.Augmentation = a })
	}
	aimed := func(s gnn.Settings, o gnn.Objective) gnn.Settings {
		return with(s, func(s *gnn.Settings) { s.Objective = o })
	}
	one := gnn.NewAugmentation("one", true, func(context.Context, *coles.Graph, mat.Matrix, *rand.Rand) ([]*custom.View, error) {
		return []*custom.View{{}}, nil
	})
	all := map[string]gnn.Settings{
		"CCA-SSG of one view": augmented(CCASSG(""), one),
		"GRACE of one view":   augmented(GRACE(""), gnn.Augmentation{}),
		"τ = 0":               aimed(GRACE(""), GRACEObjective(0, 4, 0)),
		"no τ":                aimed(GRACE(""), GRACEObjective(math.NaN(), 4, 0)),
		"anchors":             aimed(GRACE(""), GRACEObjective(1, 4, -1)),
		"head":                aimed(GRACE(""), GRACEObjective(1, 0, 0)),
		"hops":                aimed(Graph2Gauss(""), Graph2GaussObjective(0)),
	}
	for _, rate := range []float64{-0.1, 1, math.NaN()} {
		all[fmt.Sprint("edges dropped at ", rate)] = augmented(GCA(""), AdaptiveDrop([2]float64{0, rate}, [2]float64{}))
		all[fmt.Sprint("features dropped at ", rate)] = augmented(GCA(""), AdaptiveDrop([2]float64{}, [2]float64{rate, 0}))
	}
	// Networks that do not end as the objective needs it.
	for _, s := range []gnn.Settings{VGAE(""), ARVGE(""), Graph2Gauss("")} {
		for k, layers := range []gnn.Network{{gnn.GCN(5), gnn.GCN(4)}, {codeGCN(4, true)}, {gaussian(4)}, {codeGCN(4, true), gnn.ReLU()}} {
			all[fmt.Sprint(s.Objective, " on network ", k)] = with(s, func(s *gnn.Settings) { s.Network = layers })
		}
	}
	g, x := words(6, 20, 12)
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(gnn.Train(ctx, g, x, gnn.WithSettings(s))), coles.ErrSetting)
		})
	}
	s := MixHop("")
	s.Network = gnn.Network{gnn.GCN(gnn.AutoWidth)}
	testkit.WantError(t, testkit.Err(classify(ctx, g, x, 3, s)), coles.ErrSetting)
	testkit.WantSame(t, "the name of hops", Graph2GaussObjective(2).String(), "custom:graph2gauss hops=2")
}
