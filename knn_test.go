package coles_test

import (
	"math"
	"sort"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// nearestNaive sorts all cosine similarities: O(n² log n), by the definition.
func nearestNaive(x *mat.Dense, k int) []coles.Edge {
	n, _ := x.Dims()
	var list []coles.Edge
	for i := range n {
		similarity := make([]float64, n)
		order := make([]int, 0, n)
		for j := range n {
			norms := mat.Norm(x.RowView(i), 2) * mat.Norm(x.RowView(j), 2)
			if norms > 0 {
				similarity[j] = mat.Dot(x.RowView(i), x.RowView(j)) / norms
			}
			if j != i && similarity[j] > 0 {
				order = append(order, j)
			}
		}
		sort.SliceStable(order, func(a, b int) bool { return similarity[order[a]] > similarity[order[b]] })
		for _, j := range order[:min(k, len(order))] {
			list = append(list, coles.Edge{U: i, V: j})
		}
	}
	return list
}

func TestKNNEqualsNaiveSearch(t *testing.T) {
	rng := random(3)
	words, _ := randomWords(rng, 150, 200)
	// Counts shared by two rows make ties that rounding would order at will:
	// a small change of every value parts them.
	raw := words.RawMatrix()
	for q := range raw.Data {
		raw.Data[q] += 0.1 * rng.Float64()
	}
	wordsDense := denseOf(words)
	for _, c := range []struct {
		name string
		x    mat.Matrix
		same *mat.Dense
		k    int
	}{
		{"dense, k = 1", randomDense(random(4), 140, 6), randomDense(random(4), 140, 6), 1},
		{"dense, k = 7", randomDense(random(4), 140, 6), randomDense(random(4), 140, 6), 7},
		{"dense, k = n-1", randomDense(random(5), 20, 3), randomDense(random(5), 20, 3), 19},
		{"sparse", words, wordsDense, 5},
		{"sparse rows in dense form", wordsDense, wordsDense, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(coles.KNN(ctx, c.x, c.k))
			n, _ := c.same.Dims()
			want := must(coles.NewGraph(n, nearestNaive(c.same, c.k)))
			wantClose(t, "A", got.CSR(), want.CSR(), 0)
		})
	}
}

func TestKNNTiesGoToTheLowerRow(t *testing.T) {
	// Rows 1, 2 and 3 are equal and all are at the same angle to row 0.
	x := mat.NewDense(4, 2, []float64{1, 0, 1, 1, 2, 2, 3, 3})
	g := must(coles.KNN(ctx, x, 1))
	wantClose(t, "A", g.CSR(), mat.NewDense(4, 4, []float64{
		0, 1, 0, 0,
		1, 0, 1, 1,
		0, 1, 0, 0,
		0, 1, 0, 0,
	}), 0)
}

func TestKNNLeavesZeroRowsIsolated(t *testing.T) {
	x := mat.NewDense(4, 2, []float64{1, 0, 0, 0, 1, 0.1, -1, 0})
	g := must(coles.KNN(ctx, x, 2))
	if d := g.Degrees(); d[1] != 0 || d[3] != 0 || d[0] != 1 || d[2] != 1 {
		t.Errorf("degrees are %v, want 1 0 1 0: row 1 is zero, row 3 similar to nothing", d)
	}
}

func TestKNNRefuses(t *testing.T) {
	x := randomDense(random(6), 5, 3)
	bad := mat.DenseCopyOf(x)
	bad.Set(2, 1, math.NaN())
	for _, c := range []struct {
		name string
		x    mat.Matrix
		k    int
		opts []coles.GraphOption
		want error
	}{
		{"k = 0", x, 0, nil, coles.ErrSetting},
		{"k = n", x, 5, nil, coles.ErrSetting},
		{"NaN", bad, 2, nil, coles.ErrNotFinite},
		{"empty", &mat.Dense{}, 1, nil, coles.ErrEmpty},
		{"weights", x, 2, []coles.GraphOption{coles.WithEdgeWeights([]float64{1})}, coles.ErrSetting},
		{"ids", x, 2, []coles.GraphOption{coles.WithIDs([]string{"a"})}, coles.ErrIDs},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.KNN(ctx, c.x, c.k, c.opts...)
			wantError(t, err, c.want)
		})
	}
}
