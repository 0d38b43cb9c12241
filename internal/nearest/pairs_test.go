package nearest_test

import (
	"math"
	"slices"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// joinedBy is a matrix of n rows that hold the columns given.
func joinedBy(n int, near func(i int) []int32) *kernel.CSR[float64] {
	a := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, 1, n+1)}
	for i := range n {
		a.Col = append(a.Col, near(i)...)
		a.Ptr = append(a.Ptr, int64(len(a.Col)))
	}
	return a
}

// drawnPairs joins pairs at random, some rows to themselves, and row 0 to all but the last.
func drawnPairs(n int, share float64, seed uint64) *kernel.CSR[float64] {
	rng := testkit.Random(seed)
	return joinedBy(n, func(i int) (near []int32) {
		for j := range n {
			if i == 0 && j < n-1 || rng.Float64() < share {
				near = append(near, int32(j))
			}
		}
		return near
	})
}

// sortedApart are the k best of all scores above zero of rows not joined, written out.
func sortedApart(x *mat.Dense, rows []int, joined *kernel.CSR[float64], k int, by nearest.Measure) [][]nearest.Match {
	n, d := x.Dims()
	queries := mat.NewDense(len(rows), d, nil)
	for q, i := range rows {
		queries.SetRow(q, x.RawRowView(i))
	}
	out := sorted(x, queries, rows, n, by)
	for q, all := range out {
		all = slices.DeleteFunc(all, func(m nearest.Match) bool {
			near, _ := joined.Row(rows[q])
			return m.Score <= 0 || slices.Contains(near, int32(m.Row))
		})
		out[q] = all[:min(k, len(all))]
	}
	return out
}

func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// stored reports the entries of a matrix.
func stored(a *kernel.CSR[float64]) func(i, j int) bool {
	return func(i, j int) bool {
		_, ok := matrix.Entry(a, i, j)
		return ok
	}
}

// wantApart compares all rows, and some, with what is written out.
func wantApart(t *testing.T, name string, x *mat.Dense, joined *kernel.CSR[float64], k int, by nearest.Measure, tolerance float64) {
	t.Helper()
	n, _ := x.Dims()
	want := sortedApart(x, upTo(n), joined, k, by)
	some := []int{n - 1, 0, n / 2, 0}
	for kind, m := range matrices(x) {
		index := testkit.Must(nearest.New(ctx, m, by))
		all := testkit.Must(index.Apart(ctx, nil, nil, stored(joined), k))
		wantMatches(t, name+", all, "+kind, all, want, tolerance)
		for q, matches := range testkit.Must(index.Apart(ctx, nil, some, stored(joined), k)) {
			testkit.WantSame(t, name+", some, "+kind, matches, all[some[q]])
		}
	}
}

func TestApartAreThoseOfAllScoresSorted(t *testing.T) {
	for _, c := range []struct {
		name  string
		n, d  int
		share float64 // of the pairs that are joined
		k     int
	}{
		{"one row", 1, 2, 0, 1},
		{"more wanted than there are", 9, 4, 0.3, 20},
		{"some blocks", 700, 6, 0.05, 10}, // 256 rows each
		{"few pairs are not joined", 300, 5, 0.99, 4},
		{"all rows ranked", 260, 3, 0.1, 260},
		{"one wanted, of many columns", 300, 300, 0, 1},
	} {
		x := testkit.RandomDense(testkit.Random(11), c.n, c.d)
		x.SetRow(c.n/2, make([]float64, c.d)) // is near to nothing
		for i := range c.n {
			row := x.RawRowView(i) // of lengths over six decades
			matrix.Scale(row, math.Pow(10, float64(i%7)-3))
		}
		for _, by := range []nearest.Measure{nearest.Dot, nearest.Cosine} {
			wantApart(t, c.name, x, drawnPairs(c.n, c.share, 12), c.k, by, 1e-11)
		}
	}
}

// Small whole numbers have exact products: of equal scores the lower row comes first.
func TestEqualPairsAreInTheOrderOfRows(t *testing.T) {
	x := testkit.RandomDense(testkit.Random(13), 600, 3)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	for _, k := range []int{1, 7, 599} {
		wantApart(t, "whole numbers", x, drawnPairs(600, 0.1, 14), k, nearest.Dot, 0)
	}
}

// Where float32 holds neither lengths nor differences, float64 decides.
func TestPairsThatFloat32ConfusesAreTold(t *testing.T) {
	rng := testkit.Random(15)
	near := testkit.RandomDense(rng, 520, 6)
	for i := range 520 {
		for j := range 6 {
			near.Set(i, j, near.At(i%4, j)*(1+1e-11*rng.NormFloat64()))
		}
	}
	wantApart(t, "rows nearly equal", near, drawnPairs(520, 0.1, 16), 30, nearest.Dot, 1e-12)
	for name, scale := range map[string]float64{"tiny": 1e-140, "huge": 1e140} {
		x := testkit.RandomDense(testkit.Random(17), 300, 4)
		x.Scale(scale, x)
		for _, by := range []nearest.Measure{nearest.Dot, nearest.Cosine} {
			wantApart(t, name, x, drawnPairs(300, 0.1, 18), 5, by, 1e-11)
		}
	}
}
