package rivals

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
)

// DeeperGCN is the network of many layers of Li, Xiong, Thabet and Ghanem (2020), for
// [gnn.TrainClassifier]: a linear layer of 128 columns, and 28 times
//
//	H ← H + (Z + S(Z))·Θ + 1·b,  Z = drop(ReLU(norm(H))),  S(Z)_ic = Σ_j softmax_j(z_jc/10)·z_jc
//
// over the neighbours j of a node i and i itself, the softmax taken for each column c for itself and
// its weights counted as constant. The first time there is no sum with H, and Z = H, of which S
// takes max(H, 0). Behind them stand batch normalisation, ReLU, dropout and a linear layer. The
// authors' setting for ogbn-arxiv, which serves for every graph: dropout of 0.5, Adam(1e-3), 500 epochs,
// and the parameters that were best for the validation nodes, by their accuracy; here it is by their
// loss. Their 1e-7, which they add to what S is taken of, is left out.
//
// It trains 128·d + 128 + 28·(128² + 128 + 2·128) + 129·C numbers for C classes, 491,176 on ogbn-arxiv.
// An epoch takes some 28·(8·n·128² + 10·nnz(W)·128) multiplications and 84·n·128 exponentials. Every
// layer is computed twice, so that a step takes (28 + 26)·4·128 bytes for each of n nodes.
func DeeperGCN(string) gnn.Settings { return deeperGCN(28, 128, 0.5) }

func deeperGCN(layers, width int, dropped float64) gnn.Settings {
	network := gnn.Network{gnn.Linear(width), deeperLayer(true, 0)}
	for range layers - 1 {
		network = append(network, deeperLayer(false, dropped))
	}
	return labelled(1e-3, 500, append(network, averagedNorm(), gnn.ReLU(), gnn.Dropout(dropped), gnn.Linear(gnn.AutoWidth))...)
}

// deeperTemperature multiplies z in the softmax.
const deeperTemperature = 0.1

// deeperLayer is one of the layers of [DeeperGCN]. Its parameters are "weight" and "bias", and, except in the
// first layer, which drops nothing, the parameters of averagedNorm.
func deeperLayer(first bool, dropped float64) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter {
		all := []custom.Parameter{custom.Weight("weight", in, width), custom.Bias("bias", width)}
		if !first {
			all = append(all, normParameters(in, width)...)
		}
		return all
	}
	spec := custom.LayerSpec{Width: gnn.SameWidth, Hops: 1, Parameters: parameters}
	if first {
		return gnn.NewLayer("softmax aggregate", spec, firstDeeper[float32], firstDeeper[float64])
	}
	return gnn.NewLayer(fmt.Sprint("residual softmax aggregate dropout ", dropped), spec, deeper[float32](dropped), deeper[float64](dropped))
}

func firstDeeper[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	near := p.Operator("neighbours and itself", closedNeighbours)
	return p.Recomputed(func(t *autodiff.Tape[T], in []*autodiff.Value[T]) *autodiff.Value[T] {
		sum := t.Add(in[0], softmaxSum(t, near, t.ReLU(in[0])))
		return t.Bias(t.MatMul(sum, in[1]), in[2])
	}, h, p.Parameter("weight"), p.Parameter("bias"))
}

func deeper[T autodiff.Float](dropped float64) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		near := p.Operator("neighbours and itself", closedNeighbours)
		n, draws := statistics(p), drawsOf(p)
		var mean, variance []float64
		y := p.Recomputed(func(t *autodiff.Tape[T], in []*autodiff.Value[T]) *autodiff.Value[T] {
			n := norms[T]{in[3], in[4], n.mean, n.variance}
			var z *autodiff.Value[T]
			z, mean, variance = normalized(t, in[0], n)
			z = t.Dropout(t.ReLU(z), dropped, draws())
			sum := t.Add(z, softmaxSum(t, near, z)) // z is max(z, 0)
			return t.Add(in[0], t.Bias(t.MatMul(sum, in[1]), in[2]))
		}, h, p.Parameter("weight"), p.Parameter("bias"), n.scale, n.offset)
		average(p, mean, variance)
		return y
	}
}

// softmaxSum is S of [DeeperGCN] for the rows of z, at least one. The exponentials are taken once for each entry of
// z, and divided by the largest of all. Where they underflow for all neighbours of a row, from about e⁻⁹⁰ in float32
// and e⁻⁷⁰⁰ in float64, the result of the row is NaN. g_z of entry (j, c) = Σ_i w_ijc·g_ic for the weights w of the
// softmax.
func softmaxSum[T autodiff.Float](t *autodiff.Tape[T], near *autodiff.Sparse[T], z *autodiff.Value[T]) *autodiff.Value[T] {
	x := z.Data()
	shift := T(deeperTemperature * float64(slices.Max(x.Data)))
	weights := t.Operation(x.Rows, x.Cols, func(y autodiff.Matrix[T]) {
		t.Fail(parallel.EachRow(context.Background(), x.Rows, func(i int) { kernel.Exp(y.Row(i), x.Row(i), deeperTemperature, shift) }))
	}, nil) // of no inputs: it counts as constant
	return t.Mul(t.SpMM(near, t.Mul(weights, z)), t.Reciprocal(t.SpMM(near, weights)))
}

// closedNeighbours has a one for every node and each of its neighbours, itself included.
func closedNeighbours(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	ones, err := matrix.Merge(ctx, inside.Adjacency(g), matrix.Identity(g.Nodes()), func(_, _ float64) float64 { return 1 })
	return exported(ctx, ones, err)
}
