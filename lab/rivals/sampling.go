package rivals

import (
	"context"
	"iter"
	"slices"

	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// The independent draws that the seed of a sampler is good for.
const (
	seedSampleOrder = iota
	seedSampleEdges
	seedSampleNodes
	seedSamplePairs
	seedSampleWarmUp
)

// stepSeed is the seed of one kind of draws in one step of an epoch.
func stepSeed(seed uint64, kind, epoch, step int) uint64 {
	return stream.Seed(stream.Seed(stream.Seed(seed, uint64(kind)), uint64(epoch)), uint64(step))
}

// factors are the factors of a [custom.Sample].
type factors = autodiff.CSR[float64]

// A numbering gives nodes places, in the order in which they come.
type numbering struct {
	place []int32 // of each node; −1 for none
	nodes []int   // at each place
}

func newNumbering(n int) *numbering {
	return &numbering{place: slices.Repeat([]int32{-1}, n)}
}

// begin forgets all nodes and takes others, each in its place; one that comes again is found where it
// came first.
func (m *numbering) begin(nodes []int) {
	for _, u := range m.nodes {
		m.place[u] = -1
	}
	m.nodes = slices.Clone(nodes)
	for k, u := range nodes {
		if m.place[u] < 0 {
			m.place[u] = int32(k)
		}
	}
}

// of is the place of a node, the next one if it has none.
func (m *numbering) of(u int32) int32 {
	if m.place[u] < 0 {
		m.place[u] = int32(len(m.nodes))
		m.nodes = append(m.nodes, int(u))
	}
	return m.place[u]
}

// A fanOut is the sampling of GraphSAGE. It draws a number of neighbours for every node of a batch, all if there are
// fewer, each subset with the same probability. Then it draws a number of neighbours for all of these nodes, and so
// on. Its factors are degree/drawn at the neighbours, so that the mean over the drawn ones estimates the mean over
// all. counts are the numbers for the layers from the last to the first.
type fanOut struct {
	adj    *kernel.CSR[float64]
	counts []int
	places *numbering
}

func newFanOut(adj *kernel.CSR[float64], counts []int) *fanOut {
	return &fanOut{adj, counts, newNumbering(adj.Rows)}
}

// sample is that for the nodes of H.
func (f *fanOut) sample(ctx context.Context, out []int, seed uint64) (*custom.Sample, error) {
	s := &custom.Sample{Levels: [][]int{out}}
	for k, count := range f.counts {
		from, drawn, err := f.hop(ctx, s.Levels[0], count, stream.Seed(seed, uint64(k)))
		if err != nil {
			return nil, err
		}
		s.Levels, s.Factors = slices.Insert(s.Levels, 0, from), slices.Insert(s.Factors, 0, drawn)
	}
	return s, nil
}

// hop draws neighbours of some nodes. These come first in from.
func (f *fanOut) hop(ctx context.Context, to []int, count int, seed uint64) (from []int, drawn *factors, err error) {
	drawn = &factors{Rows: len(to), Ptr: make([]int64, len(to)+1)}
	for i, u := range to {
		degree := int(f.adj.Ptr[u+1] - f.adj.Ptr[u])
		drawn.Ptr[i+1] = drawn.Ptr[i] + int64(min(count, degree))
	}
	entries := drawn.Ptr[len(to)]
	drawn.Col, drawn.Val = make([]int32, entries), make([]float64, entries)
	if err := parallel.Rows(ctx, len(to), func(lo, hi int) {
		rng := stream.New()
		for i := lo; i < hi; i++ {
			neighbours, _ := f.adj.Row(to[i])
			cols, vals := drawn.Row(i)
			rng.Reseed(seed, uint64(to[i]))
			drawSubset(rng, cols, len(neighbours))
			for q, at := range cols {
				cols[q], vals[q] = neighbours[at], float64(len(neighbours))/float64(len(cols))
			}
		}
	}); err != nil {
		return nil, nil, err
	}
	f.places.begin(to)
	for q, v := range drawn.Col {
		drawn.Col[q] = f.places.of(v)
	}
	drawn.Cols = len(f.places.nodes)
	return f.places.nodes, drawn, matrix.EachRow(ctx, drawn, func(i int) {
		cols, _ := drawn.Row(i)
		slices.Sort(cols) // the factors of a row are all the same
	})
}

// drawSubset fills chosen with different numbers below n, at least as many, every subset with the same
// probability (Floyd's algorithm, of Bentley 1987).
func drawSubset(rng stream.Stream, chosen []int32, n int) {
	first := n - len(chosen)
	for k := range chosen {
		drawn := int32(rng.IntN(first + k + 1))
		if slices.Contains(chosen[:k], drawn) {
			drawn = int32(first + k)
		}
		chosen[k] = drawn
	}
}

// eachBatch draws a sample for each batch of the rows, which are in another order in every epoch.
func eachBatch(rows []int, size int, seed uint64, draw func(ctx context.Context, batch []int, epoch, step int) (*custom.Sample, error)) custom.Samples {
	return func(ctx context.Context, epoch int) iter.Seq2[*custom.Sample, error] {
		return func(yield func(*custom.Sample, error) bool) {
			order, rng := slices.Clone(rows), stream.New()
			rng.Reseed(stream.Seed(seed, seedSampleOrder), uint64(epoch))
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			step := 0
			for batch := range slices.Chunk(order, size) {
				if s, err := draw(ctx, batch, epoch, step); !yield(s, err) || err != nil {
					return
				}
				step++
			}
		}
	}
}
