package stream

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The probabilities that a table gives, summed over its slots, are the weights.
func TestAliasHasTheProbabilitiesOfItsWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	many := make([]float64, 1000)
	for i := range many {
		if i%3 > 0 {
			many[i] = math.Exp(3 * rng.NormFloat64())
		}
	}
	for name, weights := range map[string][]float64{
		"one":           {3},
		"equal":         {1, 1, 1, 1, 1},
		"thirds":        {1. / 3, 1. / 3, 1. / 3},
		"zeros":         {0, 0, 2, 0, 5, 0},
		"one of many":   {0, 0, 0, 0, 1e-300},
		"far apart":     {1e-12, 1, 1e12},
		"of many sizes": many,
	} {
		total := 0.0
		for _, w := range weights {
			total += w
		}
		table := NewAlias(weights)
		p := make([]float64, len(weights))
		for i, keep := range table.keep {
			p[i] += keep / float64(len(weights))
			p[table.other[i]] += (1 - keep) / float64(len(weights))
		}
		for i, w := range weights {
			if math.Abs(p[i]-w/total) > 1e-14 || w == 0 && p[i] != 0 {
				t.Errorf("%s: %d has probability %v, want %v", name, i, p[i], w/total)
			}
		}
	}
	if NewAlias([]float64{0, 0}) != nil || NewAlias(nil) != nil {
		t.Error("something can be drawn of nothing")
	}
}

// Counts of n draws are within five deviations √(n·p·(1−p)) of n·p: the seed is fixed.
func TestDrawsFollowTheWeights(t *testing.T) {
	const n = 200_000
	weights := []float64{1, 0, 2, 7, 0.01}
	table := NewAlias(weights)
	var list List
	for i, w := range weights {
		if w > 0 {
			list.Add(10*i, w)
		}
	}
	rng := New()
	rng.Reseed(1, 2)
	byTable, byList := make([]int, len(weights)), make([]int, len(weights))
	for range n {
		byTable[table.Draw(rng)]++
		byList[list.Draw(rng)/10]++
	}
	for i, w := range weights {
		p := w / 10.01
		limit := 5 * math.Sqrt(n*p*(1-p))
		for name, count := range map[string]int{"table": byTable[i], "list": byList[i]} {
			if math.Abs(float64(count)-n*p) > limit {
				t.Errorf("%s: %d is drawn %d times of %v, want %.0f ± %.0f", name, i, count, n, n*p, limit)
			}
		}
	}
	if got := new(List).Draw(rng); got != -1 {
		t.Errorf("%d is drawn of nothing", got)
	}
}
