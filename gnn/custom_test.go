package gnn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// swish is h·σ(h) by entry.
func swish() Layer {
	return NewLayer("swish", LayerSpec{Width: SameWidth}, swishOf[float32], swishOf[float64])
}

func swishOf[T autodiff.Float](p *Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.Mul(h, p.Sigmoid(h))
}

// gated is W·H·Θ ∘ σ(D⁻¹A·H·Γ).
func gated(width int) Layer {
	parameters := func(in, width int) []Parameter {
		return []Parameter{Weight("weight", in, width), Weight("gate", in, width)}
	}
	return NewLayer("gated", LayerSpec{width, 1, parameters}, gatedOf[float32], gatedOf[float64])
}

func gatedOf[T autodiff.Float](p *Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	gate := p.SpMM(p.Operator("means", neighborMeans), p.MatMul(h, p.Parameter("gate")))
	return p.Mul(p.SpMM(p.W(), p.MatMul(h, p.Parameter("weight"))), p.Sigmoid(gate))
}

// infomax tells the rows of H from those of shuffled features by their products with B·m, m their
// mean, as DGI does, and has a penalty on the first weight:
//
//	−mean log σ(H·B·m) − mean log σ(−H̃·B·m) + ‖Θ₀‖²/10.
func infomax() Objective {
	parameters := func(_, width int) []Parameter { return []Parameter{Weight("bilinear", width, width)} }
	return NewObjective("infomax", ObjectiveSpec{Parameters: parameters}, infomaxOf[float32], infomaxOf[float64])
}

func infomaxOf[T autodiff.Float](s *Step[T]) *autodiff.Value[T] {
	h, shuffled := s.Output(s.Views()[0]), s.Output(&View{Rows: s.Rand().Perm(s.Nodes())})
	shares := autodiff.NewMatrix[T](1, s.Nodes())
	for i := range shares.Data {
		shares.Data[i] = 1 / T(s.Nodes())
	}
	to := s.MatMulTrans(s.MatMul(s.Constant(shares), h), s.Parameter("bilinear"))
	near, far := s.Mean(s.LogSigmoid(s.MatMulTrans(h, to))), s.Mean(s.LogSigmoid(s.Scale(s.MatMulTrans(shuffled, to), -1)))
	theta := s.Parameter("0.weight")
	if theta == nil {
		s.Fail(bad("no first weight"))
		return nil
	}
	return s.Add(s.Scale(s.Add(near, far), -1), s.Scale(s.Sum(s.Mul(theta, theta)), 0.1))
}

// objectiveOf is one of a loss in float64 alone.
func objectiveOf(spec ObjectiveSpec, loss func(s *Step[float64]) *autodiff.Value[float64]) Objective {
	return NewObjective("mine", spec, func(*Step[float32]) *autodiff.Value[float32] { panic("float32") }, loss)
}

func TestOwnObjectiveEqualsItsFormula(t *testing.T) {
	g, x := small(100)
	r := runOf(t, g, x, WithNetwork(gated(4), swish()), WithObjective(infomax()))
	s := stepOf(r, batchesOf(t, r, 0)[0])
	got := infomaxOf(s).Scalar()

	rows := newRand(1).Perm(40)
	h, shuffled := dense(s.Output(&View{}).Data()), dense(s.Output(&View{Rows: rows}).Data())
	m, b := mat.NewDense(1, 4, nil), dense(s.Parameter("bilinear").Data())
	for i := range 40 {
		for j := range 4 {
			m.Set(0, j, m.At(0, j)+h.At(i, j)/40)
		}
	}
	near, far := testkit.Product(h, b, m.T()), testkit.Product(shuffled, b, m.T())
	want := math.Pow(mat.Norm(dense(s.Parameter("0.weight").Data()), 2), 2) / 10
	for i := range 40 {
		want += (math.Log1p(math.Exp(-near.At(i, 0))) + math.Log1p(math.Exp(far.At(i, 0)))) / 40
	}
	if math.Abs(got-want) > 1e-13*want {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Parameter("0.slope") != nil || s.Parameter("weight") != nil {
		t.Error("there are parameters that nobody has")
	}
}

// An objective of the program's reads labels: that of TrainClassifier, made anew, has its bytes.
func TestOwnObjectiveReadsLabels(t *testing.T) {
	g, x, labels, train, val := separated()
	own := NewObjective("mine", ObjectiveSpec{Labels: true}, crossEntropyLoss[float32], crossEntropyLoss[float64])
	var scores [][]uint64
	for _, opts := range [][]Option{nil, {WithObjective(own)}} {
		c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, append(opts, WithEpochs(5))...))
		scores = append(scores, testkit.Bits(testkit.Must(c.Scores(ctx, g, x))))
	}
	testkit.WantSame(t, "the scores", scores[1], scores[0])
}

// An operator is made once for a graph, in blocks too.
func TestOperatorIsMadeOnce(t *testing.T) {
	g, x := small(101)
	for _, opt := range []Option{WithEpochs(3), WithBatchSize(15)} {
		made := 0
		counted := func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
			made++
			return neighborMeans(ctx, g)
		}
		l := NewLayer("once", LayerSpec{4, 1, func(in, width int) []Parameter { return []Parameter{Weight("weight", in, width)} }}, nil,
			func(p *Pass[float64], h *autodiff.Value[float64]) *autodiff.Value[float64] {
				return p.SpMM(p.Operator("counted", counted), p.MatMul(h, p.Parameter("weight")))
			})
		l.forward32 = gatedOf[float32] // which is not called
		if trained(t, g, x, WithNetwork(l), opt); made != 1 {
			t.Errorf("made %d times", made)
		}
	}
}

// What a layer, an objective or an augmentation of the program's gets wrong has a name.
func TestOwnPartsThatAreRefused(t *testing.T) {
	g, x := small(102)
	other := testkit.Must(coles.NewGraph(39, nil))
	bent := errors.New("no luck")
	seen := func(v *View) Option {
		return WithObjective(objectiveOf(ObjectiveSpec{}, func(s *Step[float64]) *autodiff.Value[float64] { return s.Mean(s.Output(v)) }))
	}
	asked := func(made *sparse.CSR) Option {
		return WithObjective(objectiveOf(ObjectiveSpec{}, func(s *Step[float64]) *autodiff.Value[float64] {
			return s.Mean(s.SpMM(s.Operator("made", func(context.Context, *coles.Graph) (*sparse.CSR, error) { return made, nil }), s.Output(&View{})))
		}))
	}
	with := func(p ...Parameter) Option {
		l := gated(4)
		l.spec.Parameters = func(_, _ int) []Parameter { return p }
		return WithNetwork(l)
	}
	of := func(spec ObjectiveSpec) Option {
		o := infomax()
		o.spec = spec
		return WithObjective(o)
	}
	views := func(name string, v []*View, err error) Option {
		return withAugmentation(NewAugmentation(name, false, func(context.Context, *coles.Graph, mat.Matrix, *rand.Rand) ([]*View, error) { return v, err }))
	}
	layer := func(name string, spec LayerSpec) Option {
		return WithNetwork(NewLayer(name, spec, gatedOf[float32], gatedOf[float64]))
	}
	short := make([]int, 39)
	filtered := WithNetwork(Propagate(coles.SGC(1)), Linear(3))
	nan := mat.NewDense(40, 40, nil)
	nan.Set(3, 4, math.NaN())
	for name, c := range map[string]struct {
		opts []Option
		want error
	}{
		"a view of another size":       {[]Option{seen(&View{Graph: other})}, coles.ErrShape},
		"rows of a view missing":       {[]Option{seen(&View{Rows: short})}, coles.ErrShape},
		"columns too many":             {[]Option{seen(&View{Columns: make([]float64, 13)})}, coles.ErrShape},
		"a row behind the last":        {[]Option{seen(&View{Rows: append(slices.Clone(short), 40)})}, coles.ErrIndex},
		"a row of −2":                  {[]Option{seen(&View{Rows: append(slices.Clone(short), -2)})}, coles.ErrIndex},
		"columns of NaN":               {[]Option{seen(&View{Columns: slices.Repeat([]float64{math.NaN()}, 12)})}, ErrDiverged},
		"a view in batches":            {[]Option{seen(&View{Columns: make([]float64, 12)}), WithBatchSize(10)}, coles.ErrSetting},
		"a graph behind a filter":      {[]Option{seen(&View{Graph: g}), filtered}, coles.ErrSetting},
		"rows behind a filter":         {[]Option{seen(&View{Rows: make([]int, 40)}), filtered}, coles.ErrSetting},
		"an operator of another size":  {[]Option{asked(testkit.SparseOf(mat.NewDense(39, 40, nil)))}, coles.ErrShape},
		"an operator with a NaN":       {[]Option{asked(testkit.SparseOf(nan))}, coles.ErrNotFinite},
		"no view":                      {[]Option{views("a", nil, nil)}, coles.ErrSetting},
		"views that fail":              {[]Option{views("a", nil, bent)}, bent},
		"views without a name":         {[]Option{views("", []*View{{}}, nil)}, coles.ErrSetting},
		"views with a comma":           {[]Option{views("a,b", []*View{{}}, nil)}, coles.ErrSetting},
		"a layer without a name":       {[]Option{layer("", LayerSpec{Width: 3})}, coles.ErrSetting},
		"a layer with a comma":         {[]Option{layer("a,3", LayerSpec{Width: 3})}, coles.ErrSetting},
		"hops below zero":              {[]Option{layer("a", LayerSpec{Width: 3, Hops: -1})}, coles.ErrSetting},
		"a width below SameWidth":      {[]Option{layer("a", LayerSpec{Width: -2})}, coles.ErrSetting},
		"orthonormal by the wrong way": {[]Option{WithNetwork(gated(4).Orthonormal())}, coles.ErrSetting},
		"a function of one precision":  {[]Option{WithNetwork(NewLayer("a", LayerSpec{Width: 3}, nil, gatedOf[float64]))}, coles.ErrSetting},
		"before the first width":       {[]Option{WithNetwork(NewLayer("dropout", LayerSpec{Width: SameWidth}, swishOf[float32], swishOf[float64]), GCN(3))}, coles.ErrSetting},
		"nothing to train":             {[]Option{with()}, coles.ErrSetting},
		"two of one name":              {[]Option{with(Bias("b", 4), Bias("b", 4))}, coles.ErrSetting},
		"a parameter without a name":   {[]Option{with(Bias("", 4))}, coles.ErrSetting},
		"a parameter without rows":     {[]Option{with(Parameter{Name: "b", Cols: 3})}, coles.ErrSetting},
		"a parameter of 2⁴⁰":           {[]Option{with(Weight("b", 1<<20, 1<<20))}, coles.ErrTooLarge},
		"a parameter from NaN":         {[]Option{with(Parameter{Name: "b", Rows: 1, Cols: 1, Start: math.NaN()})}, coles.ErrSetting},
		"more columns than rows":       {[]Option{with(Parameter{Name: "b", Rows: 1, Cols: 2, Bound: 1, Orthonormal: true})}, coles.ErrSetting},
		"too many parameters":          {[]Option{with(numbered(maxParameters + 1)...)}, coles.ErrSetting},
		"an objective's without a row": {[]Option{of(ObjectiveSpec{Parameters: func(_, _ int) []Parameter { return []Parameter{{Name: "b"}} }})}, coles.ErrSetting},
		"a phase of no step":           {[]Option{of(ObjectiveSpec{Phases: []Phase{{Rate: 1}}})}, coles.ErrSetting},
		"a phase at no rate":           {[]Option{of(ObjectiveSpec{Phases: []Phase{{Steps: 1}}})}, coles.ErrSetting},
		"too many phases":              {[]Option{of(ObjectiveSpec{Phases: slices.Repeat([]Phase{{Steps: 1, Rate: 1}}, maxPhases+1)})}, coles.ErrSetting},
		"labels for Train":             {[]Option{of(ObjectiveSpec{Labels: true})}, coles.ErrSetting},
		"patience below zero":          {[]Option{withPatience(-1)}, coles.ErrSetting},
		"patience in batches":          {[]Option{withPatience(1), WithBatchSize(10)}, coles.ErrSetting},
		"patience and a validation":    {[]Option{withPatience(1), WithValidation(1, 1, rising)}, coles.ErrSetting},
	} {
		t.Run(name, func(t *testing.T) {
			err := testkit.Err(Train(ctx, g, x, smallOptions(c.opts...)...))
			testkit.WantError(t, err, c.want)
			if strings.Count(err.Error(), "gnn: ") > 1 { // within an epoch
				t.Errorf("%q names the package twice", err)
			}
		})
	}
}

// numbered are so many parameters.
func numbered(count int) (all []Parameter) {
	for k := range count {
		all = append(all, Bias(strings.Repeat("b", k%100)+string(rune('0'+k/100)), 1))
	}
	return all
}

// A layer that makes a matrix of another shape than it says is a mistake of the program's.
func TestLayerOfTheWrongWidthPanics(t *testing.T) {
	g, x := small(103)
	l := gated(4)
	l.spec.Width = 5
	l.spec.Parameters = func(in, _ int) []Parameter { return gated(4).spec.Parameters(in, 4) }
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "40×4 matrix, want 40×5") {
			t.Errorf("it says %q", said)
		}
	}()
	trained(t, g, x, WithNetwork(l))
}

// Files have the names of what the program adds. To go on it has to be set anew, all of it, and
// then goes on to the byte; the refusal says what is missing.
func TestFilesHaveTheNamesOfOwnParts(t *testing.T) {
	g, x := small(104)
	network, objective := WithNetwork(gated(8), swish(), GCN(5)), WithObjective(infomax())
	shuffled := func(name string) Option {
		return withAugmentation(NewAugmentation(name, true, func(_ context.Context, _ *coles.Graph, _ mat.Matrix, rnd *rand.Rand) ([]*View, error) {
			return []*View{{Rows: rnd.Perm(40)}}, nil
		}))
	}
	opts := []Option{network, objective, shuffled("once")}
	straight := trained(t, g, x, opts...)
	read := testkit.Must(ReadCheckpoint(bytes.NewReader(fileOf(checkpointsOf(t, g, x, opts...)[2]))))
	text := string(testkit.Must(json.Marshal(read.Settings())))
	for _, want := range []string{`"network":["custom:gated,8","custom:swish","gcn:5"]`, `"objective":"custom:infomax"`, `"augmentation":"custom:once"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	for missing, opts := range map[string][]Option{
		"custom:gated,8": {objective, shuffled("once")},
		"custom:infomax": {network, shuffled("once")},
		"custom:once":    {network, objective},
	} {
		err := testkit.Err(Resume(ctx, read, g, x, opts...))
		testkit.WantError(t, err, coles.ErrSetting)
		if !strings.Contains(err.Error(), missing) {
			t.Errorf("%v: it does not name %s", err, missing)
		}
	}
	testkit.WantError(t, testkit.Err(Resume(ctx, read, g, x, network, objective, shuffled("again"))), ErrCheckpoint)
	// Of the same name, but with a parameter more.
	more := gated(8)
	more.spec.Parameters = func(in, width int) []Parameter { return append(gated(8).spec.Parameters(in, width), Bias("bias", 1)) }
	testkit.WantError(t, testkit.Err(Resume(ctx, read, g, x, WithNetwork(more, swish(), GCN(5)), objective, shuffled("once"))), ErrCheckpoint)
	testkit.WantSame(t, "resumed", testkit.Bits(testkit.Must(Resume(ctx, read, g, x, opts...)).Embedding()), testkit.Bits(straight.Embedding()))

	file := fileOf(straight)
	for name, layers := range map[string][]Layer{
		"nothing": nil, "another layer": {gated(8), ReLU(), GCN(5)}, "another width": {gated(7), swish(), GCN(5)}, "too few": {gated(8)}, "none": {{}},
		"a name": {NewLayer("gated", LayerSpec{Width: 8}, nil, nil), swish(), GCN(5)},
	} {
		if err := testkit.Err(ReadModel(bytes.NewReader(file), layers...)); !errors.Is(err, coles.ErrSetting) || errors.Is(err, coles.ErrFormat) {
			t.Errorf("with %s: %v", name, err)
		}
	}
	if err := testkit.Err(ReadModel(bytes.NewReader(file), more, swish(), GCN(5))); err == nil {
		t.Error("read with a layer of more parameters")
	}
	for _, layers := range [][]Layer{{gated(8), swish(), GCN(5)}, straight.Settings().Network} {
		m := testkit.Must(ReadModel(bytes.NewReader(file), layers...))
		testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(m.Embed(ctx, g, x))), testkit.Bits(straight.Embedding()))
	}
}
