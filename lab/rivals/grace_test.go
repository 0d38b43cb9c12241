package rivals

import (
	"math"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"
)

// The mean of the losses for many draws of anchors is the loss of all nodes.
func TestAnchorsAreUnbiased(t *testing.T) {
	const steps = 400
	g, x := words(6, 40, 12)
	s := narrowed(GRACE, gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(5), gnn.ReLU()}, 1)
	mean, squares, exact := 0.0, 0.0, 0.0
	probe := func(s *custom.Step[float64]) *autodiff.Value[float64] {
		for range steps {
			loss := graceLoss(s, 0.5, 8).Scalar()
			mean += loss / steps
			squares += loss * loss / steps
		}
		all := graceLoss(s, 0.5, 0)
		exact = all.Scalar()
		return all
	}
	s.Objective = objectiveOf(graceSpec(7), probe)
	train(t, g, x, s)
	// Four standard errors, which a fair draw leaves once in 16,000 times.
	deviation := math.Sqrt(squares - mean*mean)
	if !(deviation > 0 && math.Abs(mean-exact) <= 4*deviation/math.Sqrt(steps)) {
		t.Errorf("the losses are %v ± %v, the loss of all nodes is %v", mean, deviation, exact)
	}
}

// Half of the nodes would cost as much as all of them: these are taken, and nothing is drawn.
func TestManyAnchorsAreAllNodes(t *testing.T) {
	g, x := words(7, 40, 12)
	loss := func(anchors int) float64 {
		s := narrowed(GRACE, gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(5), gnn.ReLU()}, 3)
		s.Objective = GRACEObjective(0.5, 7, anchors)
		return train(t, g, x, s).Report().Loss
	}
	if all := loss(0); loss(20) != all || loss(1000) != all || loss(19) == all {
		t.Errorf("losses of 0, 19, 20 and 1000 anchors: %v, %v, %v, %v", all, loss(19), loss(20), loss(1000))
	}
}

// Twice the nodes take twice the memory, not four times.
func TestGRACEMemoryIsLinear(t *testing.T) {
	memory := func(n int) float64 {
		x := testkit.RandomDense(testkit.Random(1), n, 3)
		s := narrowed(GRACE, gnn.Network{gnn.GCN(4), gnn.ReLU(), gnn.GCN(2), gnn.ReLU()}, 1)
		s.Objective, s.Precision, s.Preparation = GRACEObjective(0.7, 2, 0), coles.Float32, coles.PrepareNone
		return float64(train(t, testkit.Must(coles.NewGraph(n, testkit.Ring(n, 2))), x, s).Report().Memory)
	}
	if one, two := memory(3000), memory(6000); !(two <= 2.05*one) {
		t.Errorf("%v bytes for 3000 nodes, %v for 6000", one, two)
	}
}
