package rivals

import (
	"math"
	"testing"

	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The target follows the trained parameters after every step, by the rule of the paper, and never its gradient: with
// θ before each of four steps, ξ is the initial ξ after three such moves.
func TestTargetFollows(t *testing.T) {
	const steps = 4
	g, x := words(4, 40, 12)
	for _, name := range []string{"0.weight", "0.slope", "1.scale"} {
		var online []*mat.Dense
		var first *mat.Dense
		target := name[:2] + "target " + name[2:]
		s := narrowed(BGRL, bootstrapNetwork(steps, 6, 4), steps)
		s.Objective = objectiveOf(bootstrapSpec(7), func(s *custom.Step[float64]) *autodiff.Value[float64] {
			if online = append(online, dense(s.Parameter(name))); first == nil {
				first = dense(s.Parameter(target))
			}
			return bootstrapLoss(s)
		})
		found, _ := train(t, g, x, s).Parameter(target)
		want := mat.DenseCopyOf(first)
		r, c := want.Dims()
		for k, theta := range online[1:] {
			share := 0.01 * (1 + math.Cos(math.Pi*float64(k)/steps)) / 2
			var move mat.Dense
			move.Sub(mat.NewDense(r, c, theta.RawMatrix().Data), want)
			move.Scale(share, &move)
			want.Add(want, &move)
		}
		testkit.WantClose(t, target, found, want, 1e-14)
		if mat.Equal(want, first) {
			t.Errorf("%s has not moved", target)
		}
	}
}
