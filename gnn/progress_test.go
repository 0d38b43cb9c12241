package gnn

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// What Progress says of the first epoch, computed from the step itself.
func TestProgressTellsOfTheStep(t *testing.T) {
	g, x := small(80)
	var first Progress
	opts := smallOptions(WithEpochs(1), WithProgress(func(p Progress) { first = p }))
	must(Train(ctx, g, x, opts...))
	r := must(newRun[float64](ctx, must(newConfig(DefaultSettings(), opts)), g, x, 0))
	h := must(r.output(ctx))
	gram := product(dense(h).T(), dense(h))
	gram.Scale(1.0/40, gram)
	for j := range h.Cols {
		gram.Set(j, j, gram.At(j, j)-1)
	}
	if want := math.Pow(mat.Norm(gram, 2), 2) / 5; math.Abs(first.Orthogonality-want) > 1e-12*want {
		t.Errorf("orthogonality %v, want %v", first.Orthogonality, want)
	}
	loss := must(r.gradients(ctx, must(r.fullBatch(ctx, 0)), newRand(1)))
	squares := 0.0
	for _, p := range r.encoder.params {
		for _, v := range p.grad.Data {
			squares += v * v
		}
	}
	if want := math.Sqrt(squares); math.Abs(first.GradientNorm-want) > 1e-12*want {
		t.Errorf("gradient of norm %v, want %v", first.GradientNorm, want)
	}
	if first.Loss != loss {
		t.Errorf("loss %v, want %v", first.Loss, loss)
	}
	if !math.IsNaN(first.Score) || !math.IsNaN(first.Best) {
		t.Errorf("score %v, best %v before any judgement", first.Score, first.Best)
	}
}

// The loss of an epoch in batches is the mean over nodes.
func TestLossOfBatchesIsTheMeanOverNodes(t *testing.T) {
	g, x := small(81)
	opts := smallOptions(WithBatchSize(15), WithEpochs(1), WithOptimizer(SGD(1e-300, 0)))
	r := must(newRun[float64](ctx, must(newConfig(DefaultSettings(), opts)), g, x, 0))
	sum := 0.0
	if err := r.eachBatch(ctx, 0, func(_ int, b *batch[float64]) error {
		sum += must(r.gradients(ctx, b, newRand(1))) * float64(b.n)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var got float64
	must(Train(ctx, g, x, append(opts, WithProgress(func(p Progress) { got = p.Loss }))...))
	if math.Abs(got-sum/40) > 1e-13*math.Abs(got) {
		t.Errorf("loss %v, want %v", got, sum/40)
	}
}

// Two views that are the graph itself, but for one edge or column in 10³⁰⁰, have its loss.
func TestLossOfViewsIsTheirMean(t *testing.T) {
	g, x := small(82)
	first := func(opts ...Option) (loss float64) {
		must(Train(ctx, g, x, smallOptions(append(opts, WithEpochs(1), WithProgress(func(p Progress) { loss = p.Loss }))...)...))
		return loss
	}
	plain := first()
	views := first(WithAugmentation(Augmentation{[2]float64{1e-300, 1e-300}, [2]float64{1e-300, 1e-300}}))
	if math.Abs(plain-views) > 1e-13*math.Abs(plain) {
		t.Errorf("loss %v of two views, %v of one", views, plain)
	}
}

func TestCheckpointsAndJudgementsComeWhenTheyShould(t *testing.T) {
	g, x := small(83)
	var saved, judged []int
	must(Train(ctx, g, x, smallOptions(WithEpochs(8),
		WithCheckpoints(3, func(c *Checkpoint) error { saved = append(saved, c.Epoch()); return nil }),
		WithValidation(func(_ context.Context, epoch int, _ *mat.Dense) (float64, error) {
			judged = append(judged, epoch)
			return float64(epoch), nil
		}, 3, 2))...))
	if !slices.Equal(saved, []int{3, 6}) {
		t.Errorf("checkpoints after epochs %v, want every third", saved)
	}
	if !slices.Equal(judged, []int{3, 6, 8}) {
		t.Errorf("judged after epochs %v, want every third and the last", judged)
	}
}

// Patience counts judgements, and of scores alike the first is the best.
func TestPatienceCountsJudgements(t *testing.T) {
	g, x := small(84)
	alike := func(context.Context, int, *mat.Dense) (float64, error) { return 1, nil }
	r := must(Train(ctx, g, x, smallOptions(WithEpochs(50), WithValidation(alike, 3, 4))...)).Report()
	if r.BestEpoch != 3 || r.Epochs != 15 {
		t.Errorf("%d epochs, the best %d; want 4 judgements of 3 epochs beyond the third", r.Epochs, r.BestEpoch)
	}
}

// The rank is measured for the rule even where nobody looks on.
func TestRankStopNeedsNoProgress(t *testing.T) {
	g, x := small(24)
	opts := smallOptions(WithObjective(COLES(0)), WithEpochs(200), WithRankStop(2.5))
	alone := must(Train(ctx, g, x, opts...))
	watched := must(Train(ctx, g, x, append(opts, WithProgress(func(Progress) {}))...))
	if e := alone.Report().Epochs; e == 200 || e != watched.Report().Epochs {
		t.Errorf("%d epochs, %d with somebody looking on", e, watched.Report().Epochs)
	}
}

// Decay leaves an orthonormal weight alone, coupled or not, and the others not.
func TestDecayLeavesTheManifoldAlone(t *testing.T) {
	g, x := small(85)
	train := func(o Optimizer, layers ...Layer) []uint64 {
		return bits(must(Train(ctx, g, x, smallOptions(WithObjective(COLES(0)), WithOptimizer(o), WithNetwork(layers...))...)).Embedding())
	}
	for _, o := range []Optimizer{Adam(0.01), SGD(0.1, 0.5)} {
		for _, decayed := range []Optimizer{o.WithDecay(0.3), o.WithDecoupledDecay(0.3)} {
			if !slices.Equal(train(o, GCN(5).Orthonormal()), train(decayed, GCN(5).Orthonormal())) {
				t.Error("decay moves a weight on the manifold")
			}
			if slices.Equal(train(o, GCN(5)), train(decayed, GCN(5))) {
				t.Error("decay moves nothing")
			}
		}
	}
}

func TestCancelledBeforeItBegan(t *testing.T) {
	g, x := small(86)
	labels := make([]int, 40)
	labels[0] = 1
	var c *Checkpoint
	m := must(Train(ctx, g, x, smallOptions(WithCheckpoints(2, func(now *Checkpoint) error { c = now; return nil }))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{0}, WithEpochs(1)))
	over, cancel := context.WithCancel(ctx)
	cancel()
	for door, call := range map[string]func() error{
		"Train":             func() error { return second(Train(over, g, x, smallOptions()...)) },
		"Train, batches":    func() error { return second(Train(over, g, x, smallOptions(WithBatchSize(9))...)) },
		"Train, orthogonal": func() error { return second(Train(over, g, x, smallOptions(WithNetwork(GCN(3).Orthonormal()))...)) },
		"Resume":            func() error { return second(Resume(over, c, g, x, WithEpochs(9))) },
		"TrainClassifier":   func() error { return second(TrainClassifier(over, g, x, labels, []int{0, 1}, []int{0})) },
		"Embed":             func() error { return second(m.Embed(over, g, x)) },
		"Predict":           func() error { return second(k.Predict(over, g, x)) },
		"Scores":            func() error { return second(k.Scores(over, g, x)) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v, want context.Canceled", door, err)
		}
	}
}

// AutoWidth is 512, or 256 up to 512 features; what comes in bounds an orthonormal
// layer, and the classes are the width of a classifier's last.
func TestAutoWidth(t *testing.T) {
	auto := Network{GCN(AutoWidth), ReLU(), GCN(AutoWidth)}
	for _, c := range []struct {
		n          Network
		d, classes int
		want       string
	}{
		{auto, 512, 0, "gcn(256) → relu → gcn(256)"},
		{auto, 513, 0, "gcn(512) → relu → gcn(512)"},
		{auto, 513, 7, "gcn(512) → relu → gcn(7)"},
		{Network{GCN(16), Dropout(0.5), GCN(AutoWidth)}, 9, 3, "gcn(16) → dropout(0.5) → gcn(3)"},
		{Network{GCN(AutoWidth).Orthonormal()}, 100, 0, "gcn(100) orthonormal"},
		{Network{GCN(AutoWidth).Orthonormal()}, 400, 0, "gcn(256) orthonormal"},
		{Network{GCN(30), GCN(AutoWidth).Orthonormal()}, 1000, 0, "gcn(30) → gcn(30) orthonormal"},
		{Network{SAGE(4), ELU(), PReLU(), Propagate(coles.SGC(2))}, 4, 0, "sage(4) → elu → prelu → propagate(SGC(2))"},
	} {
		if got := must(c.n.resolve(c.d, c.classes)).String(); got != c.want {
			t.Errorf("%v for %d features and %d classes is %v, want %v", c.n, c.d, c.classes, got, c.want)
		}
	}
}

func TestObjectivesHaveNames(t *testing.T) {
	for want, o := range map[string]Objective{
		"coles(β = 10)":           COLES(10),
		"sampled-nce(5, η = 0.5)": SampledNCE(5, 0.5),
		"power-mean(p = -1, 3)":   PowerMean(-1, 3),
		"cross-entropy":           ClassifierSettings().Objective,
	} {
		if o.String() != want {
			t.Errorf("%q, want %q", o, want)
		}
	}
}

// The scores of before an interruption are still known after it.
func TestResumedProgressKnowsTheScores(t *testing.T) {
	g, x := small(87)
	var c *Checkpoint
	must(Train(ctx, g, x, smallOptions(WithEpochs(9), WithValidation(rising, 2, 9), WithCheckpoints(5, func(now *Checkpoint) error { c = now; return nil }))...))
	c = must(ReadCheckpoint(bytes.NewReader(fileOf(c))))
	var first *Progress
	must(Resume(ctx, c, g, x, WithValidation(rising, 4, 9), WithProgress(func(p Progress) {
		if first == nil {
			first = &p
		}
	})))
	// After epoch 5 the newest judgement is that of the fourth, −|4 − 4|; the next is that of the eighth.
	if first.Epoch != 6 || first.Score != 0 || first.Best != 0 {
		t.Errorf("%+v", *first)
	}
}
