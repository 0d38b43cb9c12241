package tape

import (
	"fmt"
	"math"

	"coles/internal/kernel"
)

// BatchNorm is y_ij = γ_j·x̂_ij + β_j with x̂_ij = (x_ij − μ_j)/√(σ²_j + ε), for
// an n×d matrix x, n > 0, 1×d matrices γ and β, and the mean μ_j and the variance
// σ²_j = (1/n)·Σ_i (x_ij − μ_j)² of each column. These are written to mean and
// variance, of length d, from which the caller may keep running ones.
//
// With s_j = √(σ²_j + ε) and means taken over the column,
//
//	g_x = (γ/s)·(g − mean(g) − x̂·mean(g·x̂)),  g_γ = Σ_i g·x̂,  g_β = Σ_i g.
func (t *Tape[T]) BatchNorm(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64) *Value[T] {
	fit(x.Rows() > 0, "BatchNorm", x)
	fitStatistics(x, mean, variance)
	n := float64(x.Rows())
	t.columnSums(mean, x.Rows(), func(sum []float64, i int) { addTo(sum, row(x.data, i)) })
	multiplyTo(mean, 1/n, mean)
	t.columnSums(variance, x.Rows(), func(sum []float64, i int) {
		for j, v := range row(x.data, i) {
			d := float64(v) - mean[j]
			sum[j] += d * d
		}
	})
	multiplyTo(variance, 1/n, variance)
	return t.standardize(x, gamma, beta, epsilon, mean, variance, true)
}

// BatchNormFixed is BatchNorm with a given mean and variance of each column, as
// in evaluation; they are constants.
//
// g_x = (γ/s)·g, g_γ = Σ_i g·x̂, g_β = Σ_i g.
func (t *Tape[T]) BatchNormFixed(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64) *Value[T] {
	fitStatistics(x, mean, variance)
	return t.standardize(x, gamma, beta, epsilon, mean, variance, false)
}

func fitStatistics[T kernel.Float](x *Value[T], mean, variance []float64) {
	if len(mean) != x.Cols() || len(variance) != x.Cols() {
		panic(fmt.Sprintf("tape: BatchNorm of %d columns with %d means and %d variances", x.Cols(), len(mean), len(variance)))
	}
}

// standardize is γ·x̂ + β. Whether the statistics are those of x decides about
// the gradient.
func (t *Tape[T]) standardize(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64, own bool) *Value[T] {
	fit(gamma.Rows() == 1 && gamma.Cols() == x.Cols(), "BatchNorm", x, gamma)
	fit(sameSize(gamma, beta), "BatchNorm", gamma, beta)
	y := t.newValue(x.Rows(), x.Cols(), x, gamma, beta)
	y.kept = t.take(2, x.Cols()) // the caller's may change
	shift, inverse := row(y.kept, 0), row(y.kept, 1)
	for j, v := range variance {
		shift[j], inverse[j] = T(mean[j]), T(1/math.Sqrt(v+epsilon))
	}
	scale, offset := row(gamma.data, 0), row(beta.data, 0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		to := row(y.data, i)
		for j, v := range row(x.data, i) {
			to[j] = scale[j]*((v-shift[j])*inverse[j]) + offset[j]
		}
	})
	y.back = func() {
		sums := t.columnSumsOf(x.Rows(), x.Cols(), func(sum []float64, i int) { addTo(sum, row(y.grad, i)) })
		dots := t.columnSumsOf(x.Rows(), x.Cols(), func(sum []float64, i int) {
			g := row(y.grad, i)
			for j, v := range row(x.data, i) {
				sum[j] += float64(g[j] * (v - shift[j]) * inverse[j])
			}
		})
		defer t.release(&sums)
		defer t.release(&dots)
		n := T(x.Rows())
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g := row(y.grad, i)
			for j, v := range row(x.data, i) {
				if own {
					g[j] -= (sums.Data[j] + (v-shift[j])*inverse[j]*dots.Data[j]) / n
				}
				g[j] *= scale[j] * inverse[j]
			}
		})
		t.pass(&y.grad, x)
		t.pass(&dots, gamma)
		t.pass(&sums, beta)
	}
	return y
}
