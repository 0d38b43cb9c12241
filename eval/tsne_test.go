package eval

import (
	"math"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// clusters are rows around three corners that are far apart, and the corner of each.
func clusters(n, d int) (*mat.Dense, []int) {
	x, corner := testkit.RandomDense(testkit.Random(4), n, d), make([]int, n)
	for i := range n {
		corner[i] = i % 3
		x.Set(i, corner[i], x.At(i, corner[i])+20)
	}
	return x, corner
}

func sourceOf(t *testing.T, x mat.Matrix) *matrix.Source {
	t.Helper()
	return testkit.Must(matrix.Read(t.Context(), x))
}

// naiveCost is C of a map, by its definition.
func naiveCost(p kernel.Matrix[float64], at [2][]float64) float64 {
	n := p.Rows
	w, total := mat.NewDense(n, n, nil), 0.0
	for i := range n {
		for j := range n {
			if i != j {
				w.Set(i, j, 1/(1+math.Pow(at[0][i]-at[0][j], 2)+math.Pow(at[1][i]-at[1][j], 2)))
				total += w.At(i, j)
			}
		}
	}
	cost := 0.0
	for i := range n {
		for j := range n {
			if v := p.Data[i*p.Stride+j]; v > 0 {
				cost += v * math.Log(v/(w.At(i, j)/total))
			}
		}
	}
	return cost
}

// Squared distances against differences, up to one factor, also far from zero and for numbers
// at the ends of their range.
func TestSquaredDistances(t *testing.T) {
	words, dense := testkit.RandomWords(testkit.Random(2), 40, 15)
	shifted, large, small := mat.DenseCopyOf(dense), mat.DenseCopyOf(dense), mat.DenseCopyOf(dense)
	shifted.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, dense)
	large.Scale(1e306, dense)
	small.Scale(1e-300, dense)
	for name, x := range map[string]mat.Matrix{"sparse": words, "dense": dense, "shifted": shifted, "large": large, "small": small} {
		d := testkit.Must(squaredDistances(t.Context(), sourceOf(t, x)))
		factor, worst := 0.0, 0.0
		for i := range 40 {
			for j := range 40 {
				want := 0.0
				for k := range 15 {
					want += math.Pow(dense.At(i, k)-dense.At(j, k), 2)
				}
				got := d.Data[i*d.Stride+j]
				if want > 0 && factor == 0 {
					factor = got / want
				}
				worst = max(worst, math.Abs(got/max(factor, 1e-300)-want)/(1+want))
			}
		}
		if worst > 1e-8 || factor == 0 {
			t.Errorf("%s: off by %g, factor %g", name, worst, factor)
		}
	}
}

func TestEveryRowHasThePerplexity(t *testing.T) {
	for _, n := range []int{5, 20, 91, 200} {
		x, _ := clusters(n, 6)
		x.SetRow(0, []float64{1e3, 0, 0, 0, 0, 0}) // far from all others
		d := testkit.Must(squaredDistances(t.Context(), sourceOf(t, x)))
		want := min(30, float64(n-1)/3)
		for i := range n {
			row := d.Row(i)
			conditional(row, i, want)
			entropy, sum := 0.0, 0.0
			for _, p := range row {
				sum += p
				if p > 0 {
					entropy -= p * math.Log(p)
				}
			}
			if got := math.Exp(entropy); math.Abs(got-want) > 1e-5 || math.Abs(sum-1) > 1e-12 || row[i] != 0 {
				t.Errorf("row %d of %d: perplexity %g, want %g; sum %g, itself %g", i, n, got, want, sum, row[i])
			}
		}
		p := testkit.Must(affinities(t.Context(), sourceOf(t, x)))
		total := 0.0
		for i := range n {
			for j := range n {
				total += p.Data[i*p.Stride+j]
				if p.Data[i*p.Stride+j] != p.Data[j*p.Stride+i] {
					t.Fatalf("p is not symmetric at (%d, %d)", i, j)
				}
			}
		}
		testkit.WantNear(t, "the sum of p", total, 1, 1e-12)
	}
}

// The gradient against the cost, by central differences.
func TestGradientOfTSNE(t *testing.T) {
	x, _ := clusters(25, 4)
	p := testkit.Must(affinities(t.Context(), sourceOf(t, x)))
	m := testkit.Must(newDescent(t.Context(), sourceOf(t, x), p, 1))
	rng := testkit.Random(9)
	for k := range m.at {
		for i := range m.at[k] {
			m.at[k][i] = 2 * rng.NormFloat64()
		}
	}
	if err := m.gradient(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	const h = 1e-5
	for k := range m.at {
		for i, slope := range m.slope[k] {
			at := m.at[k][i]
			m.at[k][i] = at + h
			above := naiveCost(p, m.at)
			m.at[k][i] = at - h
			below := naiveCost(p, m.at)
			m.at[k][i] = at
			if want := (above - below) / (2 * h); math.Abs(slope-want) > 1e-8 {
				t.Errorf("∂C/∂y[%d][%d] = %g, by differences %g", i, k, slope, want)
			}
		}
	}
}

// The nearest neighbour of a point in the map is of its own cluster.
func TestTSNEKeepsClustersApart(t *testing.T) {
	const n = 150
	x, cluster := clusters(n, 10)
	y := testkit.Must(TSNE(t.Context(), x, 1))
	for i := range n {
		nearest, least := -1, math.Inf(1)
		for j := range n {
			if d := math.Hypot(y.At(i, 0)-y.At(j, 0), y.At(i, 1)-y.At(j, 1)); j != i && d < least {
				nearest, least = j, d
			}
		}
		if cluster[nearest] != cluster[i] {
			t.Errorf("next to row %d of cluster %d lies row %d of cluster %d", i, cluster[i], nearest, cluster[nearest])
		}
	}
}

// Whatever has rows gets places, all finite: rows of no columns, of one, equal ones, and few.
func TestTSNEOfAnyRows(t *testing.T) {
	one, equal := mat.NewDense(7, 1, []float64{1, 2, 3, 4, 5, 6, 7}), mat.NewDense(6, 3, nil)
	for i := range 6 {
		equal.SetRow(i, []float64{1, 2, 3})
	}
	for name, x := range map[string]mat.Matrix{
		"single": mat.NewDense(1, 2, []float64{3, 4}), "two": mat.NewDense(2, 1, []float64{1, -1}), "three": mat.NewDense(3, 2, []float64{0, 0, 0, 1, 5, 5}),
		"one column": one, "equal": equal, "zero": mat.NewDense(4, 2, nil), "pairs": mat.NewDense(4, 1, []float64{1, 1, 2, 2}),
	} {
		y := testkit.Must(TSNE(t.Context(), x, 1))
		n, _ := x.Dims()
		if r, c := y.Dims(); r != n || c != 2 {
			t.Errorf("%s: %d × %d", name, r, c)
		}
		for i, v := range y.RawMatrix().Data {
			if !matrix.Finite(v) || n > 1 && v == y.RawMatrix().Data[(i+2)%(2*n)] {
				t.Errorf("%s: place %d is %g", name, i/2, v)
			}
		}
	}
}
