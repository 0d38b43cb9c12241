package nearest_test

import (
	"fmt"
	"math"
	"testing"

	"coles/internal/matrix"
	"coles/internal/nearest"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Where a few columns, which are not the first, have most of the squares, few rows are looked at as a whole, and those found
// are those of all scores. Rows in clumps leave many to look at, a spread of lengths makes the scores of dot and distance other
// than those of the cosine.
func TestHeadsHideNoRow(t *testing.T) {
	for name, spread := range map[string]float64{"rows apart": 1, "rows in clumps": 0.01, "rows in clumps that float32 cannot tell apart": 1e-8} {
		const n, d, count, k = 1500, 72, 4, 10
		x, queries := headed(1, n, d, spread), headed(2, count, d, spread)
		x.SetRow(n/2, make([]float64, d))
		queries.SetRow(count-1, make([]float64, d))
		for _, by := range []nearest.Measure{nearest.Dot, nearest.Cosine, nearest.Distance} {
			want := sorted(x, queries, nil, k, by)
			index := testkit.Must(nearest.New(ctx, matrices(x)["dense"], by))
			index.Group()
			for kind, q := range matrices(queries) {
				got := testkit.Must(index.Near(ctx, q, k))
				for i := range want { // clumps have rows in other orders where the scores are equal but for rounding
					for p, w := range want[i] {
						if g := got[i][p]; !(math.Abs(g.Score-w.Score) <= 1e-12*math.Abs(w.Score)+1e-14) {
							t.Fatalf("%s, measure %d, %s: match %d of query %d is %+v, want %+v", name, by, kind, p, i, g, w)
						}
					}
				}
			}
		}
	}
}

// headed are rows with most of their squares in the last 6 of d columns, around five of such.
func headed(seed uint64, n, d int, spread float64) *mat.Dense {
	rng, centres := testkit.Random(seed), testkit.RandomDense(testkit.Random(3), 5, d)
	x := mat.NewDense(n, d, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		weight := 1.0
		if j < d-6 {
			weight = 0.1
		}
		return weight * (centres.At(i%5, j) + spread*rng.NormFloat64()) * float64(1+i%3)
	}, x)
	return x
}

// One query of 100,000 rows of 128 columns, of which six have most of the squares, and of as many with no such columns.
func BenchmarkOneQuery(b *testing.B) {
	for name, x := range map[string]*mat.Dense{"head": headed(1, 100_000, 128, 0.5), "flat": testkit.RandomDense(testkit.Random(1), 100_000, 128)} {
		index := testkit.Must(nearest.New(ctx, testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, x)))), nearest.Cosine))
		index.Group()
		for _, k := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s, k=%d", name, k), func(b *testing.B) {
				row := 0
				for b.Loop() {
					row = (row + 7919) % index.Rows()
					testkit.Must(index.NearRows(ctx, []int{row}, k))
				}
			})
		}
	}
}
