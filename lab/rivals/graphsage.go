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
	"coles/internal/stream"
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
// cross-entropy; features of Reddit with standardised columns, features of every other graph as
// stored.
//
// Neighbours are drawn anew in every step, without a repetition, once for a node that is met twice. The authors draw
// for every occurrence, from lists that they first cut to 128, or fill by repeating some, for the whole training.
// They clip every gradient at ±5; here none is. At the end, and for the parameters that are best for the nodes to
// stop by, the means are of all neighbours.
//
// It trains 2·128·(d+256) + 257·C numbers for C classes, 230,185 on Reddit. For each labelled node, an epoch reads at
// most 286 rows of features and takes some 6·11·256·d multiplications. A step holds the features of at most 512·286
// nodes, 4·d bytes each, and takes 4·(2·d + 6·256) bytes for each of at most 512·11. All neighbours together take
// 4·n·4·256 bytes.
func GraphSAGE(dataset string) gnn.Settings {
	return graphSAGE(dataset, sageLayer(256), sageLayer(256))
}

// GraphSAGEGCN is [GraphSAGE] with the aggregator that the authors call GCN: a layer is
//
//	y_i = σ(mean({h_i} ∪ {h_j: j ∈ N(i)})·Θ),  256 columns,
//
// for edges of weight 1. The node counts as one of all its neighbours, however few are drawn; the authors' counts
// as one of those drawn.
//
// It trains 256·(d+256) + 257·C numbers, as many as [GraphSAGE]. Both products with Θ, for the node and for its
// neighbours, have 256 columns, which takes twice the multiplications of one of [GraphSAGE].
func GraphSAGEGCN(dataset string) gnn.Settings {
	return graphSAGE(dataset, sageMeanLayer(256), sageMeanLayer(256))
}

// GraphSAGELSTM is [GraphSAGE] with the LSTM aggregator: a layer is
//
//	y_i = σ([h_i·Θ₁ | l_i·Θ₂]),  128 columns each,
//
// l_i the state of 128 columns, the authors' small model, in which a long short-term memory ends that
// reads the h_j of the neighbours one after the other ([autodiff.Tape.LSTM]); 0 of a node without any. As
// theirs it starts with gates that remember, by 1 added to b; theirs stops before a row of zeros.
//
// The order is drawn for the row of a node: in a sample another one in every step. At the end, too, a node reads at
// most 25 neighbours in the first layer and 10 in the second. They are drawn for its row in the graph, and are the
// same as long as the nodes have the same numbers.
//
// It trains 640·(d+256) + 164,864 + 257·C numbers, 724,521 on Reddit. An epoch takes at most some
// 286·512·(4·d + 6·128) multiplications for each labelled node; a step takes at most 4·(d + 1,300) bytes
// for each of 512·286 nodes. All nodes together take 4·n·2,300 bytes, and some n·512·(4·d + 2·35·128)
// multiplications.
func GraphSAGELSTM(dataset string) gnn.Settings {
	return graphSAGE(dataset, sageLSTMLayer(256, sageCounts[1]), sageLSTMLayer(256, sageCounts[0]))
}

// sageCounts are the neighbours drawn for the second layer and for the first.
var sageCounts = []int{10, 25}

func graphSAGE(dataset string, first, second gnn.Layer) gnn.Settings {
	s := labelled(0.01, 10, first, gnn.ReLU(), second, unitRowsLayer(), gnn.Linear(gnn.AutoWidth))
	s.Sampler, s.Preparation = neighbourSampler(512, sageCounts), standardizedOn(dataset, "reddit")
	return s
}

// neighbourSampler draws batches of the labelled nodes with a number of their neighbours.
func neighbourSampler(size int, counts []int) custom.Sampler {
	name := fmt.Sprintf("neighbours %v of batches of %d", counts, size)
	return custom.Sampler{Name: name, Start: func(_ context.Context, g *coles.Graph, rows []int, seed uint64) (custom.Samples, error) {
		f := newFanOut(inside.Adjacency(g), counts)
		return eachBatch(rows, size, seed, func(ctx context.Context, batch []int, epoch, step int) (*custom.Sample, error) {
			return f.sample(ctx, batch, stepSeed(seed, seedSampleEdges, epoch, step))
		}), nil
	}}
}

// sageLayer is [H·Θ₁ | D⁻¹A·H·Θ₂]. Its parameters are "self" and "neighbors".
func sageLayer(width int) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter {
		return []custom.Parameter{custom.Weight("self", in, width/2), custom.Weight("neighbors", in, width/2)}
	}
	spec := custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}
	return gnn.NewLayer("sage side by side", spec, sageSides[float32], sageSides[float64])
}

func sageSides[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	means := p.Operator("means", sparseMeans)
	return p.Concat(p.MatMul(p.Own(h), p.Parameter("self")), neighbourProduct(p.Tape, means, h, p.Parameter("neighbors")))
}

// sageMeanLayer is (D+I)⁻¹(A+I)·H·Θ. Its parameter is "weight".
func sageMeanLayer(width int) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter { return []custom.Parameter{custom.Weight("weight", in, width)} }
	spec := custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}
	return gnn.NewLayer("sage mean", spec, sageMean[float32], sageMean[float64])
}

// sageMean gives the node itself what the neighbours leave of 1: a sample draws neighbours alone, at
// factors that keep their sum for edges of one weight.
func sageMean[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	neighbours, theta := p.Operator("means with the node", meansBesideOne), p.Parameter("weight")
	s := neighbours.Matrix()
	rest := autodiff.NewMatrix[T](s.Rows, 1)
	for i := range s.Rows {
		rest.Data[i] = 1
		for _, share := range s.Val[s.Ptr[i]:s.Ptr[i+1]] {
			rest.Data[i] -= share
		}
	}
	return p.Add(p.Mul(p.MatMul(p.Own(h), theta), p.Constant(rest)), neighbourProduct(p.Tape, neighbours, h, theta))
}

// sageLSTMLayer is [H·Θ₁ | L·Θ₂], L the states in which an LSTM of width/2 columns ends that reads at most
// count neighbours of each node. Its parameters are "self", "neighbors" and, of the LSTM, "input", "state"
// and "bias".
func sageLSTMLayer(width, count int) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter {
		k := width / 2
		bound := math.Sqrt(6 / float64(in+k+4*k)) // by Glorot's rule for both in one matrix
		return []custom.Parameter{
			custom.Weight("self", in, k), custom.Weight("neighbors", k, k), custom.Bias("bias", 4*k),
			{Name: "input", Rows: in, Cols: 4 * k, Bound: bound}, {Name: "state", Rows: k, Cols: 4 * k, Bound: bound},
		}
	}
	spec := custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprintf("sage lstm of %d", count), spec, sageStates[float32](count), sageStates[float64](count))
}

func sageStates[T autodiff.Float](count int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		k := p.Parameter("state").Rows()
		open := autodiff.NewMatrix[T](1, 4*k)
		for j := range k {
			open.Data[k+j] = 1
		}
		read := readings(p.Operator("means", sparseMeans).Matrix(), count)
		l := p.LSTM(h, p.Parameter("input"), p.Parameter("state"), p.Add(p.Parameter("bias"), p.Constant(open)), read)
		return p.Concat(p.MatMul(p.Own(h), p.Parameter("self")), p.MatMul(l, p.Parameter("neighbors")))
	}
}

// readings are at most count columns of every row, each choice and each order with the same probability.
func readings[T autodiff.Float](s *autodiff.CSR[T], count int) [][]int {
	all, rng := make([][]int, s.Rows), stream.New()
	for i := range all {
		cols, _ := s.Row(i)
		chosen := make([]int32, min(count, len(cols)))
		rng.Reseed(0, uint64(i))
		drawSubset(rng, chosen, len(cols))
		for _, q := range rng.Perm(len(chosen)) {
			all[i] = append(all[i], int(cols[chosen[q]]))
		}
	}
	return all
}

// unitRowsLayer divides rows by their lengths.
func unitRowsLayer() gnn.Layer {
	spec := custom.LayerSpec{Width: gnn.SameWidth}
	return gnn.NewLayer("unit rows", spec, (*custom.Pass[float32]).RowNormalize, (*custom.Pass[float64]).RowNormalize)
}
