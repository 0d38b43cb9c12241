package tape

import (
	"math/bits"
	"unsafe"

	"coles/internal/kernel"
)

// memory is what a tape has taken of one precision: the pieces not in use, by
// their sizes, and the count of all numbers.
type memory[T kernel.Float] struct {
	free  map[int][][]T
	count int
}

// Bytes is the size of the memory that the tape has taken for results, gradients
// and partial sums, in use or not.
func (t *Tape[T]) Bytes() int { return t.memory.bytes() + t.wide.bytes() }

func (m *memory[T]) bytes() int { return m.count * int(unsafe.Sizeof(T(0))) }

// roundUp is the smallest of 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, … that is not
// below n, so that batches of slightly different sizes share their memory.
func roundUp(n int) int {
	if n <= 4 {
		return 4
	}
	shift := bits.Len(uint(n-1)) - 3 // n−1 is 4 to 7 times this power of two
	return ((n-1)>>shift + 1) << shift
}

// take lends a rows × cols matrix of any values.
func (m *memory[T]) take(rows, cols int) matrix[T] {
	lent := matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols)}
	size := roundUp(rows * cols)
	if free := m.free[size]; len(free) > 0 {
		lent.Data = free[len(free)-1][:rows*cols]
		m.free[size] = free[:len(free)-1]
		return lent
	}
	m.count += size
	lent.Data = kernel.Unset[T](1, size).Data[:rows*cols]
	return lent
}

// release ends the use of what was lent, which becomes empty.
func (m *memory[T]) release(lent *matrix[T]) {
	if lent.Data == nil {
		return
	}
	if m.free == nil {
		m.free = map[int][][]T{}
	}
	size := cap(lent.Data)
	m.free[size] = append(m.free[size], lent.Data)
	*lent = matrix[T]{}
}
