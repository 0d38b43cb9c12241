package gnn

import (
	"bytes"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// brokenMatrix is a matrix of somebody else's that panics when it is read.
type brokenMatrix struct{ rows int }

func (m brokenMatrix) Dims() (r, c int)    { return m.rows, 12 }
func (m brokenMatrix) At(i, j int) float64 { panic("disk on fire") }
func (m brokenMatrix) T() mat.Matrix       { return m }

// second is the error of a call.
func second[T any](_ T, err error) error { return err }

// wantRefusal calls a door, which must not panic.
func wantRefusal(t *testing.T, name string, want error, call func() error) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("panic: %v", r)
			}
		}()
		wantError(t, call(), want)
	})
}

func TestMatricesThatCannotBeRead(t *testing.T) {
	g, x := small(40)
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	m := must(Train(ctx, g, x, smallOptions(WithEpochs(1))...))
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, WithEpochs(1)))
	for name, c := range map[string]struct {
		x    mat.Matrix
		want error
	}{
		"nil *mat.Dense":        {(*mat.Dense)(nil), coles.ErrEmpty},
		"nil *mat.SymDense":     {(*mat.SymDense)(nil), coles.ErrEmpty},
		"nil *sparse.CSR":       {(*sparse.CSR)(nil), coles.ErrEmpty},
		"zero *sparse.CSR":      {new(sparse.CSR), coles.ErrShape},
		"nil *coles.Dense32":    {(*coles.Dense32)(nil), coles.ErrShape},
		"nil *coles.SymCSR":     {(*coles.SymCSR)(nil), coles.ErrShape},
		"one that panics":       {brokenMatrix{40}, coles.ErrShape},
		"a column out of range": {sparse.NewCSR(40, 12, append(make([]int, 40), 1), []int{33}, []float64{1}), coles.ErrIndex},
	} {
		wantRefusal(t, "Train, "+name, c.want, func() error { return second(Train(ctx, g, c.x, smallOptions()...)) })
		wantRefusal(t, "Embed, "+name, c.want, func() error { return second(m.Embed(ctx, g, c.x)) })
		wantRefusal(t, "TrainClassifier, "+name, c.want, func() error {
			return second(TrainClassifier(ctx, g, c.x, labels, []int{0, 1}, []int{2, 3}))
		})
		wantRefusal(t, "Predict, "+name, c.want, func() error { return second(k.Predict(ctx, g, c.x)) })
	}
}

// Zero values are nothing that a training made.
func TestZeroValuesAreErrors(t *testing.T) {
	g, x := small(41)
	var w bytes.Buffer
	wantRefusal(t, "Model.Embed", coles.ErrEmpty, func() error { return second(new(Model).Embed(ctx, g, x)) })
	wantRefusal(t, "Model.WriteTo", coles.ErrEmpty, func() error { return second(new(Model).WriteTo(&w)) })
	wantRefusal(t, "Classifier.Predict", coles.ErrEmpty, func() error { return second(new(Classifier).Predict(ctx, g, x)) })
	wantRefusal(t, "Classifier.Scores", coles.ErrEmpty, func() error { return second(new(Classifier).Scores(ctx, g, x)) })
	wantRefusal(t, "Classifier.WriteTo", coles.ErrEmpty, func() error { return second(new(Classifier).WriteTo(&w)) })
	wantRefusal(t, "Checkpoint.WriteTo", coles.ErrEmpty, func() error { return second(new(Checkpoint).WriteTo(&w)) })
	wantRefusal(t, "Resume", coles.ErrSetting, func() error { return second(Resume(ctx, new(Checkpoint), g, x)) })
	if w.Len() > 0 {
		t.Errorf("%d bytes written of nothing", w.Len())
	}
	if m := new(Model); m.Embedding() != nil || m.Parameters() != nil || m.Report().Dim != 0 || m.Settings().Network != nil {
		t.Error("a zero model holds something")
	}
	if c := new(Classifier); c.Classes() != nil || c.Report().Dim != 0 || c.Settings().Network != nil {
		t.Error("a zero classifier holds something")
	}
}

// Weights, outputs and draws that no memory holds are refused before any is taken.
func TestSizesAreCheckedBeforeMemoryIsTaken(t *testing.T) {
	g, x := small(42)
	for name, opts := range map[string][]Option{
		"a width of 2⁴⁰":         {WithNetwork(GCN(min(1<<40, math.MaxInt)))},
		"the largest width":      {WithNetwork(Linear(math.MaxInt))},
		"a weight of 2⁴⁰":        {WithNetwork(GCN(1<<20), GCN(1<<20))},
		"SAGE of a width of 2⁴⁰": {WithNetwork(GCN(3), ReLU(), SAGE(min(1<<40, math.MaxInt)))},
	} {
		wantRefusal(t, name, coles.ErrTooLarge, func() error { return second(Train(ctx, g, x, smallOptions(opts...)...)) })
	}
}

// In float32 numbers end at 3.4e38: features beyond, at first or once scaled, are
// refused, as are embeddings of such.
func TestFeaturesOutOfRange(t *testing.T) {
	g, x := small(43)
	with := func(v float64) *mat.Dense {
		x := mat.NewDense(40, 12, nil)
		x.Set(3, 3, v)
		return x
	}
	single := func(scale float64) []Option {
		return smallOptions(WithPrecision(coles.Float32), WithFeatures(coles.PrepareNone, scale))
	}
	wantRefusal(t, "1e39", coles.ErrPrecision, func() error { return second(Train(ctx, g, with(1e39), single(1)...)) })
	wantRefusal(t, "1e38, times 10", coles.ErrPrecision, func() error { return second(Train(ctx, g, with(1e38), single(10)...)) })
	m := must(Train(ctx, g, x, single(1)...))
	wantRefusal(t, "Embed of 1e39", coles.ErrPrecision, func() error { return second(m.Embed(ctx, g, with(1e39))) })
	for i := range m.params[0].data {
		m.params[0].data[i] *= 100 // 3e38 is in the range, a hundred times that is not
	}
	wantRefusal(t, "Embed of 3e38", coles.ErrPrecision, func() error {
		return second(m.Embed(ctx, g, mat.NewDense(40, 12, slicesOf(480, 3e38))))
	})
}

func slicesOf(n int, v float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// The gradients of the only step are finite and what it makes of the weights is not.
func TestLastStepMayDivergeToo(t *testing.T) {
	g, x := small(44)
	for _, norm := range []float64{0, 4} {
		for _, opts := range [][]Option{
			{WithOptimizer(SGD(1e30, 0)), WithPrecision(coles.Float32)},
			{WithOptimizer(SGD(1e300, 0)), WithPrecision(coles.Float64)},
		} {
			_, err := Train(ctx, g, x, smallOptions(append(opts, WithEpochs(1), WithNorm(norm))...)...)
			wantError(t, err, ErrDiverged)
		}
	}
}

// Features are scaled before they are narrowed, sparse and dense ones alike.
func TestScaledFeaturesOfAnySize(t *testing.T) {
	g, x := small(76)
	words := mat.DenseCopyOf(x)
	want := must(Train(ctx, g, words, smallOptions(WithFeatures(coles.PrepareNone, 1), WithPrecision(coles.Float32))...)).Embedding()
	for _, unit := range []float64{0x1p-170, 0x1p140} {
		scaled := mat.DenseCopyOf(words)
		scaled.Scale(unit, scaled)
		for name, x := range map[string]mat.Matrix{"dense": scaled, "sparse": sparseOf(scaled)} {
			m, err := Train(ctx, g, x, smallOptions(WithFeatures(coles.PrepareNone, 1/unit), WithPrecision(coles.Float32))...)
			if err != nil {
				t.Errorf("%s times %g: %v", name, unit, err)
			} else if !mat.EqualApprox(m.Embedding(), want, 1e-4) { // two orders of summation in float32
				t.Errorf("%s times %g: another embedding", name, unit)
			}
			_, err = Train(ctx, g, x, smallOptions(WithFeatures(coles.PrepareNone, 1e300), WithPrecision(coles.Float32))...)
			wantError(t, err, coles.ErrPrecision)
		}
	}
}

// Gradients whose squares are no numbers any more end the training, and not silently.
func TestGradientsBeyondTheNumbers(t *testing.T) {
	g, _ := small(77)
	x := mat.NewDense(g.Nodes(), 12, nil)
	x.Apply(func(i, j int, _ float64) float64 { return 1e6 * float64((7*i+3*j)%11) }, x)
	_, err := Train(ctx, g, x, WithNetwork(GCN(8), ReLU(), GCN(5)), WithFeatures(coles.PrepareNone, 1e3), WithEpochs(5), WithPrecision(coles.Float32))
	wantError(t, err, ErrDiverged)
}

// A network may make all rows equal: they keep their scale.
func TestEqualRowsKeepTheirScale(t *testing.T) {
	var cliques []coles.Edge
	n := 0
	for _, size := range []int{3, 5, 6, 7, 11, 13} {
		for u := range size {
			for v := range u {
				cliques = append(cliques, coles.Edge{U: n + u, V: n + v})
			}
		}
		n += size
	}
	ones := mat.NewDense(n, 3, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	for _, p := range []coles.Precision{coles.Float32, coles.Float64} {
		m := must(Train(ctx, must(coles.NewGraph(n, cliques)), ones, WithPrecision(p), WithNetwork(GCN(8), ReLU(), GCN(5))))
		if largest := mat.Max(m.Embedding()); largest > 100 {
			t.Errorf("%v: an entry of %g", p, largest)
		}
	}
}
