package coles

import (
	"context"

	"coles/internal/input"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

// features is a checked feature matrix X as it came in, never written to:
// sparse, dense, or dense in float32.
type features struct {
	sparse *kernel.CSR[float64]    // nil when the matrix is dense
	dense  kernel.Matrix[float64]  // set when sparse and single are nil
	single *kernel.Matrix[float32] // nil unless the matrix is a [Dense32]
}

// readFeatures checks a matrix from outside. A *mat.Dense and a *Dense32 are
// viewed, everything else copied.
func readFeatures(ctx context.Context, x mat.Matrix) (*features, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	if w, ok := x.(*SymCSR); ok && w != nil {
		return &features{sparse: w.matrix()}, nil
	}
	m, err := input.Read(ctx, x)
	if err != nil {
		return nil, inputError("features", err)
	}
	return &features{sparse: m.Sparse, dense: m.Dense, single: m.Single}, nil
}

func (f *features) rows() int {
	switch {
	case f.sparse != nil:
		return f.sparse.Rows
	case f.single != nil:
		return f.single.Rows
	}
	return f.dense.Rows
}

func (f *features) cols() int {
	switch {
	case f.sparse != nil:
		return f.sparse.Cols
	case f.single != nil:
		return f.single.Cols
	}
	return f.dense.Cols
}

// load writes row i into buf, absent entries as zeros.
func (f *features) load(buf []float64, i int) {
	switch {
	case f.sparse != nil:
		clear(buf)
		cols, vals := f.sparse.Row(i)
		for q, j := range cols {
			buf[j] = vals[q]
		}
	case f.single != nil:
		for j, v := range f.single.Data[i*f.single.Stride:][:len(buf)] {
			buf[j] = float64(v)
		}
	default:
		copy(buf, f.dense.Data[i*f.dense.Stride:][:len(buf)])
	}
}

// eachRow calls visit with the stored entries of the rows lo to hi: their
// columns, nil where all are stored, and values, not to be written to.
func (f *features) eachRow(lo, hi int, visit func(i int, cols []int32, vals []float64)) {
	var buf []float64
	if f.single != nil {
		buf = make([]float64, f.single.Cols)
	}
	for i := lo; i < hi; i++ {
		switch {
		case f.sparse != nil:
			cols, vals := f.sparse.Row(i)
			visit(i, cols, vals)
		case f.single != nil:
			f.load(buf, i)
			visit(i, nil, buf)
		default:
			visit(i, nil, f.dense.Data[i*f.dense.Stride:][:f.dense.Cols])
		}
	}
}

// largest is the largest magnitude in some rows.
func (f *features) largest(lo, hi int) float64 {
	largest := 0.0
	f.eachRow(lo, hi, func(_ int, _ []int32, vals []float64) { largest = max(largest, magnitude(vals)) })
	return largest
}

// thin returns dense features in sparse form.
func (f *features) thin(ctx context.Context) (*features, error) {
	if f.sparse != nil {
		return f, nil
	}
	c := &kernel.CSR[float64]{Rows: f.rows(), Cols: f.cols(), Ptr: make([]int64, f.rows()+1)}
	if err := eachBlock(ctx, f.rows(), func(lo, hi int) {
		f.eachRow(lo, hi, func(i int, _ []int32, vals []float64) {
			for _, v := range vals {
				if v != 0 {
					c.Ptr[i+1]++
				}
			}
		})
	}); err != nil {
		return nil, err
	}
	for i := range c.Rows {
		c.Ptr[i+1] += c.Ptr[i]
	}
	c.Col, c.Val = make([]int32, c.NNZ()), make([]float64, c.NNZ())
	return &features{sparse: c}, eachBlock(ctx, f.rows(), func(lo, hi int) {
		f.eachRow(lo, hi, func(i int, _ []int32, vals []float64) {
			to := c.Ptr[i]
			for j, v := range vals {
				if v != 0 {
					c.Col[to], c.Val[to] = int32(j), v
					to++
				}
			}
		})
	})
}
