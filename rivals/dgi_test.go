package rivals

import (
	"math"
	"testing"

	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestInfomaxEqualsTorch(t *testing.T) {
	f := readFixture("dgi")
	h := f.variable("H")
	loss := discriminate(f.Tape, h, f.variable("corrupted"), f.variable("M"), f.variable("b"), summary(f.Tape, h, nil))
	f.check(t, loss)
}

// Two summaries are scored one by one, and the scores added up.
func TestTwoSummariesByTheFormula(t *testing.T) {
	const n, h, b = 7, 3, 0.4
	rnd := testkit.Random(1)
	values, shuffled, first, second := testkit.RandomDense(rnd, n, h), testkit.RandomDense(rnd, n, h), testkit.RandomDense(rnd, n, h), testkit.RandomDense(rnd, n, h)
	m := testkit.RandomDense(rnd, h, h)
	rows := []int{1, 2, 6} // of the first view that remain
	summed := func(x *mat.Dense, rows []int) *mat.VecDense {
		c := mat.NewVecDense(h, nil)
		for j := range h {
			mean := 0.0
			for _, i := range rows {
				mean += x.At(i, j) / float64(len(rows))
			}
			c.SetVec(j, 1/(1+math.Exp(-mean)))
		}
		return c
	}
	c1, c2 := summed(first, rows), summed(second, []int{0, 1, 2, 3, 4, 5, 6})
	want := 0.0
	for i := range n {
		score := func(x *mat.Dense) float64 {
			return mat.Inner(x.RowView(i), m, c1) + b + mat.Inner(x.RowView(i), m, c2) + b
		}
		want += (math.Log1p(math.Exp(-score(values))) + math.Log1p(math.Exp(score(shuffled)))) / (2 * n)
	}
	tape := autodiff.New[float64](ctx)
	constant := func(x *mat.Dense) *autodiff.Value[float64] {
		return tape.Constant(autodiff.Matrix[float64](x.RawMatrix()))
	}
	got := discriminate(tape, constant(values), constant(shuffled), constant(m), constant(mat.NewDense(1, 1, []float64{b})),
		summary(tape, constant(first), rows), summary(tape, constant(second), nil)).Scalar()
	near(t, "the loss", got, want)
}

// Features are shuffled anew in every epoch.
func TestEveryEpochShufflesAnew(t *testing.T) {
	losses := lossesAtRest(t, narrowed(DGI, gnn.Network{gnn.GCN(6), gnn.PReLU()}, 3))
	if losses[0] == losses[1] || losses[1] == losses[2] {
		t.Errorf("losses %v of the same parameters", losses)
	}
}

// lossesAtRest are the losses of the epochs while the parameters stay what they are.
func lossesAtRest(t *testing.T, s gnn.Settings) (losses []float64) {
	t.Helper()
	g, x := words(5, 40, 12)
	s.Optimizer = gnn.SGD(1e-300, 0)
	train(t, g, x, s, gnn.WithProgress(func(p gnn.Progress) { losses = append(losses, p.Loss) }))
	return losses
}

// nn.Bilinear of the authors counts h² inputs and h outputs: ±4.78e-3 for 512 columns.
func TestDiscriminatorStartsInANarrowRange(t *testing.T) {
	if bound := infomaxParameters(0, 512)[0].Bound; math.Abs(bound-4.78e-3) > 1e-5 {
		t.Errorf("M is drawn within ±%v", bound)
	}
}
