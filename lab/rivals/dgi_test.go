package rivals

import (
	"math"
	"testing"

	"coles/gnn"
	"coles/gnn/optim"
)

func TestInfomaxEqualsTorch(t *testing.T) {
	f := readFixture("dgi")
	h := f.variable("H")
	loss := discriminate(f.Tape, h, f.variable("corrupted"), f.variable("M"), f.variable("b"), summary(f.Tape, h, nil))
	f.check(t, loss)
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
	s.Optimizer = optim.SGD(1e-300, 0)
	train(t, g, x, s, gnn.WithEpochReport(func(p gnn.EpochReport) { losses = append(losses, p.Loss) }))
	return losses
}

// nn.Bilinear of the authors counts h² inputs and h outputs: ±4.78e-3 for 512 columns.
func TestDiscriminatorStartsInANarrowRange(t *testing.T) {
	if bound := infomaxParameters(0, 512)[0].Bound; math.Abs(bound-4.78e-3) > 1e-5 {
		t.Errorf("M is drawn within ±%v", bound)
	}
}
