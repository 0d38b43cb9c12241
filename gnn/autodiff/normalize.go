package autodiff

import (
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
)

// RowNormalize divides every row of the n×d matrix x by its length, ‖x_i‖: y_i = x_i/‖x_i‖. A row
// of zeros, or so short that its square underflows, becomes zero and so does its gradient. g_x of
// row i = (g_i − (g_i·y_i)·y_i)/‖x_i‖.
func (t *Tape[T]) RowNormalize(x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	y.kept = t.take(x.Rows(), 1)
	inverse := y.kept.Data
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		from := x.data.Row(i)
		inverse[i] = T(inverseLength(matrix.Dot(from, from)))
		multiplyTo(y.data.Row(i), inverse[i], from)
	})
	y.back = func() {
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g, unit := y.grad.Row(i), y.data.Row(i)
			matrix.AddScaled(g, T(-matrix.Dot(g, unit)), unit)
			multiplyTo(g, inverse[i], g)
		})
		t.pass(&y.grad, x)
	}
	return y
}

// inverseLength is 1/√square, and zero for zero.
func inverseLength(square float64) float64 {
	if square == 0 {
		return 0
	}
	return 1 / math.Sqrt(square)
}

// ColumnNormalize divides every column of the n×d matrix x by its length: y_ij = x_ij/c_j with c_j²
// = Σ_i x_ij². A column of zeros, or so short that its square underflows, becomes zero and so does
// its gradient. g_x of entry (i, j) = (g_ij − y_ij·Σ_k g_kj·y_kj)/c_j.
func (t *Tape[T]) ColumnNormalize(x *Value[T]) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	y.kept = t.take(1, x.Cols())
	inverse := y.kept.Data
	squares := t.wide.take(1, x.Cols())
	defer t.wide.release(&squares)
	t.columnDots(squares.Data, x.data, x.data)
	for j, square := range squares.Data {
		inverse[j] = T(inverseLength(square))
	}
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		to := y.data.Row(i)
		for j, v := range x.data.Row(i) {
			to[j] = v * inverse[j]
		}
	})
	y.back = func() {
		dots := t.wide.take(1, x.Cols())
		defer t.wide.release(&dots)
		t.columnDots(dots.Data, y.grad, y.data)
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g := y.grad.Row(i)
			for j, v := range y.data.Row(i) {
				g[j] = (g[j] - v*T(dots.Data[j])) * inverse[j]
			}
		})
		t.pass(&y.grad, x)
	}
	return y
}

// columnDots sets sum[j] to Σ_i a_ij·b_ij.
func (t *Tape[T]) columnDots(sum []float64, a, b Matrix[T]) {
	t.columnSums(sum, a.Rows, func(sum []float64, i int) {
		other := b.Row(i)
		for j, v := range a.Row(i) {
			sum[j] += float64(v) * float64(other[j])
		}
	})
}

// BatchNorm is y_ij = γ_j·x̂_ij + β_j with x̂_ij = (x_ij − μ_j)/√(σ²_j + ε) (Ioffe and Szegedy, 2015), for an n×d
// matrix x, n > 0, and 1×d matrices γ and β. The mean μ_j and the variance σ²_j = (1/n)·Σ_i (x_ij − μ_j)² of each
// column are written to mean and variance, of length d, for running averages of the caller. With s_j = √(σ²_j + ε)
// and means taken over the column,
//
//	g_x = (γ/s)·(g − mean(g) − x̂·mean(g·x̂)),  g_γ = Σ_i g·x̂,  g_β = Σ_i g.
func (t *Tape[T]) BatchNorm(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64) *Value[T] {
	fit(x.Rows() > 0, "BatchNorm", x)
	fitStatistics(x, mean, variance)
	n := float64(x.Rows())
	t.columnSums(mean, x.Rows(), func(sum []float64, i int) { addTo(sum, x.data.Row(i)) })
	multiplyTo(mean, 1/n, mean)
	t.columnSums(variance, x.Rows(), func(sum []float64, i int) {
		for j, v := range x.data.Row(i) {
			d := float64(v) - mean[j]
			sum[j] += d * d
		}
	})
	multiplyTo(variance, 1/n, variance)
	return t.standardize(x, gamma, beta, epsilon, mean, variance, true)
}

// BatchNormFixed is BatchNorm with a given mean and variance of each column, as in evaluation; they
// are constants. g_x = (γ/s)·g, g_γ = Σ_i g·x̂, g_β = Σ_i g.
func (t *Tape[T]) BatchNormFixed(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64) *Value[T] {
	fitStatistics(x, mean, variance)
	return t.standardize(x, gamma, beta, epsilon, mean, variance, false)
}

func fitStatistics[T Float](x *Value[T], mean, variance []float64) {
	fitDense(x)
	if len(mean) != x.Cols() || len(variance) != x.Cols() {
		panic(fmt.Sprintf("autodiff: BatchNorm of %d columns with %d means and %d variances", x.Cols(), len(mean), len(variance)))
	}
}

// standardize is γ·x̂ + β. If the statistics come from x itself (own), the gradient passes
// through them.
func (t *Tape[T]) standardize(x, gamma, beta *Value[T], epsilon float64, mean, variance []float64, own bool) *Value[T] {
	fit(gamma.Rows() == 1 && gamma.Cols() == x.Cols(), "BatchNorm", x, gamma)
	fit(sameSize(gamma, beta), "BatchNorm", gamma, beta)
	y := t.newValue(x.Rows(), x.Cols(), x, gamma, beta)
	y.kept = t.take(2, x.Cols()) // the caller may change mean and variance
	shift, inverse := y.kept.Row(0), y.kept.Row(1)
	for j, v := range variance {
		shift[j], inverse[j] = T(mean[j]), T(1/math.Sqrt(v+epsilon))
	}
	scale, offset := gamma.data.Row(0), beta.data.Row(0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		to := y.data.Row(i)
		for j, v := range x.data.Row(i) {
			to[j] = scale[j]*((v-shift[j])*inverse[j]) + offset[j]
		}
	})
	y.back = func() {
		sums := t.columnSumsOf(x.Rows(), x.Cols(), func(sum []float64, i int) { addTo(sum, y.grad.Row(i)) })
		dots := t.columnSumsOf(x.Rows(), x.Cols(), func(sum []float64, i int) {
			g := y.grad.Row(i)
			for j, v := range x.data.Row(i) {
				sum[j] += float64(g[j] * (v - shift[j]) * inverse[j])
			}
		})
		defer t.release(&sums)
		defer t.release(&dots)
		n := T(x.Rows())
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g := y.grad.Row(i)
			for j, v := range x.data.Row(i) {
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

// LayerNorm is y_ij = γ_j·x̂_ij + β_j with x̂_ij = (x_ij − μ_i)/√(σ²_i + ε) (Ba, Kiros, Hinton, 2016), for an n×d
// matrix x and 1×d matrices γ and β. Each row has the mean μ_i and the variance σ²_i = (1/d)·Σ_j (x_ij − μ_i)². With
// s_i = √(σ²_i + ε) and means taken over the row,
//
//	g_x = (γ∘g − mean(γ∘g) − x̂·mean(γ∘g∘x̂))/s,  g_γ = Σ_i g·x̂,  g_β = Σ_i g.
func (t *Tape[T]) LayerNorm(x, gamma, beta *Value[T], epsilon float64) *Value[T] {
	fit(gamma.Rows() == 1 && gamma.Cols() == x.Cols(), "LayerNorm", x, gamma)
	fit(sameSize(gamma, beta), "LayerNorm", gamma, beta)
	y := t.newValue(x.Rows(), x.Cols(), x, gamma, beta)
	y.kept = t.take(x.Rows(), x.Cols()+1) // x̂_i and 1/s_i
	d := float64(x.Cols())
	scale, offset := gamma.data.Row(0), beta.data.Row(0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		from, to, kept := x.data.Row(i), y.data.Row(i), y.kept.Row(i)
		mean, squares := matrix.Sum(from)/d, 0.0
		for _, v := range from {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		inverse := 1 / math.Sqrt(squares/d+epsilon)
		kept[len(from)] = T(inverse)
		for j, v := range from {
			kept[j] = T((float64(v) - mean) * inverse)
			to[j] = scale[j]*kept[j] + offset[j]
		}
	})
	y.back = func() {
		units := kernel.Columns(y.kept, 0, x.Cols())
		if gamma.needsGrad {
			dots := t.wide.take(1, x.Cols())
			defer t.wide.release(&dots)
			t.columnDots(dots.Data, y.grad, units)
			addTo(t.gradient(gamma).Row(0), dots.Data)
		}
		t.addColumnSums(beta, y.grad)
		t.eachRow(x.Rows(), x.Cols(), func(i int) {
			g, unit, inverse := y.grad.Row(i), units.Row(i), y.kept.Row(i)[x.Cols()]
			for j, c := range scale {
				g[j] *= c
			}
			mean, slope := T(matrix.Sum(g)/d), T(matrix.Dot(g, unit)/d)
			for j, v := range unit {
				g[j] = (g[j] - mean - v*slope) * inverse
			}
		})
		t.pass(&y.grad, x)
	}
	return y
}
