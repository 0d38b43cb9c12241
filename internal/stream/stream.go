// Package stream is randomness that does not depend on how work is spread over goroutines: every
// piece of work has its own stream, found by number.
package stream

import "math/rand/v2"

// A Stream is a random generator that can be set to the start of the sequence of any (seed, row) pair. Work split by
// rows draws the same numbers however it is spread over goroutines.
type Stream struct {
	*rand.Rand
	pcg *rand.PCG
}

// New returns a stream that has to be reseeded before it is used.
func New() Stream {
	pcg := new(rand.PCG)
	return Stream{rand.New(pcg), pcg}
}

// Reseed goes to the start of the sequence of seed and row.
func (s Stream) Reseed(seed, row uint64) { s.pcg.Seed(mix(seed), mix(^row)) }

// Seed derives the seed of the k-th of several independent draws.
func Seed(seed, k uint64) uint64 { return mix(seed ^ mix(k)) }

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood, 2014): a bijection that turns
// neighbouring numbers into unrelated ones.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
