package autodiff

import "math"

// ReLU is y = max(x, 0) by entry; NaN stays NaN. g_x = g where x > 0, else 0.
func (t *Tape[T]) ReLU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				y[i] = max(v, 0)
			}
		},
		func(g, _, y []T) {
			// Without a branch, which could not be predicted: as an integer, the bits of a y above
			// 0 are positive and the bits of 0 are zero.
			for i, v := range y {
				positive := uint64(-int64(math.Float64bits(float64(v))) >> 63)
				g[i] = T(math.Float64frombits(math.Float64bits(float64(g[i])) & positive))
			}
		})
}

// above is 1 for x > 0, else 0: an index, since a branch could not be predicted.
func above[T Float](x T) int {
	index := 0
	if x > 0 {
		index = 1
	}
	return index
}

// ELU is y = x where x > 0, else eˣ − 1, by entry (Clevert, Unterthiner, Hochreiter, 2016). Then g_x = g where x > 0,
// else g·eˣ = g·(y + 1).
func (t *Tape[T]) ELU(x *Value[T]) *Value[T] {
	return t.byEntry(x,
		func(x T) T {
			if x > 0 {
				return x
			}
			return T(lessOne[T](float64(x)))
		},
		func(x, y T) T {
			if x > 0 {
				return 1
			}
			return y + 1
		})
}

// PReLU is y = x where x > 0, else a·x, by entry, for x of any shape and a 1×1 slope a (He, Zhang, Ren, Sun, 2015).
// Then g_x = g where x > 0, else a·g; and g_a = Σ g·x over the entries x ≤ 0.
func (t *Tape[T]) PReLU(x, a *Value[T]) *Value[T] {
	fit(a.Rows() == 1 && a.Cols() == 1, "PReLU", x, a)
	y := t.newValue(x.Rows(), x.Cols(), x, a)
	factors := [2]T{a.data.Data[0], 1}
	multiply := func(y, g, x []T) {
		for i, v := range x {
			y[i] = g[i] * factors[above(v)]
		}
	}
	t.each(y.data, x.data, x.data, multiply)
	y.back = func() {
		if a.needsGrad {
			t.gradient(a).Data[0] += T(t.total(y.grad, x.data, dotBelow))
		}
		t.each(y.grad, y.grad, x.data, multiply)
		t.pass(&y.grad, x)
	}
	return y
}

// dotBelow is Σ g_i·min(x_i, 0), in two sums that do not wait for each other.
func dotBelow[T Float](g, x []T) float64 {
	var first, second float64
	for ; len(x) >= 2; g, x = g[2:], x[2:] {
		first += float64(g[0]) * float64(min(x[0], 0))
		second += float64(g[1]) * float64(min(x[1], 0))
	}
	if len(x) > 0 {
		first += float64(g[0]) * float64(min(x[0], 0))
	}
	return first + second
}

// Sigmoid is y = σ(x) = 1/(1 + e⁻ˣ) by entry. g_x = g·y·(1 − y).
func (t *Tape[T]) Sigmoid(x *Value[T]) *Value[T] {
	return t.byEntry(x, func(x T) T { return T(sigmoid(float64(x))) }, func(_, y T) T { return y * (1 - y) })
}

// LogSigmoid is y = log σ(x) = −log(1 + e⁻ˣ) by entry, without overflow. g_x = g·σ(−x).
func (t *Tape[T]) LogSigmoid(x *Value[T]) *Value[T] {
	return t.byEntry(x,
		func(x T) T { return T(-softplus(-float64(x))) },
		func(x, _ T) T { return T(sigmoid(-float64(x))) })
}

// Softplus is y = log(1 + eˣ) by entry, without overflow. g_x = g·σ(x).
func (t *Tape[T]) Softplus(x *Value[T]) *Value[T] {
	return t.byEntry(x, func(x T) T { return T(softplus(float64(x))) }, func(x, _ T) T { return T(sigmoid(float64(x))) })
}
