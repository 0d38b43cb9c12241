package matrix

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Lengths are the Euclidean lengths of the rows. A length that overflows is an [ErrNotFinite].
func Lengths(ctx context.Context, m *Matrix[float64]) ([]float64, error) {
	lengths := make([]float64, m.Rows())
	err := parallel.EachRow(ctx, len(lengths), func(i int) {
		_, vals := m.Row(i)
		lengths[i] = Length(vals)
	})
	if err != nil {
		return nil, err
	}
	for i, length := range lengths {
		if !Finite(length) {
			return nil, fmt.Errorf("%w: the length of row %d overflows", ErrNotFinite, i)
		}
	}
	return lengths, nil
}

// Unit is a copy of m whose rows have length 1, but for those that are zero, and the lengths that
// they had.
func Unit(ctx context.Context, m *Matrix[float64]) (*Matrix[float64], []float64, error) {
	lengths, err := Lengths(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	u, err := m.like(ctx)
	if err != nil {
		return nil, nil, err
	}
	return u, lengths, parallel.EachRow(ctx, len(lengths), func(i int) {
		_, from := m.Row(i)
		_, to := u.Row(i)
		for q, v := range from {
			to[q] = 0
			if v != 0 { // a zero row stays zero
				to[q] = v / lengths[i]
			}
		}
	})
}

// like is a matrix of the shape, and places of entries, of m, with values to be set.
func (m *Matrix[T]) like(ctx context.Context) (*Matrix[T], error) {
	if a := m.Sparse; a != nil {
		// The pointers of a slice do not begin at zero.
		end := int(a.Ptr[a.Rows])
		return &Matrix[T]{Owned: true, Sparse: &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col[:end], Val: kernel.Unset[T](1, end).Data}}, ctx.Err()
	}
	if err := CheckSize(m.Dims()); err != nil {
		return nil, err
	}
	return &Matrix[T]{Owned: true, Dense: kernel.Unset[T](m.Dims())}, ctx.Err()
}
