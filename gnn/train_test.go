package gnn

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The progress of the first epoch, computed from the step itself.
func TestProgressTellsOfTheStep(t *testing.T) {
	g, x := small(80)
	first := progressOf(t, g, x, withEpochs(1))[0]
	r := runOf(t, g, x)
	h := dense(testkit.Must(r.output(ctx)))
	testkit.WantNear(t, "orthogonality", first.Orthogonality, penalty(h), 1e-12)
	loss := testkit.Must(r.gradients(ctx, batchesOf(t, r, 0)[0], 0, newRand(1)))
	squares := 0.0
	for _, p := range r.encoder.params {
		for _, v := range p.grad.Data {
			squares += v * v
		}
	}
	testkit.WantNear(t, "gradient's norm", first.GradientNorm, math.Sqrt(squares), 1e-12)
	testkit.WantNear(t, "loss", first.Loss, loss, 1e-15)
	if first.Epoch != 1 || first.Epochs != 1 {
		t.Errorf("%+v, want epoch 1 of 1", first)
	}
	if !math.IsNaN(first.Score) || !math.IsNaN(first.Best) {
		t.Errorf("score %v, best %v before any judgement", first.Score, first.Best)
	}
}

// The loss of an epoch in batches is the mean over nodes.
func TestLossOfBatchesIsTheMeanOverNodes(t *testing.T) {
	g, x := small(81)
	opts := []Option{With(func(s *Settings) { s.BatchSize, s.Epochs = 15, 1 }), withOptimizer(optim.SGD(1e-300, 0))}
	r := runOf(t, g, x, opts...)
	sum := 0.0
	for _, b := range batchesOf(t, r, 0) {
		sum += testkit.Must(r.gradients(ctx, b, 0, newRand(1))) * float64(b.graph.Nodes())
	}
	testkit.WantNear(t, "loss", progressOf(t, g, x, opts...)[0].Loss, sum/40, 1e-13)
}

// Two views that are the graph itself, but for one edge or column in 10³⁰⁰, have its loss.
func TestLossOfViewsIsTheirMean(t *testing.T) {
	g, x := small(82)
	plain := progressOf(t, g, x)[0].Loss
	rare := [2]float64{1e-300, 1e-300}
	testkit.WantNear(t, "loss of two views", progressOf(t, g, x, withAugmentation(Drop(rare, rare)))[0].Loss, plain, 1e-13)
}

func TestSeedDecides(t *testing.T) {
	g, x := small(6)
	for _, c := range cases {
		train := func(seed uint64) []uint64 {
			return testkit.Bits(trained(t, g, x, append(c.opts, withSeed(seed))...).Embedding())
		}
		if slices.Equal(train(1), train(2)) {
			t.Errorf("%s: another seed gives the same bytes", c.name)
		}
	}
}

// Float32 follows Float64: 1e-3 is some thousand roundings of 1e-7, grown over six steps.
func TestPrecisionsAgree(t *testing.T) {
	g, x := small(7)
	for _, c := range cases {
		double := trained(t, g, x, c.opts...).Embedding()
		single := trained(t, g, x, append(c.opts, withPrecision(coles.Float32))...).Embedding()
		testkit.WantClose(t, c.name, single, double, 1e-3)
	}
}

// Callbacks look on: with them a training has the same bytes. A score may keep, and change, what it
// is shown.
func TestCallbacksChangeNothing(t *testing.T) {
	g, x := small(50)
	for _, c := range cases {
		plain := trained(t, g, x, c.opts...)
		epochs := 0
		watched := trained(t, g, x, append(c.opts,
			WithEpochReport(func(p EpochReport) {
				if epochs++; p.Epoch != epochs || p.Epochs != 6 {
					t.Errorf("%s: epoch %d of %d, want %d of 6", c.name, p.Epoch, p.Epochs, epochs)
				}
			}),
			WithCheckpoints(1, func(*Checkpoint) error { return nil }),
			WithValidation(1, 1, func(_ context.Context, epoch int, y *mat.Dense) (float64, error) {
				y.Zero()
				return float64(epoch), nil
			}))...)
		if epochs != 6 || !slices.Equal(testkit.Bits(watched.Embedding()), testkit.Bits(plain.Embedding())) {
			t.Errorf("%s: %d epochs reported, or other bytes", c.name, epochs)
		}
	}
}

func TestCheckpointsAndJudgementsComeWhenTheyShould(t *testing.T) {
	g, x := small(83)
	var saved, judged []int
	trained(t, g, x, withEpochs(8),
		WithCheckpoints(3, func(c *Checkpoint) error { saved = append(saved, c.Epoch()); return nil }),
		WithValidation(3, 2, func(_ context.Context, epoch int, _ *mat.Dense) (float64, error) {
			judged = append(judged, epoch)
			return float64(epoch), nil
		}))
	if !slices.Equal(saved, []int{3, 6}) {
		t.Errorf("checkpoints after epochs %v, want every third", saved)
	}
	if !slices.Equal(judged, []int{3, 6, 8}) {
		t.Errorf("judged after epochs %v, want every third and the last", judged)
	}
}

// The parameters come from the best epoch: a training that ends there has the same.
func TestValidationGoesBackToTheBest(t *testing.T) {
	g, x := small(23)
	judged, short := trained(t, g, x, withEpochs(50), WithValidation(1, 3, rising)), trained(t, g, x, withEpochs(4))
	if r := judged.Report(); r.Epochs != 7 || r.BestEpoch != 4 {
		t.Errorf("%d epochs, the best %d, want 3 more than the 4 of the best", r.Epochs, r.BestEpoch)
	}
	testkit.WantSame(t, "the embedding", testkit.Bits(judged.Embedding()), testkit.Bits(short.Embedding()))
}

// Patience counts judgements, and of scores alike the first is the best.
func TestPatienceCountsJudgements(t *testing.T) {
	g, x := small(84)
	alike := func(context.Context, int, *mat.Dense) (float64, error) { return 1, nil }
	r := trained(t, g, x, withEpochs(50), WithValidation(3, 4, alike)).Report()
	if r.BestEpoch != 3 || r.Epochs != 15 {
		t.Errorf("%d epochs, the best %d; want 4 judgements of 3 epochs beyond the third", r.Epochs, r.BestEpoch)
	}
}

// The first epoch of so low a rank is the last, also where nobody looks on.
func TestRankStopEndsAtTheFirstEpochThatLow(t *testing.T) {
	g, x := small(24)
	opts := []Option{withObjective(COLES(0)), withEpochs(200), withRankStop(2.5)}
	epochs := progressOf(t, g, x, opts...)
	for k, p := range epochs {
		if (p.Rank <= 2.5) != (k == len(epochs)-1) {
			t.Errorf("rank %.3f after %d of %d epochs", p.Rank, k+1, len(epochs))
		}
	}
	if e := trained(t, g, x, opts...).Report().Epochs; e == 200 || e != len(epochs) {
		t.Errorf("%d epochs, %d with somebody looking on", e, len(epochs))
	}
}

// AutoWidth is 512, or 256 up to 512 features; what comes in bounds an orthonormal layer, and the
// classes are the width of a classifier's last.
func TestAutoWidth(t *testing.T) {
	auto := Network{GCN(AutoWidth), ReLU(), GCN(AutoWidth)}
	for _, c := range []struct {
		n          Network
		d, classes int
		want       string
	}{
		{auto, 512, 0, "gcn:256 → relu → gcn:256"},
		{auto, 513, 0, "gcn:512 → relu → gcn:512"},
		{auto, 513, 7, "gcn:512 → relu → gcn:7"},
		{Network{GCN(16), Dropout(0.5), GCN(AutoWidth)}, 9, 3, "gcn:16 → dropout:0.5 → gcn:3"},
		{Network{GCN(AutoWidth).Orthonormal()}, 100, 0, "gcn:100,orthonormal"},
		{Network{GCN(AutoWidth).Orthonormal()}, 400, 0, "gcn:256,orthonormal"},
		{Network{GCN(30), GCN(AutoWidth).Orthonormal()}, 1000, 0, "gcn:30 → gcn:30,orthonormal"},
		{Network{SAGE(4), ELU(), PReLU(), Propagate(coles.SGC(2))}, 4, 0, "sage:4 → elu → prelu → propagate:sgc:2"},
	} {
		if got := c.n.resolve(c.d, c.classes).String(); got != c.want {
			t.Errorf("%v for %d features and %d classes is %v, want %v", c.n, c.d, c.classes, got, c.want)
		}
	}
}

func TestParametersHaveNames(t *testing.T) {
	g, x := small(21)
	m := trained(t, g, x, withNetwork(SAGE(6), PReLU(), GCN(4)))
	want := []string{"0.self", "0.neighbors", "0.bias", "1.slope", "2.weight", "2.bias"}
	testkit.WantSame(t, "parameters", m.Parameters(), want)
	p, ok := m.Parameter("0.self")
	if r, c := p.Dims(); !ok || r != 12 || c != 6 {
		t.Errorf("0.self is %d × %d", r, c)
	}
	p.Set(0, 0, 1000) // a copy
	if again, _ := m.Parameter("0.self"); again.At(0, 0) == 1000 {
		t.Error("Parameter hands out what the model keeps")
	}
	if _, ok := m.Parameter("nothing"); ok {
		t.Error("there is a parameter called nothing")
	}
}

// The report records the training and its input: the hashes equal coles.Fit's.
func TestReportTellsWhatWasDone(t *testing.T) {
	g, x := small(22)
	r := trained(t, g, x, WithValidation(1, 2, rising)).Report()
	if r.Epochs != 6 || r.BestEpoch != 4 || r.Dim != 5 || r.Features != 12 || r.Parameters != 12*8+8+8*5+5 || r.Memory <= 0 || r.Rank <= 0 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"40 nodes", "149 parameters", "6 epochs, the best 4"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("the report lacks %q:\n%v", want, r)
		}
	}
	fitted := testkit.Must(coles.Fit(ctx, g, x, coles.WithDim(3))).Report()
	if r.GraphHash != fitted.GraphHash || r.FeaturesHash != fitted.FeaturesHash || r.Version != fitted.Version || r.Version == "" {
		t.Errorf("hashes and version %s, %s, %s, of a fit %s, %s, %s", r.GraphHash, r.FeaturesHash, r.Version, fitted.GraphHash, fitted.FeaturesHash, fitted.Version)
	}
}

// A counted matrix counts how often its entries are read.
type counted struct {
	mat.Matrix
	reads *int
}

func (m counted) At(i, j int) float64 {
	*m.reads++
	return m.Matrix.At(i, j)
}

// Every entry of X is read and checked once, by a training as by Embed, and not at all where
// another package of the module has.
func TestFeaturesAreReadOnce(t *testing.T) {
	g, x := small(26)
	filtered := withNetwork(Propagate(coles.SGC(1)), Propagate(coles.SGC(2)), Linear(3))
	reads := 0
	m := trained(t, g, counted{x, &reads}, filtered, With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareAuto, 2 }))
	if reads != 40*12 {
		t.Errorf("training has read %d entries of %d", reads, 40*12)
	}
	reads = 0
	if testkit.Must(m.Embed(ctx, g, counted{x, &reads})); reads != 40*12 {
		t.Errorf("Embed has read %d entries of %d", reads, 40*12)
	}
	source := testkit.Must(matrix.Read(ctx, x))
	if again := testkit.Must(readFeatures(ctx, g, source)); again != source {
		t.Error("a matrix that has been checked is read again")
	}
}

// Settings that were handed in or out are the caller's to change.
func TestSettingsAreNotShared(t *testing.T) {
	g, x := small(49)
	layers := []Layer{GCN(8), ReLU(), GCN(5)}
	var c *Checkpoint
	m := trained(t, g, x, withNetwork(layers...), WithCheckpoints(6, func(now *Checkpoint) error { c = now; return nil }))
	layers[0], m.Settings().Network[0], c.Settings().Network[0] = GCN(99), GCN(99), GCN(99)
	for _, s := range []Settings{m.Settings(), c.Settings()} {
		if got := s.Network.String(); got != "gcn:8 → relu → gcn:5" {
			t.Errorf("the network is %s", got)
		}
	}
}

// Nodes far from a new one keep their embeddings, and it gets one.
func TestGrownGraphsAreEmbedded(t *testing.T) {
	g := grid(8)
	_, x := testkit.RandomWords(testkit.Random(18), 65, 12)
	m := trained(t, g, x.Slice(0, 64, 0, 12), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 1 }))
	edges, weights := edgesOf(inside.Adjacency(g))
	grown := testkit.Must(coles.NewGraph(65, append(edges, coles.Edge{U: 0, V: 64}), coles.WithWeights(append(weights, 1))))
	y := testkit.Must(m.Embed(ctx, grown, x))
	row := func(y *mat.Dense, i int) mat.Matrix { return y.Slice(i, i+1, 0, 5) }
	testkit.WantClose(t, "a node 14 edges away", row(y, 63), row(m.Embedding(), 63), 1e-13)
	if mat.Norm(row(y, 64), 2) == 0 {
		t.Error("the new node has no embedding")
	}
	if testkit.MaxDiff(row(y, 0), row(m.Embedding(), 0)) == 0 {
		t.Error("its neighbour did not move")
	}
}
