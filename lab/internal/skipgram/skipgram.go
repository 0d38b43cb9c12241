// Package skipgram trains vectors of nodes that meet on walks, by the loss of word2vec, on all
// processors and with the same bytes for any number of them.
//
// The schedule is a Latin square. Nodes are split into parts, and the pairs of some walks into buckets, one for each
// two parts. In a round the buckets (i, i + r mod parts) are trained at once. No two of them have a part of the x in
// common, or a part of the y. So one goroutine at a time writes to a vector, and the order of its steps is always the
// same. The vectors of two parts also fit a cache where the vectors of all nodes do not.
package skipgram

import (
	"context"
	"slices"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

const (
	// LastRate is the rate of the last step.
	LastRate = 1e-4
	// Of all walks, shares of about shareTokens nodes are held at a time.
	shareTokens, shareCount = 8192, 16
)

// The independent draws that the seed is good for.
const (
	seedOrder = iota
	seedSteps
	seedVectors
	seedNoise
)

// Settings of a training.
type Settings struct {
	Window    int     // steps to the farthest node of a pair
	Dim       int     // numbers of a vector
	Negatives int     // nodes drawn for each pair
	Rate      float64 // of the first step
	Parts     int     // at most, into which the nodes are split
	Seed      uint64  // of all draws
}

// Walks describes the walks to train on.
type Walks struct {
	Nodes  int     // numbered from 0
	Starts []int32 // one walk starts from each of these nodes in a pass
	Passes int
	Length int // nodes of a walk
	// Draw fills a walk that starts from a node, or a part of it once ctx has ended.
	Draw func(ctx context.Context, rng stream.Stream, from int32, walk []int32)
}

// A trainer holds the vectors and the schedule.
type trainer struct {
	Settings
	walks  Walks
	x, y   kernel.Matrix[float32] // a vector for each node, filled up with zeros
	parts  int
	part   []uint8 // of each node
	noise  []noise
	shares []*share
}

// Train returns the vectors x of all nodes, in Width(Dim) columns of which Dim are used. Nodes that no walk starts
// from have zeros. The function progress, which may be nil, gets the number of walks trained on, and their total. The
// only error is ctx's.
func Train(ctx context.Context, w Walks, s Settings, progress func(done, total int)) (kernel.Matrix[float32], error) {
	m, err := newTrainer(ctx, w, s)
	if err != nil {
		return kernel.Matrix[float32]{}, err
	}
	return m.x, m.train(ctx, progress)
}

func newTrainer(ctx context.Context, w Walks, s Settings) (*trainer, error) {
	m := &trainer{Settings: s, walks: w}
	for range shareCount {
		m.shares = append(m.shares, &share{path: make([]int32, w.Length)})
	}
	counts, err := m.count(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.split(ctx, counts); err != nil {
		return nil, err
	}
	m.x, m.y = kernel.Unset[float32](w.Nodes, Width(s.Dim)), kernel.Unset[float32](w.Nodes, Width(s.Dim))
	for _, vectors := range []kernel.Matrix[float32]{m.x, m.y} {
		if err := matrix.Clear(ctx, vectors); err != nil {
			return nil, err
		}
	}
	return m, parallel.Ranges(ctx, len(w.Starts), parallel.RowsAtOnce, func(lo, hi int) {
		rng := stream.New()
		for _, u := range w.Starts[lo:hi] {
			rng.Reseed(stream.Seed(s.Seed, seedVectors), uint64(u))
			x := m.x.Row(int(u))[:s.Dim]
			for j := range x {
				x[j] = (rng.Float32() - 0.5) / float32(s.Dim)
			}
		}
	})
}

// Width is the number of floats of whole cache lines that hold a vector.
func Width(dim int) int { return (dim + kernel.RowLine - 1) / kernel.RowLine * kernel.RowLine }

// eachChunk calls do for consecutive walks, as many as the shares hold: their pass, the nodes that
// they start from, and the number of walks before them.
func (m *trainer) eachChunk(ctx context.Context, do func(ctx context.Context, pass int, from []int32, before int) error) error {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	rng, order, before := stream.New(), slices.Clone(m.walks.Starts), 0
	for pass := range m.walks.Passes {
		rng.Reseed(stream.Seed(m.Seed, seedOrder), uint64(pass))
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for from := range slices.Chunk(order, shareCount*m.perShare()) {
			if err := do(ctx, pass, from, before); err != nil {
				return err
			}
			before += len(from)
		}
	}
	return ctx.Err()
}

// perShare is the number of walks of a share.
func (m *trainer) perShare() int { return max(1, shareTokens/m.walks.Length) }

// walk draws the walk that starts from u in a pass, always the same one. The stream then goes on to
// what else the walk needs.
func (m *trainer) walk(ctx context.Context, rng stream.Stream, pass int, u int32, path []int32) {
	rng.Reseed(stream.Seed(m.Seed, seedSteps), uint64(pass)*uint64(m.walks.Nodes)+uint64(u))
	m.walks.Draw(ctx, rng, u, path)
}

// count returns how often the walks come to each node. They are drawn again for training: together
// they would take several times the memory of the vectors.
func (m *trainer) count(ctx context.Context) ([]int64, error) {
	counts := make([]int64, m.walks.Nodes)
	return counts, m.eachChunk(ctx, func(ctx context.Context, pass int, from []int32, _ int) error {
		return parallel.Ranges(ctx, len(from), m.perShare(), func(lo, hi int) {
			rng, path := stream.New(), make([]int32, m.walks.Length)
			for _, u := range from[lo:hi] {
				m.walk(ctx, rng, pass, u, path)
				for _, v := range path {
					atomic.AddInt64(&counts[v], 1)
				}
			}
		})
	})
}

func (m *trainer) train(ctx context.Context, progress func(done, total int)) error {
	total := m.walks.Passes * len(m.walks.Starts)
	stage := uint64(0)
	return m.eachChunk(ctx, func(ctx context.Context, pass int, from []int32, before int) error {
		err := parallel.For(ctx, shareCount, func(i int) {
			lo := min(len(from), i*m.perShare())
			hi := min(len(from), lo+m.perShare())
			done := float64(before+lo) / float64(total)
			m.shares[i].rate = float32(m.Rate + (LastRate-m.Rate)*done)
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
