package stream

import "testing"

func TestSequencesAreFoundByNumber(t *testing.T) {
	s := New()
	draw := func(seed, row uint64) uint64 {
		s.Reseed(seed, row)
		return s.Uint64()
	}
	seen := make(map[uint64]bool)
	for seed := range uint64(50) {
		for row := range uint64(50) {
			v := draw(seed, row)
			if seen[v] || draw(seed, row) != v {
				t.Fatalf("seed %d, row %d: %d is drawn for another too, or not again", seed, row, v)
			}
			seen[v] = true
		}
	}
}

func TestSeedsOfDrawsDiffer(t *testing.T) {
	seen := make(map[uint64]bool)
	for seed := range uint64(50) {
		for k := range uint64(50) {
			v := Seed(seed, k)
			if seen[v] {
				t.Fatalf("seed %d, draw %d: %d once more", seed, k, v)
			}
			seen[v] = true
		}
	}
}
