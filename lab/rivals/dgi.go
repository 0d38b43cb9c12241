package rivals

import (
	"math"

	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
)

// DGI is Deep Graph Infomax (Veličković, Fedus, Hamilton, Liò, Bengio and Hjelm, ICLR 2019). With
// the output H of the encoder, and H̃ that on features whose rows are shuffled over the nodes, anew
// in every epoch, the loss is
//
//	−½·[mean_i log σ(s(h_i)) + mean_i log σ(−s(h̃_i))],  s(v) = vᵀMc + b,  c = σ(mean_i h_i),
//
// which makes nodes agree with the summary c of their graph, and nodes of a graph that does not go
// with its features disagree. There is one setting for every graph, which is also the authors':
//
//	Network      GCN of 512 columns, 256 up to 512 features, PReLU
//	Preparation  rows that sum to one
//	Optimizer    Adam(1e-3)
//	Epochs       10,000 at most, Patience 20 by the loss of training
//
// It trains d·h + h + 1 + h² + 1 numbers, 996,354 on Cora; the last h² + 1 are M and b, which a
// model does not keep. An epoch takes some 4·(nnz(X) + nnz(W))·h multiplications.
func DGI(string) gnn.Settings {
	objective := gnn.NewObjective("infomax", custom.ObjectiveSpec{Parameters: infomaxParameters}, infomaxLoss[float32], infomaxLoss[float64])
	s := rival(objective, gnn.GCN(gnn.AutoWidth), gnn.PReLU())
	s.Epochs, s.Patience = 10_000, 20
	return s
}

// infomaxParameters are M and b. The authors draw M by Glorot's rule for a tensor of 1 × h × h, which
// counts h² inputs.
func infomaxParameters(_, h int) []custom.Parameter {
	m := custom.Weight("discriminator", h, h)
	m.Bound = math.Sqrt(6 / float64(h*h+h))
	return []custom.Parameter{m, custom.Bias("bias", 1)}
}

// infomaxLoss is the loss of DGI or, with an augmentation, of [GraphCL].
func infomaxLoss[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	h := s.Output(&custom.View{})
	shuffled := s.Output(&custom.View{Rows: s.Rand().Perm(s.Nodes())})
	var summaries []*autodiff.Value[T]
	for _, v := range s.Views() {
		if v.Graph != nil || v.Columns != nil || v.Rows != nil {
			summaries = append(summaries, summary(s.Tape, s.Output(v), remaining(v)))
		}
	}
	if summaries == nil {
		summaries = append(summaries, summary(s.Tape, h, nil))
	}
	return discriminate(s.Tape, h, shuffled, s.Parameter("discriminator"), s.Parameter("bias"), summaries...)
}

// summary is the row σ(mean of rows of h), of all rows for nil.
func summary[T autodiff.Float](t *autodiff.Tape[T], h *autodiff.Value[T], rows []int) *autodiff.Value[T] {
	if rows != nil {
		h = t.Gather(h, rows)
	}
	return t.Sigmoid(t.MatMul(constant(t, 1, h.Rows(), 1/float64(h.Rows())), h))
}

// discriminate is the logistic loss of separating the rows of h from the rows of shuffled. A row is scored by the sum
// of its scores for all summaries, hᵀM(c₁ + c₂ + …) + b·(1 + 1 + …).
func discriminate[T autodiff.Float](t *autodiff.Tape[T], h, shuffled, m, b *autodiff.Value[T], summaries ...*autodiff.Value[T]) *autodiff.Value[T] {
	c, bias := summaries[0], b
	for _, more := range summaries[1:] {
		c, bias = t.Add(c, more), t.Add(bias, b)
	}
	mc := t.MatMulTrans(c, m)
	score := func(h *autodiff.Value[T]) *autodiff.Value[T] { return t.Bias(t.MatMulTrans(h, mc), bias) }
	found := t.Add(t.Mean(t.LogSigmoid(score(h))), t.Mean(t.LogSigmoid(t.Scale(score(shuffled), -1))))
	return t.Scale(found, -0.5)
}
