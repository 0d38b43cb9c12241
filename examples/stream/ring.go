package main

import (
	"math"
	"math/rand/v2"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A ring is a network whose nodes sit along a circle, know those nearby, and have noisy
// features that change slowly along it.
type ring struct {
	rng    *rand.Rand
	d      int
	at     []float64 // of every node: its place on the circle, 0 to 1
	waves  []float64 // phase of every feature
	x      []float64 // features, row after row
	edges  []coles.Edge
	latest int // how many edges the last batch brought
}

// side is how many neighbours a node has on either side at first.
const side = 5

func newRing(n, d int, seed uint64) *ring {
	r := &ring{rng: rand.New(rand.NewPCG(seed, 0)), d: d, waves: make([]float64, d)}
	for j := range r.waves {
		r.waves[j] = r.rng.Float64()
	}
	for i := range n {
		r.settle(float64(i) / float64(n))
		for k := 1; k <= side; k++ {
			r.edges = append(r.edges, coles.Edge{U: i, V: (i + k) % n})
		}
	}
	return r
}

// settle gives a node a place and features.
func (r *ring) settle(at float64) {
	r.at = append(r.at, at)
	for j, phase := range r.waves {
		wave := math.Sin(2 * math.Pi * (float64(1+j/2)*at + phase))
		r.x = append(r.x, wave+0.5*r.rng.NormFloat64())
	}
}

// come adds nodes somewhere, each with two neighbours among those that are there, and
// returns what is new.
func (r *ring) come(count int) coles.Growth {
	n := len(r.at)
	r.latest = 0
	for k := range count {
		near := r.rng.IntN(n)
		r.settle(r.at[near])
		for _, other := range []int{near, (near + 1 + r.rng.IntN(side)) % n} {
			r.edges = append(r.edges, coles.Edge{U: n + k, V: other})
			r.latest++
		}
	}
	return coles.Growth{
		Features: mat.NewDense(count, r.d, r.x[n*r.d:]),
		Edges:    r.edges[len(r.edges)-r.latest:],
	}
}

func (r *ring) graph() (*coles.Graph, error) { return coles.NewGraph(len(r.at), r.edges) }

func (r *ring) features() *mat.Dense { return mat.NewDense(len(r.at), r.d, r.x) }
