package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/james-bowman/sparse"
)

// Communities describes a random attributed graph whose classes are
// communities: a degree-corrected stochastic block model (Karrer and Newman,
// Physical Review E 83, 2011) whose nodes hold words, some of them on the topic
// of their class. A field left zero takes the default in brackets; together
// the defaults make a graph whose words say little about a node and whose
// edges say most of the rest.
type Communities struct {
	// Nodes is n [3,000].
	Nodes int
	// Classes is the number of communities, of equal size [7].
	Classes int
	// Degree is the mean degree [4]. Pairs drawn twice merge and self loops
	// are left out, which takes a few per cent from it on small graphs.
	Degree float64
	// Homophily is the share of edges inside a class, in (0, 1] [0.7]. The
	// others lead to all other classes alike.
	Homophily float64
	// DegreeExponent is the exponent γ > 2 of the tail of the degrees,
	// P(degree = k) ~ k^−γ [3]; +Inf gives every node the same expectation.
	DegreeExponent float64
	// Features is the number of words of the vocabulary, d [1,000]; negative
	// means that there are no features.
	Features int
	// Words is the mean number of words of a node [20].
	Words float64
	// Topic is the share of a node's words that come from the part of the
	// vocabulary that belongs to its class, in (0, 1] [0.25]. The others come
	// from all of it.
	Topic float64
	// Seed chooses the graph; the same seed gives the same bytes.
	Seed uint64
}

// maxDraws bounds the number of edges and of words asked for.
const maxDraws = 1 << 36

// wordSkew gives word ranks a heavy head: rank = V·u^wordSkew for u uniform,
// so that word r has a share of about (r+1)^−½.
const wordSkew = 2

// Generate draws the graph: adjacency with ones, symmetric, without loops,
// rows sorted; features a *sparse.CSR of word counts; labels.
//
// Node p of the internal order draws its edges and its words from random
// streams of its own, (Seed, 2p) and (Seed, 2p+1), so that the result does not
// depend on how the work is done. The edges are drawn twice, once to count and once to
// place them, so that no edge list is held beside the adjacency: memory is 16
// bytes for each of the 2m + nnz(X) entries and some 20 a node.
//
// Settings out of range are ErrOption or ErrTooLarge. Cost: O(n + m log(degree) + words).
func (c Communities) Generate(ctx context.Context) (*Dataset, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	g, err := newBlocks(ctx, c)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Name: "communities", Labels: make([]int, c.Nodes)}
	if err := g.eachPlace(ctx, func(p, k int) { d.Labels[g.node[p]] = k }); err != nil {
		return nil, err
	}
	if d.Adjacency, err = g.adjacency(ctx); err != nil {
		return nil, err
	}
	if c.Features > 0 {
		x, err := g.words(ctx)
		if err != nil {
			return nil, err
		}
		d.Features = x
	}
	return d, nil
}

func (c Communities) withDefaults() Communities {
	c.Nodes = cmp.Or(c.Nodes, 3000)
	c.Classes = cmp.Or(c.Classes, 7)
	c.Degree = cmp.Or(c.Degree, 4)
	c.Homophily = cmp.Or(c.Homophily, 0.7)
	c.DegreeExponent = cmp.Or(c.DegreeExponent, 3)
	c.Features = cmp.Or(c.Features, 1000)
	c.Words = cmp.Or(c.Words, 20)
	c.Topic = cmp.Or(c.Topic, 0.25)
	return c
}

func (c Communities) check() error {
	n := float64(c.Nodes)
	for _, f := range []struct {
		name string
		v    float64
		ok   bool
		want string
	}{
		{"Nodes", n, c.Nodes > 0, "positive"},
		{"Classes", float64(c.Classes), c.Classes > 0 && c.Classes <= min(c.Nodes, maxClasses), "1 to Nodes"},
		{"Degree", c.Degree, c.Degree > 0 && c.Degree < n, "above 0 and below Nodes"},
		{"Homophily", c.Homophily, c.Homophily > 0 && c.Homophily <= 1, "in (0, 1]"},
		{"DegreeExponent", c.DegreeExponent, c.DegreeExponent > 2, "above 2"},
		{"Features", float64(c.Features), c.Features < 0 || c.Features >= c.Classes, "at least Classes, or negative"},
		{"Words", c.Words, c.Words > 0 && !math.IsInf(c.Words, 0), "positive"},
		{"Topic", c.Topic, c.Topic > 0 && c.Topic <= 1, "in (0, 1]"},
	} {
		if !f.ok {
			return fmt.Errorf("dataset: communities: %s is %v, it must be %s: %w", f.name, f.v, f.want, ErrOption)
		}
	}
	if c.Nodes > maxDim || c.Features > maxDim || n*c.Degree > maxDraws || n*c.Words > maxDraws {
		return fmt.Errorf("dataset: communities: %d nodes, degree %v, %d features, %v words: %w",
			c.Nodes, c.Degree, c.Features, c.Words, ErrTooLarge)
	}
	return nil
}

// blocks lays the nodes out by class: class c has the places first[c] to
// first[c+1], and within it the expected degree falls with the place.
type blocks struct {
	Communities
	node  []int32 // node at each place
	first []int   // first place of each class, and n
	alpha float64 // expected degree ~ rank^−alpha
	pcg   *rand.PCG
	rng   *rand.Rand
}

func newBlocks(ctx context.Context, c Communities) (*blocks, error) {
	g := &blocks{Communities: c, node: make([]int32, c.Nodes), first: make([]int, c.Classes+1)}
	g.alpha = 1 / (c.DegreeExponent - 1)
	g.pcg = rand.NewPCG(c.Seed, math.MaxUint64) // a stream no place has
	g.rng = rand.New(g.pcg)
	for i := range g.node { // Fisher–Yates, inside out
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		j := g.rng.IntN(i + 1)
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

// place draws a place of class k in proportion to expected degree, by inverting
// the distribution function (rank/size)^(1−alpha): constant time, no table.
func (g *blocks) place(k int) int {
	size := g.first[k+1] - g.first[k]
	rank := int(float64(size) * math.Pow(g.rng.Float64(), 1/(1-g.alpha)))
	return g.first[k] + min(rank, size-1)
}

// expected returns the mean number of edges that place p of class k draws:
// half its expected degree, as the others draw the other half.
func (g *blocks) expected(p, k int) float64 {
	size := float64(g.first[k+1] - g.first[k])
	rank := float64(p - g.first[k])
	share := math.Pow((rank+1)/size, 1-g.alpha) - math.Pow(rank/size, 1-g.alpha)
	return g.Degree / 2 * size * share
}

// poisson draws a Poisson number by counting arrivals: O(mean), and without
// the underflow of exp(−mean).
func (g *blocks) poisson(mean float64) int {
	k := 0
	for t := g.rng.ExpFloat64(); t < mean; t += g.rng.ExpFloat64() {
		k++
	}
	return k
}

// edges calls f with the other end of every edge that place p draws. A second
// call with the same p draws the same edges. A hub may have millions, so that
// it too ends early when ctx does.
func (g *blocks) edges(ctx context.Context, p, k int, f func(j int32)) {
	g.pcg.Seed(g.Seed, 2*uint64(p))
	for e := range g.poisson(g.expected(p, k)) {
		if e%(1<<14) == 1<<14-1 && ctx.Err() != nil {
			return
		}
		to := k
		if g.Classes > 1 && g.rng.Float64() >= g.Homophily {
			if to = g.rng.IntN(g.Classes - 1); to >= k {
				to++
			}
		}
		if q := g.place(to); q != p {
			f(g.node[q])
		}
	}
}

// eachPlace calls f for all places and looks at ctx now and then, often enough
// for the first places of a class, which have the most edges.
func (g *blocks) eachPlace(ctx context.Context, f func(p, k int)) error {
	for k := range g.Classes {
		for p := g.first[k]; p < g.first[k+1]; p++ {
			if p%64 == 0 && ctx.Err() != nil {
				return stopped(ctx)
			}
			f(p, k)
		}
	}
	return stopped(ctx)
}

// stopped is the error of a cancelled context, nil of one that goes on.
func stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("dataset: communities: %w", err)
	}
	return nil
}

func (g *blocks) adjacency(ctx context.Context) (*sparse.CSR, error) {
	n := g.Nodes
	indptr := make([]int, n+1)
	err := g.eachPlace(ctx, func(p, k int) {
		i := g.node[p]
		g.edges(ctx, p, k, func(j int32) {
			indptr[i+1]++
			indptr[j+1]++
		})
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		indptr[i+1] += indptr[i]
	}
	ind := make([]int, indptr[n])
	// indptr[i] walks from the start of row i to its end, which is the start
	// of row i+1, so that afterwards it is shifted by one row.
	err = g.eachPlace(ctx, func(p, k int) {
		i := g.node[p]
		g.edges(ctx, p, k, func(j int32) {
			ind[indptr[i]] = int(j)
			ind[indptr[j]] = int(i)
			indptr[i]++
			indptr[j]++
		})
	})
	if err != nil {
		return nil, err
	}
	copy(indptr[1:], indptr[:n])
	indptr[0] = 0
	// Rows are sorted and pairs drawn twice merged, in place.
	data := make([]float64, len(ind))
	kept, start := 0, 0
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		row := ind[start:indptr[i+1]]
		start = indptr[i+1]
		slices.Sort(row)
		for _, j := range slices.Compact(row) {
			ind[kept], data[kept] = j, 1
			kept++
		}
		indptr[i+1] = kept
	}
	return sparse.NewCSR(n, n, indptr, ind[:kept:kept], data[:kept:kept]), nil
}

// words draws the bag of words of every node. Rows are drawn in the order of
// nodes, which the places are not.
func (g *blocks) words(ctx context.Context) (*sparse.CSR, error) {
	place := make([]int32, g.Nodes)
	for p, i := range g.node {
		place[i] = int32(p)
	}
	indptr := make([]int, g.Nodes+1)
	total := int(float64(g.Nodes) * g.Words)
	ind, data := make([]int, 0, total), make([]float64, 0, total)
	var bag []int
	for i, p := range place {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, stopped(ctx)
		}
		bag = g.bag(bag[:0], int(p))
		slices.Sort(bag)
		for w, word := range bag {
			if w > 0 && word == bag[w-1] {
				data[len(data)-1]++
				continue
			}
			ind, data = append(ind, word), append(data, 1)
		}
		indptr[i+1] = len(ind)
	}
	return sparse.NewCSR(g.Nodes, g.Features, indptr, ind, data), nil
}

// bag draws the words of place p. Every Classes-th word, from the number of
// the class on, belongs to the class.
func (g *blocks) bag(bag []int, p int) []int {
	g.pcg.Seed(g.Seed, 2*uint64(p)+1)
	k := g.class(p)
	own := (g.Features - k + g.Classes - 1) / g.Classes
	for range g.poisson(g.Words) {
		if g.rng.Float64() < g.Topic {
			bag = append(bag, k+g.Classes*g.word(own))
		} else {
			bag = append(bag, g.word(g.Features))
		}
	}
	return bag
}

// word draws a rank below size.
func (g *blocks) word(size int) int {
	return min(size-1, int(float64(size)*math.Pow(g.rng.Float64(), wordSkew)))
}
