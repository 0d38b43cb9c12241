package rivals

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"github.com/james-bowman/sparse"
)

// GraphSAGE is the network of sampled neighbours (Hamilton, Ying and Leskovec, NeurIPS 2017) with
// the mean aggregator, trained on labels by [gnn.TrainClassifier]. A layer puts what it makes of a
// node next to what it makes of the mean over its neighbours N(i),
//
//	y_i = σ([h_i·Θ₁ | mean{h_j: j ∈ N(i)}·Θ₂]),  128 columns each,
//
// and while training the mean is taken over a few of them: 10 neighbours of every node of a batch of
// 512, and 25 of each of those. Two such layers, ReLU behind the first, are followed by unit rows and
// a linear layer of one output for each class. The authors' settings: Adam(0.01), 10 epochs,
// cross-entropy; features of Reddit with standardised columns, those of every other graph as they
// are.
//
// Neighbours are drawn anew in every step, without a repetition, once for a node that is met twice;
// the authors first cut every list of neighbours to 128, or fill it by repeating some, for the whole
// training, and draw for every occurrence. They clip every gradient at ±5; here none is. At the end,
// and for the parameters that are best for the nodes to stop by, the means are of all neighbours.
//
// It trains 2·128·(d+256) + 257·C numbers for C classes, 230,185 on Reddit. An epoch reads at most 286
// rows of features for each labelled node, and takes some 6·11·256·d multiplications for it; a step
// holds the features of at most 512·286 nodes, 4·d bytes each, and takes 4·(2·d + 6·256) bytes for each
// of at most 512·11. All neighbours together take 4·n·4·256 bytes.
func GraphSAGE(dataset string) gnn.Settings {
	s := gnn.ClassifierSettings()
	s.Network = gnn.Network{sageLayer(256), gnn.ReLU(), sageLayer(256), unitRowsLayer(), gnn.Linear(gnn.AutoWidth)}
	s.Sampler = neighbourSampler(512, sageCounts)
	s.Preparation = standardizedOn(dataset, "reddit")
	s.Optimizer = gnn.Adam(0.01)
	s.Epochs, s.Patience = 10, 0
	return s
}

// sageCounts are the neighbours drawn for the second layer and for the first.
var sageCounts = []int{10, 25}

// neighbourSampler draws batches of the labelled nodes with so many neighbours.
func neighbourSampler(size int, counts []int) gnn.Sampler {
	name := fmt.Sprintf("neighbours %v of batches of %d", counts, size)
	return gnn.NewSampler(name, func(_ context.Context, g *coles.Graph, rows []int, seed uint64) (gnn.Samples, error) {
		f := newFanOut(g.Raw(), counts)
		return eachBatch(rows, size, seed, func(ctx context.Context, batch []int, epoch, step int) (*gnn.Sample, error) {
			return f.sample(ctx, batch, stepSeed(seed, seedSampleEdges, epoch, step))
		}), nil
	})
}

// sageLayer is [H·Θ₁ | D⁻¹A·H·Θ₂]. Its parameters are "self" and "neighbors".
func sageLayer(width int) gnn.Layer {
	parameters := func(in, width int) []gnn.Parameter {
		return []gnn.Parameter{gnn.Weight("self", in, width/2), gnn.Weight("neighbors", in, width/2)}
	}
	spec := gnn.LayerSpec{Width: width, Hops: 1, Parameters: parameters}
	return gnn.NewLayer("sage side by side", spec, sageSides[float32], sageSides[float64])
}

func sageSides[T autodiff.Float](p *gnn.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	means := p.Operator("means", sparseMeans)
	return p.Concat(p.MatMul(p.Own(h), p.Parameter("self")), neighbourProduct(p.Tape, means, h, p.Parameter("neighbors")))
}

// sparseMeans is D⁻¹A.
func sparseMeans(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	means, err := matrix.RowMeans[float64](ctx, g.Raw())
	return exported(ctx, means, err)
}

// exported is an operator of a graph for [gnn.Pass.Operator].
func exported(ctx context.Context, a *kernel.CSR[float64], err error) (*sparse.CSR, error) {
	if err != nil {
		return nil, err
	}
	return matrix.ExportCSR(ctx, a)
}

// neighbourProduct is S·H·Θ in the order that takes less multiplications: of many nodes that come in
// and few that come out, S·H first. Sparse features can only be multiplied by Θ.
func neighbourProduct[T autodiff.Float](t *autodiff.Tape[T], s *autodiff.Sparse[T], h, theta *autodiff.Value[T]) *autodiff.Value[T] {
	entries, in, out := float64(s.Matrix().NNZ()), float64(h.Cols()), float64(theta.Cols())
	before := float64(h.Rows())*in*out + entries*out
	behind := entries*in + float64(s.Matrix().Rows)*in*out
	if h.Data().Data != nil && behind < before {
		return t.MatMul(t.SpMM(s, h), theta)
	}
	return t.SpMM(s, t.MatMul(h, theta))
}

// unitRowsLayer divides rows by their lengths.
func unitRowsLayer() gnn.Layer {
	return gnn.NewLayer("unit rows", gnn.LayerSpec{Width: gnn.SameWidth}, unitRowsOf[float32], unitRowsOf[float64])
}

func unitRowsOf[T autodiff.Float](p *gnn.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.RowNormalize(h)
}

// UnsupervisedGraphSAGE is the network of [GraphSAGE], up to the unit rows, trained without labels for
// nodes that meet on random walks to be alike, by [gnn.Train]. For a batch of 512 nodes u, each with
// another node v of a walk of 4 steps from u, drawn uniformly, and 20 nodes w for all of them together,
// drawn in proportion to degree^0.75, the loss is
//
//	−mean_u(log σ(h_u·h_v) + Σ_w log σ(−h_u·h_w)).
//
// The authors draw 50 walks from every node and take all of their pairs in one epoch, at the rate 1e-5:
// on Reddit some 70,000 steps. Here an epoch takes a pair for every node, and there are 20 of them at
// the rate 1e-3; a node without edges is in none. Otherwise it differs as GraphSAGE does.
//
// It trains 2·128·(d+256) numbers. An epoch takes twice the time of one of GraphSAGE on all nodes, and
// a step twice its memory.
func UnsupervisedGraphSAGE(dataset string) gnn.Settings {
	s := rival(gnn.NewObjective("walks", gnn.ObjectiveSpec{}, walkLoss[float32], walkLoss[float64]),
		sageLayer(256), gnn.ReLU(), sageLayer(256), unitRowsLayer())
	s.Sampler = pairSampler(512, sageCounts)
	s.Preparation = standardizedOn(dataset, "reddit")
	s.Epochs = 20
	return s
}

const (
	sageSteps     = 4  // of the walk from a node of a pair
	sageNegatives = 20 // of a batch
)

// walkLoss is that of the rows of pairSampler: the first of every pair, the second of every pair, and
// the negatives.
func walkLoss[T autodiff.Float](s *gnn.Step[T]) *autodiff.Value[T] {
	h := s.Output(&gnn.View{})
	pairs := (h.Rows() - sageNegatives) / 2
	rows := make([]int, h.Rows())
	for k := range rows {
		rows[k] = k
	}
	first, second, negatives := rows[:pairs], rows[pairs:2*pairs], rows[2*pairs:]
	near := s.Sum(s.LogSigmoid(s.GatherDots(h, first, h, second)))
	far := s.MatMulTrans(s.Gather(h, first), s.Gather(h, negatives))
	return s.Scale(s.Add(near, s.Sum(s.LogSigmoid(s.Scale(far, -1)))), -1/float64(pairs))
}

// pairSampler draws batches of nodes that have neighbours, with what walkLoss wants, and neighbours of
// all of these.
func pairSampler(size int, counts []int) gnn.Sampler {
	name := fmt.Sprintf("pairs with neighbours %v in batches of %d", counts, size)
	return gnn.NewSampler(name, func(ctx context.Context, g *coles.Graph, _ []int, seed uint64) (gnn.Samples, error) {
		return newPairs(ctx, g, size, counts, seed)
	})
}

func newPairs(ctx context.Context, g *coles.Graph, size int, counts []int, seed uint64) (gnn.Samples, error) {
	w, err := newWalker(ctx, g, 1, 1)
	if err != nil {
		return nil, err
	}
	chances := make([]float64, g.Nodes())
	if err := matrix.EachRow(ctx, w.adj, func(u int) {
		chances[u] = math.Pow(float64(w.adj.Ptr[u+1]-w.adj.Ptr[u]), 0.75)
	}); err != nil {
		return nil, err
	}
	var rows []int
	for u, v := range chances {
		if v > 0 {
			rows = append(rows, u)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("rivals: graphsage: %w: no edge to walk on", coles.ErrShape)
	}
	f, negatives := newFanOut(g.Raw(), counts), stream.NewAlias(chances)
	return eachBatch(rows, size, seed, func(ctx context.Context, batch []int, epoch, step int) (*gnn.Sample, error) {
		out := pairsOf(ctx, w, batch, stepSeed(seed, seedSamplePairs, epoch, step))
		rng := stream.New()
		rng.Reseed(stepSeed(seed, seedSampleNodes, epoch, step), 0)
		for range sageNegatives {
			out = append(out, negatives.Draw(rng))
		}
		return f.sample(ctx, out, stepSeed(seed, seedSampleEdges, epoch, step))
	}), ctx.Err()
}

// pairsOf are some nodes, and for each another of a walk from it.
func pairsOf(ctx context.Context, w *walker, nodes []int, seed uint64) []int {
	out := make([]int, 2*len(nodes), 2*len(nodes)+sageNegatives)
	copy(out, nodes)
	rng, path := stream.New(), make([]int32, 1+sageSteps)
	for k, u := range nodes {
		rng.Reseed(seed, uint64(u))
		w.walk(ctx, rng, int32(u), path)
		others := 0
		for _, v := range path[1:] {
			if v == int32(u) {
				continue
			}
			if others++; rng.IntN(others) == 0 { // so each is the one with the same probability
				out[len(nodes)+k] = int(v)
			}
		}
		if others == 0 { // nothing but its own loop
			out[len(nodes)+k] = u
		}
	}
	return out
}
