package rivals

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/stream"
)

// GraphSAINT is the network that is trained on subgraphs (Zeng, Zhou, Srivastava, Kannan and
// Prasanna, ICLR 2020) of random walks, for [gnn.TrainClassifier]. A step sees the nodes S that 2,000
// walks of 4 steps come to, or as many as there are labelled nodes if these are fewer, from labelled
// nodes drawn uniformly, and the edges among them. The entry
// of D⁻¹A from v to its neighbour u is divided by α_uv, and the loss of a labelled node multiplied by
// λ_v, so that sums over neighbours and the loss are estimated without bias:
//
//	α_uv = P(u ∈ S | v ∈ S) = C_uv/C_v,  λ_v = 1/(n·P(v ∈ S)) = N/(n·C_v),
//
// n the number of labelled nodes; C count nodes and edges in N subgraphs, drawn before the first step
// until each labelled node has come 50 times in the mean.
//
// The network has four layers ("1-0-1-0") of drop(H) with dropout 0.1: 128 columns for each node alone
// and, in the first and the third, 128 for the means over its neighbours,
//
//	norm(ReLU(H·Θ₀ + b₀)) | norm(ReLU(D⁻¹A·H·Θ₁ + b₁)),  norm over a row, with scale and offset,
//
// then unit rows, dropout and a linear layer. The authors' settings: Adam(0.01), 40 epochs of so many
// steps that walks come to as many nodes as are labelled; features of Reddit with standardised
// columns, those of every other graph as they are. At the end the graph is whole.
//
// An edge or a node that is met for the first time after the counting counts as met once; the authors
// bound the factor of such an edge by 10,000. They draw roots from all nodes of the graph, which are
// the labelled ones in their inductive training, train on the subgraphs of the counting first, and
// clip the gradient at the norm 5; here none is.
//
// It trains 2·(128·d + 384) + 2·(256·128 + 384) + 2·(128·128 + 384) + 129·C numbers for C classes,
// 260,009 on Reddit. A step takes some 6·|S|·(256·d + 98,304) multiplications and 4·|S|·(d + 6,100)
// bytes for |S| ≤ 10,000 nodes; the counts take 4 bytes for each stored edge, and 9 for each node, 17
// while counting. All nodes together take 4·n·1,950 bytes.
func GraphSAINT(dataset string) gnn.Settings {
	const dropped = 0.1
	s := gnn.ClassifierSettings()
	s.Network = nil
	for range 2 {
		s.Network = append(s.Network, gnn.Dropout(dropped), saintLayer(2, 256), gnn.Dropout(dropped), saintLayer(1, 128))
	}
	s.Network = append(s.Network, unitRowsLayer(), gnn.Dropout(dropped), gnn.Linear(gnn.AutoWidth))
	s.Sampler = subgraphSampler(2000, 4, 50)
	s.Preparation = standardizedOn(dataset, "reddit")
	s.Optimizer = gnn.Adam(0.01)
	s.Epochs, s.Patience = 40, 0
	return s
}

// saintLayer has one part for each node alone or two, the second for the means over neighbours, side
// by side. The parameters of part 0 are "0.weight", "0.bias", "0.scale" and "0.offset".
func saintLayer(parts, width int) gnn.Layer {
	parameters := func(in, width int) (all []gnn.Parameter) {
		for k := range parts {
			name := func(what string) string { return fmt.Sprintf("%d.%s", k, what) }
			all = append(all, gnn.Weight(name("weight"), in, width/parts), gnn.Bias(name("bias"), width/parts),
				gnn.Parameter{Name: name("scale"), Rows: 1, Cols: width / parts, Start: 1}, gnn.Bias(name("offset"), width/parts))
		}
		return all
	}
	spec := gnn.LayerSpec{Width: width, Hops: parts - 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprintf("saint of %d", parts), spec, saintParts[float32](parts), saintParts[float64](parts))
}

func saintParts[T autodiff.Float](parts int) func(p *gnn.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *gnn.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		var made []*autodiff.Value[T]
		for k := range parts {
			of := func(what string) *autodiff.Value[T] { return p.Parameter(fmt.Sprintf("%d.%s", k, what)) }
			var y *autodiff.Value[T]
			if k == 0 {
				y = p.MatMul(p.Own(h), of("weight"))
			} else {
				y = neighbourProduct(p.Tape, p.Operator("means", sparseMeans), h, of("weight"))
			}
			made = append(made, p.LayerNorm(p.ReLU(p.Bias(y, of("bias"))), of("scale"), of("offset"), saintEpsilon))
		}
		if parts == 1 {
			return made[0]
		}
		return p.Concat(made...)
	}
}

const (
	saintEpsilon = 1e-9
	saintRound   = 64 // subgraphs that are counted together
)

// subgraphDraws draws what walks of so many steps from so many roots come to.
type subgraphDraws struct {
	walker       *walker
	rows         []int // where walks start
	labelled     []bool
	roots, steps int
	drawn        int     // N, counted so far
	node, edge   []int32 // C of each node, and of each stored edge
	place        []int32 // of each node in the subgraph at hand; −1 for none
}

// subgraphSampler draws subgraphs until each labelled node has been counted so many times in the mean.
func subgraphSampler(roots, steps, coverage int) gnn.Sampler {
	name := fmt.Sprintf("subgraphs of %d walks of %d steps counted %d times", roots, steps, coverage)
	return gnn.NewSampler(name, func(ctx context.Context, g *coles.Graph, rows []int, seed uint64) (gnn.Samples, error) {
		roots := min(roots, len(rows))
		s, err := newSubgraphs(ctx, g, rows, roots, steps)
		if err != nil {
			return nil, err
		}
		if err := s.count(ctx, coverage, stepSeed(seed, seedSampleWarmUp, 0, 0)); err != nil {
			return nil, err
		}
		perEpoch := make([]int, (len(rows)+roots*steps-1)/(roots*steps)) // of one nobody looks at each
		return eachBatch(perEpoch, 1, seed, func(ctx context.Context, _ []int, epoch, step int) (*gnn.Sample, error) {
			nodes, err := s.draw(ctx, stepSeed(seed, seedSampleNodes, epoch, step))
			if err != nil {
				return nil, err
			}
			return s.sample(ctx, nodes)
		}), nil
	})
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
	return &subgraphDraws{
		walker: w, rows: rows, labelled: labelled, roots: roots, steps: steps,
		node: make([]int32, g.Nodes()), edge: make([]int32, w.adj.NNZ()), place: slices.Repeat([]int32{-1}, g.Nodes()),
	}, nil
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

// count draws rounds of subgraphs and counts their nodes and edges. Bits say of each node which
// subgraphs of a round it is in, so that one pass over the edges counts for all of them.
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
		if err := parallel.Rows(ctx, len(masks), func(lo, hi int) {
			for u := lo; u < hi; u++ {
				if masks[u] == 0 {
					continue
				}
				s.node[u] += int32(bits.OnesCount64(masks[u]))
				neighbours, _ := s.walker.adj.Row(u)
				counts := s.edge[s.walker.adj.Ptr[u]:s.walker.adj.Ptr[u+1]]
				for q, v := range neighbours {
					counts[q] += int32(bits.OnesCount64(masks[u] & masks[v]))
				}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// sample is the subgraph of some nodes with its factors and weights.
func (s *subgraphDraws) sample(ctx context.Context, nodes []int) (*gnn.Sample, error) {
	for k, u := range nodes {
		s.place[u] = int32(k)
	}
	defer func() {
		for _, u := range nodes {
			s.place[u] = -1
		}
	}()
	a, err := s.within(ctx, nodes)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, len(nodes))
	for k, v := range nodes {
		weights[k] = float64(s.drawn) / (float64(len(s.rows)) * float64(max(1, s.node[v])))
	}
	return &gnn.Sample{Levels: [][]int{nodes, nodes, nodes}, Factors: []*factors{a, a}, Weights: weights}, nil
}

// within is the edges among nodes that have their places, with 1/α.
func (s *subgraphDraws) within(ctx context.Context, nodes []int) (*factors, error) {
	adj := s.walker.adj
	a := &factors{Rows: len(nodes), Cols: len(nodes), Ptr: make([]int64, len(nodes)+1)}
	if err := parallel.Rows(ctx, len(nodes), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			neighbours, _ := adj.Row(nodes[i])
			for _, u := range neighbours {
				if s.place[u] >= 0 {
					a.Ptr[i+1]++
				}
			}
		}
	}); err != nil {
		return nil, err
	}
	for i := range nodes {
		a.Ptr[i+1] += a.Ptr[i]
	}
	a.Col, a.Val = make([]int32, a.Ptr[len(nodes)]), kernel.Unset[float64](1, int(a.Ptr[len(nodes)])).Data
	return a, parallel.Rows(ctx, len(nodes), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			neighbours, _ := adj.Row(nodes[i])
			counts := s.edge[adj.Ptr[nodes[i]]:]
			to := a.Ptr[i]
			for q, u := range neighbours {
				if k := s.place[u]; k >= 0 {
					a.Col[to], a.Val[to] = k, float64(max(1, s.node[nodes[i]]))/float64(max(1, counts[q]))
					to++
				}
			}
		}
	})
}
