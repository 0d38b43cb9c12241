package alignment_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"coles/internal/alignment"
	"coles/internal/testkit"
)

// Eight features that follow each other by their squares are dealt to the eight groups, any two of them
// to any two groups, and signs are independent: of the columns of a batch, of features one after the
// other, and of batches.
func TestDrawsHaveTheirLaw(t *testing.T) {
	draws := testkit.Draws(5000)
	// Ten features, of which 0 and 9 have the least: the other eight are in eight groups, 0 and 9 in two.
	squares := []float64{1, 9, 3, 4, 5, 4, 7, 3, 4, 2}
	homes, law := map[[3]int]int{}, map[[3]int]float64{}
	for a := range 8 {
		for b := range 8 {
			for c := range 8 {
				if a != b {
					law[[3]int{a, b, c}] = 1.0 / (8 * 7 * 8)
				}
			}
		}
	}
	for seed := range uint64(draws) {
		home := alignment.Homes(seed, squares)
		homes[[3]int{home[3], home[4], home[0]}]++
		if home[0] == home[9] {
			t.Fatalf("seed %d: the two features with the least are both in group %d", seed, home[0])
		}
		for k := range squares {
			squares[k] *= 1 + 1e-15 // which is no difference
		}
		testkit.WantSame(t, "groups by sums with rounding", alignment.Homes(seed, squares), home)
		slices.Sort(home[1:9])
		testkit.WantSame(t, "groups", home[1:9], []int{0, 1, 2, 3, 4, 5, 6, 7})
	}
	testkit.WantLaw(t, "groups of three features", homes, law)

	var all []string
	for set := range 1 << 8 {
		text := ""
		for k := range 8 {
			text += fmt.Sprint(1-2*(set>>k&1), " ")
		}
		all = append(all, text)
	}
	counts := map[string]int{}
	for seed := range uint64(draws) {
		text := ""
		for number := range 2 {
			b := testkit.Must(alignment.Draw[float64](context.Background(), seed, number, []int{4, 4}, 16, 1))
			for _, x := range [][]float64{{1, 0}, {0, 1}} {
				y := make([]float64, 16)
				b.Times(y, nil, x)
				text += fmt.Sprint(y[8], " ", y[9], " ")
			}
		}
		counts[text]++
	}
	testkit.WantLaw(t, "signs of two columns, features and batches", counts, testkit.Alike(all...))
}
