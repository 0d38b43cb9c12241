package coles

import (
	"context"
	"slices"

	"coles/internal/input"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// features is a checked feature matrix X, sparse or dense, never written to.
type features struct {
	sparse *kernel.CSR    // nil when the matrix is dense
	dense  blas64.General // set when sparse is nil
	flip   *kernel.CSR    // sparse transposed, made when first needed
}

// readFeatures checks a matrix from outside and takes the form the kernels
// read. A *mat.Dense is viewed, everything else copied.
func readFeatures(ctx context.Context, x mat.Matrix) (*features, error) {
	if w, ok := x.(*SymCSR); ok {
		return &features{sparse: w.matrix()}, nil
	}
	m, err := input.Read(ctx, x)
	if err != nil {
		return nil, inputError("features", err)
	}
	return &features{sparse: m.Sparse, dense: m.Dense}, nil
}

func (f *features) rows() int {
	if f.sparse != nil {
		return f.sparse.Rows
	}
	return f.dense.Rows
}

func (f *features) cols() int {
	if f.sparse != nil {
		return f.sparse.Cols
	}
	return f.dense.Cols
}

// matrix returns the features as the public doors give them.
func (f *features) matrix() mat.Matrix {
	if f.sparse != nil {
		return exportCSR(f.sparse)
	}
	return denseOf(f.dense)
}

// panel returns the features as a dense matrix: a view where they are dense
// already, so not to be written to.
func (f *features) panel() blas64.General {
	if f.sparse == nil {
		return f.dense
	}
	p := kernel.Dense(f.sparse.Rows, f.sparse.Cols)
	f.addTo(context.Background(), p, 1)
	return p
}

// addTo adds c·X to a dense matrix.
func (f *features) addTo(ctx context.Context, y blas64.General, c float64) error {
	if c == 0 {
		return ctx.Err()
	}
	return parallel.Ranges(ctx, y.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.Data[i*y.Stride:][:y.Cols]
			if f.sparse == nil {
				addScaled(row, c, f.dense.Data[i*f.dense.Stride:][:y.Cols])
				continue
			}
			cols, vals := f.sparse.Row(i)
			for q, j := range cols {
				row[j] += c * vals[q]
			}
		}
	})
}

// columns returns the columns [lo, hi): a view of dense features, a copy of
// sparse ones.
func (f *features) columns(lo, hi int) *features {
	if f.sparse == nil {
		return &features{dense: kernel.Columns(f.dense, lo, hi)}
	}
	c := &kernel.CSR{Rows: f.sparse.Rows, Cols: hi - lo, Ptr: make([]int64, f.sparse.Rows+1)}
	for i := range c.Rows {
		cols, vals := f.sparse.Row(i)
		first, _ := slices.BinarySearch(cols, int32(lo))
		last, _ := slices.BinarySearch(cols, int32(hi))
		for _, j := range cols[first:last] {
			c.Col = append(c.Col, j-int32(lo))
		}
		c.Val = append(c.Val, vals[first:last]...)
		c.Ptr[i+1] = int64(len(c.Col))
	}
	return &features{sparse: c}
}

// times sets dst = X·v.
func (f *features) times(ctx context.Context, dst, v blas64.General) error {
	if f.sparse != nil {
		return kernel.SpMM(ctx, dst, f.sparse, v)
	}
	return kernel.Gemm(ctx, false, false, 1, f.dense, v, 0, dst)
}

// transposeTimes sets dst = Xᵀ·u.
func (f *features) transposeTimes(ctx context.Context, dst, u blas64.General) error {
	if f.sparse == nil {
		return kernel.Gemm(ctx, true, false, 1, f.dense, u, 0, dst)
	}
	if f.flip == nil {
		f.flip = f.sparse.Transpose()
	}
	return kernel.SpMM(ctx, dst, f.flip, u)
}

// nonzeros counts the entries that are not zero.
func (f *features) nonzeros(ctx context.Context) int {
	count := 0
	f.each(ctx, func(_, _ int, v float64) bool {
		if v != 0 {
			count++
		}
		return true
	})
	return count
}

// each calls visit for every stored entry in row order until it returns false
// or ctx is done, which is for the caller to notice.
func (f *features) each(ctx context.Context, visit func(i, j int, v float64) bool) {
	for i := range f.rows() {
		if ctx.Err() != nil {
			return
		}
		if f.sparse == nil {
			for j, v := range f.dense.Data[i*f.dense.Stride:][:f.dense.Cols] {
				if !visit(i, j, v) {
					return
				}
			}
			continue
		}
		cols, vals := f.sparse.Row(i)
		for q, j := range cols {
			if !visit(i, int(j), vals[q]) {
				return
			}
		}
	}
}

// thin returns the features in sparse form.
func (f *features) thin(ctx context.Context) *features {
	if f.sparse != nil {
		return f
	}
	nnz := f.nonzeros(ctx)
	c := &kernel.CSR{
		Rows: f.dense.Rows, Cols: f.dense.Cols,
		Ptr: make([]int64, f.dense.Rows+1),
		Col: make([]int32, 0, nnz),
		Val: make([]float64, 0, nnz),
	}
	f.each(ctx, func(i, j int, v float64) bool {
		if v != 0 {
			c.Col, c.Val = append(c.Col, int32(j)), append(c.Val, v)
			c.Ptr[i+1]++
		}
		return true
	})
	for i := range c.Rows {
		c.Ptr[i+1] += c.Ptr[i]
	}
	return &features{sparse: c}
}
