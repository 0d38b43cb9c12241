package stream_test

import (
	"fmt"
	"math"
	"testing"

	"coles/internal/stream"
	"coles/internal/testkit"
)

// permutations are all orders of the numbers below n, as text.
func permutations(n int) (all []string) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(k int)
	from = func(k int) {
		if k == n {
			all = append(all, fmt.Sprint(order))
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			from(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	from(0)
	return all
}

// What the streams of rows one after the other begin with is uniform, normal, and independent of the
// next row and of the next seed.
func TestRowsDrawByTheirLaws(t *testing.T) {
	draws := testkit.Draws(20_000)
	rng := stream.New()
	for _, c := range []struct{ seed, first uint64 }{{0, 0}, {1, 1 << 32}, {math.MaxUint64, 7}} {
		each := func(do func()) {
			for row := range uint64(draws) {
				rng.Reseed(c.seed, c.first+row)
				do()
			}
		}
		name := func(what string, n any) string { return fmt.Sprint("seed ", c.seed, ", row ", c.first, ": ", what, n) }
		for _, n := range []int64{2, 3, 17, 1<<16 + 1, 3 << 30, 1<<32 - 1, 1<<32 + 1, math.MaxInt64} {
			const parts = 16
			counts, law := map[int]int{}, map[int]float64{}
			each(func() { counts[int(float64(rng.Int64N(n))/float64(n)*parts)]++ })
			for k := range parts { // of the numbers v below n, those with ⌊16v/n⌋ = k
				if size := math.Ceil(float64(n)*float64(k+1)/parts) - math.Ceil(float64(n)*float64(k)/parts); size > 0 {
					law[k] = size / float64(n)
				}
			}
			testkit.WantLaw(t, name("numbers below ", n), counts, law)
		}
		for n := 2; n <= 5; n++ {
			counts := map[string]int{}
			each(func() { counts[fmt.Sprint(rng.Perm(n))]++ })
			testkit.WantLaw(t, name("permutations of ", n), counts, testkit.Alike(permutations(n)...))
		}
		normal, law := map[int]int{}, map[int]float64{}
		each(func() { normal[int(math.Floor(2*rng.NormFloat64()))]++ })
		for k := -20; k < 20; k++ {
			law[k] = (math.Erfc(float64(k)/2/math.Sqrt2) - math.Erfc(float64(k+1)/2/math.Sqrt2)) / 2
		}
		testkit.WantLaw(t, name("normal halves ", 1), normal, law)
		pairs := make([][2]uint64, 0, 64)
		for k := range uint64(64) {
			pairs = append(pairs, [2]uint64{k / 8, k % 8})
		}
		for what, next := range map[string]func(row uint64){
			"row":  func(row uint64) { rng.Reseed(c.seed, c.first+row+1) },
			"seed": func(row uint64) { rng.Reseed(c.seed+1, c.first+row) },
		} {
			for _, shift := range []int{0, 61} {
				counts := map[[2]uint64]int{}
				for row := range uint64(draws) {
					rng.Reseed(c.seed, c.first+2*row)
					one := rng.Uint64() >> shift & 7
					next(2 * row)
					counts[[2]uint64{one, rng.Uint64() >> shift & 7}]++
				}
				testkit.WantLaw(t, name("bits with the next "+what+" from ", shift), counts, testkit.Alike(pairs...))
			}
		}
	}
}

func TestDrawsFollowTheWeights(t *testing.T) {
	weights := []float64{1, 0, 2, 7, 0.01}
	table, law := stream.NewAlias(weights), map[int]float64{}
	var list stream.List
	for i, w := range weights {
		if w > 0 {
			list.Add(i, w)
			law[i] = w / 10.01
		}
	}
	rng := stream.New()
	rng.Reseed(1, 2)
	byTable, byList := map[int]int{}, map[int]int{}
	for range 200_000 {
		byTable[table.Draw(rng)]++
		byList[list.Draw(rng)]++
	}
	testkit.WantLaw(t, "table", byTable, law)
	testkit.WantLaw(t, "list", byList, law)
	testkit.WantSame(t, "a draw of nothing", new(stream.List).Draw(rng), -1)
}
