package rivals

import (
	"fmt"

	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
)

// GraphSAINT is the network that is trained on subgraphs (Zeng, Zhou, Srivastava, Kannan and Prasanna, ICLR 2020) of
// random walks, for [gnn.TrainClassifier]. A step sees the nodes S that 2,000 walks of 4 steps come to, and the edges
// among them. The walks begin at labelled nodes drawn uniformly; there are no more walks than labelled nodes. The
// entry of D⁻¹A from v to its neighbour u is divided by α_uv, and the loss of a labelled node multiplied by λ_v, so
// that sums over neighbours and the loss are estimated without bias:
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
// then unit rows, dropout and a linear layer. The authors' settings: Adam(0.01), 40 epochs, each with enough
// steps for walks to reach as many nodes as are labelled; features of Reddit with standardised
// columns, features of every other graph as stored. At the end the graph is whole.
//
// An edge or a node that is met for the first time after the counting counts as met once; the authors
// bound the factor of such an edge by 10,000. They draw roots from all nodes of the graph, which are
// the labelled ones in their inductive training, train on the subgraphs of the counting first, and
// clip the gradient at the norm 5; here none is.
//
// It trains 2·(128·d + 384) + 2·(256·128 + 384) + 2·(128·128 + 384) + 129·C numbers for C classes,
// 260,009 on Reddit. A step takes some 6·|S|·(256·d + 98,304) multiplications and 4·|S|·(d + 6,100)
// bytes for |S| ≤ 10,000 nodes; the counts take 4 bytes for each stored edge, and 5 for each node, 13
// while counting. All nodes together take 4·n·1,950 bytes.
func GraphSAINT(dataset string) gnn.Settings {
	const dropped = 0.1
	var layers []gnn.Layer
	for range 2 {
		layers = append(layers, gnn.Dropout(dropped), saintLayer(2, 256), gnn.Dropout(dropped), saintLayer(1, 128))
	}
	s := labelled(0.01, 40, append(layers, unitRowsLayer(), gnn.Dropout(dropped), gnn.Linear(gnn.AutoWidth))...)
	s.Sampler, s.Preparation = subgraphSampler(2000, 4, 50), standardizedOn(dataset, "reddit")
	return s
}

// saintLayer has one part for each node alone or two, the second for the means over neighbours, side
// by side. The parameters of part 0 are "0.weight", "0.bias", "0.scale" and "0.offset".
func saintLayer(parts, width int) gnn.Layer {
	parameters := func(in, width int) (all []custom.Parameter) {
		for k := range parts {
			name := func(what string) string { return fmt.Sprintf("%d.%s", k, what) }
			all = append(all, custom.Weight(name("weight"), in, width/parts), custom.Bias(name("bias"), width/parts),
				custom.Parameter{Name: name("scale"), Rows: 1, Cols: width / parts, Start: 1}, custom.Bias(name("offset"), width/parts))
		}
		return all
	}
	spec := custom.LayerSpec{Width: width, Hops: parts - 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprintf("saint of %d", parts), spec, saintParts[float32](parts), saintParts[float64](parts))
}

func saintParts[T autodiff.Float](parts int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
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

// saintEpsilon is added to the variance of a row.
const saintEpsilon = 1e-9
