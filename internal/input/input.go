// Package input reads matrices that come from outside the module: it checks
// them once, so that everything behind the doors can trust them.
package input

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Kind says what is wrong with a matrix. The packages with doors have errors
// of their own for each.
type Kind int

const (
	Empty     Kind = iota // nil
	Shape                 // sizes do not agree
	Index                 // a column number out of range
	NotFinite             // a NaN or an infinity
	TooLarge              // more rows or columns than can be indexed, or than memory can hold
)

// An Error says what is wrong with a matrix, and where.
type Error struct {
	Kind  Kind
	Where string
}

func (e *Error) Error() string { return e.Where }

func wrong(kind Kind, format string, args ...any) error {
	return &Error{kind, fmt.Sprintf(format, args...)}
}

// A Matrix is a checked matrix of finite numbers, sparse or dense, not to be
// written to.
type Matrix struct {
	Rows, Cols int
	Sparse     *kernel.CSR    // nil when the matrix is dense
	Dense      blas64.General // set when Sparse is nil
}

// Read checks a matrix. A *mat.Dense is viewed, everything else copied:
// sparse ones with their rows sorted and entries at the same place added up.
// Errors are an [*Error] or ctx's.
func Read(ctx context.Context, x mat.Matrix) (Matrix, error) {
	switch x := x.(type) {
	case nil:
		return Matrix{}, wrong(Empty, "matrix is nil")
	case *mat.Dense:
		if x == nil {
			return Matrix{}, wrong(Empty, "matrix is nil")
		}
		return checkDense(ctx, x.RawMatrix())
	case *sparse.CSR:
		return readCSR(ctx, x)
	case interface{ ToCSR() *sparse.CSR }:
		converted, err := toCSR(x)
		if err != nil {
			return Matrix{}, err
		}
		return readCSR(ctx, converted)
	}
	dense, err := copyForeign(ctx, x)
	if err != nil {
		return Matrix{}, err
	}
	return checkDense(ctx, dense)
}

func readCSR(ctx context.Context, x *sparse.CSR) (Matrix, error) {
	if err := CheckCSR(ctx, x); err != nil {
		return Matrix{}, err
	}
	m, joined := Compact(x, Sum)
	for i := 0; joined > 0 && i < m.Rows; i++ {
		cols, vals := m.Row(i)
		for q, v := range vals {
			if math.IsInf(v, 0) {
				return Matrix{}, wrong(NotFinite, "entries at row %d, column %d add up to %v", i, cols[q], v)
			}
		}
	}
	return Matrix{Rows: m.Rows, Cols: m.Cols, Sparse: m}, ctx.Err()
}

// toCSR converts the other sparse formats. The code is not ours: should it
// panic, on a nil matrix or bad indices, the caller gets an error.
func toCSR(x interface{ ToCSR() *sparse.CSR }) (a *sparse.CSR, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = wrong(Shape, "converting the %T panicked: %v", x, r)
		}
	}()
	return x.ToCSR(), nil
}

// copyForeign reads any other matrix entry by entry, guarded as toCSR is.
func copyForeign(ctx context.Context, x mat.Matrix) (p blas64.General, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = wrong(Shape, "reading the %T panicked: %v", x, r)
		}
	}()
	r, c := x.Dims()
	if r < 0 || c < 0 || c > 0 && float64(r)*float64(c) > math.MaxInt32*8 {
		return p, wrong(TooLarge, "a dense copy of %d × %d; give a *sparse.CSR", r, c)
	}
	p = kernel.Dense(r, c)
	for i := range r {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		for j := range c {
			p.Data[i*c+j] = x.At(i, j)
		}
	}
	return p, nil
}

// rowsAtOnce is how many rows are looked at between two looks at the context.
const rowsAtOnce = 256

// checkDense reports the first entry that is not finite.
func checkDense(ctx context.Context, p blas64.General) (Matrix, error) {
	m := Matrix{Rows: p.Rows, Cols: p.Cols, Dense: p}
	bad := make([]error, (p.Rows+rowsAtOnce-1)/rowsAtOnce)
	err := parallel.Ranges(ctx, p.Rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range p.Data[i*p.Stride:][:p.Cols] {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					bad[lo/rowsAtOnce] = wrong(NotFinite, "%v at row %d, column %d", v, i, j)
					return
				}
			}
		}
	})
	if err != nil {
		return m, err
	}
	for _, err := range bad {
		if err != nil {
			return m, err
		}
	}
	return m, nil
}
