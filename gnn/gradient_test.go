package gnn

import (
	"math"
	"slices"
	"testing"

	"coles/internal/testkit"
)

// Central differences of the loss of a whole step against the gradients of the tape.
func TestGradientsEqualCentralDifferences(t *testing.T) {
	g, x := small(3)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := runOf(t, g, x, c.opts...)
			// The third derivative and rounding make some 1e-8 of the largest entry.
			checkGradients(t, r, batchesOf(t, r, 0)[0], 1e-6)
		})
	}
	labelled, words, labels, train, val := separated()
	r := labelledRun(t, labelled, words, labels, train, val, withNetwork(Dropout(0.2), GCN(6), ReLU(), GCN(AutoWidth)))
	checkGradients(t, r, batchesOf(t, r, 0)[0], 1e-6)
}

// checkGradients compares some entries, to a part of the largest one.
func checkGradients(t *testing.T, r *run[float64], b *batch[float64], tolerance float64) {
	t.Helper()
	const seed = 9 // of dropout: the same mask in every evaluation
	value := func() float64 { return testkit.Must(r.gradients(ctx, b, 0, newRand(seed))) }
	for k, p := range r.encoder.params {
		if p.Name == "bias" { // rows of no features must not stand where ReLU bends
			copy(p.value.Data, randomMatrix(uint64(k), 1, len(p.value.Data)).Data)
		}
	}
	value()
	var gradients [][]float64
	for _, p := range r.encoder.params {
		gradients = append(gradients, slices.Clone(p.grad.Data))
	}
	rnd := testkit.Random(5)
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
			if got := (up - down) / (2 * h); !(math.Abs(got-gradients[k][i]) <= tolerance*max(largest, 1e-3)) {
				t.Errorf("%v, entry %d: %v by differences, %v by the tape", p.shape, i, got, gradients[k][i])
			}
		}
	}
}
