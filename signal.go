package coles

import (
	"context"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// signal is a matrix whose columns are signals on the nodes, sparse or dense,
// in the numbers that are computed with; never written to.
type signal[T kernel.Float] struct {
	sparse *kernel.CSR[T]   // nil when the matrix is dense
	dense  kernel.Matrix[T] // set when sparse is nil
	flip   *kernel.CSR[T]   // sparse transposed, made when first needed
	owned  bool             // dense is storage of the signal's own
}

// signalOf gives features as numbers of type T: a view if they are that
// already.
func signalOf[T kernel.Float](ctx context.Context, f *features) (*signal[T], error) {
	if f.sparse != nil {
		return &signal[T]{sparse: csrOf[T](f.sparse)}, ctx.Err()
	}
	if f.single != nil {
		return viewOrConvert[T](ctx, *f.single)
	}
	return viewOrConvert[T](ctx, f.dense)
}

func viewOrConvert[T, S kernel.Float](ctx context.Context, a kernel.Matrix[S]) (*signal[T], error) {
	if same, ok := any(a).(kernel.Matrix[T]); ok {
		return &signal[T]{dense: same}, ctx.Err()
	}
	out := kernel.Unset[T](a.Rows, a.Cols)
	return &signal[T]{dense: out, owned: true}, kernel.Convert(ctx, out, a)
}

// widened is the signal in float64.
func widened[T kernel.Float](ctx context.Context, s *signal[T]) (*signal[float64], error) {
	if s.sparse != nil {
		return &signal[float64]{sparse: csrOf[float64](s.sparse)}, ctx.Err()
	}
	return viewOrConvert[float64](ctx, s.dense)
}

// csrOf gives a sparse matrix as one of type T, itself if it is one already.
func csrOf[T, S kernel.Float](a *kernel.CSR[S]) *kernel.CSR[T] {
	if same, ok := any(a).(*kernel.CSR[T]); ok {
		return same
	}
	return kernel.ConvertCSR[T](a)
}

func (s *signal[T]) rows() int {
	if s.sparse != nil {
		return s.sparse.Rows
	}
	return s.dense.Rows
}

func (s *signal[T]) cols() int {
	if s.sparse != nil {
		return s.sparse.Cols
	}
	return s.dense.Cols
}

// largest is the largest magnitude in some rows.
func (s *signal[T]) largest(lo, hi int) float64 {
	if s.sparse != nil {
		return magnitude(s.sparse.Val[s.sparse.Ptr[lo]:s.sparse.Ptr[hi]])
	}
	largest := 0.0
	for i := lo; i < hi; i++ {
		largest = max(largest, magnitude(s.dense.Data[i*s.dense.Stride:][:s.dense.Cols]))
	}
	return largest
}

// squares is the sum of the squares of all entries.
func (s *signal[T]) squares(ctx context.Context) (float64, error) {
	sum, err := sumRows(ctx, s.rows(), 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			var row []T
			if s.sparse != nil {
				_, row = s.sparse.Row(i)
			} else {
				row = s.dense.Data[i*s.dense.Stride:][:s.dense.Cols]
			}
			for _, v := range row {
				sum[0] += float64(v) * float64(v)
			}
		}
	})
	return sum[0], err
}

// shape is what the memory of a fit depends on.
func (s *signal[T]) shape() featureShape {
	shape := featureShape{rows: s.rows(), cols: s.cols(), sparse: s.sparse != nil}
	if shape.sparse {
		shape.nonzeros = s.sparse.NNZ()
	}
	return shape
}

// panel returns the signal as a dense matrix: a view where it is dense
// already, so not to be written to.
func (s *signal[T]) panel(ctx context.Context) (kernel.Matrix[T], error) {
	if s.sparse == nil {
		return s.dense, ctx.Err()
	}
	if err := checkPanel(s.sparse.Rows, s.sparse.Cols); err != nil {
		return kernel.Matrix[T]{}, err
	}
	p := kernel.Unset[T](s.sparse.Rows, s.sparse.Cols)
	if err := clearPanel(ctx, p); err != nil {
		return p, err
	}
	return p, s.addTo(ctx, p, 1)
}

// addTo adds c·X to a dense matrix.
func (s *signal[T]) addTo(ctx context.Context, y kernel.Matrix[T], c T) error {
	if c == 0 {
		return ctx.Err()
	}
	return eachBlock(ctx, y.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s.addRow(y.Data[i*y.Stride:][:y.Cols], i, c)
		}
	})
}

// addRow adds c times row i of X to a row.
func (s *signal[T]) addRow(row []T, i int, c T) {
	if s.sparse == nil {
		for j, v := range s.dense.Data[i*s.dense.Stride:][:len(row)] {
			row[j] += c * v
		}
		return
	}
	cols, vals := s.sparse.Row(i)
	for q, j := range cols {
		row[j] += c * vals[q]
	}
}

// columns returns the columns [lo, hi): a view of a dense signal, a copy of a
// sparse one.
func (s *signal[T]) columns(lo, hi int) *signal[T] {
	if s.sparse == nil {
		return &signal[T]{dense: kernel.Columns(s.dense, lo, hi)}
	}
	c := &kernel.CSR[T]{Rows: s.sparse.Rows, Cols: hi - lo, Ptr: make([]int64, s.sparse.Rows+1)}
	for i := range c.Rows {
		cols, vals := s.sparse.Row(i)
		first, _ := slices.BinarySearch(cols, int32(lo))
		last, _ := slices.BinarySearch(cols, int32(hi))
		for _, j := range cols[first:last] {
			c.Col = append(c.Col, j-int32(lo))
		}
		c.Val = append(c.Val, vals[first:last]...)
		c.Ptr[i+1] = int64(len(c.Col))
	}
	return &signal[T]{sparse: c}
}

// times sets dst = X·v.
func (s *signal[T]) times(ctx context.Context, dst, v kernel.Matrix[T]) error {
	if s.sparse != nil {
		return kernel.SpMM(ctx, dst, s.sparse, v)
	}
	return kernel.Gemm(ctx, false, false, 1, s.dense, v, 0, dst)
}

// transposeTimes sets dst = Xᵀ·u.
func (s *signal[T]) transposeTimes(ctx context.Context, dst, u kernel.Matrix[T]) error {
	if s.sparse == nil {
		return kernel.Gemm(ctx, true, false, 1, s.dense, u, 0, dst)
	}
	if s.flip == nil {
		s.flip = s.sparse.Transpose()
	}
	return kernel.SpMM(ctx, dst, s.flip, u)
}

// hop sets dst = W·y + c·X.
func (s *signal[T]) hop(ctx context.Context, dst kernel.Matrix[T], w *kernel.CSR[T], y kernel.Matrix[T], c T) error {
	if s.sparse == nil && c != 0 {
		return kernel.SpMMAdd(ctx, dst, w, y, c, s.dense)
	}
	if err := kernel.SpMM(ctx, dst, w, y); err != nil {
		return err
	}
	return s.addTo(ctx, dst, c)
}

// exported is the signal in the form that public functions give, in storage of its own.
func exported(ctx context.Context, s *signal[float64]) (mat.Matrix, error) {
	switch {
	case s.sparse != nil:
		return exportCSR(s.sparse), ctx.Err()
	case s.owned:
		return denseOf(s.dense), ctx.Err()
	}
	own := kernel.Unset[float64](s.dense.Rows, s.dense.Cols)
	return denseOf(own), kernel.Convert(ctx, own, s.dense)
}

func clearPanel[T kernel.Float](ctx context.Context, p kernel.Matrix[T]) error {
	return parallel.Ranges(ctx, p.Rows, 1024, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			clear(p.Data[i*p.Stride:][:p.Cols])
		}
	})
}
