package tape

import (
	"math"
	"slices"
)

// LogPowerMeanRows is the n×1 matrix of the logarithms of the power means of the
// exponentials of each row of an n×k matrix z, k > 0, without overflow:
//
//	y_i = log M_p(e^z_i1, …, e^z_ik) = (1/p)·log((1/k)·Σ_j e^(p·z_ij)),
//
// and for p = 0 the limit (1/k)·Σ_j z_ij.
//
// g_z of row i = g_i·softmax(p·z_i), which for p = 0 is g_i/k.
func (t *Tape[T]) LogPowerMeanRows(z *Value[T], p float64) *Value[T] {
	fit(z.Cols() > 0, "LogPowerMeanRows", z)
	y := t.newValue(z.Rows(), 1, z)
	y.kept = t.take(z.Rows(), z.Cols())
	share := y.kept
	k := float64(z.Cols())
	t.eachRow(z.Rows(), z.Cols(), func(i int) {
		from, to := row(z.data, i), row(share, i)
		multiplyTo(to, T(p), from)
		softmax(to, to)
		if p == 0 {
			row(y.data, i)[0] = T(sum(from) / k)
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
		row(y.data, i)[0] = T(peak + math.Log1p(below/k)/p)
	})
	y.back = func() {
		t.eachRow(z.Rows(), z.Cols(), func(i int) { multiplyTo(row(share, i), row(y.grad, i)[0], row(share, i)) })
		t.pass(&y.kept, z)
	}
	return y
}
