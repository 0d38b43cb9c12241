package matrix_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// csrOf holds the entries of x that are not zero.
func csrOf(x mat.Matrix) *kernel.CSR[float64] {
	return testkit.Must(matrix.As[float64](ctx, testkit.Must(matrix.Read(ctx, testkit.SparseOf(x))))).Sparse
}

// entriesOf is a sparse matrix as a dense one.
func entriesOf(a *kernel.CSR[float64]) *mat.Dense { return denseOf(&matrix.Matrix[float64]{Sparse: a}) }

func TestFromPairsIsTheSymmetricMatrixOfThem(t *testing.T) {
	const n = 40
	rng := testkit.Random(1)
	for _, c := range []struct {
		name  string
		pairs int
		merge func(x, y float64) float64
	}{
		{"none", 0, math.Max},
		{"few, the largest", 30, math.Max},
		{"many, their sum", 3000, func(x, y float64) float64 { return x + y }},
	} {
		pairs, weights := make([]coles.Edge, c.pairs), make([]float64, c.pairs)
		for q := range pairs {
			pairs[q], weights[q] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}, float64(rng.IntN(9))
		}
		for _, w := range [][]float64{weights, nil} {
			want, places := mat.NewDense(n, n, nil), make(map[coles.Edge]bool)
			for q, e := range pairs {
				v := 1.0
				if w != nil {
					v = w[q]
				}
				place := coles.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}
				if places[place] {
					v = c.merge(want.At(e.U, e.V), v)
				}
				places[place] = true
				want.Set(e.U, e.V, v)
				want.Set(e.V, e.U, v)
			}
			a, joined, err := matrix.FromPairs(ctx, n, pairs, w, c.merge)
			if err != nil || joined != len(pairs)-len(places) {
				t.Errorf("%s: %d joined (%v), want %d", c.name, joined, err, len(pairs)-len(places))
			}
			testkit.WantSame(t, c.name, testkit.Bits(entriesOf(a)), testkit.Bits(want))
			for i := range n {
				if cols, _ := a.Row(i); !slices.IsSorted(cols) || len(slices.Compact(slices.Clone(cols))) < len(cols) {
					t.Errorf("%s: row %d has the columns %v", c.name, i, cols)
				}
			}
		}
	}
}

func TestSparseMatricesAreCombined(t *testing.T) {
	x, y := eighths(5, 23, 17), eighths(6, 23, 17)
	x.SetRow(4, make([]float64, 17))
	y.SetRow(4, make([]float64, 17))
	y.SetRow(9, make([]float64, 17))
	a, b := csrOf(x), csrOf(y)
	var sum, left mat.Dense
	sum.Scale(-2, y)
	sum.Add(&sum, x)
	testkit.WantSame(t, "a − 2b", testkit.Bits(entriesOf(testkit.Must(matrix.Add(ctx, 1, a, -2, b)))), testkit.Bits(&sum))
	product := func(x, y float64) float64 { return x*y + 1 }
	merged := testkit.Must(matrix.Merge(ctx, a, b, product))
	for i := range 23 {
		for j := range 17 {
			v, stored := matrix.Entry(merged, i, j)
			if want := x.At(i, j) != 0 || y.At(i, j) != 0; stored != want || want && v != product(x.At(i, j), y.At(i, j)) {
				t.Errorf("(%d, %d) is %v, stored: %v", i, j, v, stored)
			}
		}
	}
	drop := func(i, j int, v float64) bool { return v < 0 || i == j }
	left.Apply(func(i, j int, v float64) float64 {
		if drop(i, j, v) {
			return 0
		}
		return v
	}, x)
	testkit.WantSame(t, "exported", testkit.Bits(testkit.Must(matrix.ExportCSR(ctx, a))), testkit.Bits(x))
	kept := csrOf(x)
	testkit.Check(t, matrix.Drop(ctx, kept, drop))
	testkit.WantSame(t, "what is left", testkit.Bits(entriesOf(kept)), testkit.Bits(&left))
	if slices.Contains(kept.Val, 0) {
		t.Error("a dropped entry is stored")
	}

	one := csrOf(mat.NewDense(2, 2, []float64{0, 1, 0, 0}))
	_, _, alone := matrix.Unmirrored(one)
	one.Val[0] = 0
	_, _, zero := matrix.Unmirrored(one)
	testkit.WantSame(t, "an entry alone, and a stored zero, is not mirrored", []bool{alone, zero}, []bool{true, false})
	testkit.WantSame(t, "identity", testkit.Bits(entriesOf(matrix.Identity(3))), testkit.Bits(mat.NewDiagDense(3, []float64{1, 1, 1})))
}

func TestRowsAndColumnsAreScaled(t *testing.T) {
	x := eighths(7, 23, 17)
	left, right := testkit.RandomDense(testkit.Random(8), 1, 23).RawRowView(0), testkit.RandomDense(testkit.Random(9), 1, 17).RawRowView(0)
	rows, columns := slices.Repeat([]float64{1}, 23), slices.Repeat([]float64{1}, 17)
	for name, c := range map[string]struct{ left, right, rows, columns []float64 }{
		"rows": {left, nil, left, columns}, "columns": {nil, right, rows, right},
		"both": {left, right, left, right}, "neither": {nil, nil, rows, columns},
	} {
		var want mat.Dense
		want.Apply(func(i, j int, v float64) float64 { return v * (c.rows[i] * c.columns[j]) }, x)
		testkit.WantClose(t, name, entriesOf(testkit.Must(matrix.ScaledCSR(ctx, csrOf(x), c.left, c.right))), &want, 0)
	}
}

func TestInducedHasTheRowsAndColumnsOfNodes(t *testing.T) {
	const n = 30
	x := eighths(10, n, n)
	x.SetRow(4, make([]float64, n))
	a := csrOf(x)
	pattern := &kernel.CSR[float64]{Rows: n, Cols: n, Ptr: a.Ptr, Col: a.Col}
	for name, nodes := range map[string][]int{
		"ascending": {1, 4, 5, 20, 29}, "in another order": {20, 3, 4, 29, 0, 7}, "one": {11}, "none": {}, "all": testkit.Random(11).Perm(n),
	} {
		part, places := testkit.Must(matrix.Induced(ctx, a, nodes)), testkit.Must(matrix.Induced(ctx, pattern, nodes))
		single := testkit.Must(matrix.Induced(ctx, kernel.ConvertCSR[float32](a), nodes))
		testkit.WantSame(t, name+": order", [2]int{part.Rows, part.Cols}, [2]int{len(nodes), len(nodes)})
		testkit.WantSame(t, name+": entries of a pattern", places, &kernel.CSR[float64]{Rows: part.Rows, Cols: part.Cols, Ptr: part.Ptr, Col: part.Col})
		for i, u := range nodes {
			if cols, _ := part.Row(i); !slices.IsSorted(cols) {
				t.Errorf("%s: row %d has the columns %v", name, i, cols)
			}
			for j, v := range nodes {
				got, stored := matrix.Entry(part, i, j)
				if want := x.At(u, v); got != want || stored != (want != 0) {
					t.Errorf("%s: (%d, %d) is %v, stored: %v, want %v", name, i, j, got, stored, want)
				}
			}
		}
		testkit.WantSame(t, name+": in float32", kernel.ConvertCSR[float64](single), part)
	}
}

func TestDegreeLeavesOutTheDiagonal(t *testing.T) {
	cols, vals := []int32{1, 4, 6}, []float64{2, 3, 5}
	for row, want := range map[int][2]float64{0: {10, 0}, 1: {8, 2}, 4: {7, 3}, 6: {5, 5}, 9: {10, 0}} {
		if degree, loop := matrix.Degree(row, cols, vals); degree != want[0] || loop != want[1] {
			t.Errorf("row %d: degree %v, loop %v, want %v", row, degree, loop, want)
		}
	}
}

func TestPairsAreChecked(t *testing.T) {
	for name, bad := range testkit.BadGraphs(5) {
		if name == "weights that sum to too much" { // each of them is a number
			continue
		}
		t.Run(name, func(t *testing.T) { testkit.WantError(t, matrix.CheckPairs(5, bad.Edges, bad.Weights), bad.Want) })
	}
	check(t, matrix.CheckPairs(5, []coles.Edge{{U: 0, V: 4}, {U: 3, V: 3}}, []float64{0, 1e308}))
}

// Entries of one direction are joined as asked, then the larger of both directions counts, but sums of repeats that differ
// add up; whatever the order, the unit and the number of buckets. What was given again, and what is larger in the other
// direction, is counted.
func TestFromEntriesJoinsRepeatsAndDirections(t *testing.T) {
	rng := testkit.Random(3)
	for _, c := range []struct {
		n, entries int
		unit       float64 // of the weights; 0 for none
		both       bool    // every entry has its mirror image
	}{
		{1, 3, 1, false}, {40, 0, 1, false}, {40, 30, 1e-300, false}, {40, 3000, 1e300, false}, {40, 500, 0, false}, {40, 500, 0, true}, {40, 500, 2, true},
		{100_000, 140_000, 1, false}, {100_000, 140_000, 0, false}, {60, 140_000, 0, true}, // two buckets, and many
	} {
		type place = coles.Edge
		var given []coles.Edge
		var weights []float64
		for len(given) < c.entries {
			e, w := coles.Edge{U: rng.IntN(c.n), V: rng.IntN(c.n)}, 1.0
			if len(given)%7 == 6 {
				e = coles.Edge{U: given[len(given)-1].V, V: given[len(given)-1].U}
			}
			if c.unit > 0 {
				w = c.unit * float64(rng.IntN(9)) // zeros, too
			}
			given, weights = append(given, e), append(weights, w)
			if c.both && e.U != e.V {
				given, weights = append(given, coles.Edge{U: e.V, V: e.U}), append(weights, w)
			}
		}
		parts := matrix.PairParts(given, weights)
		for _, repeats := range []matrix.Repeats{matrix.Added, matrix.Largest, matrix.First} {
			joined := map[place]float64{}
			again, mirrored := 0, 0
			for q, e := range given {
				old, stored := joined[e]
				switch {
				case !stored:
					joined[e] = weights[q]
				case repeats == matrix.Added:
					joined[e] = old + weights[q]
				case repeats == matrix.Largest:
					joined[e] = max(old, weights[q])
				}
				if stored {
					again++
				}
			}
			want := map[place]float64{}
			symmetric := true
			for e, w := range joined {
				back := joined[place{U: e.V, V: e.U}]
				want[e], want[place{U: e.V, V: e.U}] = max(w, back), max(w, back)
				symmetric = symmetric && w == back
			}
			for e, w := range want {
				if w > joined[e] {
					mirrored++
				}
			}
			if repeats == matrix.Added && again > 0 && !symmetric {
				for e := range want {
					if want[e] = joined[e]; e.U != e.V {
						want[e] += joined[place{U: e.V, V: e.U}]
					}
				}
			}
			a, gotAgain, gotMirrored, err := matrix.FromEntries(ctx, c.n, parts, len(given), c.unit > 0, repeats)
			check(t, err)
			testkit.WantSame(t, "counts", []int{gotAgain, gotMirrored, a.NNZ()}, []int{again, mirrored, len(want)})
			counted := c.unit > 0 || repeats == matrix.Added && again > 0
			for i := range c.n {
				cols, vals := a.Row(i)
				for q, j := range cols {
					if q > 0 && cols[q-1] >= j {
						t.Fatalf("row %d of %d has the columns %v", i, c.n, cols)
					}
					if w, stored := want[place{U: i, V: int(j)}]; !stored || vals != nil && vals[q] != w || (vals != nil) != counted {
						t.Fatalf("%v, %v: %v at (%d, %d), want %v, %v", c, repeats, vals, i, j, w, stored)
					}
				}
			}
		}
	}
}

// A pattern has the places of the pairs, and is its transpose; a changed one is not.
func TestPatternsOfPairs(t *testing.T) {
	type pair struct{ U, V int }
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 5, 700} {
		pairs := make([]pair, 300*n) // of several ranges where n is large
		places := map[pair]bool{}
		for q := range pairs {
			pairs[q] = pair{rng.IntN(n), rng.IntN(n)}
			places[pairs[q]], places[pair{pairs[q].V, pairs[q].U}] = true, true
		}
		a, merged, err := matrix.FromPairs(ctx, n, pairs, nil, nil)
		if err != nil || a.Val != nil || a.NNZ() != len(places) {
			t.Fatalf("n = %d: %d entries, values %v, error %v, want %d", n, a.NNZ(), a.Val != nil, err, len(places))
		}
		distinct := 0
		for p := range places {
			if _, stored := matrix.Entry(a, p.U, p.V); !stored {
				t.Fatalf("n = %d: no entry at %v", n, p)
			}
			if p.U <= p.V {
				distinct++
			}
		}
		testkit.WantSame(t, "merged", merged, len(pairs)-distinct)
		valued := matrix.Valued(a)
		testkit.WantSame(t, "values", testkit.Must(matrix.Ones(ctx, valued)), true)
		testkit.WantSame(t, "hash", testkit.Must(matrix.HashCSR(ctx, a)), testkit.Must(matrix.HashCSR(ctx, valued)))
		testkit.WantSame(t, "symmetric", testkit.Must(matrix.Symmetric(ctx, a)), true)
		if n < 700 {
			continue
		}
		cols, vals := valued.Row(0)
		vals[len(vals)-1] = 2
		testkit.WantSame(t, "symmetric with another value", testkit.Must(matrix.Symmetric(ctx, valued)), false)
		i, j, found := matrix.Unmirrored(valued)
		testkit.WantSame(t, "its place", []any{i, j, found}, []any{0, int(cols[len(cols)-1]), true})
		testkit.WantSame(t, "ones", testkit.Must(matrix.Ones(ctx, valued)), false)
		at := int(cols[3])
		testkit.Check(t, matrix.Drop(ctx, a, func(i, j int, v float64) bool { return v == 1 && i == at && j == 0 }))
		testkit.WantSame(t, "symmetric without an entry below the diagonal", testkit.Must(matrix.Symmetric(ctx, a)), false)
		testkit.Check(t, matrix.Drop(ctx, a, func(i, j int, v float64) bool { return v == 1 && i == 0 && j == at }))
		testkit.WantSame(t, "symmetric without both, and still a pattern", testkit.Must(matrix.Symmetric(ctx, a)) && a.Val == nil, true)
		if i, j, found := matrix.Unmirrored(a); found {
			t.Errorf("the entry at (%d, %d) is not mirrored", i, j)
		}
	}
}
