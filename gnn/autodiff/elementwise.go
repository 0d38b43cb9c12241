package autodiff

import (
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
)

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

// above is 1 for x > 0, else 0: an index, since a branch could not be predicted.
func above[T Float](x T) int {
	index := 0
	if x > 0 {
		index = 1
	}
	return index
}

// ELU is y = x where x > 0, else eˣ − 1, by entry, of any shape (Clevert, Unterthiner, Hochreiter,
// 2016).
//
// g_x = g where x > 0, else g·eˣ = g·(y + 1).
func (t *Tape[T]) ELU(x *Value[T]) *Value[T] {
	return t.elementwise(x,
		func(y, x []T) {
			for i, v := range x {
				if y[i] = v; !(v > 0) {
					y[i] = T(lessOne[T](float64(v)))
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

// PReLU is y = x where x > 0, else a·x, by entry, for x of any shape and a 1×1 slope a (He, Zhang,
// Ren, Sun, 2015).
//
// g_x = g where x > 0, else a·g; g_a = Σ g·x over the entries x ≤ 0.
func (t *Tape[T]) PReLU(x, a *Value[T]) *Value[T] {
	fit(a.Rows() == 1 && a.Cols() == 1, "PReLU", x, a)
	y := t.newValue(x.Rows(), x.Cols(), x, a)
	factors := [2]T{a.data.Data[0], 1}
	multiply := func(y, x []T) {
		for i, v := range x {
			y[i] *= factors[above(v)]
		}
	}
	t.each(y.data, x.data, x.data, func(y, x, _ []T) {
		copy(y, x)
		multiply(y, x)
	})
	y.back = func() {
		if a.needsGrad {
			t.gradient(a).Data[0] += T(t.total(y.grad, x.data, dotBelow))
		}
		t.each(y.grad, x.data, x.data, func(g, x, _ []T) { multiply(g, x) })
		t.pass(&y.grad, x)
	}
	return y
}

// dotBelow is Σ g_i·x_i over the x_i below 0, in two sums that do not wait for each other.
func dotBelow[T Float](g, x []T) float64 {
	below := func(v T) float64 { // v, or 0 without its sign
		bits := math.Float64bits(float64(v))
		return math.Float64frombits(bits & uint64(int64(bits)>>63))
	}
	var first, second float64
	for len(x) >= 2 {
		first += float64(g[0]) * below(x[0])
		second += float64(g[1]) * below(x[1])
		g, x = g[2:], x[2:]
	}
	if len(x) > 0 {
		first += float64(g[0]) * below(x[0])
	}
	return first + second
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

// Dropout sets every entry of x, of any shape, to zero with probability rate in [0, 1),
// independently, and divides the others by 1 − rate: y = x∘m (Srivastava et al., 2014). It draws one
// number from rnd, which with the index of the row seeds the draws of that row; for a
// SparseConstant, of the entries that are stored, before rows are gathered. A nil rnd stands for
// evaluation: y = x.
//
// g_x = g∘m; m is drawn again instead of being stored. For a SparseConstant the cost is that of
// NewSparse, with memory for its entries.
func (t *Tape[T]) Dropout(x *Value[T], rate float64, rnd *rand.Rand) *Value[T] {
	fitRate("Dropout", rate)
	if rate == 0 || rnd == nil {
		return x
	}
	seed := rnd.Uint64()
	if x.sparse != nil {
		y := t.SparseConstant(t.dropped(x.sparse.matrix, rate, seed))
		y.data.Rows, y.rows = x.Rows(), x.rows
		return y
	}
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(row(y.data, i), row(x.data, i), rate, seed, i) })
	y.back = func() {
		t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(row(y.grad, i), row(y.grad, i), rate, seed, i) })
		t.pass(&y.grad, x)
	}
	return y
}

func fitRate(operation string, rate float64) {
	if !(rate >= 0 && rate < 1) {
		panic(fmt.Sprintf("autodiff: %s at a rate of %g, outside of [0, 1)", operation, rate))
	}
}

// dropped is s times a mask of its entries.
func (t *Tape[T]) dropped(s *CSR[T], rate float64, seed uint64) *Sparse[T] {
	d := *s
	d.Val = kernel.Unset[T](1, s.NNZ()).Data
	t.eachRow(s.Rows, s.NNZ()/max(1, s.Rows), func(i int) {
		_, from := s.Row(i)
		_, to := d.Row(i)
		dropRow(to, from, rate, seed, i)
	})
	return &Sparse[T]{&d, slabsOf(&d)}
}

// dropRow sets dst, which may be src, to src times row i of the mask. Each draw serves two entries.
func dropRow[T Float](dst, src []T, rate float64, seed uint64, i int) {
	var source rand.PCG
	source.Seed(seed, uint64(i))
	threshold := int64(math.Round(rate * (1 << 32)))
	factor := T(1 / (1 - rate))
	var draw uint64
	dst = dst[:len(src)]
	for j, v := range src {
		if j%2 == 0 {
			draw = source.Uint64()
		} else {
			draw >>= 32
		}
		// Without a branch, which could not be predicted: all bits are set unless the draw is below
		// the threshold.
		kept := uint64((threshold - 1 - int64(draw&math.MaxUint32)) >> 63)
		dst[j] = T(math.Float64frombits(math.Float64bits(float64(v*factor)) & kept))
	}
}
