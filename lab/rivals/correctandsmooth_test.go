package rivals

import (
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestCorrectAndSmoothRefuses(t *testing.T) {
	const n, classes = 30, 3
	g, _ := words(6, n, 12)
	scores, train, labels := mat.NewDense(n, classes, nil), []int{2, 5, 11, 20}, []int{0, 2, 1, 1}
	s := DefaultCorrectAndSmooth()
	testkit.WantError(t, testkit.Err(CorrectAndSmooth{Correct: 1.5}.Apply(ctx, g, scores, train, labels)), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, train, labels[:3])), coles.ErrShape)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, []int{n}, []int{0})), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, []int{0}, []int{classes})), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, mat.NewDense(3, 3, nil), train, labels)), coles.ErrShape)
}
