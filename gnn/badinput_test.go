package gnn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestBadMatricesAreRefused(t *testing.T) {
	g, x := small(40)
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	m := trained(t, g, x)
	c := checkpointsOf(t, g, x)[2]
	k := testkit.Must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, withEpochs(1)))
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
		testkit.WantError(t, open(nil), coles.ErrShape)
		if name == "Model.Embed" || name == "Classifier.Predict" {
			testkit.WantError(t, open(mat.NewDense(40, 11, nil)), coles.ErrShape)
		}
	}
	negative := mat.NewDense(40, 12, nil)
	negative.Set(3, 1, -1)
	_, err := Train(ctx, g, negative, smallOptions(With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareTFIDF, 1 }))...)
	testkit.WantError(t, err, coles.ErrNegative)
}

// What settings, layers, objectives and augmentations get wrong has a name.
func TestBadSettingsAreRefused(t *testing.T) {
	g, x := small(30)
	huge := min(1<<40, math.MaxInt)
	bent := errors.New("no luck")
	scored := func(score float64, err error) Option {
		return WithValidation(1, 1, func(context.Context, int, *mat.Dense) (float64, error) { return score, err })
	}
	drops := func(first float64) Option { return withAugmentation(Drop([2]float64{first, 0}, [2]float64{})) }
	sampled := withSampler(exact(10, 2))
	all := objectiveOf(custom.ObjectiveSpec{}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
		s.W()
		return s.Sum(s.Output(&custom.View{}))
	})
	expected := coles.ExpectedDegreeNegatives()
	other := testkit.Must(coles.NewGraph(39, nil))
	seen := func(v *custom.View) Option {
		return withObjective(objectiveOf(custom.ObjectiveSpec{}, func(s *custom.Step[float64]) *autodiff.Value[float64] { return s.Mean(s.Output(v)) }))
	}
	asked := func(made *sparse.CSR) Option {
		return withObjective(objectiveOf(custom.ObjectiveSpec{}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return s.Mean(s.SpMM(s.Operator("made", func(context.Context, *coles.Graph) (*sparse.CSR, error) { return made, nil }), s.Output(&custom.View{})))
		}))
	}
	with := func(p ...custom.Parameter) Option {
		l := gated(4)
		l.spec.Parameters = func(_, _ int) []custom.Parameter { return p }
		return withNetwork(l)
	}
	of := func(spec custom.ObjectiveSpec) Option {
		o := infomax()
		o.spec = spec
		return withObjective(o)
	}
	views := func(name string, v []*custom.View, err error) Option {
		return withAugmentation(NewAugmentation(name, false, func(context.Context, *coles.Graph, mat.Matrix, *rand.Rand) ([]*custom.View, error) { return v, err }))
	}
	layer := func(name string, spec custom.LayerSpec) Option {
		return withNetwork(NewLayer(name, spec, gatedOf[float32], gatedOf[float64]))
	}
	short := make([]int, 39)
	filtered := withNetwork(Propagate(coles.SGC(1)), Linear(3))
	nan := mat.NewDense(40, 40, nil)
	nan.Set(3, 4, math.NaN())
	for _, c := range []struct {
		name string
		opts []Option
		want error
	}{
		{"no layers", []Option{withNetwork()}, coles.ErrSetting},
		{"no layer", []Option{withNetwork(GCN(3), Layer{})}, coles.ErrSetting},
		{"no weights", []Option{withNetwork(Propagate(coles.SGC(2)))}, coles.ErrSetting},
		{"an activation first", []Option{withNetwork(ReLU(), GCN(3))}, coles.ErrSetting},
		{"a filter behind dropout", []Option{withNetwork(Dropout(0.1), Propagate(coles.SGC(1)), Linear(3))}, coles.ErrSetting},
		{"a filter of nothing", []Option{withNetwork(Propagate(coles.Filter{}), Linear(3))}, coles.ErrSetting},
		{"a bad filter", []Option{withNetwork(Propagate(coles.SGC(-1)), Linear(3))}, coles.ErrSetting},
		{"a negative width", []Option{withNetwork(GCN(-1))}, coles.ErrSetting},
		{"too many orthonormal columns", []Option{withNetwork(GCN(13).Orthonormal())}, coles.ErrSetting},
		{"orthonormal activation", []Option{withNetwork(GCN(3), ReLU().Orthonormal())}, coles.ErrSetting},
		{"orthonormal SAGE", []Option{withNetwork(SAGE(3).Orthonormal())}, coles.ErrSetting},
		{"dropout of all", []Option{withNetwork(GCN(3), Dropout(1))}, coles.ErrSetting},
		{"a width of 2⁴⁰", []Option{withNetwork(GCN(huge))}, coles.ErrTooLarge},
		{"the largest width", []Option{withNetwork(Linear(math.MaxInt))}, coles.ErrTooLarge},
		{"a weight of 2⁴⁰", []Option{withNetwork(GCN(1<<20), GCN(1<<20))}, coles.ErrTooLarge},
		{"no objective", []Option{withObjective(Objective{})}, coles.ErrSetting},
		{"η is NaN", []Option{withObjective(SampledNCE(3, math.NaN()))}, coles.ErrSetting},
		{"no negatives", []Option{withObjective(PowerMean(1, 0))}, coles.ErrSetting},
		{"too many negatives", []Option{withObjective(SampledNCE(huge, 1))}, coles.ErrSetting},
		{"p is infinite", []Option{withObjective(PowerMean(math.Inf(1), 3))}, coles.ErrSetting},
		{"a classifier's objective", []Option{WithSettings(ClassifierSettings())}, coles.ErrSetting},
		{"features times zero", []Option{With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, 0 })}, coles.ErrSetting},
		{"unknown preparation", []Option{With(func(s *Settings) { s.Preparation, s.FeatureScale = 99, 1 })}, coles.ErrSetting},
		{"κ below zero", []Option{With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = expected, -1, 1 })}, coles.ErrSetting},
		{"η′ above one", []Option{With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = expected, 1, 2 })}, coles.ErrSetting},
		{"negatives without partners", []Option{With(func(s *Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(0), 1, 1 })}, coles.ErrSetting},
		{"edges dropped always", []Option{drops(1)}, coles.ErrSetting},
		{"features masked never to be seen", []Option{withAugmentation(Drop([2]float64{}, [2]float64{0, -0.1}))}, coles.ErrSetting},
		{"augmented batches", []Option{drops(0.1), withBatchSize(10)}, coles.ErrSetting},
		{"edges dropped behind a filter", []Option{withNetwork(Propagate(coles.SGC(1)), Linear(3)), drops(0.1)}, coles.ErrSetting},
		{"no optimizer", []Option{withOptimizer(optim.Optimizer{})}, coles.ErrSetting},
		{"an infinite rate", []Option{withOptimizer(optim.SGD(math.Inf(1), 0))}, coles.ErrSetting},
		{"momentum without end", []Option{withOptimizer(optim.SGD(1, 1))}, coles.ErrSetting},
		{"decay of NaN", []Option{withOptimizer(optim.Adam(1).WithDecay(math.NaN()))}, coles.ErrSetting},
		{"negative warmup", []Option{withSchedule(optim.Cosine(-1))}, coles.ErrSetting},
		{"a growing rate", []Option{withSchedule(optim.Exponential(1.1))}, coles.ErrSetting},
		{"no epochs", []Option{withEpochs(0)}, coles.ErrSetting},
		{"negative batches", []Option{withBatchSize(-1)}, coles.ErrSetting},
		{"a negative rank", []Option{withRankStop(-1)}, coles.ErrSetting},
		{"a norm of NaN", []Option{withNorm(math.NaN())}, coles.ErrSetting},
		{"unknown precision", []Option{withPrecision(9)}, coles.ErrSetting},
		{"no patience", []Option{WithValidation(1, 0, rising)}, coles.ErrSetting},
		{"validation never", []Option{WithValidation(0, 1, rising)}, coles.ErrSetting},
		{"checkpoints never", []Option{WithCheckpoints(0, func(*Checkpoint) error { return nil })}, coles.ErrSetting},
		{"no settings", []Option{WithSettings(Settings{})}, coles.ErrSetting},
		{"a score of NaN", []Option{scored(math.NaN(), nil)}, ErrDiverged},
		{"a validation that fails", []Option{scored(0, bent)}, bent},
		{"a checkpoint that cannot be saved", []Option{WithCheckpoints(2, func(*Checkpoint) error { return bent })}, bent},
		{"a sampler in batches", []Option{sampled, withBatchSize(5)}, coles.ErrSetting},
		{"a sampler with augmentation", []Option{sampled, drops(0.1)}, coles.ErrSetting},
		{"a sampler with patience", []Option{sampled, withPatience(3)}, coles.ErrSetting},
		{"a sampler's name alone", []Option{withSampler(custom.Sampler{Name: "ours"})}, coles.ErrSetting},
		{"an operator for all layers of a sample", []Option{sampled, withObjective(all)}, coles.ErrSetting},
		{"a sampler that fails", []Option{withSampler(custom.Sampler{Name: "failing", Start: func(context.Context, *coles.Graph, []int, uint64) (custom.Samples, error) {
			return nil, bent
		}})}, bent},
		{"a rate out of all proportion", []Option{withOptimizer(optim.SGD(1e30, 0)), withEpochs(50)}, ErrDiverged},
		{"the last step diverges", []Option{withOptimizer(optim.SGD(1e300, 0)), withEpochs(1)}, ErrDiverged},
		{"it does without a norm", []Option{withOptimizer(optim.SGD(1e30, 0)), withPrecision(coles.Float32), withEpochs(1), withNorm(0)}, ErrDiverged},
		{"a view of another size", []Option{seen(&custom.View{Graph: other})}, coles.ErrShape},
		{"rows of a view missing", []Option{seen(&custom.View{Rows: short})}, coles.ErrShape},
		{"columns too many", []Option{seen(&custom.View{Columns: make([]float64, 13)})}, coles.ErrShape},
		{"a row behind the last", []Option{seen(&custom.View{Rows: append(slices.Clone(short), 40)})}, coles.ErrIndex},
		{"a row of −2", []Option{seen(&custom.View{Rows: append(slices.Clone(short), -2)})}, coles.ErrIndex},
		{"columns of NaN", []Option{seen(&custom.View{Columns: slices.Repeat([]float64{math.NaN()}, 12)})}, ErrDiverged},
		{"a view in batches", []Option{seen(&custom.View{Columns: make([]float64, 12)}), withBatchSize(10)}, coles.ErrSetting},
		{"a graph behind a filter", []Option{seen(&custom.View{Graph: g}), filtered}, coles.ErrSetting},
		{"rows behind a filter", []Option{seen(&custom.View{Rows: make([]int, 40)}), filtered}, coles.ErrSetting},
		{"an operator of another size", []Option{asked(testkit.SparseOf(mat.NewDense(39, 40, nil)))}, coles.ErrShape},
		{"an operator with a NaN", []Option{asked(testkit.SparseOf(nan))}, coles.ErrNotFinite},
		{"no view", []Option{views("a", nil, nil)}, coles.ErrSetting},
		{"views that fail", []Option{views("a", nil, bent)}, bent},
		{"views without a name", []Option{views("", []*custom.View{{}}, nil)}, coles.ErrSetting},
		{"views with a comma", []Option{views("a,b", []*custom.View{{}}, nil)}, coles.ErrSetting},
		{"a layer without a name", []Option{layer("", custom.LayerSpec{Width: 3})}, coles.ErrSetting},
		{"a layer with a comma", []Option{layer("a,3", custom.LayerSpec{Width: 3})}, coles.ErrSetting},
		{"hops below zero", []Option{layer("a", custom.LayerSpec{Width: 3, Hops: -1})}, coles.ErrSetting},
		{"a width below SameWidth", []Option{layer("a", custom.LayerSpec{Width: -2})}, coles.ErrSetting},
		{"orthonormal by the wrong way", []Option{withNetwork(gated(4).Orthonormal())}, coles.ErrSetting},
		{"a function of one precision", []Option{withNetwork(NewLayer("a", custom.LayerSpec{Width: 3}, nil, gatedOf[float64]))}, coles.ErrSetting},
		{"before the first width", []Option{withNetwork(NewLayer("dropout", custom.LayerSpec{Width: SameWidth}, swishOf[float32], swishOf[float64]), GCN(3))}, coles.ErrSetting},
		{"nothing to train", []Option{with()}, coles.ErrSetting},
		{"two of one name", []Option{with(custom.Bias("b", 4), custom.Bias("b", 4))}, coles.ErrSetting},
		{"a parameter without a name", []Option{with(custom.Bias("", 4))}, coles.ErrSetting},
		{"a parameter without rows", []Option{with(custom.Parameter{Name: "b", Cols: 3})}, coles.ErrSetting},
		{"a parameter of 2⁴⁰", []Option{with(custom.Weight("b", 1<<20, 1<<20))}, coles.ErrTooLarge},
		{"a parameter from NaN", []Option{with(custom.Parameter{Name: "b", Rows: 1, Cols: 1, Start: math.NaN()})}, coles.ErrSetting},
		{"more columns than rows", []Option{with(custom.Parameter{Name: "b", Rows: 1, Cols: 2, Bound: 1, Orthonormal: true})}, coles.ErrSetting},
		{"too many parameters", []Option{with(numbered(maxParameters + 1)...)}, coles.ErrSetting},
		{"an objective's without a row", []Option{of(custom.ObjectiveSpec{Parameters: func(_, _ int) []custom.Parameter { return []custom.Parameter{{Name: "b"}} }})}, coles.ErrSetting},
		{"a phase of no step", []Option{of(custom.ObjectiveSpec{Phases: []custom.Phase{{Rate: 1}}})}, coles.ErrSetting},
		{"a phase at no rate", []Option{of(custom.ObjectiveSpec{Phases: []custom.Phase{{Steps: 1}}})}, coles.ErrSetting},
		{"too many phases", []Option{of(custom.ObjectiveSpec{Phases: slices.Repeat([]custom.Phase{{Steps: 1, Rate: 1}}, maxPhases+1)})}, coles.ErrSetting},
		{"labels for Train", []Option{of(custom.ObjectiveSpec{Labels: true})}, coles.ErrSetting},
		{"patience below zero", []Option{withPatience(-1)}, coles.ErrSetting},
		{"patience in batches", []Option{withPatience(1), withBatchSize(10)}, coles.ErrSetting},
		{"patience and a validation", []Option{withPatience(1), WithValidation(1, 1, rising)}, coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Train(ctx, g, x, smallOptions(c.opts...)...)
			testkit.WantError(t, err, c.want)
			if m != nil || err != nil && strings.Count(err.Error(), "gnn: ") > 1+strings.Count(err.Error(), "\n") { // within an epoch
				t.Errorf("there is a model and an error, or %q names the package twice in a line", err)
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
		return smallOptions(withPrecision(coles.Float32), With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, scale }))
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
		return Train(ctx, g, x, smallOptions(With(func(s *Settings) { s.Preparation, s.FeatureScale = coles.PrepareNone, scale }), withPrecision(coles.Float32))...)
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

func TestArcsAreRefused(t *testing.T) {
	g := testkit.Must(coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}}, coles.WithArcs()))
	testkit.WantError(t, testkit.Err(Train(t.Context(), g, testkit.RandomDense(testkit.Random(1), 3, 4))), coles.ErrSetting)
}
