package tape

import (
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
)

// Dropout sets every entry of x, of any shape, to zero with probability rate in
// [0, 1), independently, and divides the others by 1 − rate: y = x∘m. It draws
// one number from rnd, which together with the number of the row seeds the draws
// for a row.
//
// g_x = g∘m; m is drawn again instead of being kept.
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

// dropRow sets dst, which may be src, to src times row i of the mask. Each draw
// serves two entries.
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
