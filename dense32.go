package coles

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A Dense32 is a dense matrix of float32, row after row: features at half the memory of a
// *mat.Dense. It is a [mat.Matrix], so that whatever takes features takes one; At widens, which is
// exact. Its fields are those of gonum's BLAS,
//
//	x := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: data}
//
// and are checked by whatever reads it as features.
type Dense32 blas32.General

// Dims returns the numbers of rows and columns.
func (m *Dense32) Dims() (r, c int) { return m.Rows, m.Cols }

// At returns the entry at row i, column j, widened. Like every [mat.Matrix] it panics with
// mat.ErrRowAccess or mat.ErrColAccess out of range.
func (m *Dense32) At(i, j int) float64 {
	if uint(i) >= uint(m.Rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	return float64(m.Data[i*m.Stride+j])
}

// T returns the transpose, a view.
func (m *Dense32) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix returns the matrix as gonum's BLAS takes it: a view, not a copy.
func (m *Dense32) RawMatrix() blas32.General { return blas32.General(*m) }
