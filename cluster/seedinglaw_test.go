package cluster

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// seedingLaw is the probability of every sequence of k rows as centres by greedy k-means++: the first
// is uniform; for each next, candidates are drawn in proportion to the squared distances to the
// nearest centre, any where all are zero, and the first of those is taken that leave the least sum.
func seedingLaw(x *mat.Dense, k, candidates int) map[string]float64 {
	n, _ := x.Dims()
	law := map[string]float64{}
	nearest := func(centres []int, i int) float64 {
		least := math.Inf(1)
		for _, c := range centres {
			least = min(least, apart(x.RawRowView(i), x.RawRowView(c)))
		}
		return least
	}
	left := func(centres []int) (sum float64) {
		for i := range n {
			sum += nearest(centres, i)
		}
		return sum
	}
	var grow func(centres []int, p float64)
	grow = func(centres []int, p float64) {
		if len(centres) == k {
			law[fmt.Sprint(centres)] += p
			return
		}
		total := left(centres)
		testkit.Tuples(n, candidates, func(drawn []int) {
			chance, best, least := p, -1, math.Inf(1)
			for _, i := range drawn {
				if total > 0 {
					chance *= nearest(centres, i) / total
				} else {
					chance /= float64(n)
				}
				if sum := left(append(centres[:len(centres):len(centres)], i)); sum < least-1e-9 {
					best, least = i, sum
				}
			}
			if chance > 0 {
				grow(append(centres[:len(centres):len(centres)], best), chance)
			}
		})
	}
	for i := range n {
		grow([]int{i}, 1/float64(n))
	}
	return law
}

// The centres that k-means begins with have the law of greedy k-means++, where rows are equal too, and
// where there are fewer distinct ones than centres.
func TestSeedingHasItsLaw(t *testing.T) {
	draws := testkit.Draws(10_000)
	for name, c := range map[string]struct {
		x *mat.Dense
		k int
	}{
		"5 points":         {mat.NewDense(5, 2, []float64{0, 0, 1, 0, 0, 2, 5, 5, 4, 3}), 2},
		"3 of 5 points":    {mat.NewDense(5, 1, []float64{0, 1, 3, 8, 20}), 3}, // of 2 + ⌊log 3⌋ candidates
		"twins":            {mat.NewDense(5, 1, []float64{1, 1, -2, -2, 6}), 3},
		"all equal":        {mat.NewDense(4, 2, []float64{8, 2, 8, 2, 8, 2, 8, 2}), 2},
		"2 places for 3":   {mat.NewDense(4, 1, []float64{1, 1, 1, -3}), 3},
		"one beside many":  {mat.NewDense(5, 1, []float64{0, 0, 0, 0, 1}), 2},
		"of all its sizes": {mat.NewDense(5, 1, []float64{0x1p-500, 0x1p-501, 0, 0x1p-499, -0x1p-500}), 2},
	} {
		p := testkit.Must(newPoints[float64](context.Background(), matrix.Of(kernel.Matrix[float64](c.x.RawMatrix()))))
		plain := mat.DenseCopyOf(c.x) // whose squares are numbers
		plain.Scale(p.scale, plain)
		counts, rng := map[string]int{}, stream.New()
		for seed := range uint64(draws) {
			rng.Reseed(seed, 0)
			counts[fmt.Sprint(testkit.Must(newSeeding(p, c.k).draw(context.Background(), c.k, rng.Rand)))]++
		}
		testkit.WantLaw(t, name, counts, seedingLaw(plain, c.k, 2+int(math.Log(float64(c.k)))))
	}
}
