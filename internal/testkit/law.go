package testkit

import (
	"fmt"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// WantLaw compares counts of independent draws with their probabilities, by name, with Pearson's χ²:
// right draws pass but once in 10⁶ seeds, and seeds are fixed. Outcomes that are expected less than
// five times count as one.
func WantLaw[K comparable](t testing.TB, what string, counts map[K]int, law map[K]float64) {
	t.Helper()
	draws, certain := 0, 0.0
	for _, p := range law {
		certain += p
	}
	for k, n := range counts {
		if draws += n; !(law[k] > 0) {
			t.Errorf("%s: %v cannot be, and was drawn %d times", what, k, n)
		}
	}
	if certain < 1-1e-9 || certain > 1+1e-9 {
		t.Fatalf("%s: probabilities add up to %v", what, certain)
	}
	x, freedom, rare, rareCount := 0.0, -1.0, 0.0, 0
	add := func(want float64, count int) {
		x += (float64(count) - want) * (float64(count) - want) / want
		freedom++
	}
	for k, p := range law {
		if want := p * float64(draws); want >= 5 {
			add(want, counts[k])
		} else {
			rare, rareCount = rare+want, rareCount+counts[k]
		}
	}
	if rare >= 5 {
		add(rare, rareCount)
	} else if rareCount > 30 { // of a Poisson number of mean 5, less than once in 10¹³
		t.Errorf("%s: what is expected %.2g times was drawn %d times", what, rare, rareCount)
	}
	if freedom < 1 {
		return
	}
	if limit := (distuv.ChiSquared{K: freedom}).Quantile(1 - 1e-6); !(x <= limit) {
		t.Errorf("%s: χ² = %.1f with %v degrees of freedom, want at most %.1f", what, x, freedom, limit)
	}
}

// Few is the first number, or the second where COLES_SHARED is set and tests may take long, but not
// with -short, as under the race detector.
func Few(few, all int) int {
	if os.Getenv("COLES_SHARED") != "" && !testing.Short() {
		return all
	}
	return few
}

// Draws is count, or four times as many where COLES_SHARED is set.
func Draws(count int) int {
	return Few(count, 4*count)
}

// Alike is the law of outcomes that have the same probability.
func Alike[K comparable](outcomes ...K) map[K]float64 {
	law := make(map[K]float64)
	for _, k := range outcomes {
		law[k] += 1 / float64(len(outcomes))
	}
	return law
}

// Subsets is the law of n things of which each is kept with probability p, independently: outcomes
// are the []bool of what is kept, printed.
func Subsets(n int, p float64) map[string]float64 {
	law := make(map[string]float64)
	for set := range 1 << n {
		kept, probability := make([]bool, n), 1.0
		for k := range kept {
			if kept[k] = set>>k&1 == 1; kept[k] {
				probability *= p
			} else {
				probability *= 1 - p
			}
		}
		law[fmt.Sprint(kept)] = probability
	}
	return law
}
