package gnn_test

import (
	"fmt"
	"log"
	"math"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// gated is H + σ(W·H·Γ + 1·b)∘(W·H·Θ): every entry is moved as far as its gate is open.
func gated[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	gate := p.Sigmoid(p.Bias(p.SpMM(p.W(), p.MatMul(h, p.Parameter("gate"))), p.Parameter("bias")))
	return p.Add(h, p.Mul(gate, p.SpMM(p.W(), p.MatMul(h, p.Parameter("weight")))))
}

func gatedParameters(in, width int) []custom.Parameter {
	return []custom.Parameter{custom.Weight("gate", in, width), custom.Bias("bias", width), custom.Weight("weight", in, width)}
}

// ranking is −mean log σ(h_u·h_v − h_u·h_w) over the edges, w drawn for each (Rendle et al. 2009).
func ranking[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	us, vs, _ := s.Edges()
	_, ws := s.Negatives(1)
	return s.MeanOfViews(func(h *autodiff.Value[T]) *autodiff.Value[T] {
		near, far := s.GatherDots(h, us, h, vs), s.GatherDots(h, us, h, ws)
		return s.Scale(s.Mean(s.LogSigmoid(s.Add(near, s.Scale(far, -1)))), -1)
	})
}

var (
	layer     = gnn.NewLayer("gated", custom.LayerSpec{Width: gnn.SameWidth, Hops: 1, Parameters: gatedParameters}, gated[float32], gated[float64])
	objective = gnn.NewObjective("ranking", custom.ObjectiveSpec{}, ranking[float32], ranking[float64])
)

// A gated residual layer and a loss of the program's: neighbours before nodes drawn at random.
func ExampleNewLayer() {
	g, d, _ := communities()
	s := gnn.DefaultSettings()
	s.Network, s.Objective = gnn.Network{gnn.GCN(32), layer}, objective
	s.FreshNegatives, s.Optimizer = true, optim.Adam(0.01)
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Settings().Network, m.Settings().Objective, m.Parameters())
	fmt.Printf("the loss of a guess is %.2f, after the training it is below 0.2: %v\n", math.Ln2, m.Report().Loss < 0.2)
	// Output:
	// gcn:32 → custom:gated custom:ranking [0.weight 0.bias 1.gate 1.bias 1.weight]
	// the loss of a guess is 0.69, after the training it is below 0.2: true
}

// A gradient is right if a short step against it takes rate·‖gradient‖² from the loss.
func ExampleNewObjective() {
	const rate = 1e-7
	g, d, _ := communities()
	s := gnn.DefaultSettings()
	s.Network, s.Objective = gnn.Network{gnn.GCN(32), layer}, objective
	s.Optimizer, s.Epochs, s.Precision = optim.SGD(rate, 0), 2, coles.Float64
	var epochs []gnn.EpochReport
	_, err := gnn.Train(ctx, g, d.Features, gnn.WithSettings(s), gnn.WithEpochReport(func(p gnn.EpochReport) { epochs = append(epochs, p) }))
	if err != nil {
		log.Fatal(err)
	}
	fall := epochs[0].Loss - epochs[1].Loss
	fmt.Printf("%.3f\n", fall/(rate*math.Pow(epochs[0].GradientNorm, 2)))
	// Output:
	// 1.000
}
