package rivals

import (
	"fmt"
	"math/rand/v2"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// GraphMAE is the masked graph autoencoder (Hou, Liu, Cen, Dong, Yang, Wang and Tang, KDD 2022). In every epoch a
// random part of the nodes lose their features, but for a share r of them, which get the features of a random node.
// Two layers of attention, as in [GAT] but wider, make embeddings H of these, and a linear map makes codes of H. The
// codes of the masked nodes are set to zero. A layer of attention with one head decodes the features x̃ of a node
// from the codes of its neighbours. The loss is the mean over the masked nodes of
//
//	(1 − cos(x_i, x̃_i))^γ.
//
// The authors' settings:
//
//	             width  heads  masked  r     γ  epochs  decay
//	cora         512    4      0.5     0.05  3  1500    2e-4
//	citeseer     512    2      0.5     0.1   1  300     2e-5
//	pubmed       1024   4      0.75    0     3  1000    1e-5
//	every other  512    4      0.5     0.05  3  300     2e-4
//
// with PReLU behind both layers, dropout of 0.2 of the inputs of all layers and of 0.1 of α, and
// Adam(1e-3) by [optim.Cosine]. Every other graph has the setting of Cora with the epochs of
// Citeseer.
//
// The rows of features are unit here, with the authors they sum to one. Masked nodes have features of
// zero; theirs have a learned row, which is zero at first. Weights are drawn by Glorot's rule for each
// head, theirs 1.4 times wider.
//
// It trains 2·d·h + 3·d + 2·h² + 6·h + 2 numbers for the width h, 1,999,053 on Cora; the last h² +
// d·(h+3) are of the objective, which a model does not keep. The x̃_i are not made: x_i·x̃_i and ‖x̃_i‖²
// are bilinear and quadratic forms of the codes. An epoch takes some 9·n·h² + 3·(n_masked + d/2)·h² +
// 10·nnz(X)·h + 12·nnz(W)·h multiplications.
func GraphMAE(dataset string) gnn.Settings {
	width, heads, decay, epochs := 512, 4, 2e-4, 300
	m := masking{share: 0.5, replaced: 0.05, gamma: 3}
	switch dataset {
	case "cora":
		epochs = 1500
	case "citeseer":
		heads, decay = 2, 2e-5
		m.replaced, m.gamma = 0.1, 1
	case "pubmed":
		width, decay, epochs = 1024, 1e-5, 1000
		m.share, m.replaced = 0.75, 0
	}
	layer := attention{heads: heads, weights: maskedDropout.weights}.layer(width)
	input := gnn.Dropout(maskedDropout.inputs)
	s := rival(m.objective(), input, layer, gnn.PReLU(), input, layer, gnn.PReLU())
	s.Preparation = coles.PrepareRowL2
	s.Optimizer, s.Schedule = optim.Adam(1e-3).WithDecay(decay), optim.Cosine(0)
	s.Epochs = epochs
	return s
}

// maskedDropout are the rates of dropout of a masked autoencoder.
var maskedDropout = struct{ inputs, weights float64 }{0.2, 0.1}

// masking describes the features that a masked autoencoder has to restore, and how errors count.
type masking struct {
	share, replaced float64 // of the nodes are masked, and of those get the features of another
	gamma           float64
}

func (m masking) objective() gnn.Objective {
	name := fmt.Sprintf("graphmae masked=%v replaced=%v gamma=%v", m.share, m.replaced, m.gamma)
	return gnn.NewObjective(name, custom.ObjectiveSpec{Parameters: maskingParameters},
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return maskedLoss(s, m) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return maskedLoss(s, m) })
}

// maskingParameters are "link", the linear map to codes (h × h), "decoder" and "bias" (d × h and d × 1:
// the transposed weight of the last layer and its bias), "target" and "source" of its attention. The
// bias begins near zero, not at zero, where features decoded from no codes would have no direction.
func maskingParameters(d, h int) []custom.Parameter {
	return []custom.Parameter{
		custom.Weight("link", h, h), custom.Weight("decoder", d, h), {Name: "bias", Rows: d, Cols: 1, Bound: 1e-3},
		custom.Weight("target", 1, d), custom.Weight("source", 1, d),
	}
}

func maskedLoss[T autodiff.Float](s *custom.Step[T], m masking) *autodiff.Value[T] {
	rows, masked := m.draw(s.Nodes(), s.Rand())
	h := s.Output(&custom.View{Rows: rows})
	x := s.Features(&custom.View{})
	codes := withoutRows(s.Tape, s.MatMul(h, s.Parameter("link")), masked)
	codes = s.Dropout(codes, maskedDropout.inputs, s.Rand())
	decoder := s.Concat(s.Parameter("decoder"), s.Parameter("bias"))
	cosines := restored(s.Tape, s.W(), x, codes, masked,
		decoder, s.Parameter("target"), s.Parameter("source"), maskedDropout.weights, s.Rand())
	return scaledError(s.Tape, cosines, m.gamma)
}

// draw returns the node whose features each of n nodes gets, −1 for none, and the masked nodes.
func (m masking) draw(n int, rnd *rand.Rand) (rows, masked []int) {
	masked = rnd.Perm(n)[:max(1, portion(n, m.share))]
	rows = upTo(n)
	replaced := portion(len(masked), m.replaced)
	for k, i := range masked {
		if rows[i] = -1; k < replaced {
			rows[i] = rnd.IntN(n)
		}
	}
	return rows, masked
}

// withoutRows sets some rows of h to zero.
func withoutRows[T autodiff.Float](t *autodiff.Tape[T], h *autodiff.Value[T], rows []int) *autodiff.Value[T] {
	kept := constant(t, h.Rows(), 1, 1)
	for _, i := range rows {
		kept.Data().Data[i] = 0
	}
	return t.Mul(h, kept)
}

// restored are the cosines, for some nodes, of the rows x_i of unit length and the decoded x̃_i. A layer of attention
// with one head decodes x̃_i = y_i·Θ + b for y_i = Σ_j α_ij·c_j with codes c. decoder is M = [Θᵀ | b]. With 1 at the
// end of y_i, the product x_i·x̃_i is x_i·M·y_i, and ‖x̃_i‖² is y_iᵀ(MᵀM)y_i.
func restored[T autodiff.Float](t *autodiff.Tape[T], w *autodiff.Sparse[T], x, codes *autodiff.Value[T], nodes []int,
	decoder, target, source *autodiff.Value[T], dropout float64, rnd *rand.Rand,
) *autodiff.Value[T] {
	scores := func(a *autodiff.Value[T]) *autodiff.Value[T] { // a·(c_i·Θ) = c_i·(Θ·a)
		return t.HeadDots(codes, t.Columns(t.MatMul(a, decoder), 0, codes.Cols()))
	}
	y := t.Gather(t.Attention(w, codes, scores(target), scores(source), attentionSlope, dropout, rnd), nodes)
	y = t.Concat(y, constant(t, len(nodes), 1, 1))
	products := t.RowDots(t.Gather(t.MatMul(x, decoder), nodes), y)
	squares := t.RowDots(t.MatMul(y, t.Gram(decoder)), y)
	return t.Mul(products, t.Pow(squares, -0.5))
}

// scaledError is the mean of (1 − c)^γ over cosines c.
func scaledError[T autodiff.Float](t *autodiff.Tape[T], cosines *autodiff.Value[T], gamma float64) *autodiff.Value[T] {
	errors := t.ReLU(t.Bias(t.Scale(cosines, -1), constant(t, 1, 1, 1))) // which rounding may make negative
	return t.Mean(t.Pow(errors, gamma))
}
