package coles

import "math/rand/v2"

// A stream is a random generator that can be set to the start of the sequence
// of any (seed, row) pair: work split by rows draws the same numbers however
// it is spread over goroutines.
type stream struct {
	*rand.Rand
	pcg *rand.PCG
}

func newStream() stream {
	pcg := new(rand.PCG)
	return stream{rand.New(pcg), pcg}
}

func (s stream) reseed(seed, row uint64) { s.pcg.Seed(mix64(seed), mix64(^row)) }

// streamSeed derives the seed of the k-th of several independent draws.
func streamSeed(seed, k uint64) uint64 { return mix64(seed ^ mix64(k)) }

// mix64 is the finaliser of SplitMix64 (Steele, Lea, Flood, 2014): a bijection
// that turns neighbouring numbers into unrelated ones.
func mix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
