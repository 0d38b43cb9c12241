package gnn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// swish is h·σ(h) by entry.
func swish() Layer {
	return NewLayer("swish", custom.LayerSpec{Width: SameWidth}, swishOf[float32], swishOf[float64])
}

func swishOf[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.Mul(h, p.Sigmoid(h))
}

// gated is W·H·Θ ∘ σ(D⁻¹A·H·Γ).
func gated(width int) Layer {
	parameters := func(in, width int) []custom.Parameter {
		return []custom.Parameter{custom.Weight("weight", in, width), custom.Weight("gate", in, width)}
	}
	return NewLayer("gated", custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}, gatedOf[float32], gatedOf[float64])
}

func gatedOf[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	gate := p.SpMM(p.Operator("means", neighborMeans), p.MatMul(h, p.Parameter("gate")))
	return p.Mul(p.SpMM(p.W(), p.MatMul(h, p.Parameter("weight"))), p.Sigmoid(gate))
}

// infomax separates the rows of H from the rows of shuffled features by their products with B·m, m their
// mean, as DGI does, and has a penalty on the first weight:
//
//	−mean log σ(H·B·m) − mean log σ(−H̃·B·m) + ‖Θ₀‖²/10.
func infomax() Objective {
	parameters := func(_, width int) []custom.Parameter {
		return []custom.Parameter{custom.Weight("bilinear", width, width)}
	}
	return NewObjective("infomax", custom.ObjectiveSpec{Parameters: parameters}, infomaxOf[float32], infomaxOf[float64])
}

func infomaxOf[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	h, shuffled := s.Output(s.Views()[0]), s.Output(&custom.View{Rows: s.Rand().Perm(s.Nodes())})
	shares := autodiff.NewMatrix[T](1, s.Nodes())
	for i := range shares.Data {
		shares.Data[i] = 1 / T(s.Nodes())
	}
	to := s.MatMulTrans(s.MatMul(s.Constant(shares), h), s.Parameter("bilinear"))
	near, far := s.Mean(s.LogSigmoid(s.MatMulTrans(h, to))), s.Mean(s.LogSigmoid(s.Scale(s.MatMulTrans(shuffled, to), -1)))
	theta := s.Parameter("0.weight")
	if theta == nil {
		s.Fail(bad("Network", nil, "a first weight"))
		return nil
	}
	return s.Add(s.Scale(s.Add(near, far), -1), s.Scale(s.Sum(s.Mul(theta, theta)), 0.1))
}

// objectiveOf is one of a loss in float64 alone.
func objectiveOf(spec custom.ObjectiveSpec, loss func(s *custom.Step[float64]) *autodiff.Value[float64]) Objective {
	return NewObjective("mine", spec, func(*custom.Step[float32]) *autodiff.Value[float32] { panic("float32") }, loss)
}

func TestOwnObjectiveEqualsItsFormula(t *testing.T) {
	g, x := small(100)
	r := runOf(t, g, x, withNetwork(gated(4), swish()), withObjective(infomax()))
	s := stepOf(r, batchesOf(t, r, 0)[0])
	got := infomaxOf(s).Scalar()

	rows := newRand(1).Perm(40)
	h, shuffled := dense(s.Output(&custom.View{}).Data()), dense(s.Output(&custom.View{Rows: rows}).Data())
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
	testkit.WantNear(t, "loss", got, want, 1e-13)
	if s.Parameter("0.slope") != nil || s.Parameter("weight") != nil {
		t.Error("there are parameters that nobody has")
	}
}

// An objective of the program's reads labels: TrainClassifier's own, made anew, has its bytes.
func TestOwnObjectiveReadsLabels(t *testing.T) {
	g, x, labels, train, val := separated()
	own := NewObjective("mine", custom.ObjectiveSpec{Labels: true}, crossEntropyLoss[float32], crossEntropyLoss[float64])
	var scores [][]uint64
	for _, opts := range [][]Option{nil, {withObjective(own)}} {
		c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, append(opts, withEpochs(5))...))
		scores = append(scores, testkit.Bits(testkit.Must(c.Scores(ctx, g, x))))
	}
	testkit.WantSame(t, "the scores", scores[1], scores[0])
}

// An operator is made once for a graph, in blocks too.
func TestOperatorIsMadeOnce(t *testing.T) {
	g, x := small(101)
	for _, opt := range []Option{With(func(s *Settings) { s.Epochs, s.BatchSize = 3, 15 })} {
		made := 0
		counted := func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
			made++
			return neighborMeans(ctx, g)
		}
		l := NewLayer("once", custom.LayerSpec{Width: 4, Hops: 1, Parameters: func(in, width int) []custom.Parameter { return []custom.Parameter{custom.Weight("weight", in, width)} }}, nil,
			func(p *custom.Pass[float64], h *autodiff.Value[float64]) *autodiff.Value[float64] {
				return p.SpMM(p.Operator("counted", counted), p.MatMul(h, p.Parameter("weight")))
			})
		l.forward32 = gatedOf[float32] // which is not called
		if trained(t, g, x, withNetwork(l), opt); made != 1 {
			t.Errorf("made %d times", made)
		}
	}
}

// numbered are n parameters.
func numbered(count int) (all []custom.Parameter) {
	for k := range count {
		all = append(all, custom.Bias(strings.Repeat("b", k%100)+string(rune('0'+k/100)), 1))
	}
	return all
}

// A layer whose result has another shape than declared is a mistake of the program's.
func TestLayerOfTheWrongWidthPanics(t *testing.T) {
	g, x := small(103)
	l := gated(4)
	l.spec.Width = 5
	l.spec.Parameters = func(in, _ int) []custom.Parameter { return gated(4).spec.Parameters(in, 4) }
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "40×4 matrix, want 40×5") {
			t.Errorf("it says %q", said)
		}
	}()
	trained(t, g, x, withNetwork(l))
}

// Files have the names of what the program adds. To go on it has to be set anew, all of it, and
// then goes on to the byte; the refusal names what is missing.
func TestFilesHaveTheNamesOfOwnParts(t *testing.T) {
	g, x := small(104)
	network, objective := withNetwork(gated(8), swish(), GCN(5)), withObjective(infomax())
	shuffled := func(name string) Option {
		return withAugmentation(NewAugmentation(name, true, func(_ context.Context, _ *coles.Graph, _ mat.Matrix, rnd *rand.Rand) ([]*custom.View, error) {
			return []*custom.View{{Rows: rnd.Perm(40)}}, nil
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
	more.spec.Parameters = func(in, width int) []custom.Parameter {
		return append(gated(8).spec.Parameters(in, width), custom.Bias("bias", 1))
	}
	testkit.WantError(t, testkit.Err(Resume(ctx, read, g, x, withNetwork(more, swish(), GCN(5)), objective, shuffled("once"))), ErrCheckpoint)
	testkit.WantSame(t, "resumed", testkit.Bits(testkit.Must(Resume(ctx, read, g, x, opts...)).Embedding()), testkit.Bits(straight.Embedding()))

	file := fileOf(straight)
	for name, layers := range map[string][]Layer{
		"nothing": nil, "another layer": {gated(8), ReLU(), GCN(5)}, "another width": {gated(7), swish(), GCN(5)}, "too few": {gated(8)}, "none": {{}},
		"a name": {NewLayer("gated", custom.LayerSpec{Width: 8}, nil, nil), swish(), GCN(5)},
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
