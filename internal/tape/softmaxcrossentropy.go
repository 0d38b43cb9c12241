package tape

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// SoftmaxCrossEntropy is the 1×1 matrix
//
//	y = −(1/m)·Σ_k log p_k[classes[k]],  p_k = softmax(logits[rows[k]])
//
// over m > 0 rows, any of them repeatedly, of the n×C matrix of logits. It does
// not overflow.
//
// g_logits[rows[k]] = (g/m)·(p_k − e_classes[k]), summed over k.
func (t *Tape) SoftmaxCrossEntropy(logits *Value, rows, classes []int) *Value {
	m := len(rows)
	if m == 0 || len(classes) != m {
		panic(fmt.Sprintf("tape: SoftmaxCrossEntropy of %d rows and %d classes", m, len(classes)))
	}
	fitIndices("SoftmaxCrossEntropy, rows", rows, logits.Rows())
	fitIndices("SoftmaxCrossEntropy, classes", classes, logits.Cols())
	p, losses := t.take(m, logits.Cols()), t.take(1, m)
	defer t.release(&losses)
	t.eachRow(m, logits.Cols(), func(k int) {
		z := row(logits.data, rows[k])
		losses.Data[k] = softmax(row(p, k), z) - z[classes[k]]
	})
	y := t.newScalar(floats.Sum(losses.Data)/float64(m), logits)
	y.kept = p
	y.back = func() {
		dst, c := t.gradient(logits), y.grad.Data[0]/float64(m)
		for k, i := range rows {
			to := row(dst, i)
			floats.AddScaled(to, c, row(y.kept, k))
			to[classes[k]] -= c
		}
	}
	return y
}

// softmax sets p to exp(z)/Σ exp(z) and returns log Σ exp(z).
func softmax(p, z []float64) float64 {
	peak := floats.Max(z)
	sum := 0.0
	for j, v := range z {
		p[j] = math.Exp(v - peak)
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return peak + math.Log(sum)
}
