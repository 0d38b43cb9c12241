package matrix

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Matrix is n × d, in compressed rows or dense, in the numbers that are computed with. It is
// never written to.
type Matrix[T kernel.Float] struct {
	Sparse *kernel.CSR[T]   // nil when the matrix is dense
	Dense  kernel.Matrix[T] // set when Sparse is nil
	Owned  bool             // nobody else has the storage

	flip *kernel.CSR[T] // Sparse transposed, made when first needed
}

// Of is a dense matrix as one that may be sparse.
func Of[T kernel.Float](dense kernel.Matrix[T]) *Matrix[T] { return &Matrix[T]{Dense: dense} }

// convert is a dense matrix in numbers of type T, a view if it is that already.
func convert[T, S kernel.Float](ctx context.Context, a kernel.Matrix[S]) (*Matrix[T], error) {
	if same, ok := any(a).(kernel.Matrix[T]); ok {
		return &Matrix[T]{Dense: same}, ctx.Err()
	}
	out, err := DenseIn[T](ctx, a.Rows, a.Cols)
	if err != nil {
		return nil, err
	}
	return &Matrix[T]{Dense: out, Owned: true}, kernel.Convert(ctx, out, a)
}

// Convert is a matrix in numbers of another type, itself if that is the one it has.
func Convert[T, S kernel.Float](ctx context.Context, m *Matrix[S]) (*Matrix[T], error) {
	if m.Sparse != nil {
		return &Matrix[T]{Sparse: ConvertCSR[T](m.Sparse)}, ctx.Err()
	}
	return convert[T](ctx, m.Dense)
}

// ToFloat64 is a dense matrix in float64, itself if it is that.
func ToFloat64[T kernel.Float](ctx context.Context, a kernel.Matrix[T]) (kernel.Matrix[float64], error) {
	m, err := convert[float64](ctx, a)
	return m.Dense, err
}

// Dims returns the numbers of rows and columns.
func (m *Matrix[T]) Dims() (rows, cols int) {
	if m.Sparse != nil {
		return m.Sparse.Rows, m.Sparse.Cols
	}
	return m.Dense.Rows, m.Dense.Cols
}

// Rows is the number of rows.
func (m *Matrix[T]) Rows() int { r, _ := m.Dims(); return r }

// Cols is the number of columns.
func (m *Matrix[T]) Cols() int { _, c := m.Dims(); return c }

// NNZ is the number of stored entries of a sparse matrix, 0 of a dense one.
func (m *Matrix[T]) NNZ() int {
	if m.Sparse == nil {
		return 0
	}
	return m.Sparse.NNZ()
}

// Row is row i: the columns of the stored values, nil where all are stored, and these.
func (m *Matrix[T]) Row(i int) (cols []int32, vals []T) {
	if m.Sparse != nil {
		return m.Sparse.Row(i)
	}
	return nil, m.Dense.Row(i)
}

// Column is the column of the q-th stored value of a row.
func Column(cols []int32, q int) int {
	if cols == nil {
		return q
	}
	return int(cols[q])
}

// Slice is the rows [lo, hi), sharing the storage.
func (m *Matrix[T]) Slice(lo, hi int) *Matrix[T] {
	if m.Sparse == nil {
		return &Matrix[T]{Dense: kernel.Rows(m.Dense, lo, hi)}
	}
	return &Matrix[T]{Sparse: m.Sparse.Slice(lo, hi)}
}

// Gather is a copy of the given rows.
func (m *Matrix[T]) Gather(ctx context.Context, rows []int) (*Matrix[T], error) {
	out := &Matrix[T]{Owned: true}
	if m.Sparse == nil {
		out.Dense = kernel.Unset[T](len(rows), m.Dense.Cols)
	} else {
		a := &kernel.CSR[T]{Rows: len(rows), Cols: m.Sparse.Cols, Ptr: make([]int64, len(rows)+1)}
		for q, i := range rows {
			a.Ptr[q+1] = m.Sparse.Ptr[i+1] - m.Sparse.Ptr[i]
		}
		MakeEntries(a)
		out.Sparse = a
	}
	return out, parallel.EachRow(ctx, len(rows), func(q int) {
		from, vals := m.Row(rows[q])
		to, kept := out.Row(q)
		copy(to, from)
		copy(kept, vals)
	})
}

// Panel is the matrix dense: a view where it is that already, so not to be written to.
func (m *Matrix[T]) Panel(ctx context.Context) (kernel.Matrix[T], error) {
	if m.Sparse == nil {
		return m.Dense, ctx.Err()
	}
	if err := CheckSize(m.Dims()); err != nil {
		return kernel.Matrix[T]{}, err
	}
	p := kernel.Unset[T](m.Dims())
	if err := Clear(ctx, p); err != nil {
		return p, err
	}
	return p, m.AddTo(ctx, p, 1)
}

// AddTo adds c·X to a dense matrix.
func (m *Matrix[T]) AddTo(ctx context.Context, y kernel.Matrix[T], c T) error {
	if c == 0 {
		return ctx.Err()
	}
	return parallel.EachRow(ctx, y.Rows, func(i int) {
		m.AddRow(y.Row(i), i, c)
	})
}

// AddRow adds c times row i to a dense row.
func (m *Matrix[T]) AddRow(row []T, i int, c T) {
	cols, vals := m.Row(i)
	if cols == nil {
		AddScaled(row, c, vals)
		return
	}
	for q, j := range cols {
		row[j] += c * vals[q]
	}
}

// Times sets dst = X·v.
func (m *Matrix[T]) Times(ctx context.Context, dst, v kernel.Matrix[T]) error {
	if m.Sparse != nil {
		return kernel.SpMM(ctx, dst, m.Sparse, v)
	}
	return kernel.Gemm(ctx, false, false, 1, m.Dense, v, 0, dst)
}

// TransposeTimes sets dst = Xᵀ·u. It is not for several goroutines at once.
func (m *Matrix[T]) TransposeTimes(ctx context.Context, dst, u kernel.Matrix[T]) error {
	if m.Sparse == nil {
		return kernel.Gemm(ctx, true, false, 1, m.Dense, u, 0, dst)
	}
	return kernel.SpMM(ctx, dst, m.Flip(), u)
}

// Flip is Xᵀ of a sparse X, made at the first call.
func (m *Matrix[T]) Flip() *kernel.CSR[T] {
	if m.flip == nil {
		m.flip = m.Sparse.Transpose()
	}
	return m.flip
}

// AddHop sets dst = W·y + c·X.
func (m *Matrix[T]) AddHop(ctx context.Context, dst kernel.Matrix[T], w *kernel.CSR[T], y kernel.Matrix[T], c T) error {
	if m.Sparse == nil && c != 0 {
		return kernel.SpMMAdd(ctx, dst, w, y, c, m.Dense)
	}
	if err := kernel.SpMM(ctx, dst, w, y); err != nil {
		return err
	}
	return m.AddTo(ctx, dst, c)
}

// Largest is the largest magnitude of an entry.
func (m *Matrix[T]) Largest(ctx context.Context) (float64, error) {
	return largest(ctx, m.Rows(), func(lo, hi int) (most float64) {
		for i := lo; i < hi; i++ {
			_, vals := m.Row(i)
			most = max(most, Magnitude(vals))
		}
		return most
	})
}

// Squares is the sum of the squares of all entries.
func (m *Matrix[T]) Squares(ctx context.Context) (float64, error) {
	sum, err := parallel.Sum(ctx, m.Rows(), 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, vals := m.Row(i)
			sum[0] += squares(vals)
		}
	})
	return sum[0], err
}

func squares[T kernel.Float](vals []T) float64 {
	var s [4]float64 // which do not wait for each other
	for len(vals) >= 4 {
		a, b, c, d := float64(vals[0]), float64(vals[1]), float64(vals[2]), float64(vals[3])
		s[0], s[1], s[2], s[3] = s[0]+a*a, s[1]+b*b, s[2]+c*c, s[3]+d*d
		vals = vals[4:]
	}
	for _, v := range vals {
		s[0] += float64(v) * float64(v)
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Export is a matrix in a form that public functions give, in new storage.
func Export(ctx context.Context, m *Matrix[float64]) (mat.Matrix, error) {
	switch {
	case m.Sparse != nil:
		return ExportCSR(ctx, m.Sparse)
	case m.Owned:
		return ToDense(m.Dense), ctx.Err()
	}
	own, err := m.copied(ctx)
	return ToDense(own), err
}

// Entries is the mean number of entries of a row that are not 0.
func (m *Matrix[T]) Entries(ctx context.Context) (float64, error) {
	sum, err := parallel.Sum(ctx, m.Rows(), 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			_, row := m.Row(i)
			for _, v := range row {
				if v != 0 {
					sum[0]++
				}
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return sum[0] / float64(m.Rows()), nil
}
