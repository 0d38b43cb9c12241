package rivals

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func TestCorrectAndSmoothByTheFormula(t *testing.T) {
	const n, classes = 30, 3
	g, _ := words(6, n, 12)
	scores := testkit.RandomDense(testkit.Random(7), n, classes)
	train, labels := []int{2, 5, 11, 20}, []int{0, 2, 1, 1}
	s := CorrectAndSmooth{Correct: 0.6, Smooth: 0.7, Steps: 4}

	a, degree := testkit.DenseOf(g.CSR()), g.Degrees()
	walk, smooth := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			if a.At(i, j) > 0 {
				walk.Set(i, j, a.At(i, j)/degree[j])
				smooth.Set(i, j, a.At(i, j)/math.Sqrt(degree[i]*degree[j]))
			}
		}
	}
	spread := func(s, first *mat.Dense, share, low float64) *mat.Dense {
		e := mat.DenseCopyOf(first)
		for range 4 {
			e = testkit.Product(s, e)
			e.Apply(func(i, j int, v float64) float64 {
				return min(max(share*v+(1-share)*first.At(i, j), low), 1)
			}, e)
		}
		return e
	}
	y, first := mat.DenseCopyOf(scores), mat.NewDense(n, classes, nil)
	for i := range n {
		row := y.RawRowView(i)
		total := floats.LogSumExp(row)
		for j, v := range row {
			row[j] = math.Exp(v - total)
		}
	}
	mean := 0.0
	for k, i := range train {
		for j := range classes {
			first.Set(i, j, -y.At(i, j))
		}
		first.Set(i, labels[k], 1-y.At(i, labels[k]))
		mean += mat.Norm(first.RowView(i), 1) / 4
	}
	e := spread(walk, first, 0.6, -1)
	for i := range n {
		scale := mean / mat.Norm(e.RowView(i), 1)
		if math.IsInf(scale, 0) || scale > 1000 {
			scale = 1
		}
		for j := range classes {
			y.Set(i, j, y.At(i, j)+scale*e.At(i, j))
		}
	}
	for k, i := range train {
		for j := range classes {
			y.Set(i, j, 0)
		}
		y.Set(i, labels[k], 1)
	}
	got := testkit.Must(s.Apply(ctx, g, scores, train, labels))
	testkit.WantClose(t, "what it makes of the scores", got, spread(smooth, y, 0.7, 0), 1e-12)

	testkit.WantError(t, testkit.Err(CorrectAndSmooth{Correct: 1.5}.Apply(ctx, g, scores, train, labels)), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, train, labels[:3])), coles.ErrShape)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, []int{n}, []int{0})), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, scores, []int{0}, []int{classes})), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, g, mat.NewDense(3, 3, nil), train, labels)), coles.ErrShape)
}
