package rivals

import (
	"fmt"
	"math"
	"strings"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// ARGE is the adversarially regularised graph autoencoder (Pan, Hu, Long, Jiang, Yao and Zhang,
// IJCAI 2018): [GAE] whose embedding is trained to look drawn from the standard normal
// distribution, to a discriminator D that learns to separate the two. An epoch is
//
//	steps  rate  trains   loss
//	5      5e-4  network  the loss of GAE
//	1      1e-3  D        mean softplus(−D(ε)) + mean softplus(D(z)), the rows of ε drawn
//	1      1e-3  network  mean softplus(−D(z)) + the loss of GAE
//
// of Adam, each line with moments of its own. D has layers of 64, 32 and 1 columns with ReLU between
// them, and weights that start within ±0.01·√3, with the deviation 0.01 of the authors'. While it
// trains, the last layer gets its input plus noise of the deviation 0.1; the authors embed with it,
// too.
//
// There is one setting for every graph, which is the authors' for clustering: two layers of 32
// columns, 50 epochs, features as they are. They leave out edges to be predicted. Here all are used.
//
// It trains (d+32)·32 numbers and 4,225 of D, which a model does not keep: 51,105 on Cora. An epoch
// takes some six times an epoch of GAE.
func ARGE(string) gnn.Settings {
	return adversarial("arge", false, plainGCN(32), gnn.ReLU(), noise(0.1), codeGCN(32, false))
}

// ARVGE is the variational form of [ARGE], with [VGAE] instead of GAE. There is no noise but
// the draw of z, and the last step of an epoch has no part of the loss of GAE. It trains (d+64)·32
// numbers and 4,225 of D, 52,129 on Cora.
func ARVGE(string) gnn.Settings {
	return adversarial("arvge", true, plainGCN(32), gnn.ReLU(), codeGCN(32, true))
}

// The phases of an epoch of [ARGE].
const (
	reconstructing = iota
	discriminating
	deceiving
)

// adversarialSpec lists the parameters that the phases train.
func adversarialSpec() custom.ObjectiveSpec {
	ofObjective := func(name string) bool { return strings.HasPrefix(name, "objective.") }
	ofNetwork := func(name string) bool { return !ofObjective(name) }
	return custom.ObjectiveSpec{Parameters: discriminator, Phases: []custom.Phase{
		reconstructing: {Steps: 5, Rate: 1, Trains: ofNetwork},
		discriminating: {Steps: 1, Rate: 2, Trains: ofObjective},
		deceiving:      {Steps: 1, Rate: 2, Trains: ofNetwork},
	}}
}

func adversarial(name string, variational bool, layers ...gnn.Layer) gnn.Settings {
	objective := gnn.NewObjective(name, adversarialSpec(),
		func(s *custom.Step[float32]) *autodiff.Value[float32] {
			return adversarialLoss(s, variational, s.Phase())
		},
		func(s *custom.Step[float64]) *autodiff.Value[float64] {
			return adversarialLoss(s, variational, s.Phase())
		})
	s := rival(objective, layers...)
	s.Preparation, s.Optimizer, s.Epochs = coles.PrepareNone, optim.Adam(5e-4), 50
	return s
}

// noise adds numbers of the normal distribution while training.
func noise(deviation float64) gnn.Layer {
	spec := custom.LayerSpec{Width: gnn.SameWidth}
	return gnn.NewLayer(fmt.Sprintf("noise %v", deviation), spec, noisy[float32](deviation), noisy[float64](deviation))
}

func noisy[T autodiff.Float](deviation float64) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		if p.Rand() == nil {
			return h
		}
		return p.Add(h, p.Constant(normal[T](p.Rand(), h.Rows(), h.Cols(), deviation)))
	}
}

// discriminatorWidths are the columns of the layers of D.
var discriminatorWidths = []int{64, 32, 1}

func discriminatorNames(layer int) (weight, bias string) {
	return fmt.Sprintf("discriminator%d.weight", layer), fmt.Sprintf("discriminator%d.bias", layer)
}

func discriminator(_, in int) (all []custom.Parameter) {
	for k, out := range discriminatorWidths {
		weight, bias := discriminatorNames(k)
		all = append(all, custom.Parameter{Name: weight, Rows: in, Cols: out, Bound: 0.01 * math.Sqrt(3)}, custom.Bias(bias, out))
		in = out
	}
	return all
}

// judge is D(z), large for rows that look drawn.
func judge[T autodiff.Float](s *custom.Step[T], z *autodiff.Value[T]) *autodiff.Value[T] {
	for k := range discriminatorWidths {
		if k > 0 {
			z = s.ReLU(z)
		}
		weight, bias := discriminatorNames(k)
		z = s.Bias(s.MatMul(z, s.Parameter(weight)), s.Parameter(bias))
	}
	return z
}

func adversarialLoss[T autodiff.Float](s *custom.Step[T], variational bool, phase int) *autodiff.Value[T] {
	z, divergence := code(s, variational)
	if s.Err() != nil {
		return nil
	}
	// For one and for the other to be taken for drawn.
	wrong := func(x *autodiff.Value[T]) *autodiff.Value[T] { return s.Mean(s.Softplus(judge(s, x))) }
	right := func(x *autodiff.Value[T]) *autodiff.Value[T] { return s.Mean(s.Softplus(s.Scale(judge(s, x), -1))) }
	switch {
	case phase == reconstructing:
		return s.Add(reconstruction(s, z), divergence)
	case phase == discriminating:
		return s.Add(right(s.Constant(normal[T](s.Rand(), z.Rows(), z.Cols(), 1))), wrong(z))
	case variational:
		return right(z)
	}
	return s.Add(right(z), reconstruction(s, z))
}
