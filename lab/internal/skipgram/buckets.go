package skipgram

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"coles/internal/parallel"
	"coles/internal/stream"
)

// leastPart is the least number of nodes of a part. Among few nodes, a negative would too often be the
// node itself.
const leastPart = 64

// noise draws the nodes of a part in proportion to count^0.75, the power that word2vec found
// best for words.
type noise struct {
	nodes []int32
	table *stream.Alias
}

func (n *noise) draw(rng stream.Stream) int32 { return n.nodes[n.table.Draw(rng)] }

// A pair trains x of one node to meet y of the other.
type pair struct{ x, y int32 }

// A share holds the pairs of some walks: bucket (i, j) begins at start[i·parts + j].
type share struct {
	rate         float32
	path         []int32
	drawn, pairs []pair
	start        []int
}

// split deals the nodes of each magnitude of counts to the parts in turn, so that every part gets
// its share of the frequent ones.
func (m *trainer) split(ctx context.Context, counts []int64) error {
	m.parts = max(1, min(m.Parts, len(m.walks.Starts)/leastPart))
	m.part, m.noise = make([]uint8, len(counts)), make([]noise, m.parts)
	var dealt [bits.UintSize + 1]int
	for _, u := range m.walks.Starts {
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

// fill draws the walks from some nodes, and their pairs into the buckets of a share.
func (m *trainer) fill(ctx context.Context, s *share, pass int, from []int32) {
	rng := stream.New()
	s.drawn = s.drawn[:0]
	for _, u := range from {
		m.walk(ctx, rng, pass, u, s.path)
		for k, c := range s.path {
			b := 1 + rng.IntN(m.Window)
			for l := max(0, k-b); l <= min(k+b, len(s.path)-1); l++ {
				if l != k {
					s.drawn = append(s.drawn, pair{x: s.path[l], y: c})
				}
			}
		}
	}
	m.sort(s)
}

// sort puts the pairs drawn into their buckets, where they keep their order.
func (m *trainer) sort(s *share) {
	buckets := m.parts * m.parts
	bucket := func(p pair) int { return int(m.part[p.x])*m.parts + int(m.part[p.y]) }
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
