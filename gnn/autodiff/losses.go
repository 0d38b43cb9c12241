package autodiff

import (
	"fmt"
	"math"
	"slices"

	"coles/internal/matrix"
)

// Sum is the 1×1 matrix y = Σ x over all entries. g_x = g in every entry.
func (t *Tape[T]) Sum(x *Value[T]) *Value[T] { return t.weightedSum(x, 1) }

// Mean is the 1×1 matrix y = (1/N)·Σ x over all N > 0 entries. g_x = g/N in every entry.
func (t *Tape[T]) Mean(x *Value[T]) *Value[T] {
	fit(x.Rows() > 0 && x.Cols() > 0, "Mean", x)
	return t.weightedSum(x, 1/(float64(x.Rows())*float64(x.Cols())))
}

// weightedSum is c·Σ x.
func (t *Tape[T]) weightedSum(x *Value[T], c float64) *Value[T] {
	y := t.newValue(1, 1, x)
	y.data.Data[0] = T(c * t.total(x.data, x.data, func(x, _ []T) float64 { return matrix.Sum(x) }))
	y.back = func() {
		g := T(c * float64(y.grad.Data[0]))
		dst := t.gradient(x)
		t.each(dst, dst, dst, func(dst, _, _ []T) {
			for i := range dst {
				dst[i] += g
			}
		})
	}
	return y
}

// SoftmaxCrossEntropy is the 1×1 matrix
//
//	y = −(1/m)·Σ_k log p_k[classes[k]],  p_k = softmax(logits[rows[k]])
//
// over m > 0 rows, which may repeat, of the n×C matrix of logits, without overflow.
// g_logits[rows[k]] = (g/m)·(p_k − e_classes[k]), summed over k.
func (t *Tape[T]) SoftmaxCrossEntropy(logits *Value[T], rows, classes []int) *Value[T] {
	m := len(rows)
	if m == 0 || len(classes) != m {
		panic(fmt.Sprintf("autodiff: SoftmaxCrossEntropy of %d rows and %d classes", m, len(classes)))
	}
	fitIndices("SoftmaxCrossEntropy, rows", rows, logits.Rows())
	fitIndices("SoftmaxCrossEntropy, classes", classes, logits.Cols())
	y := t.newValue(1, 1, logits)
	y.kept = t.take(m, logits.Cols())
	losses := t.wide.take(1, m)
	defer t.wide.release(&losses)
	t.eachRow(m, logits.Cols(), func(k int) {
		z := logits.data.Row(rows[k])
		losses.Data[k] = softmax(y.kept.Row(k), z) - float64(z[classes[k]])
	})
	y.data.Data[0] = T(matrix.Sum(losses.Data) / float64(m))
	y.back = func() {
		dst, c := t.gradient(logits), y.grad.Data[0]/T(m)
		for k, i := range rows {
			to := dst.Row(i)
			matrix.AddScaled(to, c, y.kept.Row(k))
			to[classes[k]] -= c
		}
	}
	return y
}

// softmax sets p, which may be z, to exp(z)/Σ exp(z) and returns log Σ exp(z).
func softmax[T Float](p, z []T) float64 {
	peak := float64(slices.Max(z))
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

// LogPowerMeanRows is the n×1 matrix of the logarithms of the power means of the exponentials of
// each row of an n×k matrix z, k > 0, without overflow:
//
//	y_i = log M_p(e^z_i1, …, e^z_ik) = (1/p)·log((1/k)·Σ_j e^(p·z_ij)),
//
// and for p = 0 the limit (1/k)·Σ_j z_ij. g_z of row i = g_i·softmax(p·z_i), which for p = 0 is
// g_i/k.
func (t *Tape[T]) LogPowerMeanRows(z *Value[T], p float64) *Value[T] {
	fit(z.Cols() > 0, "LogPowerMeanRows", z)
	y := t.newValue(z.Rows(), 1, z)
	y.kept = t.take(z.Rows(), z.Cols())
	share := y.kept
	k := float64(z.Cols())
	t.eachRow(z.Rows(), z.Cols(), func(i int) {
		from, to := z.data.Row(i), share.Row(i)
		multiplyTo(to, T(p), from)
		softmax(to, to)
		if p == 0 {
			y.data.Row(i)[0] = T(matrix.Sum(from) / k)
			return
		}
		peak := float64(slices.Max(from))
		if p < 0 {
			peak = float64(slices.Min(from))
		}
		below := 0.0
		for _, v := range from {
			below += math.Expm1(p * (float64(v) - peak)) // which keeps the digits of a small p
		}
		y.data.Row(i)[0] = T(peak + math.Log1p(below/k)/p)
	})
	y.back = func() {
		t.eachRow(z.Rows(), z.Cols(), func(i int) { multiplyTo(share.Row(i), y.grad.Row(i)[0], share.Row(i)) })
		t.pass(&y.kept, z)
	}
	return y
}

// TraceQuadratic is the 1×1 matrix y = Tr(hᵀ·S·h) for a symmetric n×n S and an n×d matrix h.
// g_h = 2g·S·h, with S·h of the forward pass.
func (t *Tape[T]) TraceQuadratic(s SymmetricOperator[T], h *Value[T]) *Value[T] {
	y := t.newValue(1, 1, h)
	y.kept = t.take(h.Rows(), h.Cols())
	t.Fail(s(t.ctx, y.kept, h.data))
	y.data.Data[0] = T(t.total(h.data, y.kept, matrix.Dot))
	y.back = func() {
		c := 2 * y.grad.Data[0]
		switch {
		case !h.needsGrad || c == 0:
		case h.reached:
			t.addScaled(t.gradient(h), c, y.kept)
		default:
			h.factor = c // the next part of the gradient has it multiplied without a pass
			t.pass(&y.kept, h)
		}
	}
	return y
}

// SoftOrthogonality is the 1×1 matrix y = ‖hᵀh/n − I‖²_F/d of an n×d matrix h, n > 0 and d > 0. It is 0 where the
// columns are orthogonal and have a mean square of one. g_h = 4g/(n·d)·h·(hᵀh/n − I).
func (t *Tape[T]) SoftOrthogonality(h *Value[T]) *Value[T] {
	fit(h.Rows() > 0 && h.Cols() > 0, "SoftOrthogonality", h)
	c, weight, d := 1/float64(h.Rows()), 1/float64(h.Cols()), h.Cols()
	gram := t.Gram(h).data
	y := t.newValue(1, 1, h)
	y.kept = t.take(d, d)
	residual := y.kept
	t.eachRow(d, d, func(i int) {
		multiplyTo(residual.Row(i), T(c), gram.Row(i))
		residual.Row(i)[i]--
	})
	y.data.Data[0] = T(weight * t.total(residual, residual, matrix.Dot))
	y.back = func() {
		t.addProduct(h, false, false, T(4*weight*c)*y.grad.Data[0], h.data, y.kept)
	}
	return y
}
