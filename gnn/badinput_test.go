package gnn

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestBadMatricesAreRefused(t *testing.T) {
	g, x := small(40)
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	m := trained(t, g, x)
	c := checkpointsOf(t, g, x)[2]
	k := testkit.Must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, WithEpochs(1)))
	doors := map[string]func(x mat.Matrix) error{
		"Train":              func(x mat.Matrix) error { return testkit.Err(Train(ctx, g, x, smallOptions()...)) },
		"Resume":             func(x mat.Matrix) error { return testkit.Err(Resume(ctx, c, g, x)) },
		"Model.Embed":        func(x mat.Matrix) error { return testkit.Err(m.Embed(ctx, g, x)) },
		"Classifier.Predict": func(x mat.Matrix) error { return testkit.Err(k.Predict(ctx, g, x)) },
		"TrainClassifier": func(x mat.Matrix) error {
			return testkit.Err(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}))
		},
	}
	testkit.RefuseMatrices(t, 40, 12, doors)
	for name, open := range doors {
		testkit.WantError(t, open(mat.NewDense(41, 12, nil)), coles.ErrShape)
		if name == "Model.Embed" || name == "Classifier.Predict" {
			testkit.WantError(t, open(mat.NewDense(40, 11, nil)), coles.ErrShape)
		}
	}
	negative := mat.NewDense(40, 12, nil)
	negative.Set(3, 1, -1)
	_, err := Train(ctx, g, negative, smallOptions(WithPreparation(coles.PrepareTFIDF, 1))...)
	testkit.WantError(t, err, coles.ErrNegative)
}

func TestBadSettingsAreRefused(t *testing.T) {
	g, x := small(30)
	huge := min(1<<40, math.MaxInt)
	bent := errors.New("no luck")
	scored := func(score float64, err error) Option {
		return WithValidation(1, 1, func(context.Context, int, *mat.Dense) (float64, error) { return score, err })
	}
	drops := func(first float64) Option { return withAugmentation(Drop([2]float64{first, 0}, [2]float64{})) }
	contrast := func(s coles.NegativeSampler, kappa int, eta float64) Option { return WithContrast(s, kappa, eta) }
	expected := coles.ExpectedDegreeNegatives()
	for _, c := range []struct {
		name string
		opts []Option
		want error
	}{
		{"no layers", []Option{WithNetwork()}, coles.ErrSetting},
		{"no layer", []Option{WithNetwork(GCN(3), Layer{})}, coles.ErrSetting},
		{"no weights", []Option{WithNetwork(Propagate(coles.SGC(2)))}, coles.ErrSetting},
		{"an activation first", []Option{WithNetwork(ReLU(), GCN(3))}, coles.ErrSetting},
		{"a filter behind dropout", []Option{WithNetwork(Dropout(0.1), Propagate(coles.SGC(1)), Linear(3))}, coles.ErrSetting},
		{"a filter of nothing", []Option{WithNetwork(Propagate(coles.Filter{}), Linear(3))}, coles.ErrSetting},
		{"a bad filter", []Option{WithNetwork(Propagate(coles.SGC(-1)), Linear(3))}, coles.ErrSetting},
		{"a negative width", []Option{WithNetwork(GCN(-1))}, coles.ErrSetting},
		{"too many orthonormal columns", []Option{WithNetwork(GCN(13).Orthonormal())}, coles.ErrSetting},
		{"orthonormal activation", []Option{WithNetwork(GCN(3), ReLU().Orthonormal())}, coles.ErrSetting},
		{"orthonormal SAGE", []Option{WithNetwork(SAGE(3).Orthonormal())}, coles.ErrSetting},
		{"dropout of all", []Option{WithNetwork(GCN(3), Dropout(1))}, coles.ErrSetting},
		{"a width of 2⁴⁰", []Option{WithNetwork(GCN(huge))}, coles.ErrTooLarge},
		{"the largest width", []Option{WithNetwork(Linear(math.MaxInt))}, coles.ErrTooLarge},
		{"a weight of 2⁴⁰", []Option{WithNetwork(GCN(1<<20), GCN(1<<20))}, coles.ErrTooLarge},
		{"no objective", []Option{WithObjective(Objective{})}, coles.ErrSetting},
		{"η is NaN", []Option{WithObjective(SampledNCE(3, math.NaN()))}, coles.ErrSetting},
		{"no negatives", []Option{WithObjective(PowerMean(1, 0))}, coles.ErrSetting},
		{"too many negatives", []Option{WithObjective(SampledNCE(huge, 1))}, coles.ErrSetting},
		{"p is infinite", []Option{WithObjective(PowerMean(math.Inf(1), 3))}, coles.ErrSetting},
		{"a classifier's objective", []Option{WithSettings(ClassifierSettings())}, coles.ErrSetting},
		{"features times zero", []Option{WithPreparation(coles.PrepareNone, 0)}, coles.ErrSetting},
		{"unknown preparation", []Option{WithPreparation(99, 1)}, coles.ErrSetting},
		{"κ below zero", []Option{contrast(expected, -1, 1)}, coles.ErrSetting},
		{"η′ above one", []Option{contrast(expected, 1, 2)}, coles.ErrSetting},
		{"negatives without partners", []Option{contrast(coles.UniformNegatives(0), 1, 1)}, coles.ErrSetting},
		{"edges dropped always", []Option{drops(1)}, coles.ErrSetting},
		{"features masked never to be seen", []Option{withAugmentation(Drop([2]float64{}, [2]float64{0, -0.1}))}, coles.ErrSetting},
		{"augmented batches", []Option{drops(0.1), WithBatchSize(10)}, coles.ErrSetting},
		{"edges dropped behind a filter", []Option{WithNetwork(Propagate(coles.SGC(1)), Linear(3)), drops(0.1)}, coles.ErrSetting},
		{"no optimizer", []Option{withOptimizer(Optimizer{})}, coles.ErrSetting},
		{"an infinite rate", []Option{withOptimizer(SGD(math.Inf(1), 0))}, coles.ErrSetting},
		{"momentum without end", []Option{withOptimizer(SGD(1, 1))}, coles.ErrSetting},
		{"decay of NaN", []Option{withOptimizer(Adam(1).WithDecay(math.NaN()))}, coles.ErrSetting},
		{"negative warmup", []Option{withSchedule(Cosine(-1))}, coles.ErrSetting},
		{"a growing rate", []Option{withSchedule(Exponential(1.1))}, coles.ErrSetting},
		{"no epochs", []Option{WithEpochs(0)}, coles.ErrSetting},
		{"negative batches", []Option{WithBatchSize(-1)}, coles.ErrSetting},
		{"a negative rank", []Option{withRankStop(-1)}, coles.ErrSetting},
		{"a norm of NaN", []Option{withNorm(math.NaN())}, coles.ErrSetting},
		{"unknown precision", []Option{withPrecision(9)}, coles.ErrSetting},
		{"no patience", []Option{WithValidation(1, 0, rising)}, coles.ErrSetting},
		{"validation never", []Option{WithValidation(0, 1, rising)}, coles.ErrSetting},
		{"checkpoints never", []Option{WithCheckpoints(0, func(*Checkpoint) error { return nil })}, coles.ErrSetting},
		{"no settings", []Option{WithSettings(Settings{})}, coles.ErrSetting},
		{"a score of NaN", []Option{scored(math.NaN(), nil)}, ErrDiverged},
		{"a validation that fails", []Option{scored(0, bent)}, bent},
		{"a rate out of all proportion", []Option{withOptimizer(SGD(1e30, 0)), WithEpochs(50)}, ErrDiverged},
		{"the last step diverges", []Option{withOptimizer(SGD(1e300, 0)), WithEpochs(1)}, ErrDiverged},
		{"it does without a norm", []Option{withOptimizer(SGD(1e30, 0)), withPrecision(coles.Float32), WithEpochs(1), withNorm(0)}, ErrDiverged},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Train(ctx, g, x, smallOptions(c.opts...)...)
			testkit.WantError(t, err, c.want)
			if m != nil {
				t.Error("there is a model and an error")
			}
		})
	}
}

// In float32 numbers end at 3.4e38: features beyond, at first or once scaled, are refused, as are
// embeddings of such.
func TestFeaturesOutOfRange(t *testing.T) {
	g, x := small(43)
	with := func(v float64) *mat.Dense {
		x := mat.NewDense(40, 12, nil)
		x.Set(3, 3, v)
		return x
	}
	single := func(scale float64) []Option {
		return smallOptions(withPrecision(coles.Float32), WithPreparation(coles.PrepareNone, scale))
	}
	testkit.WantError(t, testkit.Err(Train(ctx, g, with(1e39), single(1)...)), coles.ErrPrecision)
	testkit.WantError(t, testkit.Err(Train(ctx, g, with(1e38), single(10)...)), coles.ErrPrecision)
	m := testkit.Must(Train(ctx, g, x, single(1)...))
	testkit.WantError(t, testkit.Err(m.Embed(ctx, g, with(1e39))), coles.ErrPrecision)
	for i := range m.params[0] {
		m.params[0][i] *= 100 // 3e38 is in the range, a hundred times that is not
	}
	all := mat.NewDense(40, 12, slices.Repeat([]float64{3e38}, 480))
	testkit.WantError(t, testkit.Err(m.Embed(ctx, g, all)), coles.ErrPrecision)
	large := mat.NewDense(40, 12, nil)
	large.Apply(func(i, j int, _ float64) float64 { return 1e6 * float64((7*i+3*j)%11) }, large)
	testkit.WantError(t, testkit.Err(Train(ctx, g, large, single(1e3)...)), ErrDiverged) // squares of gradients are no numbers
}

// Features are scaled before they are narrowed, sparse and dense ones alike.
func TestScaledFeaturesOfAnySize(t *testing.T) {
	g, x := small(76)
	train := func(x mat.Matrix, scale float64) (*Model, error) {
		return Train(ctx, g, x, smallOptions(WithPreparation(coles.PrepareNone, scale), withPrecision(coles.Float32))...)
	}
	want := testkit.Must(train(x, 1)).Embedding()
	for _, unit := range []float64{0x1p-170, 0x1p140} {
		scaled := x.ToDense()
		scaled.Scale(unit, scaled)
		for name, x := range map[string]mat.Matrix{"dense": scaled, "sparse": testkit.SparseOf(scaled)} {
			m := testkit.Must(train(x, 1/unit))
			testkit.WantClose(t, name, m.Embedding(), want, 1e-3) // two orders of summation in float32
			testkit.WantError(t, testkit.Err(train(x, 1e300)), coles.ErrPrecision)
		}
	}
}
