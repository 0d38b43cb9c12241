package dataset

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// blocks lays the nodes out by class: class c has the places first[c] to
// first[c+1], and within it the expected degree falls with the place.
type blocks struct {
	Communities
	node  []int32 // node at each place
	first []int   // first place of each class, and n
	alpha float64 // expected degree ~ rank^−alpha
}

// The streams (Seed, s) that belong to no place: one for the order of the
// nodes, and below it one for the mean of each class.
const orderStream = math.MaxUint64

func newBlocks(ctx context.Context, c Communities) (*blocks, error) {
	g := &blocks{Communities: c, node: make([]int32, c.Nodes), first: make([]int, c.Classes+1)}
	g.alpha = 1 / (c.DegreeExponent - 1)
	d := g.draw()
	d.from(orderStream)
	for i := range g.node { // Fisher–Yates, inside out
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j := d.rng.IntN(i + 1)
		g.node[i], g.node[j] = g.node[j], int32(i)
	}
	for k := range g.first {
		g.first[k] = int(int64(k) * int64(c.Nodes) / int64(c.Classes))
	}
	return g, nil
}

// class returns the class of a place: the last that begins at or before it.
func (g *blocks) class(p int) int {
	k, exact := slices.BinarySearch(g.first, p)
	if !exact {
		k--
	}
	return k
}

func (g *blocks) labels() []int {
	labels := make([]int, g.Nodes)
	for k := range g.Classes {
		for _, i := range g.node[g.first[k]:g.first[k+1]] {
			labels[i] = k
		}
	}
	return labels
}

// expected returns the mean number of edges that place p of class k draws:
// half its expected degree, as the others draw the other half.
func (g *blocks) expected(p, k int) float64 {
	size := float64(g.first[k+1] - g.first[k])
	rank := float64(p - g.first[k])
	share := math.Pow((rank+1)/size, 1-g.alpha) - math.Pow(rank/size, 1-g.alpha)
	return g.Degree / 2 * size * share
}

// drawing draws from one random stream after another. Every task has its own.
type drawing struct {
	*blocks
	pcg *rand.PCG
	rng *rand.Rand
}

func (g *blocks) draw() drawing {
	pcg := new(rand.PCG)
	return drawing{g, pcg, rand.New(pcg)}
}

// from goes to the start of a stream.
func (d drawing) from(stream uint64) { d.pcg.Seed(d.Seed, stream) }

// between is how many numbers are drawn between two looks at the context, for
// places that draw millions.
const between = 1 << 14

// poisson draws a Poisson number by counting arrivals: O(mean), and without
// the underflow of exp(−mean).
func (d drawing) poisson(ctx context.Context, mean float64) int {
	k := 0
	for t := d.rng.ExpFloat64(); t < mean; t += d.rng.ExpFloat64() {
		if k++; k%between == 0 && ctx.Err() != nil {
			break
		}
	}
	return k
}

// edges calls f with the other end of every edge that place p of class k
// draws. A second call with the same p draws the same edges. It ends early
// when ctx does.
func (d drawing) edges(ctx context.Context, p, k int, f func(j int32)) {
	d.from(2 * uint64(p))
	for e := range d.poisson(ctx, d.expected(p, k)) {
		if e%between == between-1 && ctx.Err() != nil {
			return
		}
		to := k
		if d.Classes > 1 && d.rng.Float64() >= d.Homophily {
			if to = d.rng.IntN(d.Classes - 1); to >= k {
				to++
			}
		}
		if q := d.place(to); q != p {
			f(d.node[q])
		}
	}
}

// place draws a place of class k in proportion to expected degree, by inverting
// the distribution function (rank/size)^(1−alpha): constant time, no table.
func (d drawing) place(k int) int {
	size := d.first[k+1] - d.first[k]
	rank := int(float64(size) * power(d.rng.Float64(), 1/(1-d.alpha)))
	return d.first[k] + min(rank, size-1)
}

// word draws a rank below size.
func (d drawing) word(size int) int {
	return min(size-1, int(float64(size)*power(d.rng.Float64(), wordSkew)))
}

// power is math.Pow, to the bit: for squares of numbers in [0, 1), which are
// most of those drawn, without its cost.
func power(u, exponent float64) float64 {
	if exponent == 2 {
		return u * u
	}
	return math.Pow(u, exponent)
}
