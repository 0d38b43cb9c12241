package kernel

import "unsafe"

// Float is a type of numbers that the package computes with.
type Float interface{ float32 | float64 }

// Matrix is a dense matrix: entry (i, j) is Data[i·Stride + j], Stride ≥ Cols.
// Its fields are those of gonum's blas64.General and blas32.General, to and
// from which it converts for free.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// isDouble is a constant wherever T is known.
func isDouble[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }
