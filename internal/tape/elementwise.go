package tape

import (
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
)

// elementwise is y = f(x) by entry. value sets y; derive multiplies the gradient g by f′, given x
// and y.
func (t *Tape[T]) elementwise(x *Value[T], value func(y, x []T), derive func(g, x, y []T)) *Value[T] {
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.each(y.data, x.data, x.data, func(y, x, _ []T) { value(y, x) })
	y.back = func() {
		t.each(y.grad, x.data, y.data, derive)
		t.pass(&y.grad, x)
	}
	return y
}

// Add is y = a + b, of two matrices of one shape.
//
// g_a = g, g_b = g.
func (t *Tape[T]) Add(a, b *Value[T]) *Value[T] {
	fit(sameSize(a, b), "Add", a, b)
	y := t.newValue(a.Rows(), a.Cols(), a, b)
	t.each(y.data, a.data, b.data, func(y, a, b []T) {
		for i, v := range a {
			y[i] = v + b[i]
		}
	})
	y.back = func() {
		if a.needsGrad && b.needsGrad {
			t.addScaled(t.gradient(a), 1, y.grad)
			t.pass(&y.grad, b)
			return
		}
		t.pass(&y.grad, a)
		t.pass(&y.grad, b)
	}
	return y
}

// Scale is y = c·x for a number c and a matrix of any shape.
//
// g_x = c·g.
func (t *Tape[T]) Scale(x *Value[T], c float64) *Value[T] {
	factor := T(c)
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = factor * v
			}
		},
		func(g, _, _ []T) {
			for i := range g {
				g[i] *= factor
			}
		})
}

// Bias is y = x + 1·b: the 1×d matrix b is added to every row of the n×d x.
//
// g_x = g, g_b = 1ᵀ·g.
func (t *Tape[T]) Bias(x, b *Value[T]) *Value[T] {
	fit(b.Rows() == 1 && b.Cols() == x.Cols(), "Bias", x, b)
	y := t.newValue(x.Rows(), x.Cols(), x, b)
	add := row(b.data, 0)
	t.eachRow(x.Rows(), x.Cols(), func(i int) {
		dst := row(y.data, i)
		for j, v := range row(x.data, i) {
			dst[j] = v + add[j]
		}
	})
	y.back = func() {
		if b.needsGrad {
			sums := t.columnSumsOf(y.Rows(), b.Cols(), func(sum []float64, i int) { addTo(sum, row(y.grad, i)) })
			t.pass(&sums, b)
			t.release(&sums)
		}
		t.pass(&y.grad, x)
	}
	return y
}

// ReLU is y = max(x, 0) by entry, of any shape; NaN stays NaN.
//
// g_x = g where x > 0, else 0.
func (t *Tape[T]) ReLU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = max(v, 0)
			}
		},
		func(g, _, y []T) {
			// Without a branch, which could not be predicted: as an integer, the bits of a y above
			// 0 are positive and those of 0 are zero.
			for i, v := range y {
				positive := uint64(-int64(math.Float64bits(float64(v))) >> 63)
				g[i] = T(math.Float64frombits(math.Float64bits(float64(g[i])) & positive))
			}
		})
}

// ELU is y = x where x > 0, else eˣ − 1, by entry, of any shape.
//
// g_x = g where x > 0, else g·eˣ = g·(y + 1).
func (t *Tape[T]) ELU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				if y[i] = v; !(v > 0) {
					y[i] = T(math.Expm1(float64(v)))
				}
			}
		},
		func(g, x, y []T) {
			for i, v := range x {
				if !(v > 0) {
					g[i] *= y[i] + 1
				}
			}
		})
}

// PReLU is y = x where x > 0, else a·x, by entry, for x of any shape and a 1×1 slope a.
//
// g_x = g where x > 0, else a·g; g_a = Σ g·x over the entries x ≤ 0.
func (t *Tape[T]) PReLU(x, a *Value[T]) *Value[T] {
	fit(a.Rows() == 1 && a.Cols() == 1, "PReLU", x, a)
	slope := a.data.Data[0]
	multiply := func(y, x []T) {
		for i, v := range x {
			if !(v > 0) {
				y[i] *= slope
			}
		}
	}
	y := t.newValue(x.Rows(), x.Cols(), x, a)
	t.each(y.data, x.data, x.data, func(y, x, _ []T) {
		copy(y, x)
		multiply(y, x)
	})
	y.back = func() {
		if a.needsGrad {
			g := t.total(y.grad, x.data, func(g, x []T) float64 {
				sum := 0.0
				for i, v := range x {
					sum += float64(g[i]) * float64(min(v, 0))
				}
				return sum
			})
			t.gradient(a).Data[0] += T(g)
		}
		t.each(y.grad, x.data, x.data, func(g, x, _ []T) { multiply(g, x) })
		t.pass(&y.grad, x)
	}
	return y
}

// Sigmoid is y = σ(x) = 1/(1 + e⁻ˣ) by entry, of any shape.
//
// g_x = g·y·(1 − y).
func (t *Tape[T]) Sigmoid(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(sigmoid(float64(v)))
			}
		},
		func(g, _, y []T) {
			for i, v := range y {
				g[i] *= v * (1 - v)
			}
		})
}

// sigmoid takes the exponential of negative numbers only, which cannot overflow.
func sigmoid(x float64) float64 {
	e := math.Exp(-math.Abs(x))
	if x < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// LogSigmoid is y = log σ(x) = −log(1 + e⁻ˣ) by entry, of any shape, without overflow.
//
// g_x = g·σ(−x).
func (t *Tape[T]) LogSigmoid(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(-softplus(-float64(v)))
			}
		},
		func(g, x, _ []T) {
			for i, v := range x {
				g[i] *= T(sigmoid(-float64(v)))
			}
		})
}

// Softplus is y = log(1 + eˣ) by entry, of any shape, without overflow.
//
// g_x = g·σ(x).
func (t *Tape[T]) Softplus(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = T(softplus(float64(v)))
			}
		},
		func(g, x, _ []T) {
			for i, v := range x {
				g[i] *= T(sigmoid(float64(v)))
			}
		})
}

func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Dropout sets every entry of x, of any shape, to zero with probability rate in [0, 1),
// independently, and divides the others by 1 − rate: y = x∘m. It draws one number from rnd, which
// with the index of the row seeds the draws of that row.
//
// g_x = g∘m; m is drawn again instead of being stored.
func (t *Tape[T]) Dropout(x *Value[T], rate float64, rnd *rand.Rand) *Value[T] {
	if !(rate >= 0 && rate < 1) {
		panic(fmt.Sprintf("tape: Dropout at a rate of %g, outside of [0, 1)", rate))
	}
	if rate == 0 {
		return x
	}
	seed := rnd.Uint64()
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(row(y.data, i), row(x.data, i), rate, seed, i) })
	y.back = func() {
		t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(row(y.grad, i), row(y.grad, i), rate, seed, i) })
		t.pass(&y.grad, x)
	}
	return y
}

// dropRow sets dst, which may be src, to src times row i of the mask. Each draw serves two entries.
func dropRow[T kernel.Float](dst, src []T, rate float64, seed uint64, i int) {
	var source rand.PCG
	source.Seed(seed, uint64(i))
	threshold := uint64(math.Round(rate * (1 << 32)))
	factor := T(1 / (1 - rate))
	var draw uint64
	for j, v := range src {
		if j%2 == 0 {
			draw = source.Uint64()
		} else {
			draw >>= 32
		}
		if draw&math.MaxUint32 < threshold {
			dst[j] = 0
		} else {
			dst[j] = v * factor
		}
	}
}
