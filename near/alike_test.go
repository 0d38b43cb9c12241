package near

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Scores are cosines of the rows of A + I times d/(d + 1), of the dense matrix, and for leaves over n.
func TestAlikeNodesEqualTheDenseFormula(t *testing.T) {
	g := testkit.Must(coles.NewGraph(40, append(testkit.RandomEdges(testkit.Random(201), 40, 0.1), coles.Edge{U: 3, V: 3})))
	a := testkit.DenseOf(g.CSR())
	for i := range 40 {
		for j := range 40 {
			a.Set(i, j, map[bool]float64{true: 1}[a.At(i, j) != 0 || i == j])
		}
	}
	found := testkit.Must(Alike(context.Background(), g, testkit.UpTo(40), 39))
	for u, matches := range found {
		var want []Match
		for v := range 40 {
			common, d := mat.Dot(a.RowView(u), a.RowView(v)), mat.Sum(a.RowView(v))-1
			if v != u && common > 0 {
				score := common / math.Sqrt(mat.Sum(a.RowView(u))*(d+1)) * d / (d + 1)
				if d == 1 {
					score /= 40
				}
				want = append(want, Match{v, score})
			}
		}
		slices.SortFunc(want, func(a, b Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.Row-b.Row) })
		if !slices.EqualFunc(matches, want, func(a, b Match) bool { return a.Row == b.Row && math.Abs(a.Score-b.Score) < 1e-12 }) {
			t.Errorf("node %d: %v, want %v", u, matches, want)
		}
	}
	testkit.WantRefusals(t, map[string][2]error{
		"a node outside": {testkit.Err(Alike(context.Background(), g, []int{40}, 3)), coles.ErrIndex},
		"too many":       {testkit.Err(Alike(context.Background(), g, []int{0}, 40)), coles.ErrSetting},
	})
}
