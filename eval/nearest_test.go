package eval

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// slowNearest scores every row and sorts, which is the definition.
func slowNearest(x, queries *mat.Dense, self []int, k int, by Similarity) [][]Match {
	n, _ := x.Dims()
	count, _ := queries.Dims()
	found := make([][]Match, count)
	for i := range count {
		var all []Match
		for j := range n {
			if self != nil && self[i] == j {
				continue
			}
			score, u, v := 0.0, queries.RawRowView(i), x.RawRowView(j)
			lengthU, lengthV := 1.0, 1.0
			if by == Cosine { // a zero row stays one
				lengthU, lengthV = max(norm2(u), 0x1p-1022), max(norm2(v), 0x1p-1022)
			}
			for c := range u {
				score += u[c] / lengthU * (v[c] / lengthV)
			}
			all = append(all, Match{j, score})
		}
		slices.SortStableFunc(all, func(a, b Match) int {
			switch {
			case a.Score > b.Score:
				return -1
			case a.Score < b.Score:
				return 1
			}
			return 0
		})
		found[i] = all[:k]
	}
	return found
}

// wholeNumbers has exact products in either precision, and many ties.
func wholeNumbers(n, d, largest int, seed uint64) *mat.Dense {
	x := normal(n, d, float64(largest), seed)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	return x
}

func TestNearestEqualsItsDefinition(t *testing.T) {
	decaying := normal(700, 40, 1, 82) // lengths of rows over 12 decades
	decaying.Apply(func(i, _ int, v float64) float64 { return v * math.Pow(10, float64(i%13)-6) }, decaying)
	near := normal(2000, 6, 1, 83) // rows nearer to each other than float32 tells
	for i := range 2000 {
		for j := range 6 {
			near.Set(i, j, near.At(i%4, j)*(1+1e-12*near.At(i, j)))
		}
	}
	huge, tiny := normal(600, 5, 1e153, 84), normal(600, 5, 1e-200, 85)
	for _, c := range []struct {
		name string
		x    *mat.Dense
		k    int
	}{
		{"one row but the query", normal(2, 3, 1, 86), 1},
		{"ties", wholeNumbers(1500, 2, 1, 87), 20},
		{"zero rows only", mat.NewDense(600, 3, nil), 7},
		{"all rows ranked", normal(300, 7, 1, 88), 299},
		{"several blocks", normal(1300, 130, 1, 89), 10},
		{"several parts of some megabytes", normal(900, 4000, 1, 90), 5},
		{"lengths of many sizes", decaying, 30},
		{"rows closer than float32", near, 500},
		{"products near the largest number", huge, 10},
		{"products rounded near the smallest number", normal(1500, 60, 1e-162, 95), 400},
		{"cosines of products that vanish", tiny, 10},
	} {
		n, _ := c.x.Dims()
		rows := []int{n - 1, 0, n / 2, 0}
		queries := mat.NewDense(len(rows), c.x.RawMatrix().Cols, nil)
		for q, i := range rows {
			queries.SetRow(q, c.x.RawRowView(i))
		}
		for _, by := range []Similarity{Cosine, DotProduct} {
			for _, form := range []mat.Matrix{c.x, toCSR(c.x)} {
				got, err := NearestRows(background, form, rows, c.k, by)
				if err != nil {
					t.Fatal(c.name, err)
				}
				sameMatches(t, c.name, got, slowNearest(c.x, queries, rows, c.k, by))
				got, err = NearestTo(background, form, queries, c.k, by)
				if err != nil {
					t.Fatal(c.name, err)
				}
				sameMatches(t, c.name, got, slowNearest(c.x, queries, nil, c.k, by))
			}
		}
	}
}

// sameMatches compares scores to 1e-13 of the largest: rows whose scores are that
// near to each other may come in another order, but none twice.
func sameMatches(t *testing.T, name string, got, want [][]Match) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d queries, want %d", name, len(got), len(want))
	}
	for q := range want {
		if len(got[q]) != len(want[q]) {
			t.Fatalf("%s, query %d: %d matches, want %d", name, q, len(got[q]), len(want[q]))
		}
		tol := 1e-13 * max(math.Abs(want[q][0].Score), math.Abs(want[q][len(want[q])-1].Score))
		seen := make(map[int]bool)
		for m, w := range want[q] {
			g := got[q][m]
			if !(math.Abs(g.Score-w.Score) <= tol) || seen[g.Row] {
				t.Errorf("%s, query %d, match %d: %v, want %v", name, q, m, g, w)
				break
			}
			seen[g.Row] = true
		}
	}
}

// Products of whole numbers are exact, so that rows are those of the definition,
// the lower one first among equals.
func TestNearestGivesTiesToTheLowerRow(t *testing.T) {
	x := wholeNumbers(3000, 3, 2, 91)
	rows := upTo(300)
	got, err := NearestRows(background, x, rows, 40, DotProduct)
	if err != nil {
		t.Fatal(err)
	}
	ties := 0
	for q, want := range slowNearest(x, x.Slice(0, 300, 0, 3).(*mat.Dense), rows, 40, DotProduct) {
		if !slices.Equal(got[q], want) {
			t.Fatalf("query %d: %v, want %v", q, got[q], want)
		}
		for m := range 39 {
			if want[m].Score == want[m+1].Score {
				ties++
			}
		}
	}
	if ties < 1000 {
		t.Errorf("only %d ties", ties)
	}
}

func TestNearestIsTheSameForAllProcessors(t *testing.T) {
	x := normal(5000, 60, 1, 92)
	rows := upTo(400)
	want, err := NearestRows(background, x, rows, 10, Cosine)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		got, err := NearestRows(background, x, rows, 10, Cosine)
		if err != nil {
			t.Fatal(err)
		}
		for q := range want {
			if !slices.Equal(got[q], want[q]) {
				t.Fatalf("%d processors, query %d: %v, want %v", procs, q, got[q], want[q])
			}
		}
	}
}

func TestNearestStopsWhenCancelled(t *testing.T) {
	x := normal(60000, 64, 1, 93)
	late := cancelled(t, 30*time.Millisecond, func(ctx context.Context) error {
		_, err := NearestRows(ctx, x, upTo(20000), 10, Cosine)
		return err
	})
	if late > promptly {
		t.Errorf("returned %v after the cancellation", late)
	}
}

func TestNearestNamesBadInput(t *testing.T) {
	x := normal(5, 3, 1, 94)
	nan := mat.DenseCopyOf(x)
	nan.Set(2, 1, math.NaN())
	for _, c := range []struct {
		name string
		x    mat.Matrix
		rows []int
		k    int
		by   Similarity
		want error
	}{
		{"nil", nil, []int{0}, 1, Cosine, ErrShape},
		{"NaN", nan, []int{0}, 1, Cosine, ErrNotFinite},
		{"no rows", x, nil, 1, Cosine, ErrEmpty},
		{"row outside", x, []int{5}, 1, Cosine, ErrRow},
		{"negative row", x, []int{-1}, 1, Cosine, ErrRow},
		{"no matches", x, []int{0}, 0, Cosine, ErrParameter},
		{"more than the others", x, []int{0}, 5, Cosine, ErrParameter},
		{"similarity", x, []int{0}, 1, 2, ErrParameter},
		{"products overflow", normal(5, 3, 1e200, 1), []int{0}, 1, DotProduct, ErrNotFinite},
		{"lengths overflow", mat.NewDense(2, 2, []float64{1.7e308, 1.7e308, 1, 1}), []int{0}, 1, Cosine, ErrNotFinite},
	} {
		if _, err := NearestRows(background, c.x, c.rows, c.k, c.by); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name    string
		queries mat.Matrix
		k       int
		want    error
	}{
		{"nil", nil, 1, ErrShape},
		{"another width", normal(1, 2, 1, 1), 1, ErrShape},
		{"infinity", mat.NewDense(1, 3, []float64{0, math.Inf(1), 0}), 1, ErrNotFinite},
		{"more than there are", x, 6, ErrParameter},
	} {
		if _, err := NearestTo(background, x, c.queries, c.k, Cosine); !errors.Is(err, c.want) {
			t.Errorf("queries, %s: error %v, want %v", c.name, err, c.want)
		}
	}
}
