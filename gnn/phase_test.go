package gnn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/testkit"
)

// alternating has two phases: (a−3)²/2, of which a is trained, and a·b + b², of which both are, two
// steps at half the rate.
func alternating() Objective {
	one := func(name string, start float64) custom.Parameter {
		return custom.Parameter{Name: name, Rows: 1, Cols: 1, Start: start}
	}
	return objectiveOf(custom.ObjectiveSpec{
		Parameters: func(_, _ int) []custom.Parameter { return []custom.Parameter{one("a", 1), one("b", 0.5)} },
		Phases: []custom.Phase{
			{Steps: 1, Rate: 1, Trains: func(name string) bool { return name == "objective.a" }},
			{Steps: 2, Rate: 0.5, Trains: func(name string) bool { return strings.HasPrefix(name, "objective.") }},
		},
	}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
		a, b := s.Parameter("a"), s.Parameter("b")
		if s.Phase() == 1 {
			return s.Add(s.Mul(a, b), s.Mul(b, b))
		}
		three := autodiff.NewMatrix[float64](1, 1)
		three.Data[0] = -3
		d := s.Add(a, s.Constant(three))
		return s.Scale(s.Mul(d, d), 0.5)
	})
}

// Adam written out, with moments and steps of each phase apart; decay takes what a phase trains, and
// nothing else.
func TestPhasesEqualTheirFormulas(t *testing.T) {
	const rate, decay = 0.1, 0.01
	a, b := 1.0, 0.5
	var first, second, third adamByHand
	var losses []float64
	for range 4 {
		losses = append(losses, (a-3)*(a-3)/2)
		first.step(&a, a-3+decay*a, rate)
		for range 2 {
			ga, gb := b, a+2*b
			second.step(&a, ga+decay*a, rate/2)
			third.step(&b, gb+decay*b, rate/2)
		}
	}
	g, x := small(120)
	var got []float64
	opts := []Option{withObjective(alternating()), withOptimizer(optim.Adam(rate).WithDecay(decay)), withEpochs(4), WithEpochReport(func(p EpochReport) { got = append(got, p.Loss) })}
	r, fresh := runOf(t, g, x, opts...), runOf(t, g, x, opts...)
	testkit.Check(t, r.train(ctx))
	for k, p := range r.encoder.params {
		switch want := map[string]float64{"objective.a": a, "objective.b": b}; {
		case p.layer != objectiveLayer:
			testkit.WantSame(t, p.String(), p.value.Data, fresh.encoder.params[k].value.Data)
		case math.Abs(p.value.Data[0]-want[p.String()]) > 1e-14:
			t.Errorf("%v is %v, want %v", p, p.value.Data[0], want[p.String()])
		}
	}
	for k, want := range losses {
		if math.Abs(got[k]-want) > 1e-14 {
			t.Errorf("epoch %d: loss %v, want %v, the first phase's", k+1, got[k], want)
		}
	}
}

// valley has the loss |epoch − 4|, epochs counted from 0, and makes every step take rate from the
// first bias.
func valley() Objective {
	return objectiveOf(custom.ObjectiveSpec{}, func(s *custom.Step[float64]) *autodiff.Value[float64] {
		s.Output(&custom.View{})
		sum := s.Sum(s.Parameter("0.bias"))
		rest := autodiff.NewMatrix[float64](1, 1)
		rest.Data[0] = math.Abs(float64(s.Epoch())-4) - sum.Scalar()
		return s.Add(sum, s.Constant(rest))
	})
}

// After Patience epochs without a lower loss it ends, with the parameters of the lowest.
func TestPatienceGoesBackToTheLowestLoss(t *testing.T) {
	g, x := small(121)
	for _, c := range []struct{ patience, epochs, done, best int }{
		{3, 50, 8, 5},
		{1, 50, 6, 5},
		{9, 7, 7, 5}, // the end comes first
		{3, 2, 2, 2},
	} {
		m := trained(t, g, x, withObjective(valley()), withOptimizer(optim.SGD(0.125, 0)), withEpochs(c.epochs), withPatience(c.patience))
		if r := m.Report(); r.Epochs != c.done || r.BestEpoch != c.best {
			t.Errorf("patience %d: %d epochs, the best %d, want %d and %d", c.patience, r.Epochs, r.BestEpoch, c.done, c.best)
		}
		bias, _ := m.Parameter("0.bias")
		// A loss belongs to the parameters before its step. Eighths are exact.
		if want := -0.125 * float64(c.best-1); bias.At(0, 0) != want {
			t.Errorf("patience %d: the bias is %v, want %v", c.patience, bias.At(0, 0), want)
		}
	}
}

// A classifier is patient by the loss of the nodes that it is stopped by.
func TestPatienceOfAClassifier(t *testing.T) {
	g, x, labels, train, val := separated()
	for _, patience := range []int{0, 2, 5} {
		var scores []float64
		c := testkit.Must(TrainClassifier(ctx, g, x, labels, train, val, withPatience(patience), withOptimizer(optim.Adam(0.1)), withEpochs(60),
			WithEpochReport(func(p EpochReport) { scores = append(scores, p.Score) })))
		best := slices.Index(scores, slices.Max(scores)) + 1
		if r := c.Report(); r.BestEpoch != best || r.Epochs != len(scores) || patience > 0 && r.Epochs != best+patience || patience == 0 && r.Epochs != 60 {
			t.Errorf("patience %d: %d epochs, the best %d, which by the scores is %d", patience, r.Epochs, r.BestEpoch, best)
		}
	}
}
