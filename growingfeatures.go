package coles

import (
	"context"
	"slices"

	"coles/internal/kernel"
)

// growingFeatures are prepared features whose rows become more, sparse as long as all
// of them came sparse.
type growingFeatures struct {
	rows, cols int
	sparse     *kernel.CSR[float64] // nil when dense
	dense      []float64
}

// newGrowingFeatures copies the first rows.
func newGrowingFeatures(ctx context.Context, s *signal[float64]) (growingFeatures, error) {
	f := growingFeatures{rows: s.rows(), cols: s.cols()}
	if a := s.sparse; a != nil {
		f.sparse = &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
		return f, ctx.Err()
	}
	var err error
	f.dense, err = withRoom(ctx, s.dense)
	return f, err
}

// withRoom is a copy of the rows of a matrix, with room for an eighth more: the first to come
// would otherwise have all of them copied.
func withRoom(ctx context.Context, a kernel.Matrix[float64]) ([]float64, error) {
	room := kernel.Unset[float64](a.Rows+a.Rows/8, a.Cols)
	return room.Data[:a.Rows*a.Cols], kernel.Convert(ctx, kernel.Rows(room, 0, a.Rows), a)
}

// append adds rows, which are copied. Rows of the other kind make all of them dense, or are
// made sparse.
func (f *growingFeatures) append(s *signal[float64]) {
	for i := range s.rows() {
		if f.sparse == nil {
			f.dense = append(f.dense, make([]float64, f.cols)...)
			s.addRow(f.dense[f.rows*f.cols:], i, 1)
		} else {
			f.appendSparse(s, i)
		}
		f.rows++
	}
}

func (f *growingFeatures) appendSparse(s *signal[float64], i int) {
	a := f.sparse
	if s.sparse != nil {
		cols, vals := s.sparse.Row(i)
		a.Col, a.Val = append(a.Col, cols...), append(a.Val, vals...)
	} else {
		for j, v := range s.dense.Data[i*s.dense.Stride:][:f.cols] {
			if v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
	}
	a.Ptr = append(a.Ptr, int64(len(a.Col)))
	a.Rows++
}

// truncate leaves the first rows.
func (f *growingFeatures) truncate(rows int) {
	if f.sparse != nil {
		end := f.sparse.Ptr[rows]
		f.sparse.Rows, f.sparse.Ptr = rows, f.sparse.Ptr[:rows+1]
		f.sparse.Col, f.sparse.Val = f.sparse.Col[:end], f.sparse.Val[:end]
	} else {
		f.dense = f.dense[:rows*f.cols]
	}
	f.rows = rows
}

// signal is a view of all rows.
func (f *growingFeatures) signal() *signal[float64] {
	if f.sparse != nil {
		view := *f.sparse
		return &signal[float64]{sparse: &view}
	}
	return &signal[float64]{dense: kernel.Matrix[float64]{Rows: f.rows, Cols: f.cols, Stride: f.cols, Data: f.dense}}
}

func (f *growingFeatures) shape() featureShape { return f.signal().shape() }
