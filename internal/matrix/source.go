package matrix

import (
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"

	"gonum.org/v1/gonum/mat"
)

// A Source is a checked matrix of finite numbers as it came in: sparse, dense, or dense in float32. It may hold a
// change, to be made to its rows when they are read. It is never written to.
type Source struct {
	sparse *kernel.CSR[float64]    // nil when the matrix is dense
	dense  kernel.Matrix[float64]  // set when sparse and single are nil
	single *kernel.Matrix[float32] // nil unless the matrix is one of float32
	picked []int32                 // the columns of dense numbers that are read; nil for all

	change func(cols []int32, vals []float64) // of every row, in place; nil for none
	filled bool                               // change takes and makes all entries of a row
}

// Changed is the matrix with its rows changed by a function. The function is given the stored values of a row and
// their columns; if filled, all values, and cols is nil. The function is called by several goroutines at once.
func (s *Source) Changed(filled bool, change func(cols []int32, vals []float64)) *Source {
	out := *s
	before := s.change
	if before == nil {
		out.change = change
	} else {
		out.change = func(cols []int32, vals []float64) {
			before(cols, vals)
			change(cols, vals)
		}
	}
	out.filled = s.filled || filled
	return &out
}

// Dims returns the numbers of rows and columns.
func (s *Source) Dims() (rows, cols int) {
	rows, cols = s.dense.Rows, s.dense.Cols
	switch {
	case s.sparse != nil:
		return s.sparse.Rows, s.sparse.Cols
	case s.single != nil:
		rows, cols = s.single.Rows, s.single.Cols
	}
	if s.picked != nil {
		cols = len(s.picked)
	}
	return rows, cols
}

// Rows is the number of rows.
func (s *Source) Rows() int { r, _ := s.Dims(); return r }

// Cols is the number of columns.
func (s *Source) Cols() int { _, c := s.Dims(); return c }

// Sparse reports whether rows have stored entries only.
func (s *Source) Sparse() bool { return s.sparse != nil && !s.filled }

// NNZ is the number of stored entries of a sparse matrix, 0 of a dense one.
func (s *Source) NNZ() int {
	if !s.Sparse() {
		return 0
	}
	return s.sparse.NNZ()
}

// At returns an entry. With T and Dims it makes a Source a [mat.Matrix], so that a matrix that has been checked goes
// from one package of this module to another without another check.
func (s *Source) At(i, j int) float64 {
	v := 0.0
	s.Each(i, i+1, func(_ int, cols []int32, vals []float64) {
		if !s.Sparse() {
			v = vals[j]
			return
		}
		for q, c := range cols {
			if int(c) == j {
				v = vals[q]
			}
		}
	})
	return v
}

// DoRowNonZero calls do with the entries of row i that are not zero: it is a [mat.RowNonZeroDoer].
func (s *Source) DoRowNonZero(i int, do func(i, j int, v float64)) {
	s.Each(i, i+1, func(_ int, cols []int32, vals []float64) {
		for q, v := range vals {
			if v != 0 {
				do(i, Column(cols, q), v)
			}
		}
	})
}

// T is the transpose, a view.
func (s *Source) T() mat.Matrix { return mat.Transpose{Matrix: s} }

// Each calls visit with the stored entries of the rows lo to hi: their columns, nil where all are
// stored, and values, not to be written to.
func (s *Source) Each(lo, hi int, visit func(i int, cols []int32, vals []float64)) {
	var buf []float64
	for i := lo; i < hi; i++ {
		if s.Sparse() {
			cols, vals := s.sparse.Row(i)
			if s.change != nil {
				buf = append(buf[:0], vals...)
				s.change(cols, buf)
				vals = buf
			}
			visit(i, cols, vals)
			continue
		}
		if s.sparse == nil && s.single == nil && !s.made() {
			visit(i, nil, s.dense.Row(i))
			continue
		}
		if buf == nil {
			buf = make([]float64, s.Cols())
		}
		s.load(buf, i)
		visit(i, nil, buf)
	}
}

// load writes row i into buf, absent entries as zeros, and changes it.
func (s *Source) load(buf []float64, i int) {
	switch {
	case s.picked != nil:
		for q, j := range s.picked {
			if s.single != nil {
				buf[q] = float64(s.single.Data[i*s.single.Stride+int(j)])
			} else {
				buf[q] = s.dense.Data[i*s.dense.Stride+int(j)]
			}
		}
	case s.sparse != nil:
		clear(buf)
		cols, vals := s.sparse.Row(i)
		for q, j := range cols {
			buf[j] = vals[q]
		}
	case s.single != nil:
		for j, v := range s.single.Data[i*s.single.Stride:][:len(buf)] {
			buf[j] = float64(v)
		}
	default:
		copy(buf, s.dense.Data[i*s.dense.Stride:][:len(buf)])
	}
	if s.change != nil {
		s.change(nil, buf)
	}
}

// Largest is the largest magnitude of an entry.
func (s *Source) Largest(ctx context.Context) (float64, error) {
	return largest(ctx, s.Rows(), func(lo, hi int) (most float64) {
		s.Each(lo, hi, func(_ int, _ []int32, vals []float64) { most = max(most, Magnitude(vals)) })
		return most
	})
}

// Thin is a dense matrix without its zeros, a sparse one as it is.
func (s *Source) Thin(ctx context.Context) (*Source, error) {
	if s.Sparse() {
		return s, ctx.Err()
	}
	a, err := fromRows(ctx, s.Rows(), s.Cols(), func(lo, hi int, put func(i int, j int32, v float64)) {
		s.Each(lo, hi, func(i int, _ []int32, vals []float64) {
			for j, v := range vals {
				if v != 0 {
					put(i, int32(j), v)
				}
			}
		})
	})
	return &Source{sparse: a}, err
}

// made reports whether rows are made when they are read.
func (s *Source) made() bool { return s.change != nil || s.picked != nil }

// Pick is the matrix of some columns, ascending: a view of one that is dense and as it came in, else the entries that are not zero.
func (s *Source) Pick(ctx context.Context, columns []int32) (*Source, error) {
	if s.sparse == nil && !s.made() {
		out := *s
		out.picked = columns
		return &out, ctx.Err()
	}
	a, err := fromRows(ctx, s.Rows(), len(columns), func(lo, hi int, put func(i int, j int32, v float64)) {
		s.Each(lo, hi, func(i int, cols []int32, vals []float64) {
			for q, v := range vals {
				if j, ok := slices.BinarySearch(columns, int32(Column(cols, q))); ok && v != 0 {
					put(i, int32(j), v)
				}
			}
		})
	})
	return &Source{sparse: a}, err
}

// SourceOf is a checked matrix as a Source.
func SourceOf(m *Matrix[float64]) *Source { return &Source{sparse: m.Sparse, dense: m.Dense} }

// As is the matrix, changed, in numbers of type T: a view where it is that already.
func As[T kernel.Float](ctx context.Context, s *Source) (*Matrix[T], error) {
	if s.made() || s.filled && s.sparse != nil {
		return changedAs[T](ctx, s)
	}
	switch {
	case s.sparse != nil:
		return &Matrix[T]{Sparse: ConvertCSR[T](s.sparse)}, ctx.Err()
	case s.single != nil:
		return convert[T](ctx, *s.single)
	}
	return convert[T](ctx, s.dense)
}

// changedAs writes the changed rows into new storage.
func changedAs[T kernel.Float](ctx context.Context, s *Source) (*Matrix[T], error) {
	m := &Matrix[T]{Owned: true}
	if s.Sparse() {
		a := s.sparse
		vals, err := unset[T](scratch.Of(ctx), a.NNZ())
		if err != nil {
			return nil, err
		}
		m.Sparse = &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: vals}
	} else {
		if err := CheckSize(s.Dims()); err != nil {
			return nil, err
		}
		var err error
		if m.Dense, err = DenseIn[T](ctx, s.Rows(), s.Cols()); err != nil {
			return nil, err
		}
	}
	return m, parallel.Rows(ctx, s.Rows(), func(lo, hi int) {
		s.Each(lo, hi, func(i int, _ []int32, vals []float64) {
			_, to := m.Row(i)
			for q, v := range vals {
				to[q] = T(v)
			}
		})
	})
}
