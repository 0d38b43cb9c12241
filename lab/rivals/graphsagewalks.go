package rivals

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/stream"
)

// UnsupervisedGraphSAGE is the network of [GraphSAGE], up to the unit rows, trained without labels for nodes that
// meet on random walks to be alike, by [gnn.Train]. A batch has 512 nodes u, each with a node v drawn uniformly from
// a walk of 4 steps from u. For all of them together, 20 nodes w are drawn in proportion to degree^0.75. The loss is
//
//	−mean_u(log σ(h_u·h_v) + Σ_w log σ(−h_u·h_w)).
//
// The authors draw 50 walks from every node and take all of their pairs in one epoch, at the rate 1e-5:
// on Reddit some 70,000 steps. Here an epoch takes a pair for every node, and there are 20 of them at
// the rate 1e-3; a node without edges is in none. Otherwise it differs as GraphSAGE does.
//
// It trains 2·128·(d+256) numbers. An epoch takes twice the time of one of GraphSAGE on all nodes, and
// a step twice its memory.
func UnsupervisedGraphSAGE(dataset string) gnn.Settings { return onWalks(GraphSAGE(dataset)) }

// UnsupervisedGraphSAGEGCN is [UnsupervisedGraphSAGE] with the layers of [GraphSAGEGCN].
func UnsupervisedGraphSAGEGCN(dataset string) gnn.Settings { return onWalks(GraphSAGEGCN(dataset)) }

// UnsupervisedGraphSAGELSTM is [UnsupervisedGraphSAGE] with the layers of [GraphSAGELSTM].
func UnsupervisedGraphSAGELSTM(dataset string) gnn.Settings { return onWalks(GraphSAGELSTM(dataset)) }

// onWalks trains the network of a classifier, without the layer of classes, on walks.
func onWalks(classifier gnn.Settings) gnn.Settings {
	n := classifier.Network
	s := rival(gnn.NewObjective("walks", custom.ObjectiveSpec{}, walkLoss[float32], walkLoss[float64]), n[:len(n)-1]...)
	s.Sampler, s.Preparation, s.Epochs = pairSampler(512, sageCounts), classifier.Preparation, 20
	return s
}

const (
	sageSteps     = 4  // of the walk from a node of a pair
	sageNegatives = 20 // of a batch
)

// walkLoss is the loss of the rows of pairSampler: the first of every pair, the second of every pair, and
// the negatives.
func walkLoss[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	h := s.Output(&custom.View{})
	pairs := (h.Rows() - sageNegatives) / 2
	rows := upTo(h.Rows())
	first, second, negatives := rows[:pairs], rows[pairs:2*pairs], rows[2*pairs:]
	near := s.Sum(s.LogSigmoid(s.GatherDots(h, first, h, second)))
	far := s.MatMulTrans(s.Gather(h, first), s.Gather(h, negatives))
	return s.Scale(s.Add(near, s.Sum(s.LogSigmoid(s.Scale(far, -1)))), -1/float64(pairs))
}

// pairSampler draws batches of nodes that have neighbours, with what walkLoss wants, and neighbours of
// all of these.
func pairSampler(size int, counts []int) custom.Sampler {
	name := fmt.Sprintf("pairs with neighbours %v in batches of %d", counts, size)
	return custom.Sampler{Name: name, Start: func(ctx context.Context, g *coles.Graph, _ []int, seed uint64) (custom.Samples, error) {
		return newPairs(ctx, g, size, counts, seed)
	}}
}

func newPairs(ctx context.Context, g *coles.Graph, size int, counts []int, seed uint64) (custom.Samples, error) {
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
	f, negatives := newFanOut(inside.Adjacency(g), counts), stream.NewAlias(chances)
	return eachBatch(rows, size, seed, func(ctx context.Context, batch []int, epoch, step int) (*custom.Sample, error) {
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
