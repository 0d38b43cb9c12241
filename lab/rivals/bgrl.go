package rivals

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/kernel"
)

// BGRL is bootstrapped graph latents (Thakoor, Tallec, Azar, Azabou, Dyer, Munos, Veličković and Valko, ICLR 2022),
// without negatives. From one view a network f with the parameters θ predicts, through a predictor q, the output for
// the other view of the network with the parameters ξ. With the views G₁ and G₂ that [gnn.Drop] draws in every epoch,
// the loss is
//
//	2 − mean_i cos(q(f_θ(G₁))_i, f_ξ(G₂)_i) − mean_i cos(q(f_θ(G₂))_i, f_ξ(G₁)_i),
//
// where ξ has no gradient. It begins elsewhere and follows θ: after every step ξ ← ξ + (1 − m)·(θ − ξ). 1 − m is 0.01
// at first and falls by half a cosine to 0 at the end. There is one setting for every graph:
//
//	Network       256 and 128 columns W·H·Θ, each with batch normalisation and PReLU behind it
//	predictor     512 columns inside, PReLU
//	Augmentation  0.3 and 0.2 of the edges dropped, 0.2 and 0.3 of the features
//	Preparation   rows that sum to one
//	Optimizer     Adam(1e-3) with decoupled decay 1e-5, Cosine(30)
//	Epochs        300
//
// The columns (for Amazon Photo), the predictor and the decay are the authors'. The dropped shares are about
// the middle of their five graphs, which do not include Cora, Citeseer and Pubmed. They train for 10,000
// epochs at rates from 1e-5 to 5e-4, which takes thirty times as long: this one, chosen without labels,
// trains on Cora within a minute. Their last pass alone decides how batch normalisation embeds, here the last
// ten do. Biases that it takes out again are left out.
//
// It trains (d+2)·256 + 1 + 258·128 + 1 + 2·128·512 + 512 + 128 + 1 numbers, 532,099 on Cora, and holds as many of ξ
// as of θ. A model does not keep the predictor's 131,713. An epoch takes some (6·nnz(X) + 9·nnz(W))·256 +
// 16·n·128·512 multiplications.
func BGRL(string) gnn.Settings {
	const epochs = 300
	s := rival(gnn.NewObjective("bgrl", bootstrapSpec(512), bootstrapLoss[float32], bootstrapLoss[float64]), bootstrapNetwork(epochs, 256, 128)...)
	s.Augmentation = gnn.Drop([2]float64{0.3, 0.2}, [2]float64{0.2, 0.3})
	s.Optimizer, s.Schedule, s.Epochs = optim.Adam(1e-3).WithDecoupledDecay(1e-5), optim.Cosine(30), epochs
	return s
}

// bootstrapNetwork has layers with f_θ on the left and f_ξ on the right, and one that leaves f_θ.
func bootstrapNetwork(epochs int, widths ...int) (all gnn.Network) {
	for k, width := range widths {
		all = append(all, bothLayer(width, k == 0, epochs))
	}
	width := widths[len(widths)-1]
	return append(all, gnn.NewLayer("online", custom.LayerSpec{Width: width}, online[float32](width), online[float64](width)))
}

func online[T autodiff.Float](width int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] { return p.Columns(h, 0, width) }
}

// bootstrapSpec has the parameters of the predictor.
func bootstrapSpec(inside int) custom.ObjectiveSpec {
	return custom.ObjectiveSpec{Parameters: func(d, h int) []custom.Parameter {
		return append(graceSpec(inside).Parameters(d, h), custom.Parameter{Name: "slope", Rows: 1, Cols: 1, Start: 0.25})
	}}
}

func bootstrapLoss[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	views := s.Views()
	if len(views) != 2 {
		s.Fail(fmt.Errorf("rivals: BGRL: %w: %d views, want 2", coles.ErrSetting, len(views)))
		return nil
	}
	var predicted, target [2]*autodiff.Value[T]
	for k, v := range views {
		outputs := s.Encode(v)
		both, h := outputs[len(outputs)-2], outputs[len(outputs)-1]
		predicted[k] = headed(s, h, func(x *autodiff.Value[T]) *autodiff.Value[T] { return s.PReLU(x, s.Parameter("slope")) })
		target[k] = s.RowNormalize(withoutGradient(s.Tape, both, h.Cols(), 2*h.Cols()))
	}
	cosines := s.Add(s.Mean(s.RowDots(predicted[0], target[1])), s.Mean(s.RowDots(predicted[1], target[0])))
	return s.Add(constant(s.Tape, 1, 1, 2), s.Scale(cosines, -1))
}

// withoutGradient are columns of x that count as constant.
func withoutGradient[T autodiff.Float](t *autodiff.Tape[T], x *autodiff.Value[T], lo, hi int) *autodiff.Value[T] {
	return t.Operation(x.Rows(), hi-lo, func(y autodiff.Matrix[T]) { kernel.Copy(y, kernel.Columns(x.Data(), lo, hi)) }, nil)
}

// followers are the parameters of θ that have followers in ξ, whose names begin with "target ".
var followers = []string{"weight", "scale", "offset", "slope"}

// bothLayer is [PReLU(norm(W·H·Θ)) | the same of ξ], width columns each; H is X in the first layer, and has both
// sides in the others. Its parameters are the parameters of θ, "weight", "scale", "offset" and "slope", and the
// normalisation's averages. There are averages for the parameters of ξ, too, the weight in one row. "passes" counts
// the views seen in training, two for a step.
func bothLayer(width int, first bool, epochs int) gnn.Layer {
	parameters := func(in, both int) (all []custom.Parameter) {
		if !first {
			in /= 2
		}
		width := both / 2
		weight, slope := custom.Weight("weight", in, width), custom.Parameter{Name: "slope", Rows: 1, Cols: 1, Start: 0.25}
		all = append(append(all, weight, slope), normParameters(in, width)...)
		for _, p := range slices.Clone(all) {
			if slices.Contains(followers, p.Name) {
				all = append(all, custom.Parameter{Name: "target " + p.Name, Rows: 1, Cols: p.Rows * p.Cols, Start: p.Start, Bound: p.Bound, Averaged: true})
			}
		}
		return append(all, custom.Parameter{Name: "passes", Rows: 1, Cols: 1, Averaged: true})
	}
	spec := custom.LayerSpec{Width: 2 * width, Hops: 1, Parameters: parameters}
	return gnn.NewLayer(fmt.Sprint("online and target ", epochs), spec, bothSides[float32](first, epochs), bothSides[float64](first, epochs))
}

func bothSides[T autodiff.Float](first bool, epochs int) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		follow(p, epochs)
		weight := p.Parameter("weight")
		target := p.Reshape(p.Parameter("target weight"), weight.Rows(), weight.Cols())
		left, right := h, h
		if !first {
			left, right = p.Columns(h, 0, weight.Rows()), withoutGradient(p.Tape, h, weight.Rows(), 2*weight.Rows())
		}
		y, mean, variance := normalized(p.Tape, p.SpMM(p.W(), p.MatMul(left, weight)), statistics(p))
		average(p, mean, variance)
		z, _, _ := normalized(p.Tape, p.SpMM(p.W(), p.MatMul(right, target)), norms[T]{scale: p.Parameter("target scale"), offset: p.Parameter("target offset")})
		return p.Concat(p.PReLU(y, p.Parameter("slope")), p.PReLU(z, p.Parameter("target slope")))
	}
}

// follow moves ξ towards θ before the first pass of every step but the first, and counts.
func follow[T autodiff.Float](p *custom.Pass[T], epochs int) {
	passes := numbers(p.Parameter("passes"))[0]
	p.Average("passes", []float64{passes + 1}, 1)
	if passes == 0 || math.Mod(passes, 2) == 1 {
		return
	}
	share := 0.01 * (1 + math.Cos(math.Pi*min(1, (passes/2-1)/float64(epochs)))) / 2
	for _, name := range followers {
		data := p.Parameter(name).Data().Data
		row := make([]float64, len(data))
		for k, v := range data {
			row[k] = float64(v)
		}
		p.Average("target "+name, row, share)
	}
}
