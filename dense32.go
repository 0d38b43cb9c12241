package coles

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A Dense32 is a dense matrix of float32, row after row: features at half the
// memory of a *mat.Dense. It is a [mat.Matrix], so that whatever takes features
// takes one; At widens, which is exact.
//
// It does not check for numbers that are not finite; whatever reads it as
// features does.
type Dense32 struct{ m blas32.General }

// maxDense bounds the entries of a dense matrix that memory is taken for.
const maxDense = 8 * math.MaxInt32

// NewDense32 returns the matrix with the rows of data, which it views and does
// not copy: writing to data writes to the matrix. A nil data gives a new
// matrix of zeros. The time is O(1), or that of taking 4·rows·cols bytes.
//
// Errors: [ErrShape] for a negative size and where len(data) is not rows·cols,
// [ErrEmpty] for no rows or no columns, [ErrTooLarge].
func NewDense32(rows, cols int, data []float32) (*Dense32, error) {
	switch {
	case rows < 0 || cols < 0:
		return nil, fmt.Errorf("coles: matrix: %w: %d × %d", ErrShape, rows, cols)
	case rows == 0 || cols == 0:
		return nil, fmt.Errorf("coles: matrix: %w: %d × %d", ErrEmpty, rows, cols)
	case rows > math.MaxInt32 || cols > math.MaxInt32 || rows > min(maxDense, math.MaxInt/4)/cols:
		return nil, fmt.Errorf("coles: matrix: %w: %d × %d", ErrTooLarge, rows, cols)
	}
	if data == nil {
		data = make([]float32, rows*cols)
	}
	if len(data) != rows*cols {
		return nil, fmt.Errorf("coles: matrix: %w: %d numbers for %d × %d", ErrShape, len(data), rows, cols)
	}
	return &Dense32{blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}}, nil
}

// Dims returns the numbers of rows and columns; both are 0 for a nil matrix.
func (m *Dense32) Dims() (r, c int) {
	if m == nil {
		return 0, 0
	}
	return m.m.Rows, m.m.Cols
}

// At returns the entry at row i, column j, widened. Like every [mat.Matrix] it
// panics with mat.ErrRowAccess or mat.ErrColAccess out of range.
func (m *Dense32) At(i, j int) float64 {
	r, c := m.Dims()
	if uint(i) >= uint(r) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(c) {
		panic(mat.ErrColAccess)
	}
	return float64(m.m.Data[i*m.m.Stride+j])
}

// T returns the transpose, a view.
func (m *Dense32) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix returns the matrix as gonum's BLAS takes it: a view, not a copy.
func (m *Dense32) RawMatrix() blas32.General {
	if m == nil {
		return blas32.General{}
	}
	return m.m
}
