package eval

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// More queries and training rows than a task and a block hold, far from the
// origin, where products alone would lose half of the digits: the neighbours
// found are those of all distances sorted.
func TestNeighboursAreTheNearest(t *testing.T) {
	const n, d, k = 1500, 7, 9
	for _, cosine := range []bool{false, true} {
		x, rows := normal(n, d, 1, 91), upTo(n)[:1300]
		for i := range n {
			for j := range d {
				x.Set(i, j, math.Round(4*x.At(i, j))/4+1e6) // many at the same distance
			}
		}
		if cosine {
			x = normal(n, d, 1, 91)
			x.SetRow(3, make([]float64, d))
			x.SetRow(1400, make([]float64, d))
		}
		for form, given := range forms(x) {
			m, err := KNN{K: k, Cosine: cosine}.Fit(background, given, rows, make([]int, n))
			if err != nil {
				t.Fatal(err)
			}
			f, err := newFeatures(background, given)
			if err != nil {
				t.Fatal(err)
			}
			asked := upTo(n)[1290:1420]
			queries, err := m.knn.rowSet(f.gather(asked))
			if err != nil {
				t.Fatal(err)
			}
			s := newKNNSearch(m.knn, m.rows, queries)
			if err := s.run(background); err != nil {
				t.Fatal(err)
			}
			for q, i := range asked {
				distance := func(row int) float64 {
					u, v := x.RawRowView(i), x.RawRowView(row)
					if cosine {
						lengths := norm2(u) * norm2(v)
						if lengths == 0 {
							return 2
						}
						return 2 - 2*dot(u, v)/lengths
					}
					var sum float64
					for j := range u {
						sum += (u[j] - v[j]) * (u[j] - v[j])
					}
					return sum
				}
				distances := make([]float64, len(rows))
				for row := range rows {
					distances[row] = distance(row)
				}
				order := slices.Clone(rows)
				slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distances[a], distances[b]) })
				for r, found := range s.found[q] {
					want := distances[order[r]]
					// Under the cosine the two ways to compute it differ in the
					// last digits, and ties may fall either way.
					if math.Abs(found.square-want) > 1e-14 || !cosine && found.row != order[r] {
						t.Fatalf("cosine %v, %s: neighbour %d of row %d is %d at %v, want %d at %v",
							cosine, form, r, i, found.row, found.square, order[r], want)
					}
				}
			}
		}
	}
}

func TestEqualVotesGoToTheSmallestLabel(t *testing.T) {
	line := mat.NewDense(5, 1, []float64{0, 1, 3, 4, 1.9})
	labels := []int{7, 7, 2, 2, -1}
	for _, c := range []struct {
		knn  KNN
		want int
	}{
		{KNN{K: 4}, 2},                   // two votes each
		{KNN{K: 4, ByDistance: true}, 7}, // 1/1.9 + 1/0.9 votes against 1/1.1 + 1/2.1
		{KNN{K: 1}, 7},
	} {
		m, err := c.knn.Fit(background, line, upTo(4), labels)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Predict(background, line, []int{4})
		if err != nil || !slices.Equal(got, []int{c.want}) {
			t.Errorf("%+v: predicted %v, want %d, error %v", c.knn, got, c.want, err)
		}
	}
}

func TestKNNRefusals(t *testing.T) {
	x, labels := normal(6, 2, 1, 51), []int{0, 1, 0, 1, 0, -1}
	for name, c := range map[string]struct {
		knn  KNN
		x    mat.Matrix
		rows []int
		want error
	}{
		"more neighbours than rows": {KNN{K: 5}, x, upTo(4), ErrParameter},
		"negative K":                {KNN{K: -1}, x, upTo(4), ErrParameter},
		"no rows":                   {KNN{}, x, nil, ErrEmpty},
		"unlabelled row":            {KNN{K: 1}, x, upTo(6), ErrLabel},
		"overflow":                  {KNN{K: 1}, normal(6, 2, 1e200, 1), upTo(4), ErrNotFinite},
	} {
		if _, err := c.knn.Fit(background, c.x, c.rows, labels); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	m, err := KNN{K: 1}.Fit(background, x, upTo(4), labels)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Predict(background, normal(3, 3, 1, 1), nil); !errors.Is(err, ErrShape) {
		t.Errorf("three columns for two: %v", err)
	}
	if _, err := m.Predict(background, toCSR(x), nil); !errors.Is(err, ErrShape) {
		t.Errorf("sparse rows for a dense model: %v", err)
	}
	if _, err := new(KNNModel).Predict(background, x, nil); !errors.Is(err, ErrShape) {
		t.Errorf("empty model: %v", err)
	}
}
