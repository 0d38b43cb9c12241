package matrix

import (
	"context"
	"slices"

	"coles/internal/kernel"
)

// WithRoom is a copy of m to which rows may be added: see [Matrix.Append]. A dense copy has room for an eighth more: otherwise
// the first row added would copy all.
func (m *Matrix[T]) WithRoom(ctx context.Context) (*Matrix[T], error) {
	if a := m.Sparse; a != nil {
		return &Matrix[T]{Owned: true, Sparse: &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}}, ctx.Err()
	}
	n, d := m.Dims()
	room := kernel.Unset[T](n+n/8, d)
	out := kernel.Matrix[T]{Rows: n, Cols: d, Stride: d, Data: room.Data[:n*d]}
	return &Matrix[T]{Owned: true, Dense: out}, kernel.Convert(ctx, out, m.Dense)
}

// Append adds copies of rows to a matrix made by [Matrix.WithRoom], which stays sparse or dense as
// it is.
func (m *Matrix[T]) Append(rows *Matrix[T]) {
	for i := range rows.Rows() {
		cols, vals := rows.Row(i)
		if a := m.Sparse; a != nil {
			for q, v := range vals {
				if v != 0 {
					a.Col, a.Val = append(a.Col, int32(Column(cols, q))), append(a.Val, v)
				}
			}
			a.Ptr = append(a.Ptr, int64(len(a.Col)))
			a.Rows++
			continue
		}
		m.AppendZeros(1)
		rows.AddRow(m.Dense.Data[(m.Dense.Rows-1)*m.Dense.Stride:], i, 1)
	}
}

// AppendZeros adds rows of zeros to a dense matrix made by [Matrix.WithRoom].
func (m *Matrix[T]) AppendZeros(rows int) {
	m.Dense.Data = append(m.Dense.Data, make([]T, rows*m.Dense.Cols)...)
	m.Dense.Rows += rows
}

// Truncate leaves the first rows of a matrix made by [Matrix.WithRoom].
func (m *Matrix[T]) Truncate(rows int) {
	if a := m.Sparse; a != nil {
		end := a.Ptr[rows]
		a.Rows, a.Ptr, a.Col, a.Val = rows, a.Ptr[:rows+1], a.Col[:end], a.Val[:end]
		return
	}
	m.Dense.Rows, m.Dense.Data = rows, m.Dense.Data[:rows*m.Dense.Cols]
}

// SetRow replaces row i of a matrix made by [Matrix.WithRoom] by a dense one. In a sparse matrix all entries behind it
// move.
func (m *Matrix[T]) SetRow(i int, row []T) {
	a := m.Sparse
	if a == nil {
		copy(m.Dense.Row(i), row)
		return
	}
	var cols []int32
	var vals []T
	for j, v := range row {
		if v != 0 {
			cols, vals = append(cols, int32(j)), append(vals, v)
		}
	}
	from, to := a.Ptr[i], a.Ptr[i+1]
	a.Col, a.Val = slices.Replace(a.Col, int(from), int(to), cols...), slices.Replace(a.Val, int(from), int(to), vals...)
	for k := i + 1; k < len(a.Ptr); k++ {
		a.Ptr[k] += int64(len(cols)) - (to - from)
	}
}
