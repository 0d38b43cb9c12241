package autodiff

import (
	"fmt"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/stream"
)

// Dropout is y = x∘m (Srivastava et al., 2014). Each entry of x, of any shape, is set to zero with probability rate
// in [0, 1), independently; the others are divided by 1 − rate. It draws one number from rnd. That number and the
// index of a row seed the draws of the row. For a SparseConstant draws are for the entries that are stored, before
// rows are gathered. A nil rnd stands for evaluation: y = x. g_x = g∘m; m is drawn again instead of being stored. For
// a SparseConstant it costs as much as NewSparse, with memory for its entries.
func (t *Tape[T]) Dropout(x *Value[T], rate float64, rnd *rand.Rand) *Value[T] {
	m := newMask("Dropout", rate, rnd)
	if rate == 0 || rnd == nil {
		return x
	}
	if x.sparse != nil {
		y := t.SparseConstant(t.dropped(x.sparse.matrix, m))
		y.data.Rows, y.rows = x.Rows(), x.rows
		return y
	}
	y := t.newValue(x.Rows(), x.Cols(), x)
	t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(y.data.Row(i), x.data.Row(i), m, i) })
	y.back = func() {
		t.eachRow(x.Rows(), x.Cols(), func(i int) { dropRow(y.grad.Row(i), y.grad.Row(i), m, i) })
		t.pass(&y.grad, x)
	}
	return y
}

// dropped is s times a mask of its entries.
func (t *Tape[T]) dropped(s *CSR[T], m mask) *Sparse[T] {
	d := *s
	d.Val = kernel.Unset[T](1, s.NNZ()).Data
	t.eachRow(s.Rows, s.NNZ()/max(1, s.Rows), func(i int) {
		_, from := s.Row(i)
		_, to := d.Row(i)
		dropRow(to, from, m, i)
	})
	return &Sparse[T]{&d, slabsOf(&d)}
}

// dropRow sets dst, which may be src, to src times row i of the mask. Each draw serves two entries.
func dropRow[T Float](dst, src []T, m mask, i int) {
	var source rand.PCG
	source.Seed(m.seed, uint64(i))
	factor := T(m.kept)
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
		kept := uint64((m.threshold - 1 - int64(draw&math.MaxUint32)) >> 63)
		dst[j] = T(math.Float64frombits(math.Float64bits(float64(v*factor)) & kept))
	}
}

// mask drops entries of matrices, each with the same probability: see [Tape.Dropout].
type mask struct {
	seed      uint64
	threshold int64
	kept      float64 // the factor of an entry that is not dropped
}

// newMask draws one number from rnd.
func newMask(operation string, rate float64, rnd *rand.Rand) mask {
	if !(rate >= 0 && rate < 1) {
		panic(fmt.Sprintf("autodiff: %s at a rate of %g, outside of [0, 1)", operation, rate))
	}
	if rate == 0 || rnd == nil {
		return mask{kept: 1}
	}
	return mask{rnd.Uint64(), int64(math.Round(rate * (1 << 32))), 1 / (1 - rate)}
}

// of is the mask of the k-th matrix.
func (m mask) of(k int) mask {
	m.seed = stream.Seed(m.seed, uint64(k))
	return m
}

// factor multiplies entry (i, j).
func (m mask) factor(i, j int) float64 {
	if m.threshold == 0 {
		return m.kept
	}
	// Without a branch, as in dropRow.
	draw := int64(stream.Seed(m.seed, uint64(i)<<32|uint64(j)) >> 32)
	return math.Float64frombits(math.Float64bits(m.kept) & uint64((m.threshold-1-draw)>>63))
}
