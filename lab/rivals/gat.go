package rivals

import (
	"fmt"

	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// GAT is the graph attention network (Veličković, Cucurull, Casanova, Romero, Liò and Bengio, ICLR
// 2018), for [gnn.TrainClassifier]. A layer has K heads, each of which takes the mean of its Z = HΘ
// over the neighbours j of a node i and i itself, with weights that it learns:
//
//	y_i = Σ_j α_ij·z_j + b,  α_ij = softmax_j LeakyReLU(a·z_i + a′·z_j), of slope 0.2.
//
// The heads of the first layer are concatenated, the heads of the second averaged. The
// authors' settings:
//
//	         first layer  heads of the second  optimizer
//	pubmed   8 × 8        8                    Adam(1e-2), decay 1e-3
//	others   8 × 8        1                    Adam(5e-3), decay 5e-4
//
// with rows of features that sum to one, ELU in between, dropout of 0.6 of H, of Z and of α in both
// layers, cross-entropy, and Patience 100. That of Cora and Citeseer serves for every other graph.
//
// Authors' patience ends by the loss and the accuracy of the nodes to stop by, here by the loss alone,
// after 2,000 epochs at the latest. They draw other entries of H to drop for each head, and add a
// bias to the sum that LeakyReLU is taken of, which the paper has not.
//
// It trains 64·(d+3) + (64+3)·C·K − C·(K−1) numbers for C classes and K heads of the second layer,
// 92,373 on Cora. An epoch takes some 6·nnz(X)·64 + 8·nnz(W)·64 multiplications and 16·nnz(W)
// exponentials.
func GAT(dataset string) gnn.Settings {
	heads, rate, decay := 1, 5e-3, 5e-4
	if dataset == "pubmed" {
		heads, rate, decay = 8, 1e-2, 1e-3
	}
	const dropped = 0.6
	s := gnn.ClassifierSettings()
	s.Network = gnn.Network{
		gnn.Dropout(dropped), attention{heads: 8, parts: dropped, weights: dropped}.layer(64), gnn.ELU(),
		gnn.Dropout(dropped), attention{heads: heads, parts: dropped, weights: dropped, mean: true}.layer(gnn.AutoWidth),
	}
	s.Preparation = rival(s.Objective).Preparation
	s.Optimizer = optim.Adam(rate).WithDecay(decay)
	s.Epochs, s.Patience = 2000, 100
	return s
}

// attention describes a layer of graph attention.
type attention struct {
	heads          int
	mean           bool    // of the heads; else they stand next to each other
	parts, weights float64 // the rates of dropout of Z and of α
}

// layer makes a layer of width columns. Its parameters are "weight" (Θ, k × all columns of all
// heads), "target" and "source" (a and a′, a row for each head), and "bias".
func (a attention) layer(width int) gnn.Layer {
	joined := "joined"
	if a.mean {
		joined = "averaged"
	}
	name := fmt.Sprintf("attention heads=%d %s dropout=%v/%v", a.heads, joined, a.parts, a.weights)
	spec := custom.LayerSpec{Width: width, Hops: 1, Parameters: a.parameters}
	return gnn.NewLayer(name, spec, attended[float32](a), attended[float64](a))
}

// parameters draws every head by Glorot's rule.
func (a attention) parameters(in, width int) []custom.Parameter {
	bias := width
	if !a.mean {
		width /= a.heads
		bias = width * a.heads
	}
	scores := func(name string) custom.Parameter {
		p := custom.Weight(name, 1, width)
		p.Rows = a.heads
		return p
	}
	weight := sideBySide(custom.Weight("weight", in, width), width*a.heads)
	return []custom.Parameter{weight, scores("target"), scores("source"), custom.Bias("bias", bias)}
}

func attended[T autodiff.Float](a attention) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		z := p.MatMul(h, p.Parameter("weight"))
		dropped := p.Dropout(z, a.parts, p.Rand())
		target, source := p.HeadDots(z, p.Parameter("target")), p.HeadDots(z, p.Parameter("source"))
		y := p.Attention(p.W(), dropped, target, source, attentionSlope, a.weights, p.Rand())
		if a.mean {
			y = averaged(p.Tape, y, a.heads)
		}
		return p.Bias(y, p.Parameter("bias"))
	}
}

// attentionSlope is the slope of LeakyReLU below 0.
const attentionSlope = 0.2

// averaged is the mean of heads that stand next to each other.
func averaged[T autodiff.Float](t *autodiff.Tape[T], y *autodiff.Value[T], heads int) *autodiff.Value[T] {
	width := y.Cols() / heads
	mean := t.Columns(y, 0, width)
	for k := 1; k < heads; k++ {
		mean = t.Add(mean, t.Columns(y, k*width, (k+1)*width))
	}
	return t.Scale(mean, 1/float64(heads))
}
