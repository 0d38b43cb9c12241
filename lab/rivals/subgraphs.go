package rivals

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"coles"
	"coles/gnn/custom"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// saintRound is how many subgraphs are counted together.
const saintRound = 64

// subgraphDraws draws the nodes on random walks from roots.
type subgraphDraws struct {
	walker       *walker
	rows         []int // where walks start
	labelled     []bool
	roots, steps int
	drawn        int                  // N, counted so far
	node         []int32              // C of each node
	edge         *kernel.CSR[float32] // C of each stored edge, exact below 2²⁴
}

// subgraphSampler draws subgraphs until each labelled node has been counted coverage times in the mean.
func subgraphSampler(roots, steps, coverage int) custom.Sampler {
	name := fmt.Sprintf("subgraphs of %d walks of %d steps counted %d times", roots, steps, coverage)
	return custom.Sampler{Name: name, Start: func(ctx context.Context, g *coles.Graph, rows []int, seed uint64) (custom.Samples, error) {
		roots := min(roots, len(rows))
		s, err := newSubgraphs(ctx, g, rows, roots, steps)
		if err != nil {
			return nil, err
		}
		if err := s.count(ctx, coverage, stepSeed(seed, seedSampleWarmUp, 0, 0)); err != nil {
			return nil, err
		}
		perEpoch := make([]int, (len(rows)+roots*steps-1)/(roots*steps)) // of one nobody looks at each
		return eachBatch(perEpoch, 1, seed, func(ctx context.Context, _ []int, epoch, step int) (*custom.Sample, error) {
			nodes, err := s.draw(ctx, stepSeed(seed, seedSampleNodes, epoch, step))
			if err != nil {
				return nil, err
			}
			return s.sample(ctx, nodes)
		}), nil
	}}
}

func newSubgraphs(ctx context.Context, g *coles.Graph, rows []int, roots, steps int) (*subgraphDraws, error) {
	w, err := newWalker(ctx, g, 1, 1)
	if err != nil {
		return nil, err
	}
	labelled := make([]bool, g.Nodes())
	for _, u := range rows {
		labelled[u] = true
	}
	edge := &kernel.CSR[float32]{Rows: w.adj.Rows, Cols: w.adj.Cols, Ptr: w.adj.Ptr, Col: w.adj.Col, Val: make([]float32, w.adj.NNZ())}
	return &subgraphDraws{walker: w, rows: rows, labelled: labelled, roots: roots, steps: steps, node: make([]int32, g.Nodes()), edge: edge}, nil
}

// draw is the nodes of a subgraph, ascending.
func (s *subgraphDraws) draw(ctx context.Context, seed uint64) ([]int, error) {
	width := 1 + s.steps
	paths := make([]int32, s.roots*width)
	if err := parallel.Rows(ctx, s.roots, func(lo, hi int) {
		rng := stream.New()
		for k := lo; k < hi; k++ {
			rng.Reseed(seed, uint64(k))
			root, path := int32(s.rows[rng.IntN(len(s.rows))]), paths[k*width:(k+1)*width]
			if s.walker.adj.Ptr[root] < s.walker.adj.Ptr[root+1] {
				s.walker.walk(ctx, rng, root, path)
			} else {
				copy(path, slices.Repeat([]int32{root}, width))
			}
		}
	}); err != nil {
		return nil, err
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	nodes := make([]int, len(paths))
	for k, u := range paths {
		nodes[k] = int(u)
	}
	return nodes, nil
}

// count draws rounds of subgraphs and counts their nodes and edges. A node has a bit for each
// subgraph of a round that it is in, so that one pass over the edges counts for all of them.
func (s *subgraphDraws) count(ctx context.Context, coverage int, seed uint64) error {
	met, masks := 0, make([]uint64, len(s.node))
	for met < coverage*len(s.rows) {
		clear(masks)
		for k := range saintRound {
			nodes, err := s.draw(ctx, stream.Seed(seed, uint64(s.drawn+k)))
			if err != nil {
				return err
			}
			for _, u := range nodes {
				masks[u] |= 1 << k
				if s.labelled[u] {
					met++
				}
			}
		}
		s.drawn += saintRound
		if err := matrix.EachRow(ctx, s.edge, func(u int) {
			if masks[u] == 0 {
				return
			}
			s.node[u] += int32(bits.OnesCount64(masks[u]))
			neighbours, counts := s.edge.Row(u)
			for q, v := range neighbours {
				counts[q] += float32(bits.OnesCount64(masks[u] & masks[v]))
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// sample is the subgraph of some nodes: the edges among them with 1/α, and the nodes with λ.
func (s *subgraphDraws) sample(ctx context.Context, nodes []int) (*custom.Sample, error) {
	counted, err := matrix.Induced(ctx, s.edge, nodes)
	if err != nil {
		return nil, err
	}
	a, weights := kernel.ConvertCSR[float64](counted), make([]float64, len(nodes))
	sample := &custom.Sample{Levels: [][]int{nodes, nodes, nodes}, Factors: []*factors{a, a}, Weights: weights}
	return sample, matrix.EachRow(ctx, a, func(i int) {
		met := float64(max(1, s.node[nodes[i]]))
		weights[i] = float64(s.drawn) / (float64(len(s.rows)) * met)
		_, vals := a.Row(i)
		for q, count := range vals {
			vals[q] = met / max(1, count)
		}
	})
}
