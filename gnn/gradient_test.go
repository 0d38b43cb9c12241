package gnn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Central differences of the loss of a whole step, in directions drawn at random
// and for single entries, against what the tape says.
func TestGradientsEqualCentralDifferences(t *testing.T) {
	g, x := small(3)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := must(newConfig(DefaultSettings(), smallOptions(c.opts...)))
			r := must(newRun[float64](ctx, config, g, x, 0))
			if err := r.eachBatch(ctx, 0, func(step int, b *batch[float64]) error {
				if step == 0 {
					checkGradients(t, r, b)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestClassifierGradientsEqualCentralDifferences(t *testing.T) {
	g, x := small(4)
	config := must(newConfig(ClassifierSettings(), []Option{WithNetwork(Dropout(0.2), GCN(6), ReLU(), GCN(AutoWidth))}))
	r := must(newRun[float64](ctx, config, g, x, 3))
	r.targets = &targets{rows: []int{1, 5, 7, 30}, classes: []int{0, 1, 2, 2}}
	checkGradients(t, r, must(r.fullBatch(ctx, 0)))
}

func checkGradients(t *testing.T, r *run[float64], b *batch[float64]) {
	t.Helper()
	const seed = 9 // of dropout: the same mask in every evaluation
	value := func() float64 { return must(r.gradients(ctx, b, newRand(seed))) }
	value()
	gradients := make([][]float64, len(r.encoder.params))
	for k, p := range r.encoder.params {
		gradients[k] = append([]float64(nil), p.grad.Data...)
	}
	rnd := rand.New(rand.NewPCG(5, 0))
	for k, p := range r.encoder.params {
		largest := 0.0
		for _, g := range gradients[k] {
			largest = max(largest, math.Abs(g))
		}
		for range 8 {
			i := rnd.IntN(len(p.value.Data))
			const h = 1e-5
			before := p.value.Data[i]
			p.value.Data[i] = before + h
			up := value()
			p.value.Data[i] = before - h
			down := value()
			p.value.Data[i] = before
			// The third derivative and rounding make some 1e-8 of the largest entry.
			if got := (up - down) / (2 * h); !(math.Abs(got-gradients[k][i]) <= 1e-6*max(largest, 1e-3)) {
				t.Errorf("%s, entry %d: %v by differences, %v by the tape", p.name, i, got, gradients[k][i])
			}
		}
	}
}
