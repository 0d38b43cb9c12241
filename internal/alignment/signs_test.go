package alignment_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"coles/internal/alignment"
	"coles/internal/testkit"
)

// Features are dealt to the eight groups evenly, any two of them to any two groups, and signs are
// independent: of the columns of a batch, of features one after the other, and of batches.
func TestDrawsHaveTheirLaw(t *testing.T) {
	draws := testkit.Draws(5000)
	homes, law := map[[2]int]int{}, map[[2]int]float64{}
	for a := range 8 {
		for b := range 8 { // of ten features, groups 0 and 1 have two
			size := func(g int) float64 {
				if g < 2 {
					return 2
				}
				return 1
			}
			if law[[2]int{a, b}] = size(a) * size(b) / 90; a == b {
				law[[2]int{a, b}] = size(a) * (size(a) - 1) / 90
			}
		}
	}
	for pair, p := range law {
		if p == 0 {
			delete(law, pair)
		}
	}
	for seed := range uint64(draws) {
		home := alignment.Homes(seed, 10)
		homes[[2]int{home[3], home[4]}]++
		slices.Sort(home)
		testkit.WantSame(t, "groups", home, []int{0, 0, 1, 1, 2, 3, 4, 5, 6, 7})
	}
	testkit.WantLaw(t, "groups of two features", homes, law)

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
