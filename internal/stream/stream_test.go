package stream

import "testing"

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
