package rivals

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

const (
	// skipGramEnd is the rate of the last step.
	skipGramEnd = 1e-4
	// skipGramPart is the least number of nodes of a part. Among few nodes, a negative would too
	// often be the node itself.
	skipGramPart = 64
	// Of the corpus, shares of about shareTokens nodes of walks are held at a time.
	shareTokens, shareCount = 8192, 16
	// skipGramWork is about the number of multiplications between two looks at the context, some
	// 100 µs.
	skipGramWork = 1 << 20
	// skipGramAhead is how many pairs lie between the one whose vectors are fetched and the one that is
	// trained.
	skipGramAhead = 8
)

// The independent draws that the seed is good for.
const (
	seedWalkOrder = iota
	seedWalkSteps
	seedVectors
	seedWalkNoise
)

// skipGram trains by the schedule of a Latin square. Nodes are split into parts, and the pairs of
// some walks into buckets, one for each two parts. In a round the buckets (i, i + r mod parts) are
// trained at once: no two of them have a part of the x in common, or one of the y. So one goroutine
// at a time writes to a vector, and the order of its steps is always the same. The vectors of two
// parts also fit a cache before those of all nodes do.
type skipGram struct {
	SkipGram
	walker *walker
	starts []int32                // nodes that have neighbours
	x, y   kernel.Matrix[float32] // a vector for each node, filled up with zeros
	parts  int
	part   []uint8 // of each node
	noise  []walkNoise
	shares []*walkShare
}

// walkNoise draws the nodes of a part in proportion to count^0.75, the power that word2vec found
// best for words.
type walkNoise struct {
	nodes []int32
	table *stream.Alias
}

func (n *walkNoise) draw(rng stream.Stream) int32 { return n.nodes[n.table.Draw(rng)] }

// A walkPair trains x of one node to meet y of the other.
type walkPair struct{ x, y int32 }

// A walkShare holds the pairs of some walks: those of bucket (i, j) lie from start[i·parts + j] on.
type walkShare struct {
	rate         float32
	path         []int32
	drawn, pairs []walkPair
	start        []int
}

func newSkipGram(ctx context.Context, s SkipGram, g *coles.Graph) (*skipGram, error) {
	m := &skipGram{SkipGram: s}
	var err error
	if m.walker, err = newWalker(ctx, g, s.P, s.Q); err != nil {
		return nil, err
	}
	for u := range g.Nodes() {
		if m.walker.adj.Ptr[u] < m.walker.adj.Ptr[u+1] {
			m.starts = append(m.starts, int32(u))
		}
	}
	for range shareCount {
		m.shares = append(m.shares, &walkShare{path: make([]int32, s.Length)})
	}
	counts, err := m.count(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.split(ctx, counts); err != nil {
		return nil, err
	}
	width := skipGramWidth(s.Dim)
	m.x, m.y = kernel.Unset[float32](g.Nodes(), width), kernel.Unset[float32](g.Nodes(), width)
	if err := parallel.Rows(ctx, g.Nodes(), func(lo, hi int) {
		clear(m.x.Data[lo*width : hi*width])
		clear(m.y.Data[lo*width : hi*width])
	}); err != nil {
		return nil, err
	}
	return m, parallel.Ranges(ctx, len(m.starts), parallel.RowsAtOnce, func(lo, hi int) {
		rng := stream.New()
		for _, u := range m.starts[lo:hi] {
			rng.Reseed(stream.Seed(s.Seed, seedVectors), uint64(u))
			x := matrix.Row(m.x, int(u))[:s.Dim]
			for j := range x {
				x[j] = (rng.Float32() - 0.5) / float32(s.Dim)
			}
		}
	})
}

// skipGramWidth is the number of floats of whole cache lines that hold a vector.
func skipGramWidth(dim int) int { return (dim + kernel.RowLine - 1) / kernel.RowLine * kernel.RowLine }

// eachChunk calls do for consecutive walks, as many as the shares hold: their pass, the nodes that
// they start from, and the number of walks before them.
func (m *skipGram) eachChunk(ctx context.Context, do func(ctx context.Context, pass int, from []int32, before int) error) error {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	rng, order := stream.New(), slices.Clone(m.starts)
	for pass := range m.Walks {
		rng.Reseed(stream.Seed(m.Seed, seedWalkOrder), uint64(pass))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for lo := 0; lo < len(order); {
			hi := min(len(order), lo+shareCount*m.perShare())
			if err := do(ctx, pass, order[lo:hi], pass*len(order)+lo); err != nil {
				return err
			}
			lo = hi
		}
	}
	return ctx.Err()
}

// perShare is the number of walks of a share.
func (m *skipGram) perShare() int { return max(1, shareTokens/m.Length) }

// walk draws the walk that starts from u in a pass, always the same one. The stream then goes on to
// what else the walk needs.
func (m *skipGram) walk(ctx context.Context, rng stream.Stream, pass int, u int32, path []int32) {
	rng.Reseed(stream.Seed(m.Seed, seedWalkSteps), uint64(pass)*uint64(m.walker.adj.Rows)+uint64(u))
	m.walker.walk(ctx, rng, u, path)
}

// count returns how often the walks come to each node. They are drawn again for training: together
// they would take several times the memory of the vectors.
func (m *skipGram) count(ctx context.Context) ([]int64, error) {
	counts := make([]int64, m.walker.adj.Rows)
	return counts, m.eachChunk(ctx, func(ctx context.Context, pass int, from []int32, _ int) error {
		return parallel.Ranges(ctx, len(from), m.perShare(), func(lo, hi int) {
			rng, path := stream.New(), make([]int32, m.Length)
			for _, u := range from[lo:hi] {
				m.walk(ctx, rng, pass, u, path)
				for _, v := range path {
					atomic.AddInt64(&counts[v], 1)
				}
			}
		})
	})
}

// split deals the nodes of each magnitude of counts to the parts in turn, so that every part gets
// its share of the frequent ones.
func (m *skipGram) split(ctx context.Context, counts []int64) error {
	m.parts = max(1, min(m.Parts, len(m.starts)/skipGramPart))
	m.part, m.noise = make([]uint8, len(counts)), make([]walkNoise, m.parts)
	var dealt [bits.UintSize + 1]int
	for _, u := range m.starts {
		magnitude := bits.Len64(uint64(counts[u]))
		i := (magnitude + dealt[magnitude]) % m.parts // not all from part 0 on
		dealt[magnitude]++
		m.part[u] = uint8(i)
		m.noise[i].nodes = append(m.noise[i].nodes, u)
	}
	return parallel.For(ctx, m.parts, func(i int) {
		noise := &m.noise[i]
		weights := make([]float64, len(noise.nodes))
		for k, u := range noise.nodes {
			weights[k] = math.Pow(float64(counts[u]), 0.75)
		}
		noise.table = stream.NewAlias(weights)
	})
}

func (m *skipGram) train(ctx context.Context, progress func(done, total int)) error {
	total := m.Walks * len(m.starts)
	stage := uint64(0)
	return m.eachChunk(ctx, func(ctx context.Context, pass int, from []int32, before int) error {
		err := parallel.For(ctx, shareCount, func(i int) {
			lo := min(len(from), i*m.perShare())
			hi := min(len(from), lo+m.perShare())
			done := float64(before+lo) / float64(total)
			m.shares[i].rate = float32(m.Rate + (skipGramEnd-m.Rate)*done)
			m.fill(ctx, m.shares[i], pass, from[lo:hi])
		})
		for r := 0; r < m.parts && err == nil; r++ {
			err = parallel.For(ctx, m.parts, func(i int) {
				m.trainBucket(ctx, i, (i+r)%m.parts, stage)
			})
			stage++
		}
		if err == nil && progress != nil {
			progress(before+len(from), total)
		}
		return err
	})
}

// fill draws the walks from some nodes, and their pairs into the buckets of a share.
func (m *skipGram) fill(ctx context.Context, s *walkShare, pass int, from []int32) {
	rng := stream.New()
	s.drawn = s.drawn[:0]
	for _, u := range from {
		m.walk(ctx, rng, pass, u, s.path)
		for k, c := range s.path {
			b := 1 + rng.IntN(m.Window)
			for l := max(0, k-b); l <= min(k+b, len(s.path)-1); l++ {
				if l != k {
					s.drawn = append(s.drawn, walkPair{x: s.path[l], y: c})
				}
			}
		}
	}
	m.sort(s)
}

// sort puts the pairs drawn into their buckets, where they keep their order.
func (m *skipGram) sort(s *walkShare) {
	buckets := m.parts * m.parts
	bucket := func(p walkPair) int { return int(m.part[p.x])*m.parts + int(m.part[p.y]) }
	s.start = slices.Grow(s.start[:0], buckets+2)[:buckets+2]
	clear(s.start)
	for _, p := range s.drawn {
		s.start[bucket(p)+2]++
	}
	for b := range buckets {
		s.start[b+1] += s.start[b]
	}
	s.pairs = slices.Grow(s.pairs[:0], len(s.drawn))[:len(s.drawn)]
	for _, p := range s.drawn {
		end := &s.start[bucket(p)+1] // so far
		s.pairs[*end] = p
		*end++
	}
}

// A walkStep is a pair with its negatives: x of node o moves, and y of the targets, the node c first and
// then the negatives.
type walkStep struct {
	o, targets []int32
	rate       float32
}

// trainBucket makes a step for each pair of bucket (i, j), in the order of the walks. Vectors are fetched
// some steps ahead, for those of a large graph are in no cache.
func (m *skipGram) trainBucket(ctx context.Context, i, j int, stage uint64) {
	rng := stream.New()
	rng.Reseed(stream.Seed(m.Seed, seedWalkNoise), stage*uint64(m.parts)+uint64(i))
	var steps [skipGramAhead]walkStep
	for k := range steps {
		steps[k] = walkStep{o: make([]int32, 1), targets: make([]int32, 1+m.Negatives)}
	}
	slopes := make([]float32, 1+m.Negatives)
	n, every := 0, 1+skipGramWork/(len(slopes)*m.x.Cols)
	for _, s := range m.shares {
		b := i*m.parts + j
		for _, p := range s.pairs[s.start[b]:s.start[b+1]] {
			if n%every == 0 && ctx.Err() != nil {
				return
			}
			next := &steps[n%skipGramAhead]
			if n >= skipGramAhead {
				m.step(next, slopes)
			}
			next.o[0], next.targets[0], next.rate = p.x, p.y, s.rate
			for k := range next.targets[1:] {
				next.targets[1+k] = m.noise[j].draw(rng)
			}
			kernel.FetchRows(m.x, next.o)
			kernel.FetchRows(m.y, next.targets)
			n++
		}
	}
	for k := max(0, n-skipGramAhead); k < n && ctx.Err() == nil; k++ {
		m.step(&steps[k%skipGramAhead], slopes)
	}
}

// step goes up the gradient of a pair. slopes, one for each target, are scratch.
func (m *skipGram) step(s *walkStep, slopes []float32) {
	x := matrix.Row(m.x, int(s.o[0]))
	kernel.RowDots(slopes, x, m.y, s.targets)
	for k, t := range s.targets {
		slope := -logistic(slopes[k])
		if k == 0 {
			slope++
		} else if t == s.targets[0] {
			slope = 0
		}
		slopes[k] = s.rate * slope
	}
	kernel.RowSteps(slopes, x, m.y, s.targets)
}

const (
	logisticRange = 8
	logisticSteps = 64 // for each unit
)

// logistics are σ(−8 + k/64) up to 8, and one more.
var logistics = func() (table [2*logisticRange*logisticSteps + 2]float32) {
	for k := range table {
		table[k] = float32(1 / (1 + math.Exp(logisticRange-float64(k)/logisticSteps)))
	}
	return table
}()

// logistic is σ(v) within 3e-6, between two numbers of a table; outside ±8 it is σ(±8), within 4e-4.
// What v is once vectors have overflowed does not matter.
func logistic(v float32) float32 {
	if !(v > -logisticRange) {
		return logistics[0]
	}
	at := (min(v, logisticRange) + logisticRange) * logisticSteps
	k := int(at)
	return logistics[k] + (at-float32(k))*(logistics[k+1]-logistics[k])
}

// embedding are the x.
func (m *skipGram) embedding(ctx context.Context) (*mat.Dense, error) {
	x := kernel.Columns(m.x, 0, m.Dim)
	most, err := matrix.Of(x).Largest(ctx)
	if err != nil {
		return nil, err
	}
	if !matrix.Finite(most) {
		return nil, fmt.Errorf("rivals: skip-gram: %w: the vectors overflow at the rate %v", coles.ErrNotFinite, m.Rate)
	}
	wide, err := matrix.ToFloat64(ctx, x)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(wide), nil
}
