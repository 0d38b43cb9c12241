package stream

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Sequences of seeds and rows, and seeds of draws, are found by number, and differ.
func TestSequencesAreFoundByNumber(t *testing.T) {
	s := New()
	for name, draw := range map[string]func(seed, k uint64) uint64{
		"row": func(seed, row uint64) uint64 {
			s.Reseed(seed, row)
			return s.Uint64()
		},
		"draw": Seed,
	} {
		seen := make(map[uint64]bool)
		for seed := range uint64(50) {
			for k := range uint64(50) {
				v := draw(seed, k)
				if seen[v] || draw(seed, k) != v {
					t.Fatalf("seed %d, %s %d: %d is drawn for another too, or not again", seed, name, k, v)
				}
				seen[v] = true
			}
		}
	}
}

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
