package rivals

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// circulant is a graph of n nodes, with 30 neighbours each, that has few short cycles, and features.
func circulant(n, d int) (*coles.Graph, *mat.Dense) {
	var edges []coles.Edge
	for u := range n {
		for k := range 15 {
			edges = append(edges, coles.Edge{U: u, V: (u + 1 + 7*k*k*k) % n})
		}
	}
	return testkit.Must(coles.NewGraph(n, edges)), testkit.RandomDense(testkit.Random(1), n, d)
}

// Sampled systems take the memory stated in their doc comments. A step's memory is within a quarter of
// the stated maximum: tapes round sizes up by as much at most, and some of the nodes drawn here are
// the same. The memory of all nodes together is within a tenth.
func TestSampledSystemsTakeTheMemoryTheySay(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("some seconds, which the race detector multiplies")
	}
	const d, classes = 128, 8
	lstm := GraphSAGELSTM("")
	lstm.Sampler = neighbourSampler(512/8, sageCounts) // of an eighth of the nodes: as many are the same
	for name, c := range map[string]struct {
		n        int
		settings gnn.Settings
		step     float64 // bytes at most; 0 for what is not said
		all      float64 // bytes for each node; 0 for one without labels
	}{
		"GraphSAGE":              {20_000, GraphSAGE(""), 512 * 11 * 4 * (2*d + 6*256), 4 * 4 * 256},
		"unsupervised GraphSAGE": {20_000, UnsupervisedGraphSAGE(""), 2 * 512 * 11 * 4 * (2*d + 6*256), 0},
		"GraphSAGE-LSTM":         {2500, lstm, (512*297*4*6*128 + 20_000*4*512) / 8, 4 * 2300},
		"GraphSAINT":             {20_000, GraphSAINT(""), 10_000 * 4 * (d + 6100), 4 * 1950},
		"FastGCN":                {20_000, FastGCN(""), 0, 4 * (2*128 + 2*classes)},
	} {
		t.Run(name, func(t *testing.T) {
			enough := errors.New("enough")
			run := func(n, labelled, steps int) (taken, whole float64) {
				g, x := circulant(n, d)
				labels := inTurn(g, classes)
				probe := func(s *custom.Step[float32]) *autodiff.Value[float32] {
					if taken = float64(s.Bytes()); steps == 0 { // of the steps before
						s.Fail(enough)
					}
					steps--
					if c.all == 0 {
						return walkLoss(s)
					}
					rows, at := s.Labels()
					return s.SoftmaxCrossEntropy(s.Output(&custom.View{}), rows, at)
				}
				double := func(*custom.Step[float64]) *autodiff.Value[float64] { return nil }
				s := c.settings
				s.Objective, s.Epochs = gnn.NewObjective("probe", custom.ObjectiveSpec{Labels: c.all > 0, Parameters: noParameters}, probe, double), 1
				if c.all == 0 {
					_, err := gnn.Train(ctx, g, x, gnn.WithSettings(s))
					testkit.WantError(t, err, enough)
					return taken, 0
				}
				m, err := gnn.TrainClassifier(ctx, g, x, labels, upTo(labelled), []int{n - 1}, gnn.WithSettings(s))
				if steps < 0 {
					testkit.WantError(t, err, enough)
					return taken, 0
				}
				return taken, float64(testkit.Must(m, err).Report().Memory)
			}
			if taken, _ := run(c.n, c.n-1, 2); c.step > 0 && math.Abs(taken/c.step-1) > 0.25 {
				t.Errorf("a step takes %.0f bytes, want %.0f", taken, c.step)
			}
			if c.all > 0 {
				const n = 20_000 // beside which parameters are few
				if _, whole := run(n, classes, 100); math.Abs(whole/n/c.all-1) > 0.1 {
					t.Errorf("all nodes take %.0f bytes each, want %.0f", whole/n, c.all)
				}
			}
		})
	}
}

// The counts of GraphSAINT take 5 bytes for each node and 4 for each stored edge.
func TestSubgraphsTakeTheMemoryTheySay(t *testing.T) {
	const n = 20_000
	g, _ := circulant(n, 1)
	want := 5*n + 4*float64(inside.Adjacency(g).NNZ())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	testkit.Must(newSubgraphs(ctx, g, []int{0, 1}, 2, 4))
	runtime.ReadMemStats(&after)
	got := float64(after.TotalAlloc - before.TotalAlloc)
	if math.Abs(got/want-1) > 0.1 {
		t.Errorf("%.0f bytes, want %.0f", got, want)
	}
}

// What skip-gram holds while it trains is 8·n·Dim bytes, half of what Fit takes with its result, and
// about 2 MB·(Window + 1) for the walks at work.
func TestWalksTakeTheMemoryTheySay(t *testing.T) {
	const n = 20_000
	g, _ := circulant(n, 1)
	s := Node2Vec(0.5, 2)
	s.Walks, s.Length, s.Window, s.Negatives = 1, 20, 5, 1
	inside.Adjacency(g) // which the graph keeps
	live := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools hold outlives one collection
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before, most := live(), 0.0
	testkit.Must(s.Fit(ctx, g, func(string, int, int) { most = max(most, live()) }))
	got, want := most-before, float64(8*n*s.Dim+2_000_000*(s.Window+1))
	if math.Abs(got/want-1) > 0.1 {
		t.Errorf("%.0f bytes, want %.0f", got, want)
	}
}
