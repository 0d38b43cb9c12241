package rivals

import (
	"math"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The sums of FastGCN are without bias, and its draws in proportion to the norms of columns of W.
func TestDrawsByImportance(t *testing.T) {
	const draws, each = 20_000, 5
	for _, weighted := range []bool{false, true} {
		g := walkGraph(weighted)
		w := testkit.DenseOf(coles.Normalize(g))
		batch := []int{6, 1}
		q, total := make([]float64, 7), 0.0
		for j := range 7 {
			if w.At(6, j) != 0 || w.At(1, j) != 0 {
				q[j] = mat.Norm(w.ColView(j), 2)
				total += q[j]
			}
		}
		d := testkit.Must(newImportance(ctx, g, each))
		counts := make([]int, 7)
		sums, squares := make([]float64, 14), make([]float64, 14)
		for k := range draws {
			s := testkit.Must(d.sample(ctx, batch, uint64(k)))
			times := map[int]int{}
			for i, v := range batch {
				cols, vals := s.Factors[0].Row(i)
				for at, c := range cols {
					j := s.Levels[0][c]
					sums[i*7+j] += vals[at]
					squares[i*7+j] += vals[at] * vals[at]
					if w.At(v, j) == 0 {
						t.Fatalf("%d sees %d", v, j)
					}
					times[j] = int(math.Round(vals[at] * each * q[j] / total))
				}
			}
			for j, n := range times {
				counts[j] += n
			}
		}
		wantLaw(t, counts, func(j int) float64 { return q[j] / total })
		wantMeans(t, "factor", sums, squares, draws, func(at int) float64 {
			if w.At(batch[at/7], at%7) != 0 {
				return 1
			}
			return 0
		})
	}
}

// The first layer alone decays, in the loss of the labelled nodes.
func TestFastGCNDecaysTheFirstLayer(t *testing.T) {
	g, x := words(6, 40, 12)
	probe := func(s *custom.Step[float64]) *autodiff.Value[float64] {
		rows, classes := s.Labels()
		want := s.SoftmaxCrossEntropy(s.Output(&custom.View{}), rows, classes).Scalar()
		for _, name := range []string{"1.weight", "1.bias"} {
			want += 1e-4 / 2 * math.Pow(mat.Norm(dense(s.Parameter(name)), 2), 2)
		}
		loss := firstDecayed(s)
		if got := loss.Scalar(); len(rows) != 3 || !(math.Abs(got-want) <= 1e-13*want) {
			t.Errorf("the loss of %d nodes is %v, want %v", len(rows), got, want)
		}
		return loss
	}
	s := FastGCN("")
	s.Objective = objectiveOf(custom.ObjectiveSpec{Labels: true}, probe)
	s.Epochs, s.Precision = 3, coles.Float64
	testkit.Must(classify(ctx, g, x, 3, s))
}
