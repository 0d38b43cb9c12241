package matrix

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"sync"

	"coles/internal/door"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// Read checks a matrix from outside. A matrix that shows its numbers is viewed: a *mat.Dense, any matrix of float32
// with a method RawMatrix, a matrix of this module. All others are copied: sparse ones with their rows sorted and
// entries at the same place added up, the rest entry by entry.
//
// Errors: [ErrShape], [ErrIndex], [ErrNotFinite], [ErrTooLarge], naming the place, the error of
// [kernel.Check], and ctx's.
func Read(ctx context.Context, x mat.Matrix) (*Source, error) {
	if err := kernel.Check(); err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(x); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("coles: a nil matrix")
	}
	if own := door.Entries(x); own != nil { // checked when it was made
		return &Source{sparse: own}, ctx.Err()
	}
	switch x := x.(type) {
	case *Source:
		return x, ctx.Err()
	case *mat.Dense:
		dense := kernel.Matrix[float64](x.RawMatrix())
		return &Source{dense: dense}, checkFinite(ctx, dense)
	case interface{ RawMatrix() blas32.General }:
		return readSingle(ctx, x.RawMatrix())
	case *sparse.CSR:
		return readCSR(ctx, x)
	case interface{ ToCSR() *sparse.CSR }:
		return readCSR(ctx, x.ToCSR())
	}
	return readEntries(ctx, x)
}

func readSingle(ctx context.Context, g blas32.General) (*Source, error) {
	m := kernel.Matrix[float32]{Rows: g.Rows, Cols: g.Cols, Data: g.Data, Stride: g.Stride}
	bad := m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols
	if !bad && m.Rows > 0 && m.Cols > 0 {
		bad = len(m.Data) < m.Cols || (len(m.Data)-m.Cols)/m.Stride < m.Rows-1
	}
	if bad {
		return nil, fmt.Errorf("%w: %d numbers for %d × %d in rows of %d", ErrShape, len(m.Data), m.Rows, m.Cols, m.Stride)
	}
	return &Source{single: &m}, checkFinite(ctx, m)
}

func readCSR(ctx context.Context, x *sparse.CSR) (*Source, error) {
	if err := CheckCSR(ctx, x); err != nil {
		return nil, err
	}
	a, joined, err := FromCSR(ctx, x, func(x, y float64) float64 { return x + y })
	if err != nil {
		return nil, err
	}
	if joined > 0 {
		if stored := (kernel.Matrix[float64]{Rows: 1, Cols: len(a.Val), Stride: len(a.Val), Data: a.Val}); checkFinite(ctx, stored) != nil {
			return nil, fmt.Errorf("%w: entries at the same place add up to infinity", ErrNotFinite)
		}
	}
	return &Source{sparse: a}, ctx.Err()
}

// readEntries copies any other matrix entry by entry.
func readEntries(ctx context.Context, x mat.Matrix) (*Source, error) {
	r, c := x.Dims()
	if r < 0 || c < 0 || c > 0 && float64(r)*float64(c) > min(math.MaxInt32*8, math.MaxInt/8) {
		return nil, fmt.Errorf("%w: a dense copy of %d × %d; give a *sparse.CSR", ErrTooLarge, r, c)
	}
	dense := kernel.Unset[float64](r, c)
	for i := range r {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := range c {
			dense.Data[i*c+j] = x.At(i, j)
		}
	}
	return &Source{dense: dense}, checkFinite(ctx, dense)
}

// CheckCSR verifies a sparse matrix: sparse.NewCSR checks nothing, and its own kernels read out of
// bounds on a bad index. Errors: as [Read].
func CheckCSR(ctx context.Context, a *sparse.CSR) error {
	m := a.RawMatrix()
	if m.I < 0 || m.J < 0 || len(m.Indptr) != m.I+1 {
		return fmt.Errorf("%w: %d row pointers for %d rows", ErrShape, len(m.Indptr), m.I)
	}
	if m.I > math.MaxInt32 || m.J > math.MaxInt32 {
		return fmt.Errorf("%w: %d × %d, at most %d rows and columns", ErrTooLarge, m.I, m.J, math.MaxInt32)
	}
	if m.Indptr[0] != 0 || m.Indptr[m.I] > len(m.Ind) || m.Indptr[m.I] > len(m.Data) {
		return fmt.Errorf("%w: row pointers run from %d to %d over %d indices and %d values", ErrShape, m.Indptr[0], m.Indptr[m.I], len(m.Ind), len(m.Data))
	}
	for i := range m.I {
		if m.Indptr[i+1] < m.Indptr[i] {
			return fmt.Errorf("%w: row pointers descend at row %d", ErrShape, i)
		}
	}
	return firstOf(ctx, m.I, func(i int) error {
		for q := m.Indptr[i]; q < m.Indptr[i+1]; q++ {
			if j := m.Ind[q]; j < 0 || j >= m.J {
				return fmt.Errorf("%w: column %d in row %d of a matrix with %d columns", ErrIndex, j, i, m.J)
			}
			if v := m.Data[q]; v-v != 0 {
				return fmt.Errorf("%w: %v at row %d, column %d", ErrNotFinite, v, i, m.Ind[q])
			}
		}
		return nil
	})
}

// checkFinite reports the first entry that is not finite.
func checkFinite[T kernel.Float](ctx context.Context, p kernel.Matrix[T]) error {
	return firstOf(ctx, p.Rows, func(i int) error {
		for j, v := range p.Row(i) {
			if v-v != 0 { // NaN or infinite
				return fmt.Errorf("%w: %v at row %d, column %d", ErrNotFinite, v, i, j)
			}
		}
		return nil
	})
}

// firstOf returns the error of the first row that has one.
func firstOf(ctx context.Context, rows int, check func(i int) error) error {
	var mutex sync.Mutex
	first, found := rows, error(nil)
	err := parallel.Rows(ctx, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if err := check(i); err != nil {
				mutex.Lock()
				if i < first {
					first, found = i, err
				}
				mutex.Unlock()
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return found
}
