package rivals

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/matrix"
)

// GAE is the graph autoencoder (Kipf and Welling, Variational graph auto-encoders, NeurIPS workshop on Bayesian deep
// learning, 2016). The embedding Z = W·ReLU(W·X·Θ₀)·Θ₁ is trained to separate, by the logistic function of z_i·z_j,
// the pairs that an edge joins from all others. The loss is the cross-entropy of the adjacency matrix (every edge
// counts one) plus the identity. Edges together weigh as much as other pairs together. The settings:
//
//	                         columns   epochs  rate  features
//	cora, citeseer, pubmed   32, 16    200     0.01  as they are       the authors'
//	every other              512, 512  10      1e-3  unit rows, times 5
//
// of Adam without decay; the last width is 256 up to 512 features. The authors leave out edges to
// be predicted. Here all are used. The wide encoder is the better one for classes, after few epochs.
//
// It trains d·h + h·d′ numbers, 46,368 on Cora. An epoch takes some 2·nnz(X)·h + 2·nnz(W)·(h+d′) + 3·n·h·d′ + 3·n²·d′/2
// multiplications and n²/2 exponentials, and memory for O(n·(h+d′)) numbers. In blocks ([gnn.Settings].BatchSize) the pairs are
// those within a block. To read a model takes the layers, which have no bias: gnn.ReadModel(r, rivals.GAE("cora").Network...).
func GAE(dataset string) gnn.Settings { return autoencoder(dataset, "gae", false) }

// VGAE is the variational graph autoencoder of the same paper: the network of [GAE] with
// one more weight makes means μ and log σ = W·H₁·Θ₂ of the last hidden layer H₁. The loss is that
// of GAE for z = μ + ε∘σ, with ε drawn anew in every epoch from the standard normal distribution,
// plus the divergence of N(μ, σ²) from it,
//
//	(1/2n²)·Σ_il (μ² + σ² − 2·log σ),
//
// but for a constant. It is divided by n twice, as in the authors' code, so that it hardly acts.
// The embedding is μ.
//
// The settings equal GAE's. It trains d·h + 2·h·d′ numbers, 46,880 on Cora.
func VGAE(dataset string) gnn.Settings { return autoencoder(dataset, "vgae", true) }

func autoencoder(dataset, name string, variational bool) gnn.Settings {
	objective := gnn.NewObjective(name, custom.ObjectiveSpec{},
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return autoencoderLoss(s, variational) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return autoencoderLoss(s, variational) })
	layers := func(hidden, width int) []gnn.Layer {
		return []gnn.Layer{plainGCN(hidden), gnn.ReLU(), codeGCN(width, variational)}
	}
	switch dataset {
	case "cora", "citeseer", "pubmed":
		s := rival(objective, layers(32, 16)...)
		s.Preparation, s.Optimizer, s.Epochs = coles.PrepareNone, optim.Adam(0.01), 200
		return s
	}
	s := rival(objective, layers(512, gnn.AutoWidth)...)
	s.Preparation, s.FeatureScale, s.Epochs = coles.PrepareRowL2, 5, 10
	return s
}

// plainGCN is [gnn.GCN] without bias.
func plainGCN(width int) gnn.Layer { return weightsGCN("gcn without bias", width, "weight") }

// codeGCN is the last layer of an encoder; a variational one has a second weight, for log σ, which
// the objective reads.
func codeGCN(width int, variational bool) gnn.Layer {
	if variational {
		return weightsGCN("gcn of means", width, "weight", "deviations")
	}
	return plainGCN(width)
}

func weightsGCN(name string, width int, weights ...string) gnn.Layer {
	parameters := func(in, width int) (all []custom.Parameter) {
		for _, w := range weights {
			all = append(all, custom.Weight(w, in, width))
		}
		return all
	}
	return gnn.NewLayer(name, custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}, product[float32], product[float64])
}

// product is W·H·Θ.
func product[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.SpMM(p.W(), p.MatMul(h, p.Parameter("weight")))
}

func autoencoderLoss[T autodiff.Float](s *custom.Step[T], variational bool) *autodiff.Value[T] {
	z, divergence := code(s, variational)
	if s.Err() != nil {
		return nil
	}
	return s.Add(reconstruction(s, z), divergence)
}

// code is the output of the network and 0 or, if variational, a draw around it and what that adds
// to the loss.
func code[T autodiff.Float](s *custom.Step[T], variational bool) (z, divergence *autodiff.Value[T]) {
	outputs := s.Encode(&custom.View{})
	mean := outputs[len(outputs)-1]
	if !variational {
		return mean, s.Constant(autodiff.NewMatrix[T](1, 1))
	}
	hidden, theta := beforeLast(s, outputs, "deviations")
	if theta == nil {
		return nil, nil
	}
	return drawn(s.Tape, mean, ofNodes(s, s.SpMM(s.W(), s.MatMul(hidden, theta))), s.Rand())
}

// beforeLast returns the input of the last layer, and a parameter of that layer; without it the step
// fails.
func beforeLast[T autodiff.Float](s *custom.Step[T], outputs []*autodiff.Value[T], name string) (hidden, parameter *autodiff.Value[T]) {
	last := len(outputs) - 1
	parameter = s.Parameter(fmt.Sprintf("%d.%s", last, name))
	if parameter == nil || last == 0 {
		s.Fail(fmt.Errorf("rivals: %w: the last layer, number %d, has no parameter %q, or is the only one", coles.ErrSetting, last, name))
		return nil, nil
	}
	return outputs[last-1], parameter
}

// ofNodes are the rows of the nodes of the step: in blocks, their surroundings stand behind them.
func ofNodes[T autodiff.Float](s *custom.Step[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	if h.Rows() == s.Nodes() {
		return h
	}
	return s.Gather(h, upTo(s.Nodes()))
}

// upTo are the numbers below n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// drawn is z and the divergence of [VGAE] for means and logarithms of deviations.
func drawn[T autodiff.Float](t *autodiff.Tape[T], mean, logs *autodiff.Value[T], rnd *rand.Rand) (z, divergence *autodiff.Value[T]) {
	deviations := t.Exp(logs)
	z = t.Add(mean, t.Mul(deviations, t.Constant(normal[T](rnd, mean.Rows(), mean.Cols(), 1))))
	squares := t.Add(t.Mul(mean, mean), t.Mul(deviations, deviations))
	n := float64(mean.Rows())
	return z, t.Scale(t.Sum(t.Add(squares, t.Scale(logs, -2))), 0.5/(n*n))
}

// normal draws a matrix of the normal distribution with mean 0.
func normal[T autodiff.Float](rnd *rand.Rand, rows, cols int, deviation float64) autodiff.Matrix[T] {
	m := autodiff.NewMatrix[T](rows, cols)
	for q := range m.Data {
		m.Data[q] = T(deviation * rnd.NormFloat64())
	}
	return m
}

// reconstruction is the loss of [GAE]; without edges there is nothing to separate, and it is 0.
func reconstruction[T autodiff.Float](s *custom.Step[T], z *autodiff.Value[T]) *autodiff.Value[T] {
	w, err := matrix.Normalized(s.Context(), inside.Adjacency(s.Graph()), true) // has an entry for every node and, twice, every edge
	if err != nil {
		s.Fail(err)
		return s.Sum(z) // will not be used
	}
	if w.NNZ() == w.Rows {
		return s.Scale(s.Sum(z), 0)
	}
	target := &autodiff.CSR[T]{Rows: w.Rows, Cols: w.Cols, Ptr: w.Ptr, Col: w.Col, Val: slices.Repeat([]T{1}, w.NNZ())}
	return innerProductLoss(s.Context(), s.Tape, target, z)
}
