package near

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// slowNearest scores every row and sorts, which is the definition.
func slowNearest(x, queries *mat.Dense, self []int, k int, by Similarity) [][]Match {
	if by == Cosine {
		x, queries = testkit.UnitRows(x), testkit.UnitRows(queries)
	}
	scores := testkit.Product(queries, x.T())
	count, _ := queries.Dims()
	found := make([][]Match, count)
	for i := range found {
		var all []Match
		for j, score := range scores.RawRowView(i) {
			if self == nil || self[i] != j {
				all = append(all, Match{j, score})
			}
		}
		slices.SortStableFunc(all, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
		found[i] = all[:k]
	}
	return found
}

// wholeNumbers has exact products in either precision, and many ties.
func wholeNumbers(n, d int, deviation float64, seed uint64) *mat.Dense {
	x := testkit.Normal(n, d, deviation, seed)
	x.Apply(func(_, _ int, v float64) float64 { return math.Round(v) }, x)
	return x
}

func TestNearestEqualsItsDefinition(t *testing.T) {
	decaying := testkit.Normal(700, 40, 1, 82) // lengths of rows over 12 decades
	decaying.Apply(func(i, _ int, v float64) float64 { return v * math.Pow(10, float64(i%13)-6) }, decaying)
	near := testkit.Normal(2000, 6, 1, 83) // rows nearer to each other than float32 can separate
	for i := range 2000 {
		for j := range 6 {
			near.Set(i, j, near.At(i%4, j)*(1+1e-12*near.At(i, j)))
		}
	}
	for _, c := range []struct {
		name string
		x    *mat.Dense
		k    int
	}{
		{"zero rows only", mat.NewDense(600, 3, nil), 7},
		{"all rows ranked", testkit.Normal(300, 7, 1, 88), 299},
		{"several parts of some megabytes", testkit.Normal(60, 36_000, 1, 90), 5},
		{"lengths of many sizes", decaying, 30},
		{"rows closer than float32", near, 500},
		{"products near the largest number", testkit.Normal(600, 5, 1e153, 84), 10},
		{"products rounded near the smallest number", testkit.Normal(1500, 60, 1e-162, 95), 400},
		{"cosines of products that vanish", testkit.Normal(600, 5, 1e-200, 85), 10},
	} {
		n, d := c.x.Dims()
		rows := []int{n - 1, 0, n / 2, 0}
		queries := mat.NewDense(len(rows), d, nil)
		for q, i := range rows {
			queries.SetRow(q, c.x.RawRowView(i))
		}
		for form, x := range testkit.Forms(c.x) {
			for _, by := range []Similarity{Cosine, DotProduct} {
				t.Run(c.name+", "+form+", "+by.String(), func(t *testing.T) {
					wantMatches(t, testkit.Must(nearestRows(context.Background(), x, rows, c.k, by)), slowNearest(c.x, queries, rows, c.k, by))
					wantMatches(t, testkit.Must(nearestVectors(context.Background(), x, queries, c.k, by)), slowNearest(c.x, queries, nil, c.k, by))
				})
			}
		}
	}
}

// wantMatches compares scores to 1e-13 of the largest: rows whose scores are that near to each
// other may come in another order, but none twice.
func wantMatches(t *testing.T, got, want [][]Match) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d queries, want %d", len(got), len(want))
	}
	for q := range want {
		if len(got[q]) != len(want[q]) {
			t.Fatalf("query %d: %d matches, want %d", q, len(got[q]), len(want[q]))
		}
		tolerance := 1e-13 * max(math.Abs(want[q][0].Score), math.Abs(want[q][len(want[q])-1].Score))
		seen := make(map[int]bool)
		for m, w := range want[q] {
			g := got[q][m]
			if !(math.Abs(g.Score-w.Score) <= tolerance) || seen[g.Row] {
				t.Errorf("query %d, match %d: %v, want %v", q, m, g, w)
				break
			}
			seen[g.Row] = true
		}
	}
}

// Products of whole numbers are exact, so that rows follow the definition, the lower one first
// among equals: from an index of one part and of several, one goroutine after another or all at once,
// one row at a time or all.
func TestIndexIsForManyGoroutines(t *testing.T) {
	const large = 70_000
	for _, c := range []struct {
		x             *mat.Dense
		rows          []int
		k, most, ties int
	}{
		{wholeNumbers(3000, 3, 2, 91), testkit.UpTo(300), 40, 20, 1000},
		{wholeNumbers(large, 3, 5, 93), []int{0, large - 1, 255, 256, large / 2, large/2 + 1}, 30, 6, 20},
	} {
		queries := mat.NewDense(len(c.rows), 3, nil)
		for q, i := range c.rows {
			queries.SetRow(q, c.x.RawRowView(i))
		}
		want := slowNearest(c.x, queries, c.rows, c.k, DotProduct)
		ties := 0
		for _, matches := range want {
			for m := range c.k - 1 {
				if matches[m].Score == matches[m+1].Score {
					ties++
				}
			}
		}
		if ties < c.ties {
			t.Errorf("only %d ties", ties)
		}
		for form, x := range testkit.Forms(c.x) {
			index := testkit.Must(NewIndex(context.Background(), x, DotProduct))
			testkit.WantSame(t, form, testkit.Must(index.Rows(context.Background(), c.rows, c.k)), want)
			var all sync.WaitGroup
			got := make([][][]Match, c.most)
			for q := range got {
				all.Add(1)
				go func() {
					defer all.Done()
					got[q], _ = index.Rows(context.Background(), c.rows[q:q+1], c.k)
				}()
			}
			all.Wait()
			for q := range got {
				testkit.WantSame(t, form+", one row", got[q], want[q:q+1])
			}
		}
	}
}

func TestSimilarityHasNamesInJSON(t *testing.T) {
	for want, name := range map[Similarity]string{Cosine: `"cosine"`, DotProduct: `"dot"`} {
		text := testkit.Must(json.Marshal(want))
		var got Similarity
		if err := json.Unmarshal(text, &got); err != nil || got != want || string(text) != name {
			t.Errorf("%v: %s, %v, %v", want, text, got, err)
		}
	}
	testkit.WantError(t, new(Similarity).UnmarshalText([]byte("euclid")), coles.ErrSetting)
	testkit.WantError(t, testkit.Err(Similarity(2).MarshalText()), coles.ErrSetting)
}

// Groups of rows of an embedding find what all rows do.
func TestGroupFindsTheSame(t *testing.T) {
	d := testkit.Must(synthetic.Communities{Nodes: 1500, Features: 80, Dense: true}.Generate(t.Context()))
	m := testkit.Must(coles.Fit(t.Context(), testkit.Must(d.Graph()), d.Features, coles.WithDim(80)))
	for _, by := range []Similarity{Cosine, DotProduct} {
		plain, grouped := testkit.Must(NewIndex(t.Context(), m.Embedding(), by)), testkit.Must(NewIndex(t.Context(), m.Embedding(), by))
		grouped.Prepare()
		for row := range 50 {
			testkit.WantSame(t, "rows", testkit.Must(grouped.Rows(t.Context(), []int{row}, 9)), testkit.Must(plain.Rows(t.Context(), []int{row}, 9)))
		}
	}
}
