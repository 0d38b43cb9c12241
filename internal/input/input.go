// Package input reads matrices that come from outside the module: it checks
// them once, so that everything further in can trust them.
package input

import (
	"context"
	"fmt"
	"math"
	"reflect"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Kind says what is wrong with a matrix. The public packages have errors of
// their own for each.
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
	Sparse     *kernel.CSR[float64]    // nil when the matrix is dense
	Dense      kernel.Matrix[float64]  // set when Sparse and Single are nil
	Single     *kernel.Matrix[float32] // a dense matrix that is float32 already
}

// single is a dense matrix of float32.
type single interface {
	mat.Matrix
	RawMatrix() blas32.General
}

// Read checks a matrix. Dense ones that show what they hold, a *mat.Dense and
// any of float32 with a method RawMatrix, are viewed, everything else copied:
// sparse ones with their rows sorted and entries at the same place added up.
// Errors are an [*Error] or ctx's.
func Read(ctx context.Context, x mat.Matrix) (Matrix, error) {
	if v := reflect.ValueOf(x); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Matrix{}, wrong(Empty, "matrix is nil")
	}
	switch x := x.(type) {
	case *mat.Dense:
		dense := kernel.Matrix[float64](x.RawMatrix())
		return Matrix{Rows: dense.Rows, Cols: dense.Cols, Dense: dense}, checkFinite(ctx, dense)
	case single:
		return readSingle(ctx, x)
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
	return Matrix{Rows: dense.Rows, Cols: dense.Cols, Dense: dense}, checkFinite(ctx, dense)
}

// readSingle views a matrix of float32. Its methods are not ours: should they
// panic, on a nil pointer, or show other sizes than they state, the caller gets
// an error.
func readSingle(ctx context.Context, x single) (m Matrix, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = wrong(Shape, "reading the %T panicked: %v", x, r)
		}
	}()
	rows, cols := x.Dims()
	g := x.RawMatrix()
	raw := kernel.Matrix[float32]{Rows: g.Rows, Cols: g.Cols, Data: g.Data, Stride: g.Stride}
	if raw.Rows != rows || raw.Cols != cols || rows < 0 || cols < 0 || raw.Stride < cols ||
		rows > 0 && cols > 0 && len(raw.Data) < (rows-1)*raw.Stride+cols {
		return m, wrong(Shape, "%T of %d × %d holds %d numbers as %d × %d, %d apart", x, rows, cols, len(raw.Data), raw.Rows, raw.Cols, raw.Stride)
	}
	return Matrix{Rows: rows, Cols: cols, Single: &raw}, checkFinite(ctx, raw)
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
func copyForeign(ctx context.Context, x mat.Matrix) (p kernel.Matrix[float64], err error) {
	defer func() {
		if r := recover(); r != nil {
			err = wrong(Shape, "reading the %T panicked: %v", x, r)
		}
	}()
	r, c := x.Dims()
	if r < 0 || c < 0 || c > 0 && float64(r)*float64(c) > min(math.MaxInt32*8, math.MaxInt/8) {
		return p, wrong(TooLarge, "a dense copy of %d × %d; give a *sparse.CSR", r, c)
	}
	p = kernel.Unset[float64](r, c)
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

// checkFinite reports the first entry that is not finite.
func checkFinite[T kernel.Float](ctx context.Context, p kernel.Matrix[T]) error {
	bad := make([]error, (p.Rows+rowsAtOnce-1)/rowsAtOnce)
	err := parallel.Ranges(ctx, p.Rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for j, v := range p.Data[i*p.Stride:][:p.Cols] {
				if v-v != 0 { // NaN or infinite
					bad[lo/rowsAtOnce] = wrong(NotFinite, "%v at row %d, column %d", v, i, j)
					return
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}
