package coles

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// A Dense32 is a dense matrix of float32, row after row: features at half the memory of a *mat.Dense. It is
// a [mat.Matrix], accepted wherever features are, with the fields of gonum's BLAS:
//
//	x := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: data}
type Dense32 blas32.General

func (m *Dense32) Dims() (r, c int) { return m.Rows, m.Cols }

func (m *Dense32) At(i, j int) float64 {
	if uint(i) >= uint(m.Rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.Cols) {
		panic(mat.ErrColAccess)
	}
	return float64(m.Data[i*m.Stride+j])
}

func (m *Dense32) T() mat.Matrix { return mat.Transpose{Matrix: m} }

// RawMatrix returns the matrix as gonum's BLAS takes it: a view, not a copy.
func (m *Dense32) RawMatrix() blas32.General { return blas32.General(*m) }
