package rivals

import (
	"context"
	"fmt"
	"math/rand/v2"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
)

// Graph2Gauss embeds nodes, by their features alone, as Gaussian distributions (Bojchevski and Günnemann, Deep
// Gaussian embedding of graphs, ICLR 2018). With E = ReLU(X·Θ + b), the means are E·Θ_μ + b_μ and the variances
// ELU(E·Θ_σ + b_σ) + 1 + 1e-14. [Graph2GaussObjective] trains them for the graph. The embedding is the means. There
// is one setting for every graph:
//
//	Network      512 hidden columns, 64 for means and as many for variances
//	Objective    hops: 1, as the authors' code has it
//	Preparation  features as they are
//	Optimizer    Adam(1e-3)
//	Epochs       100
//
// The authors stop by how well edges that were left out are predicted, or by the loss, which falls for a thousand
// epochs and more. On Cora and Citeseer, with a tenth of the edges left out, take the sum of AUC and average
// precision of distances between means. At 100 epochs it is within one percent of its largest value; later epochs
// learn single edges. Their biases start at random, here at 0.
//
// It trains (d+1)·512 + 2·513·64 numbers, 799,872 on Cora. An epoch takes some 2·nnz(X)·512 +
// 6·n·512·64 multiplications, and 2·n·64 logarithms. To read a model from a file takes the layers:
// gnn.ReadModel(r, rivals.Graph2Gauss("").Network...).
// The encoder does not see the graph, and can embed nodes without edges.
func Graph2Gauss(string) gnn.Settings {
	s := rival(Graph2GaussObjective(1), gnn.Linear(512), gnn.ReLU(), gaussian(64))
	s.Preparation, s.Epochs = coles.PrepareNone, 100
	return s
}

// gaussian is a linear layer for means, with the parameters for variances, which the objective
// reads.
func gaussian(width int) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter {
		return []custom.Parameter{
			custom.Weight("weight", in, width), custom.Bias("bias", width),
			custom.Weight("variances.weight", in, width), custom.Bias("variances.bias", width),
		}
	}
	return gnn.NewLayer("gaussian", custom.LayerSpec{Width: width, Parameters: parameters}, affine[float32], affine[float64])
}

func affine[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.Bias(p.MatMul(h, p.Parameter("weight")), p.Parameter("bias"))
}

// Graph2GaussObjective is the loss of [Graph2Gauss], for a network that ends like its own. In every
// epoch each node i draws a node from each of its rings, the nodes 1, 2, … and hops edges away, and
// one from all that are farther. The loss is the mean of
//
//	E_ij² + e^(−E_ik),  E_ij = KL(N_j ‖ N_i),
//
// over all pairs of them with j nearer to i than k. A ring without nodes is left out. The rings are
// found anew in every epoch, in the time of their edges and memory of O(n).
func Graph2GaussObjective(hops int) gnn.Objective {
	return gnn.NewObjective(fmt.Sprintf("graph2gauss hops=%d", hops), custom.ObjectiveSpec{},
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return rankingLoss(s, hops) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return rankingLoss(s, hops) })
}

func rankingLoss[T autodiff.Float](s *custom.Step[T], hops int) *autodiff.Value[T] {
	if hops < 1 {
		s.Fail(fmt.Errorf("rivals: Graph2Gauss: %w: %d hops, want at least 1", coles.ErrSetting, hops))
		return nil
	}
	outputs := s.Encode(&custom.View{})
	hidden, weight := beforeLast(s, outputs, "variances.weight")
	if weight == nil {
		return nil
	}
	mean := outputs[len(outputs)-1]
	bias := s.Parameter(fmt.Sprintf("%d.variances.bias", len(outputs)-1))
	variance := positive(s.Tape, s.Bias(s.MatMul(ofNodes(s, hidden), weight), bias))
	drawn, err := drawRanks(s.Context(), s.Graph(), hops, s.Rand())
	if err != nil {
		s.Fail(err)
		return nil
	}
	return ranking(s.Context(), s.Tape, mean, variance, drawn)
}

// positive is ELU(x) + 1 + 1e-14, as max(x, 0) + e^min(x, 0): 1 less 1 has no digits left.
func positive[T autodiff.Float](t *autodiff.Tape[T], x *autodiff.Value[T]) *autodiff.Value[T] {
	below := t.Exp(t.Scale(t.ReLU(t.Scale(x, -1)), -1))
	return t.Bias(t.Add(t.ReLU(x), below), constant(t, 1, x.Cols(), 1e-14))
}

// ranks are pairs of a node and one that it has drawn, with the number of those that it has drawn
// nearer and farther.
type ranks struct {
	is, js          []int
	nearer, farther []int
}

// drawRanks draws for every node, by a search in breadth.
func drawRanks(ctx context.Context, g *coles.Graph, hops int, rnd *rand.Rand) (ranks, error) {
	var r ranks
	a, n := inside.Adjacency(g), g.Nodes()
	seenFrom := make([]int32, n) // the last node, counted from 1, whose search came here
	var ball []int32             // what the search has seen, in its order
	for i := range n {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		from := int32(i + 1)
		ball, seenFrom[i] = append(ball[:0], int32(i)), from
		first := len(r.is)
		ring := 0 // where the last ring begins
		for range hops {
			end := len(ball)
			for _, u := range ball[ring:end] {
				neighbors, _ := a.Row(int(u))
				for _, v := range neighbors {
					if seenFrom[v] != from {
						ball, seenFrom[v] = append(ball, v), from
					}
				}
			}
			if ring = end; ring == len(ball) {
				break
			}
			r.is, r.js = append(r.is, i), append(r.js, int(ball[ring+rnd.IntN(len(ball)-ring)]))
		}
		if len(ball) < n {
			far := i
			for seenFrom[far] == from {
				far = rnd.IntN(n)
			}
			r.is, r.js = append(r.is, i), append(r.js, far)
		}
		for k := first; k < len(r.is); k++ {
			r.nearer, r.farther = append(r.nearer, k-first), append(r.farther, len(r.is)-1-k)
		}
	}
	return r, nil
}

// ranking is the loss of [Graph2GaussObjective]; without any pair of a nearer and a farther node it
// is 0.
func ranking[T autodiff.Float](ctx context.Context, t *autodiff.Tape[T], mean, variance *autodiff.Value[T], r ranks) *autodiff.Value[T] {
	triplets := 0
	for _, count := range r.farther {
		triplets += count
	}
	if triplets == 0 {
		return t.Scale(t.Sum(mean), 0)
	}
	shares := func(counts []int) *autodiff.Value[T] {
		m := autodiff.NewMatrix[T](len(counts), 1)
		for k, count := range counts {
			m.Data[k] = T(float64(count) / float64(triplets))
		}
		return t.Constant(m)
	}
	e := gaussianKL(ctx, t, mean, variance, r.is, r.js)
	near := t.Mul(t.Mul(e, e), shares(r.farther))
	far := t.Mul(t.Exp(t.Scale(e, -1)), shares(r.nearer))
	return t.Sum(t.Add(near, far))
}
