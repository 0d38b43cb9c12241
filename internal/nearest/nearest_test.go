package nearest_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// matrices are x dense and sparse.
func matrices(x mat.Matrix) map[string]*matrix.Matrix[float64] {
	return map[string]*matrix.Matrix[float64]{
		"dense":  testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, x)))),
		"sparse": testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, testkit.SparseOf(x))))),
	}
}

// near are the k rows of x most similar to each query.
func near(ctx context.Context, x, queries *matrix.Matrix[float64], k int, by nearest.Measure) ([][]nearest.Match, error) {
	index, err := nearest.New(ctx, x, by)
	if err != nil {
		return nil, err
	}
	return index.Near(ctx, queries, k)
}

// sorted are the k best of all scores, written out.
func sorted(x, queries *mat.Dense, self []int, k int, by nearest.Measure) [][]nearest.Match {
	scores := testkit.Product(queries, x.T())
	out := make([][]nearest.Match, 0)
	q, n := scores.Dims()
	for i := range q {
		var all []nearest.Match
		for j := range n {
			if self != nil && self[i] == j {
				continue
			}
			s := scores.At(i, j)
			if lengths := mat.Norm(queries.RowView(i), 2) * mat.Norm(x.RowView(j), 2); by == nearest.Cosine && lengths > 0 {
				s /= lengths
			}
			if by == nearest.Distance {
				var apart mat.VecDense
				apart.SubVec(queries.RowView(i), x.RowView(j))
				s = -mat.Dot(&apart, &apart)
			}
			all = append(all, nearest.Match{Row: j, Score: s})
		}
		slices.SortStableFunc(all, func(a, b nearest.Match) int { return cmp.Compare(b.Score, a.Score) })
		out = append(out, all[:min(k, len(all))])
	}
	return out
}

// wantMatches allows rounding in the scores, and other rows only where the scores are equal up to
// it.
func wantMatches(t *testing.T, name string, got, want [][]nearest.Match, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d answers, want %d", name, len(got), len(want))
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("%s: query %d has %d matches, want %d", name, i, len(got[i]), len(want[i]))
		}
		for q, w := range want[i] {
			if g := got[i][q]; g.Row != w.Row || !(math.Abs(g.Score-w.Score) <= tolerance*math.Abs(w.Score)) {
				t.Fatalf("%s: match %d of query %d is %+v, want %+v", name, q, i, g, w)
			}
		}
	}
}

// squares reports whether scores are differences of squares that hardly differ, of which few digits are left.
func squares(by nearest.Measure, d int, kind string) bool {
	return by == nearest.Distance && d == 1 && kind == "sparse"
}

func TestRowsAreThoseOfAllScoresSorted(t *testing.T) {
	for _, c := range []struct {
		name          string
		n, queries, d int
		k             int
	}{
		{"one row", 1, 1, 3, 1},
		{"more wanted than there are", 5, 3, 4, 9},
		{"several tasks of queries and of rows", 700, 300, 6, 10},
		{"one column", 400, 20, 1, 3},
		{"several blocks", 2200, 5, 1000, 7}, // 2²¹ numbers are 2,097 rows
	} {
		if testing.Short() && c.n > 1000 {
			continue
		}
		x, queries := testkit.RandomDense(testkit.Random(1), c.n, c.d), testkit.RandomDense(testkit.Random(2), c.queries, c.d)
		x.SetRow(c.n/2, make([]float64, c.d))
		queries.SetRow(c.queries-1, make([]float64, c.d)) // a zero query is as near to all
		for _, by := range []nearest.Measure{nearest.Dot, nearest.Cosine, nearest.Distance} {
			if by == nearest.Cosine && c.d == 1 {
				continue // all cosines are ±1, to rounding
			}
			want := sorted(x, queries, nil, c.k, by)
			for kind, m := range matrices(x) {
				if squares(by, c.d, kind) {
					continue
				}
				for kindOfQueries, q := range matrices(queries) {
					name := c.name + ", " + kindOfQueries + " in " + kind
					wantMatches(t, name, testkit.Must(near(ctx, m, q, c.k, by)), want, 1e-12)
				}
			}
		}
		// The last rows among all but themselves.
		some := x.Slice(c.n-min(c.n, 20), c.n, 0, c.d).(*mat.Dense)
		var self []int
		for i := c.n - min(c.n, 20); i < c.n; i++ {
			self = append(self, i)
		}
		for _, by := range []nearest.Measure{nearest.Dot, nearest.Distance} {
			want := sorted(x, some, self, c.k, by)
			for kind, m := range matrices(x) {
				if squares(by, c.d, kind) {
					continue
				}
				index := testkit.Must(nearest.New(ctx, m, by))
				wantMatches(t, c.name+", itself, "+kind, testkit.Must(index.NearRows(ctx, self, c.k)), want, 1e-12)
				if c.n < 1000 {
					all := testkit.Must(index.NearRows(ctx, nil, c.k))
					wantMatches(t, c.name+", all, "+kind, all[c.n-len(self):], want, 1e-12)
				}
			}
		}
	}
}

// Small whole numbers have exact products, many of them equal: the lower row comes first.
func TestEqualScoresAreInTheOrderOfRows(t *testing.T) {
	words, x := testkit.RandomWords(testkit.Random(3), 600, 5)
	queries := mat.DenseCopyOf(x.Slice(0, 40, 0, 5))
	for kind, m := range matrices(x) {
		for _, k := range []int{1, 7, 600} {
			got := testkit.Must(near(ctx, m, matrices(queries)["dense"], k, nearest.Dot))
			wantMatches(t, kind, got, sorted(testkit.DenseOf(words), queries, nil, k, nearest.Dot), 0)
		}
	}
}

// float32 cannot separate the rows: float64 decides on their order.
func TestRowsThatFloat32ConfusesAreTold(t *testing.T) {
	const n, d = 500, 8
	rng := testkit.Random(4)
	base := testkit.RandomDense(rng, 1, d)
	x := mat.NewDense(n, d, nil)
	for i, step := range rng.Perm(n) {
		row := mat.NewVecDense(d, nil)
		// Scores differ by 10⁻¹² of themselves at least, a thousand roundings of float64.
		row.ScaleVec(1+1e-12*float64(step), base.RowView(0))
		x.SetRow(i, row.RawVector().Data)
	}
	got := testkit.Must(near(ctx, matrices(x)["dense"], matrices(base)["dense"], 20, nearest.Dot))
	wantMatches(t, "nearly equal", got, sorted(x, base, nil, 20, nearest.Dot), 1e-14)
	// Rows on a circle around the query's double, which is as far from all but for 10⁻⁹ of it.
	apart := mat.NewDense(1, d, []float64{1, 2, 3, 0, 0, 0, 0, 0})
	for i, step := range rng.Perm(n) {
		turn, away := float64(i), 1+1e-9*float64(step)
		x.SetRow(i, []float64{1 + away*math.Cos(turn), 2 + away*math.Sin(turn), 3, 0, 0, 0, 0, 0})
	}
	got = testkit.Must(near(ctx, matrices(x)["dense"], matrices(apart)["dense"], 20, nearest.Distance))
	wantMatches(t, "nearly as far", got, sorted(x, apart, nil, 20, nearest.Distance), 1e-13)
	// The same by the angle: each row turned by a little more.
	for i, step := range rng.Perm(n) {
		angle := 1e-5 * float64(step+1) // cosines differ by 5·10⁻¹¹ at least
		x.SetRow(i, []float64{math.Cos(angle), math.Sin(angle), 0, 0, 0, 0, 0, 0})
	}
	axis := mat.NewDense(1, d, []float64{3, 0, 0, 0, 0, 0, 0, 0})
	got = testkit.Must(near(ctx, matrices(x)["dense"], matrices(axis)["dense"], 20, nearest.Cosine))
	wantMatches(t, "nearly parallel", got, sorted(x, axis, nil, 20, nearest.Cosine), 1e-14)
}

// Lengths, and products of them, at the ends of float64.
func TestExtremeLengths(t *testing.T) {
	const n, d = 300, 6
	x, queries := testkit.RandomDense(testkit.Random(5), n, d), testkit.RandomDense(testkit.Random(6), 9, d)
	for _, scale := range []struct{ x, queries float64 }{{1e-200, 1e-100}, {1e200, 1e100}, {1e250, 1e-300}, {1, 1e-310}} {
		var large, far mat.Dense
		large.Scale(scale.x, x)
		far.Scale(scale.queries, queries)
		large.SetRow(7, mat.Row(nil, 7, x)) // and one of an ordinary length
		for kind, m := range matrices(&large) {
			q := matrices(&far)["dense"]
			// 1e-310 is a number of four digits fewer: both sides round it alike.
			wantMatches(t, kind, testkit.Must(near(ctx, m, q, 5, nearest.Dot)), sorted(&large, &far, nil, 5, nearest.Dot), 1e-9)
			if scale.queries > 1e-300 {
				wantMatches(t, kind+" by the angle", testkit.Must(near(ctx, m, q, 5, nearest.Cosine)), sorted(x, queries, nil, 5, nearest.Cosine), 1e-12)
			}
		}
	}
}

func TestRowsRefuses(t *testing.T) {
	x := testkit.RandomDense(testkit.Random(7), 20, 3)
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e200, huge)
	longer := mat.DenseCopyOf(x)
	longer.SetRow(4, []float64{1.7e308, 1.7e308, 0})
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	for kind, m := range matrices(x) {
		testkit.WantError(t, testkit.Err(near(ctx, m, m, math.MaxInt, nearest.Dot)), matrix.ErrTooLarge)
		testkit.WantError(t, testkit.Err(near(ctx, m, matrices(longer)[kind], 2, nearest.Cosine)), matrix.ErrNotFinite)
		testkit.WantError(t, testkit.Err(near(ctx, matrices(longer)[kind], m, 2, nearest.Cosine)), matrix.ErrNotFinite)
		h := matrices(huge)[kind]
		testkit.WantError(t, testkit.Err(near(ctx, h, h, 2, nearest.Dot)), matrix.ErrNotFinite)
		testkit.WantError(t, testkit.Err(near(ctx, h, m, 2, nearest.Distance)), matrix.ErrNotFinite)
		if _, err := near(ctx, h, h, 2, nearest.Cosine); err != nil {
			t.Errorf("cosines of large rows: %v", err)
		}
		if _, err := near(stopped, m, m, 2, nearest.Dot); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}

// The call is long: 4·10⁸ scores of 100 products each, or of 12 entries.
func TestRowsStops(t *testing.T) {
	n := 20_000
	if race.Enabled {
		n = 4_000
	}
	words, _ := testkit.RandomWords(testkit.Random(10), n, 100)
	for name, x := range map[string]mat.Matrix{"dense": testkit.RandomDense(testkit.Random(9), n, 100), "sparse": words} {
		t.Run(name, func(t *testing.T) {
			m := testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, x))))
			testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(near(ctx, m, m, 50, nearest.Cosine)) })
		})
	}
}
