package stream_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"coles/internal/stream"
)

// Sequences of seeds and rows, and seeds of draws, are found by number, and differ.
func TestSequencesAreFoundByNumber(t *testing.T) {
	s := stream.New()
	for name, draw := range map[string]func(seed, k uint64) uint64{
		"row": func(seed, row uint64) uint64 {
			s.Reseed(seed, row)
			return s.Uint64()
		},
		"draw": stream.Seed,
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

// words are a source of the numbers that they hold.
type words []uint64

func (w *words) Uint64() uint64 {
	next := (*w)[0]
	*w = (*w)[1:]
	return next
}

// drawAt is the number that a table of n draws from a slot by u/2⁵³. Of the number that chooses the
// slot the low bits count where n is a power of two, the high ones elsewhere.
func drawAt(table *stream.Alias, n, slot int, u uint64) int {
	high := uint64(2*slot+1) << 31 / uint64(n)
	return table.Draw(stream.Stream{Rand: rand.New(&words{high<<32 | uint64(slot), u})})
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
		table := stream.NewAlias(weights)
		n, p := len(weights), make([]float64, len(weights))
		for i := range n {
			stay, most := uint64(0), uint64(1<<53)
			for stay < most { // the first that goes elsewhere is between the two
				if middle := (stay + most) / 2; drawAt(table, n, i, middle) == i {
					stay = middle + 1
				} else {
					most = middle
				}
			}
			keep := float64(stay) / (1 << 53)
			p[i] += keep / float64(n)
			if stay < 1<<53 {
				p[drawAt(table, n, i, 1<<53-1)] += (1 - keep) / float64(n)
			}
		}
		for i, w := range weights {
			if math.Abs(p[i]-w/total) > 1e-14 || w == 0 && p[i] != 0 {
				t.Errorf("%s: %d has probability %v, want %v", name, i, p[i], w/total)
			}
		}
	}
	if stream.NewAlias([]float64{0, 0}) != nil || stream.NewAlias(nil) != nil {
		t.Error("something can be drawn of nothing")
	}
}
