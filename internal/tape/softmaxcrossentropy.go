package tape

import (
	"fmt"
	"math"

	"coles/internal/kernel"
)

// SoftmaxCrossEntropy is the 1×1 matrix
//
//	y = −(1/m)·Σ_k log p_k[classes[k]],  p_k = softmax(logits[rows[k]])
//
// over m > 0 rows, any of them repeatedly, of the n×C matrix of logits. It does
// not overflow.
//
// g_logits[rows[k]] = (g/m)·(p_k − e_classes[k]), summed over k.
func (t *Tape[T]) SoftmaxCrossEntropy(logits *Value[T], rows, classes []int) *Value[T] {
	m := len(rows)
	if m == 0 || len(classes) != m {
		panic(fmt.Sprintf("tape: SoftmaxCrossEntropy of %d rows and %d classes", m, len(classes)))
	}
	fitIndices("SoftmaxCrossEntropy, rows", rows, logits.Rows())
	fitIndices("SoftmaxCrossEntropy, classes", classes, logits.Cols())
	p, losses := t.take(m, logits.Cols()), t.wide.take(1, m)
	defer t.wide.release(&losses)
	t.eachRow(m, logits.Cols(), func(k int) {
		z := row(logits.data, rows[k])
		losses.Data[k] = softmax(row(p, k), z) - float64(z[classes[k]])
	})
	y := t.newScalar(sum(losses.Data)/float64(m), logits)
	y.kept = p
	y.back = func() {
		dst, c := t.gradient(logits), y.grad.Data[0]/T(m)
		for k, i := range rows {
			to := row(dst, i)
			addMultiple(to, c, row(y.kept, k))
			to[classes[k]] -= c
		}
	}
	return y
}

// softmax sets p, which may be z, to exp(z)/Σ exp(z) and returns log Σ exp(z).
func softmax[T kernel.Float](p, z []T) float64 {
	peak := float64(largest(z))
	sum := 0.0
	for j, v := range z {
		e := math.Exp(float64(v) - peak)
		p[j] = T(e)
		sum += e
	}
	for j, e := range p {
		p[j] = T(float64(e) / sum)
	}
	return peak + math.Log(sum)
}
