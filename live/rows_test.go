package live_test

import (
	"context"
	"math"
	"sort"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// New rows join the rows that are nearest by the definition, and are embedded as Freeze does with these edges.
func TestNewRowsJoinTheNearest(t *testing.T) {
	ctx := context.Background()
	const n, d, k = 90, 5, 4
	x, more := testkit.RandomDense(testkit.Random(1), n, d), testkit.RandomDense(testkit.Random(2), 7, d)
	m, rows, err := live.FitRows(ctx, x, k)
	if err != nil {
		t.Fatal(err)
	}
	g := testkit.Must(coles.KNN(ctx, x, k))
	testkit.WantClose(t, "graph", rows.Graph().CSR(), g.CSR(), 0)
	testkit.WantSame(t, "model by", m.Report().Kind, coles.UseGraph)
	testkit.WantSame(t, "share", m.Report().StructureShare, 0.3)
	testkit.WantSame(t, "share of many columns", testkit.Must(live.RowShare(ctx, testkit.RandomDense(testkit.Random(4), 9, 100))), coles.AutoShare)
	how := testkit.Must(coles.PrepareAuto.Fit(ctx, x))
	known, fresh := testkit.DenseOf(testkit.Must(how.Apply(ctx, x))), testkit.DenseOf(testkit.Must(how.Apply(ctx, more)))
	var want []coles.Edge
	for i := range 7 {
		apart := make([]float64, n)
		order := make([]int, n)
		for j := range n {
			order[j] = j
			for q := range d {
				apart[j] += math.Pow(fresh.At(i, q)-known.At(j, q), 2)
			}
		}
		sort.SliceStable(order, func(p, q int) bool { return apart[order[p]] < apart[order[q]] })
		for _, j := range order[:k] {
			want = append(want, coles.Edge{U: n + i, V: j})
		}
	}
	testkit.WantSame(t, "edges", testkit.Must(rows.Near(ctx, more)), want)
	frozen := testkit.Must(live.Freeze(ctx, m, g, x))
	all := testkit.Must(rows.Embed(ctx, more))
	testkit.WantClose(t, "vectors", all, testkit.Must(frozen.Embed(ctx, more, want, nil)), 0)
	// Alone a row gets the same.
	testkit.WantClose(t, "one", testkit.Must(rows.Embed(ctx, more.Slice(3, 4, 0, d))), all.Slice(3, 4, 0, m.Report().Dim), 1e-13)
}

// A row that says nothing, or shares nothing with any, joins none.
func TestNewRowsOfNothingJoinNone(t *testing.T) {
	ctx := context.Background()
	words, _ := testkit.RandomWords(testkit.Random(3), 60, 40)
	words.Set(0, 39, 0)
	for i := range 60 {
		words.Set(i, 39, 0)
	}
	_, rows, err := live.FitRows(ctx, words, 5)
	if err != nil {
		t.Fatal(err)
	}
	alone := mat.NewDense(2, 40, nil)
	alone.Set(1, 39, 3)
	testkit.WantSame(t, "edges", len(testkit.Must(rows.Near(ctx, testkit.SparseOf(alone)))), 0)
	testkit.WantError(t, testkit.Err(rows.Embed(ctx, mat.NewDense(1, 3, nil))), coles.ErrShape)
	nothing := mat.NewDense(6, 2, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	if _, rows, err = live.FitRows(ctx, nothing, 2); err != nil {
		t.Fatal(err)
	}
	testkit.WantError(t, fitRows(nothing, 6), coles.ErrSetting)
	testkit.WantSame(t, "edges where all rows are equal", len(testkit.Must(rows.Near(ctx, nothing))), 0)
}

func fitRows(x mat.Matrix, k int) error {
	_, _, err := live.FitRows(context.Background(), x, k)
	return err
}
