package gnn

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"coles/internal/race"

	"coles"

	"gonum.org/v1/gonum/mat"
)

func TestDoorsRefuse(t *testing.T) {
	g, x := small(30)
	nan := mat.NewDense(40, 2, nil)
	nan.Set(3, 1, math.NaN())
	negative := mat.NewDense(40, 2, nil)
	negative.Set(3, 1, -1)
	for _, c := range []struct {
		name string
		g    *coles.Graph
		x    mat.Matrix
		opts []Option
		want error
	}{
		{"no graph", nil, x, nil, coles.ErrShape},
		{"a zero graph", new(coles.Graph), x, nil, coles.ErrShape},
		{"a zero graph, no rows", new(coles.Graph), &mat.Dense{}, nil, coles.ErrShape},
		{"no features", g, nil, nil, coles.ErrEmpty},
		{"a row too many", g, mat.NewDense(41, 2, nil), nil, coles.ErrShape},
		{"NaN", g, nan, nil, coles.ErrNotFinite},
		{"TF-IDF of negative numbers", g, negative, []Option{WithFeatures(coles.PrepareTFIDF, 1)}, coles.ErrPreparation},
		{"no layers", g, x, []Option{WithNetwork()}, coles.ErrSetting},
		{"no weights", g, x, []Option{WithNetwork(Propagate(coles.SGC(2)))}, coles.ErrSetting},
		{"an activation first", g, x, []Option{WithNetwork(ReLU(), GCN(3))}, coles.ErrSetting},
		{"a filter behind dropout", g, x, []Option{WithNetwork(Dropout(0.1), Propagate(coles.SGC(1)), Linear(3))}, coles.ErrSetting},
		{"a filter of nothing", g, x, []Option{WithNetwork(Propagate(coles.Filter{}), Linear(3))}, coles.ErrSetting},
		{"a bad filter", g, x, []Option{WithNetwork(Propagate(coles.SGC(-1)), Linear(3))}, coles.ErrSetting},
		{"a negative width", g, x, []Option{WithNetwork(GCN(-1))}, coles.ErrSetting},
		{"too many orthonormal columns", g, x, []Option{WithNetwork(GCN(13).Orthonormal())}, coles.ErrDim},
		{"orthonormal activation", g, x, []Option{WithNetwork(GCN(3), ReLU().Orthonormal())}, coles.ErrSetting},
		{"orthonormal SAGE", g, x, []Option{WithNetwork(SAGE(3).Orthonormal())}, coles.ErrSetting},
		{"dropout of all", g, x, []Option{WithNetwork(GCN(3), Dropout(1))}, coles.ErrSetting},
		{"no objective", g, x, []Option{WithObjective(Objective{})}, coles.ErrSetting},
		{"β below zero", g, x, []Option{WithObjective(COLES(-1))}, coles.ErrSetting},
		{"η is NaN", g, x, []Option{WithObjective(SampledNCE(3, math.NaN()))}, coles.ErrSetting},
		{"no negatives", g, x, []Option{WithObjective(PowerMean(1, 0))}, coles.ErrSetting},
		{"too many negatives", g, x, []Option{WithObjective(SampledNCE(min(1<<40, math.MaxInt), 1))}, coles.ErrSetting},
		{"p is infinite", g, x, []Option{WithObjective(PowerMean(math.Inf(1), 3))}, coles.ErrSetting},
		{"a classifier's objective", g, x, []Option{WithSettings(ClassifierSettings())}, coles.ErrSetting},
		{"features times zero", g, x, []Option{WithFeatures(coles.PrepareNone, 0)}, coles.ErrSetting},
		{"unknown preparation", g, x, []Option{WithFeatures(99, 1)}, coles.ErrSetting},
		{"κ below zero", g, x, []Option{WithKappa(-1)}, coles.ErrSetting},
		{"η′ above one", g, x, []Option{WithEta(2)}, coles.ErrSetting},
		{"negatives without partners", g, x, []Option{WithNegatives(coles.UniformNegatives(0))}, coles.ErrSetting},
		{"edges dropped always", g, x, []Option{WithAugmentation(Augmentation{DropEdges: [2]float64{1, 0}})}, coles.ErrSetting},
		{"features masked never to be seen", g, x, []Option{WithAugmentation(Augmentation{MaskFeatures: [2]float64{0, -0.1}})}, coles.ErrSetting},
		{"augmented batches", g, x, []Option{WithAugmentation(Augmentation{DropEdges: [2]float64{0.1, 0}}), WithBatchSize(10)}, coles.ErrSetting},
		{"edges dropped behind a filter", g, x, []Option{WithNetwork(Propagate(coles.SGC(1)), Linear(3)), WithAugmentation(Augmentation{DropEdges: [2]float64{0.1, 0}})}, coles.ErrSetting},
		{"no optimizer", g, x, []Option{WithOptimizer(Optimizer{})}, coles.ErrSetting},
		{"no rate", g, x, []Option{WithOptimizer(Adam(0))}, coles.ErrSetting},
		{"an infinite rate", g, x, []Option{WithOptimizer(SGD(math.Inf(1), 0))}, coles.ErrSetting},
		{"momentum without end", g, x, []Option{WithOptimizer(SGD(1, 1))}, coles.ErrSetting},
		{"decay below zero", g, x, []Option{WithOptimizer(Adam(1).WithDecay(-1))}, coles.ErrSetting},
		{"negative warmup", g, x, []Option{WithSchedule(Cosine(-1))}, coles.ErrSetting},
		{"a growing rate", g, x, []Option{WithSchedule(Exponential(1.1))}, coles.ErrSetting},
		{"no epochs", g, x, []Option{WithEpochs(0)}, coles.ErrSetting},
		{"negative batches", g, x, []Option{WithBatchSize(-1)}, coles.ErrSetting},
		{"a negative rank", g, x, []Option{WithRankStop(-1)}, coles.ErrSetting},
		{"a norm of NaN", g, x, []Option{WithNorm(math.NaN())}, coles.ErrSetting},
		{"unknown precision", g, x, []Option{WithPrecision(9)}, coles.ErrSetting},
		{"no patience", g, x, []Option{WithValidation(rising, 1, 0)}, coles.ErrSetting},
		{"validation never", g, x, []Option{WithValidation(rising, 0, 1)}, coles.ErrSetting},
		{"checkpoints never", g, x, []Option{WithCheckpoints(0, func(*Checkpoint) error { return nil })}, coles.ErrSetting},
		{"no settings", g, x, []Option{WithSettings(Settings{})}, coles.ErrSetting},
		{"a score of NaN", g, x, []Option{WithValidation(func(context.Context, int, *mat.Dense) (float64, error) { return math.NaN(), nil }, 1, 1)}, ErrDiverged},
		{"a validation that fails", g, x, []Option{WithValidation(func(context.Context, int, *mat.Dense) (float64, error) { return 0, errNoLuck }, 1, 1)}, errNoLuck},
		{"a rate out of all proportion", g, x, []Option{WithOptimizer(SGD(1e30, 0)), WithEpochs(50)}, ErrDiverged},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Train(ctx, c.g, c.x, smallOptions(c.opts...)...)
			wantError(t, err, c.want)
			if m != nil {
				t.Error("there is a model beside the error")
			}
		})
	}
}

var errNoLuck = errors.New("no luck")

// Graphs at the edge of what is one, and what comes out.
func TestSmallestGraphs(t *testing.T) {
	one := must(coles.NewGraph(1, nil))
	edgeless := must(coles.NewGraph(5, nil))
	for _, c := range cases {
		for name, g := range map[string]*coles.Graph{"one node": one, "no edges": edgeless} {
			x := mat.NewDense(g.Nodes(), 12, nil)
			for i := range g.Nodes() {
				x.Set(i, i, 1)
			}
			m, err := Train(ctx, g, x, smallOptions(c.opts...)...)
			if name == "one node" && c.name == "sampled negatives" {
				wantError(t, err, coles.ErrDense) // there is no other node to draw
				continue
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, name, err)
				continue
			}
			for _, v := range m.Embedding().RawMatrix().Data {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s, %s: %v in the embedding", c.name, name, v)
					break
				}
			}
		}
	}
}

func TestEmbedRefuses(t *testing.T) {
	g, x := small(31)
	m := must(Train(ctx, g, x, smallOptions()...))
	for name, c := range map[string]struct {
		g    *coles.Graph
		x    mat.Matrix
		want error
	}{
		"no graph":         {nil, x, coles.ErrShape},
		"no features":      {g, nil, coles.ErrEmpty},
		"other features":   {g, mat.NewDense(40, 11, nil), coles.ErrShape},
		"rows too few":     {g, mat.NewDense(39, 12, nil), coles.ErrShape},
		"an infinite word": {g, mat.NewDense(40, 12, append(make([]float64, 479), math.Inf(1))), coles.ErrNotFinite},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := m.Embed(ctx, c.g, c.x)
			wantError(t, err, c.want)
		})
	}
	var none *Model
	_, err := none.WriteTo(nil)
	wantError(t, err, coles.ErrEmpty)
}

// A training comes back within 100 ms of its cancellation (ten times that under the
// race detector, whose steps are that much longer) and leaves no goroutine.
func TestCancelledTrainingComesBack(t *testing.T) {
	x, _ := randomWords(32, 2000, 300)
	g := randomGraph(32, 2000, 0.004)
	for _, c := range []struct {
		name string
		opts []Option
	}{
		{"whole", nil},
		{"batches", []Option{WithBatchSize(200)}},
		{"Stiefel", []Option{WithNetwork(GCN(256), ReLU(), GCN(128).Orthonormal())}},
		{"pairs", []Option{WithObjective(SampledNCE(5, 1))}},
	} {
		before := runtime.NumGoroutine()
		late := time.Hour
		for range 3 { // other programs on the machine can only make it longer
			stoppable, cancel := context.WithCancel(ctx)
			var asked time.Time
			opts := append(c.opts, WithEpochs(1_000_000), WithProgress(func(p Progress) {
				if p.Epoch == 2 {
					time.AfterFunc(5*time.Millisecond, func() { asked = time.Now(); cancel() })
				}
			}))
			_, err := Train(stoppable, g, x, opts...)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want context.Canceled", c.name, err)
			}
			if late = min(late, time.Since(asked)); late <= 100*time.Millisecond*race.Slowdown {
				break
			}
		}
		if late > 100*time.Millisecond*race.Slowdown {
			t.Errorf("%s: came back %v after its cancellation", c.name, late)
		}
		for k := 0; runtime.NumGoroutine() > before; k++ {
			if k == 100 {
				t.Fatalf("%s: %d goroutines, %d before", c.name, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
}
