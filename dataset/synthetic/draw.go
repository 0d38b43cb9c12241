package synthetic

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Generate draws the graph: adjacency with ones, symmetric, without loops, rows sorted; features a
// *sparse.CSR of word counts, or a *coles.Dense32; labels.
//
// Node p of the internal order draws its edges and its features from the random streams (Seed, 2p)
// and (Seed, 2p+1), so that the bytes are the same for any number of processors. Memory: 16 bytes for
// each of the 2m entries of the adjacency, 32 for each of the features', some 40 a node; with Dense
// 4·d·(n + Classes) for the features. Cost: O(n + m log(degree) + words), or n·d in place of words.
// Settings out of range are coles.ErrSetting or coles.ErrTooLarge.
func (c Communities) Generate(ctx context.Context) (*dataset.Dataset, error) {
	c = c.withDefaults()
	d := &dataset.Dataset{Name: "communities"}
	err := c.check()
	if err == nil {
		err = c.fill(ctx, d)
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: communities: %w", err)
	}
	return d, nil
}

func (c Communities) fill(ctx context.Context, d *dataset.Dataset) error {
	g, err := newBlocks(ctx, c)
	if err != nil {
		return err
	}
	d.Labels = make([]int, c.Nodes)
	for p, i := range g.node {
		d.Labels[i] = g.class(p)
	}
	if d.Adjacency, err = g.adjacency(ctx); err != nil || c.Features < 0 {
		return err
	}
	if c.Dense {
		d.Features, err = g.numbers(ctx)
	} else {
		d.Features, err = g.words(ctx)
	}
	return err
}

// blocks lays the nodes out by class: class c has the places first[c] to first[c+1], and within it
// the expected degree falls with the place.
type blocks struct {
	Communities
	node  []int32 // node at each place
	first []int   // first place of each class, and n
	alpha float64 // expected degree ~ rank^−alpha
}

// The streams (Seed, s) that belong to no place: one for the order of the nodes, and below it one
// for the mean of each class.
const orderStream = math.MaxUint64

// between is how many numbers are drawn between two looks at the context.
const between = 1 << 14

func newBlocks(ctx context.Context, c Communities) (*blocks, error) {
	g := &blocks{Communities: c, node: make([]int32, c.Nodes), first: make([]int, c.Classes+1)}
	g.alpha = 1 / (c.DegreeExponent - 1)
	d := g.draw(ctx)
	d.from(orderStream)
	for i := range g.node { // Fisher–Yates, inside out
		if d.stopped(i) {
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

// A drawing draws from one random stream after another. Every task has its own. What it draws once
// its context has ended is incomplete.
type drawing struct {
	*blocks
	ctx context.Context
	pcg *rand.PCG
	rng *rand.Rand
}

func (g *blocks) draw(ctx context.Context) drawing {
	pcg := new(rand.PCG)
	return drawing{g, ctx, pcg, rand.New(pcg)}
}

// from goes to the start of a stream.
func (d drawing) from(stream uint64) { d.pcg.Seed(d.Seed, stream) }

// stopped looks at the context now and then.
func (d drawing) stopped(k int) bool { return k%between == 0 && d.ctx.Err() != nil }

// poisson draws a Poisson number by counting arrivals: O(mean), and without the underflow of
// exp(−mean).
func (d drawing) poisson(mean float64) int {
	k := 0
	for t := d.rng.ExpFloat64(); t < mean && !d.stopped(k); t += d.rng.ExpFloat64() {
		k++
	}
	return k
}

// edges appends the ends of every edge that place p of class k draws. Their mean number is half its
// expected degree, as the others draw the other half.
func (d drawing) edges(ends []int32, p, k int) []int32 {
	size, rank := float64(d.first[k+1]-d.first[k]), float64(p-d.first[k])
	share := math.Pow((rank+1)/size, 1-d.alpha) - math.Pow(rank/size, 1-d.alpha)
	d.from(2 * uint64(p))
	for e := range d.poisson(d.Degree / 2 * size * share) {
		if d.stopped(e) {
			break
		}
		to := k
		if d.Classes > 1 && d.rng.Float64() >= d.Homophily {
			if to = d.rng.IntN(d.Classes - 1); to >= k {
				to++
			}
		}
		if q := d.place(to); q != p {
			ends = append(ends, d.node[p], d.node[q])
		}
	}
	return ends
}

// place draws a place of class k in proportion to expected degree, by inverting the distribution
// function (rank/size)^(1−alpha): constant time, no table.
func (d drawing) place(k int) int {
	size := d.first[k+1] - d.first[k]
	rank := int(float64(size) * power(d.rng.Float64(), 1/(1-d.alpha)))
	return d.first[k] + min(rank, size-1)
}

// word draws a rank below size.
func (d drawing) word(size int) int {
	return min(size-1, int(float64(size)*power(d.rng.Float64(), wordSkew)))
}

// power is math.Pow, to the bit, without its cost for squares, which are most of what is drawn.
func power(u, exponent float64) float64 {
	if exponent == 2 {
		return u * u
	}
	return math.Pow(u, exponent)
}

// adjacency draws the edges and puts both entries of each into rows, pairs drawn twice as one.
func (g *blocks) adjacency(ctx context.Context) (*sparse.CSR, error) {
	n := g.Nodes
	share := max(256, parallel.Pieces(n, 256))
	parts := make([][]int32, parallel.Pieces(n, share)) // both ends of every edge
	err := parallel.Ranges(ctx, n, share, func(lo, hi int) {
		d := g.draw(ctx)
		var ends []int32
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			ends = d.edges(ends, p, g.class(p))
		}
		parts[lo/share] = ends
	})
	if err != nil {
		return nil, err
	}
	edges, count := make([]iter.Seq2[coles.Edge, float64], len(parts)), 0
	for t, ends := range parts {
		count += len(ends) / 2
		edges[t] = func(yield func(coles.Edge, float64) bool) {
			for q := 0; q < len(ends) && yield(coles.Edge{U: int(ends[q]), V: int(ends[q+1])}, 1); q += 2 {
			}
		}
	}
	a, _, _, err := matrix.FromEntries(ctx, n, edges, count, false, matrix.First)
	if err != nil {
		return nil, err
	}
	return matrix.ExportCSR(ctx, a)
}

// rowsOf are the rows of a task, each with its number of draws.
func rowsOf(draws float64) int { return int(max(1, min(1024, 2*between/draws))) }

// words draws the bag of words of every node. Rows are drawn in the order of nodes, which the
// places are not.
func (g *blocks) words(ctx context.Context) (mat.Matrix, error) {
	n := g.Nodes
	place := make([]int32, n)
	for p, i := range g.node {
		place[i] = int32(p)
	}
	share := rowsOf(g.Words)
	ind, counts := make([][]int, parallel.Pieces(n, share)), make([][]float64, parallel.Pieces(n, share))
	indptr := make([]int, n+1)
	err := parallel.Ranges(ctx, n, share, func(lo, hi int) {
		d := g.draw(ctx)
		var bag, words []int
		var count []float64
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			bag = d.bag(bag[:0], int(place[i]))
			slices.Sort(bag)
			for q, w := range bag {
				if d.stopped(q) {
					break
				}
				if q > 0 && w == bag[q-1] {
					count[len(count)-1]++
					continue
				}
				words, count = append(words, w), append(count, 1)
				indptr[i+1]++
			}
		}
		ind[lo/share], counts[lo/share] = words, count
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		indptr[i+1] += indptr[i]
	}
	return sparse.NewCSR(n, g.Features, indptr, slices.Concat(ind...), slices.Concat(counts...)), nil
}

// bag draws the words of place p. Every Classes-th word, from the number of the class on, belongs
// to the class.
func (d drawing) bag(bag []int, p int) []int {
	k := d.class(p)
	own := (d.Features-k-1)/d.Classes + 1
	d.from(2*uint64(p) + 1)
	for w := range d.poisson(d.Words) {
		if d.stopped(w) {
			break
		}
		if d.rng.Float64() < d.Topic {
			bag = append(bag, k+d.Classes*d.word(own))
		} else {
			bag = append(bag, d.word(d.Features))
		}
	}
	return bag
}

// numbers draws the dense features of every node.
func (g *blocks) numbers(ctx context.Context) (mat.Matrix, error) {
	cols := g.Features
	// A column of two means differs by a variance of twice this one's.
	spread := meanDistance / math.Sqrt(2*float64(cols))
	means := make([]float32, g.Classes*cols)
	share := rowsOf(float64(cols))
	err := parallel.Ranges(ctx, g.Classes, share, func(lo, hi int) {
		d := g.draw(ctx)
		for k := lo; k < hi; k++ {
			d.from(orderStream - 1 - uint64(k))
			d.gaussians(means[k*cols:][:cols], func(_ int, z float64) float64 { return spread * z })
		}
	})
	if err != nil {
		return nil, err
	}
	x := &coles.Dense32{Rows: g.Nodes, Cols: cols, Stride: cols, Data: make([]float32, g.Nodes*cols)}
	return x, parallel.Ranges(ctx, g.Nodes, share, func(lo, hi int) {
		d := g.draw(ctx)
		for p := lo; p < hi; p++ {
			d.from(2*uint64(p) + 1)
			mean := means[g.class(p)*cols:]
			d.gaussians(x.Data[int(g.node[p])*cols:][:cols], func(j int, z float64) float64 { return float64(mean[j]) + z })
		}
	})
}

// gaussians sets a row to what f makes of normal numbers.
func (d drawing) gaussians(row []float32, f func(j int, z float64) float64) {
	for j := range row {
		if d.stopped(j + 1) {
			return
		}
		row[j] = float32(f(j, d.rng.NormFloat64()))
	}
}
