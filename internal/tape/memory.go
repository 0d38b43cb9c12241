package tape

import "math/bits"

// memory is what a tape has taken: the pieces not in use, by their sizes, and the
// count of all numbers.
type memory struct {
	free  map[int][][]float64
	count int
}

// Bytes is the size of the memory that the tape has taken for results, gradients
// and partial sums, in use or not.
func (t *Tape) Bytes() int { return 8 * t.memory.count }

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
func (t *Tape) take(rows, cols int) matrix {
	m := matrix{Rows: rows, Cols: cols, Stride: max(1, cols)}
	size := roundUp(rows * cols)
	if free := t.memory.free[size]; len(free) > 0 {
		m.Data = free[len(free)-1][:rows*cols]
		t.memory.free[size] = free[:len(free)-1]
		return m
	}
	t.memory.count += size
	m.Data = make([]float64, size)[:rows*cols]
	return m
}

// release ends the use of m, which becomes empty.
func (t *Tape) release(m *matrix) {
	if m.Data == nil {
		return
	}
	if t.memory.free == nil {
		t.memory.free = map[int][][]float64{}
	}
	size := cap(m.Data)
	t.memory.free[size] = append(t.memory.free[size], m.Data)
	*m = matrix{}
}
