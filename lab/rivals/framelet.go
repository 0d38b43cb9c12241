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

	"github.com/james-bowman/sparse"
)

// FrameLet is the network of undecimated graph framelets, UFGConv-R (Zheng, Zhou, Gao, Wang, Liò, Li
// and Montúfar, ICML 2021), for [gnn.TrainClassifier]. A layer takes XΘ apart with framelets of two
// levels, multiplies what it finds at a node by numbers learned for this node, and puts it together
// again:
//
//	y = P₁·(P₂·(f₁∘P₂P₁XΘ) + Q₂·(f₂∘Q₂P₁XΘ)) + Q₁·(f₃∘Q₁XΘ) + 1·b,
//
// where P_l and Q_l are the Chebyshev approximations of degree one to cos(ξ/2) and sin(ξ/2) at ξ = 2^{l−3}π·L of
// the normalised Laplacian L = I − W⁺, and the f are columns of n numbers. ReLU and dropout stand in
// between. Settings:
//
//	             layers          dropout  optimizer
//	ogbn-arxiv   256, 256, C     0.5      Adam(0.01), 500 epochs, as the others of the Open Graph Benchmark
//	every other  16, C           0.7      Adam(0.01), decay 0.01, 200 epochs: the authors' for Cora
//
// and the parameters that were best for the validation nodes. The authors print the widths of the
// first, which the number of its parameters confirms. They take the largest eigenvalue of L as found
// by an iteration from a random start; here it is 2, its bound. They multiply the polynomials out;
// here W⁺ is applied to narrow matrices one hop after the other.
//
// Its parameters for each node tie the network to the graph that it was trained on:
// another number of nodes is [coles.ErrShape]. It trains the numbers of [MLP] without the
// 1,024 of the normalisation and 3·n for each layer, 1,633,183 on ogbn-arxiv. An epoch takes some
// 8·n·256·(d + 256 + C) + 40·nnz(W)·(512 + C) multiplications. Every layer is computed twice, so that a
// step takes 31·4·256 bytes for each node.
func FrameLet(dataset string, nodes int) gnn.Settings {
	hidden, dropped, decay, epochs := []int{16}, 0.7, 0.01, 200
	if dataset == "ogbn-arxiv" {
		hidden, dropped, decay, epochs = []int{256, 256}, 0.5, 0, 500
	}
	var layers []gnn.Layer
	for _, width := range hidden {
		layers = append(layers, frameletLayer(width, nodes), gnn.ReLU(), gnn.Dropout(dropped))
	}
	s := labelled(0.01, epochs, append(layers, frameletLayer(gnn.AutoWidth, nodes))...)
	s.Optimizer = s.Optimizer.WithDecay(decay)
	return s
}

// frameletLayer is a layer of [FrameLet]. Its parameters are "weight", "bias", and "filter", the columns
// f₁, f₂ and f₃.
func frameletLayer(width, nodes int) gnn.Layer {
	parameters := func(in, width int) []custom.Parameter {
		return []custom.Parameter{
			custom.Weight("weight", in, width), custom.Bias("bias", width),
			{Name: "filter", Rows: nodes, Cols: 3, Start: 1, Bound: 0.1},
		}
	}
	spec := custom.LayerSpec{Width: width, Hops: 4, Parameters: parameters}
	return gnn.NewLayer("framelet", spec, framelet[float32], framelet[float64])
}

func framelet[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	filter := p.Parameter("filter")
	if filter.Rows() != h.Rows() {
		p.Fail(fmt.Errorf("rivals: framelet: %w: %d nodes where %d were trained", coles.ErrShape, h.Rows(), filter.Rows()))
		return p.MatMul(h, p.Parameter("weight"))
	}
	var low, high [2]*autodiff.Sparse[T]
	for l := range 2 {
		low[l] = p.Operator(fmt.Sprint("framelet low ", l+1), frameletOperator(l+1, math.Cos))
		high[l] = p.Operator(fmt.Sprint("framelet high ", l+1), frameletOperator(l+1, math.Sin))
	}
	product := p.MatMul(h, p.Parameter("weight")) // outside: h may be sparse
	return p.Recomputed(func(t *autodiff.Tape[T], in []*autodiff.Value[T]) *autodiff.Value[T] {
		filtered := func(s *autodiff.Sparse[T], x *autodiff.Value[T], k int) *autodiff.Value[T] {
			return t.SpMM(s, t.Mul(t.SpMM(s, x), t.Columns(in[1], k, k+1)))
		}
		coarse := t.SpMM(low[0], in[0])
		fine := t.Add(filtered(low[1], coarse, 0), filtered(high[1], coarse, 1))
		return t.Bias(t.Add(t.SpMM(low[0], fine), filtered(high[0], in[0], 2)), in[2])
	}, product, filter, p.Parameter("bias"))
}

// frameletOperator is ½c₀·I + c₁·(2^{l−2}·L − I) for the first two Chebyshev coefficients of mask(ξ/2) on [0, π],
// by the trapezoidal rule, of 500 points as the authors' is.
func frameletOperator(level int, mask func(float64) float64) func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	const points = 500
	var c [2]float64
	for k := range points {
		x := math.Pi * float64(k) / (points - 1)
		weight := 2. / (points - 1)
		if k == 0 || k == points-1 {
			weight /= 2
		}
		v := weight * mask(math.Pi/4*(math.Cos(x)+1))
		c[0] += v
		c[1] += v * math.Cos(x)
	}
	scale := math.Pow(2, float64(level-2))
	return func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
		w, err := matrix.Normalized(ctx, inside.Adjacency(g), false)
		if err != nil {
			return nil, err
		}
		sum, err := matrix.Add(ctx, c[0]/2+c[1]*(scale-1), matrix.Identity(g.Nodes()), -c[1]*scale, w)
		return exported(ctx, sum, err)
	}
}
