package rivals

import (
	"fmt"
	"math"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// GRACE is deep graph contrastive representation learning (Zhu, Xu, Yu, Liu, Wu and Wang, 2020). [gnn.Drop] draws two
// views in every epoch. By the loss of [GRACEObjective], a node's embedding in one view is told from the embeddings
// of all nodes in both by the same node's embedding in the other. The authors' settings:
//
//	             h    activation  edges dropped  features dropped  τ    Adam  epochs
//	cora         128  ReLU        0.2, 0.4       0.3, 0.4          0.4  5e-4  200
//	citeseer     256  PReLU       0.2, 0         0.3, 0.2          0.9  1e-3  200
//	pubmed       256  ReLU        0.4, 0.1       0, 0.2            0.7  1e-3  1500
//	every other  256  ReLU        0.2, 0.1       0.3, 0.2          0.7  1e-3  200
//
// with [gnn.GCN] of 2h and of h columns, each with the activation behind it, a head as wide as the
// output, rows of features that sum to one, and coupled decay 1e-5. The setting for every other
// graph has the medians of theirs. It and the one for Pubmed have 1024 anchors, theirs all nodes. Theirs has one slope for both PReLU, here are
// two; and they drop each direction of an edge for itself, which makes the operator of a view
// one-sided.
//
// It trains 433,024 numbers on Cora, of which a model does not keep the head's 33,024. An epoch
// takes some 8n²h multiplications and 4n² exponentials, but the memory is O(n·h): there is no n × n
// matrix. On Pubmed, 1024 anchors take a tenth of what all nodes do:
//
//	s := rivals.GRACE("pubmed")
//	s.Objective = rivals.GRACEObjective(0.7, 256, 0) // all nodes
func GRACE(dataset string) gnn.Settings { return graceFor(dataset).settings(gnn.Drop) }

// grace holds what differs between settings of [GRACE] and [GCA].
type grace struct {
	width, head     int // h and p
	activation      func() gnn.Layer
	edges, features [2]float64
	temperature     float64
	rate            float64
	epochs          int
	anchors         int
}

// graceFor is the setting of [GRACE].
func graceFor(dataset string) grace {
	switch dataset {
	case "cora":
		return grace{128, 128, gnn.ReLU, [2]float64{0.2, 0.4}, [2]float64{0.3, 0.4}, 0.4, 5e-4, 200, 0}
	case "citeseer":
		return grace{256, 256, gnn.PReLU, [2]float64{0.2, 0}, [2]float64{0.3, 0.2}, 0.9, 1e-3, 200, 0}
	case "pubmed":
		return grace{256, 256, gnn.ReLU, [2]float64{0.4, 0.1}, [2]float64{0, 0.2}, 0.7, 1e-3, 1500, 1024}
	}
	return grace{256, 256, gnn.ReLU, [2]float64{0.2, 0.1}, [2]float64{0.3, 0.2}, 0.7, 1e-3, 200, 1024}
}

func (c grace) settings(drop func(edges, features [2]float64) gnn.Augmentation) gnn.Settings {
	s := rival(GRACEObjective(c.temperature, c.head, c.anchors),
		gnn.GCN(2*c.width), c.activation(), gnn.GCN(c.width), c.activation())
	s.Augmentation = drop(c.edges, c.features)
	s.Optimizer = optim.Adam(c.rate).WithDecay(1e-5)
	s.Epochs = c.epochs
	return s
}

// GRACEObjective is the InfoNCE loss of [GRACE] for the outputs of two views, with the temperature
// τ. A head, in which h columns become p, ELU, and h again, is trained with it; u and v are its
// results for the two views, their rows divided by their lengths. The loss is
//
//	(1/2n)·Σ_i [ℓ(u_i) + ℓ(v_i)],
//	ℓ(u_i) = log(Σ_{k≠i} e^(u_i·u_k/τ) + Σ_k e^(u_i·v_k/τ)) − u_i·v_i/τ,
//
// and ℓ(v_i) with u and v exchanged. With anchors, the outer
// sum is over that number of nodes, drawn anew in every step, which is an unbiased estimate of it and of
// its gradient; all nodes stay in the inner sums. Where they are not fewer than half of the nodes,
// and for 0 anchors, all nodes are taken, which then costs no more.
//
// It takes an augmentation of two views, such as [gnn.Drop], or fails with [coles.ErrSetting], as it
// does for τ or p that are not more than 0, and less than 0 anchors.
func GRACEObjective(temperature float64, head, anchors int) gnn.Objective {
	return gnn.NewObjective(fmt.Sprintf("grace tau=%v head=%d anchors=%d", temperature, head, anchors), graceSpec(head),
		func(s *custom.Step[float32]) *autodiff.Value[float32] { return graceLoss(s, temperature, anchors) },
		func(s *custom.Step[float64]) *autodiff.Value[float64] { return graceLoss(s, temperature, anchors) })
}

// graceSpec has the parameters of the head.
func graceSpec(head int) custom.ObjectiveSpec {
	return custom.ObjectiveSpec{Parameters: func(_, h int) []custom.Parameter {
		return []custom.Parameter{
			within(h, custom.Weight("inner", h, head)), within(h, custom.Bias("inner bias", head)),
			within(head, custom.Weight("outer", head, h)), within(head, custom.Bias("outer bias", h)),
		}
	}}
}

// within is a parameter that starts as in PyTorch's linear and bilinear layers with in inputs.
func within(in int, p custom.Parameter) custom.Parameter {
	p.Bound = 1 / math.Sqrt(float64(in))
	return p
}

// headed are unit rows of what the head makes of h, with an activation inside.
func headed[T autodiff.Float](s *custom.Step[T], h *autodiff.Value[T], activation func(*autodiff.Value[T]) *autodiff.Value[T]) *autodiff.Value[T] {
	inner := activation(s.Bias(s.MatMul(h, s.Parameter("inner")), s.Parameter("inner bias")))
	return s.RowNormalize(s.Bias(s.MatMul(inner, s.Parameter("outer")), s.Parameter("outer bias")))
}

func graceLoss[T autodiff.Float](s *custom.Step[T], temperature float64, anchors int) *autodiff.Value[T] {
	views := s.Views()
	if len(views) != 2 || !(temperature > 0) || anchors < 0 {
		s.Fail(fmt.Errorf("rivals: GRACE: %w: %d views, τ = %v and %d anchors, want 2, and more and not less than 0",
			coles.ErrSetting, len(views), temperature, anchors))
		return nil
	}
	u, v := headed(s, s.Output(views[0]), s.ELU), headed(s, s.Output(views[1]), s.ELU)
	var drawn []int // all
	if n := s.Nodes(); anchors > 0 && 2*anchors < n {
		drawn = s.Rand().Perm(n)[:anchors]
	}
	return softmaxContrast(s.Context(), s.Tape, u, v, temperature, drawn)
}
