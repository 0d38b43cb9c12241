package plane

import (
	"math"
	"slices"
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
func naiveCost(p *kernel.CSR[float64], at []point) float64 {
	w := func(i, j int) float64 {
		return 1 / (1 + math.Pow(at[i][0]-at[j][0], 2) + math.Pow(at[i][1]-at[j][1], 2))
	}
	cost, total := 0.0, 0.0
	for i := range at {
		for j := range at {
			if i != j {
				total += w(i, j)
			}
		}
	}
	for i := range at {
		cols, vals := p.Row(i)
		for q, v := range vals {
			if v > 0 {
				cost += v * math.Log(v/(w(i, int(cols[q]))/total))
			}
		}
	}
	return cost
}

// Neighbours against all differences, their squared distances up to one factor, also far from zero
// and for numbers at the ends of their range.
func TestNeighboursAreTheNearest(t *testing.T) {
	const n, k = 40, 7
	words, dense := testkit.RandomWords(testkit.Random(2), n, 15)
	shifted, large, small := mat.DenseCopyOf(dense), mat.DenseCopyOf(dense), mat.DenseCopyOf(dense)
	shifted.Apply(func(_, _ int, v float64) float64 { return v + 1e6 }, dense)
	large.Scale(1e306, dense)
	small.Scale(1e-300, dense)
	for name, x := range map[string]mat.Matrix{"sparse": words, "dense": dense, "shifted": shifted, "large": large, "small": small} {
		got := testkit.Must(neighbours(t.Context(), sourceOf(t, x), k))
		factor := 0.0
		for i := range n {
			squares, sorted := make([]float64, n), []float64{}
			for j := range n {
				for c := range 15 {
					squares[j] += math.Pow(dense.At(i, c)-dense.At(j, c), 2)
				}
				if j != i {
					sorted = append(sorted, squares[j])
				}
			}
			slices.Sort(sorted)
			cols, vals := got.Row(i)
			if len(cols) != k || slices.Contains(cols, int32(i)) {
				t.Fatalf("%s: the neighbours of row %d are %v", name, i, cols)
			}
			for q, j := range cols {
				want := squares[j]
				if factor == 0 && want > 0 {
					factor = vals[q] / want
				}
				if math.Abs(vals[q]/max(factor, 1e-300)-want) > 1e-8*(1+want) || want > sorted[k-1]*(1+1e-8) {
					t.Errorf("%s: row %d is %g from row %d, want %g times %g, and at most %g", name, j, vals[q], i, want, factor, sorted[k-1])
				}
			}
		}
	}
}

func TestEveryRowHasThePerplexity(t *testing.T) {
	for _, n := range []int{5, 20, 91, 200} {
		x, _ := clusters(n, 6)
		x.SetRow(0, []float64{1e3, 0, 0, 0, 0, 0}) // far from all others
		d := testkit.Must(neighbours(t.Context(), sourceOf(t, x), min(n-1, 90)))
		want := min(30, float64(n-1)/3)
		for i := range n {
			_, row := d.Row(i)
			conditional(row, want)
			entropy, sum := 0.0, 0.0
			for _, p := range row {
				sum += p
				if p > 0 {
					entropy -= p * math.Log(p)
				}
			}
			if got := math.Exp(entropy); math.Abs(got-want) > 1e-5 || math.Abs(sum-1) > 1e-12 {
				t.Errorf("row %d of %d: perplexity %g, want %g; sum %g", i, n, got, want, sum)
			}
		}
		p := testkit.Must(affinities(t.Context(), sourceOf(t, x)))
		if symmetric := testkit.Must(matrix.Symmetric(t.Context(), p)); !symmetric {
			t.Errorf("p of %d rows is not symmetric", n)
		}
		testkit.WantNear(t, "the sum of p", matrix.Total(p.Val), 1, 1e-12)
	}
}

// scattered is a descent of n rows at random places, some of them at the same.
func scattered(t *testing.T, n int) *descent {
	t.Helper()
	x, _ := clusters(n, 4)
	m := testkit.Must(newDescent(t.Context(), sourceOf(t, x), testkit.Must(affinities(t.Context(), sourceOf(t, x))), 1))
	rng := testkit.Random(9)
	for i := range m.at {
		m.at[i] = point{2 * rng.NormFloat64(), 5 * rng.NormFloat64()}
		if i%10 == 9 {
			m.at[i] = m.at[i-1]
		}
	}
	return m
}

// The gradient of exact sums against the cost, by central differences.
func TestGradientOfTSNE(t *testing.T) {
	m := scattered(t, 60)
	testkit.Check(t, m.gradient(t.Context(), 1, 0))
	const h = 1e-5
	for i := range m.at {
		for k, slope := range m.slope[i] {
			at := m.at[i][k]
			m.at[i][k] = at + h
			above := naiveCost(m.p, m.at)
			m.at[i][k] = at - h
			below := naiveCost(m.p, m.at)
			m.at[i][k] = at
			if want := (above - below) / (2 * h); math.Abs(slope-want) > 1e-8 {
				t.Errorf("∂C/∂y[%d][%d] = %g, by differences %g", i, k, slope, want)
			}
		}
	}
}

// Cells change sums by little, and the larger they may be the more: what a cell is off by has the order
// of the square of its size over its distance, of random signs.
func TestCellsStandForTheirPoints(t *testing.T) {
	const n = 3000
	m := scattered(t, n)
	testkit.Check(t, m.gradient(t.Context(), 1, 0))
	push, sums := slices.Clone(m.push), slices.Clone(m.sums)
	before := 0.0
	for _, theta := range []float64{0.25, 0.5, tsneTheta} {
		testkit.Check(t, m.gradient(t.Context(), 1, theta))
		off, size, worst := 0.0, 0.0, 0.0
		for i := range n {
			off += math.Pow(m.push[i][0]-push[i][0], 2) + math.Pow(m.push[i][1]-push[i][1], 2)
			size += math.Pow(push[i][0], 2) + math.Pow(push[i][1], 2)
			worst = max(worst, math.Abs(m.sums[i]/sums[i]-1))
		}
		if off = math.Sqrt(off / size); !(off > before && off < theta*theta/10 && worst < theta*theta/5) {
			t.Errorf("theta %g: the push is off by %g, after %g; a sum by %g", theta, off, before, worst)
		}
		before = off
	}
}

// The nearest neighbour of a point in the map is of its own cluster.
func TestTSNEKeepsClustersApart(t *testing.T) {
	const n = 150
	x, cluster := clusters(n, 10)
	y := testkit.Must(TSNE{Seed: 1}.Places(t.Context(), x))
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
		y := testkit.Must(TSNE{Seed: 1}.Places(t.Context(), x))
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
