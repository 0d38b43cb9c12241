package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// scoreRows is how many rows are scored at a time, so that the memory for
// scores does not grow with the matrix.
const scoreRows = 512

// Scores returns w·x + b of every problem for the given rows of x, a row of
// the result for each of them; nil rows means all. The result has as many
// columns as Coef has rows. Cost: rows × d × classes multiplications, or
// entries × classes for sparse x.
//
// Errors: [ErrShape], [ErrCorrupt], [ErrNotFinite], [ErrRow], and ctx.Err().
func (m *LinearModel) Scores(ctx context.Context, x mat.Matrix, rows []int) (*mat.Dense, error) {
	f, err := m.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	n := f.count(rows)
	if n == 0 {
		return &mat.Dense{}, nil
	}
	scores := kernel.Dense[float64](n, len(m.Intercept))
	err = m.eachBlock(ctx, f, rows, func(lo int, block kernel.Matrix[float64]) {
		copy(scores.Data[lo*scores.Stride:], block.Data)
	})
	if err != nil {
		return nil, err
	}
	return mat.NewDense(n, scores.Cols, scores.Data), nil
}

// Predict returns a label for each of the given rows of x; nil rows means all
// of them. It is the class of the largest score, the smallest label among
// equals; with two classes, Classes[1] exactly if the score is positive.
// Cost and errors as for [LinearModel.Scores], without its memory.
func (m *LinearModel) Predict(ctx context.Context, x mat.Matrix, rows []int) ([]int, error) {
	f, err := m.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	return m.predict(ctx, f, rows)
}

// predict is Predict on checked input.
func (m *LinearModel) predict(ctx context.Context, f *features, rows []int) ([]int, error) {
	labels := make([]int, f.count(rows))
	err := m.eachBlock(ctx, f, rows, func(lo int, block kernel.Matrix[float64]) {
		for i := range block.Rows {
			labels[lo+i] = m.decide(block.Data[i*block.Stride : i*block.Stride+block.Cols])
		}
	})
	if err != nil {
		return nil, err
	}
	return labels, nil
}

// input checks the model, which a caller may have put together by hand, and
// the data against it.
func (m *LinearModel) input(ctx context.Context, x mat.Matrix, rows []int) (*features, error) {
	if m == nil {
		return nil, fmt.Errorf("%w: the model is nil", ErrShape)
	}
	problems := len(m.Intercept)
	if m.Coef == nil || m.Coef.IsEmpty() || m.Coef.RawMatrix().Rows != problems ||
		!(len(m.Classes) == problems && problems > 2 || len(m.Classes) == 2 && problems == 1) {
		return nil, fmt.Errorf("%w: the model has %d classes, %d intercepts and coefficients that do not match",
			ErrShape, len(m.Classes), problems)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return nil, err
	}
	if _, d := m.Coef.Dims(); d != f.cols {
		return nil, fmt.Errorf("%w: the model has %d features, the matrix %d columns", ErrShape, d, f.cols)
	}
	return f, f.checkRows(rows, "given")
}

// eachBlock scores consecutive blocks of rows, in parallel, and hands each to
// do with the position of its first row.
func (m *LinearModel) eachBlock(ctx context.Context, f *features, rows []int, do func(lo int, scores kernel.Matrix[float64])) error {
	s := newScorer(f, []*LinearModel{m})
	return s.eachBlock(ctx, f.count(rows), func(lo, hi int) *features {
		if rows == nil {
			return f.slice(lo, hi)
		}
		return f.gather(rows[lo:hi])
	}, do)
}

// scorer holds the coefficients of several models over the same features
// side by side, so that one product scores a block of rows for all of them.
type scorer struct {
	coef      kernel.Matrix[float64] // problems × d; for sparse features d × problems
	intercept []float64
}

func newScorer(f *features, models []*LinearModel) *scorer {
	s := &scorer{}
	for _, m := range models {
		s.intercept = append(s.intercept, m.Intercept...)
	}
	stacked := mat.NewDense(len(s.intercept), f.cols, nil)
	k := 0
	for _, m := range models {
		for i := range m.Intercept {
			stacked.SetRow(k, m.Coef.RawRowView(i))
			k++
		}
	}
	s.coef = kernel.Matrix[float64](stacked.RawMatrix())
	if f.sparse != nil {
		s.coef = kernel.Matrix[float64](mat.DenseCopyOf(stacked.T()).RawMatrix())
	}
	return s
}

// eachBlock scores rows [0, n), block by block. Tasks share nothing but the
// coefficients, so do is called concurrently for disjoint ranges.
func (s *scorer) eachBlock(ctx context.Context, n int, block func(lo, hi int) *features, do func(lo int, scores kernel.Matrix[float64])) error {
	errs := make([]error, (n+scoreRows-1)/scoreRows)
	err := parallel.Ranges(ctx, n, scoreRows, func(lo, hi int) {
		scores, err := s.score(ctx, block(lo, hi))
		if err != nil {
			errs[lo/scoreRows] = err
			return
		}
		do(lo, scores)
	})
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scorer) score(ctx context.Context, f *features) (kernel.Matrix[float64], error) {
	scores := kernel.Dense[float64](f.rows, len(s.intercept))
	var err error
	if f.sparse != nil {
		err = kernel.SpMM(ctx, scores, f.sparse, s.coef)
	} else {
		err = kernel.Gemm(ctx, false, true, 1, f.dense, s.coef, 0, scores)
	}
	if err != nil {
		return scores, err
	}
	for i := range scores.Rows {
		row := scores.Data[i*scores.Stride : i*scores.Stride+scores.Cols]
		for k, b := range s.intercept {
			row[k] += b
			if math.IsNaN(row[k]) || math.IsInf(row[k], 0) {
				return scores, fmt.Errorf("%w: a score overflows", ErrNotFinite)
			}
		}
	}
	return scores, nil
}

// count is the number of rows meant by rows, where nil means all.
func (f *features) count(rows []int) int {
	if rows == nil {
		return f.rows
	}
	return len(rows)
}

// slice is rows [lo, hi) of f, sharing its memory.
func (f *features) slice(lo, hi int) *features {
	g := &features{rows: hi - lo, cols: f.cols}
	if f.sparse == nil {
		g.dense = kernel.View(f.dense, lo, 0, hi-lo, f.cols)
		return g
	}
	first, last := f.sparse.Ptr[lo], f.sparse.Ptr[hi]
	g.sparse = &kernel.CSR[float64]{Rows: hi - lo, Cols: f.cols, Ptr: make([]int64, hi-lo+1),
		Col: f.sparse.Col[first:last], Val: f.sparse.Val[first:last]}
	for i := range g.sparse.Ptr {
		g.sparse.Ptr[i] = f.sparse.Ptr[lo+i] - first
	}
	return g
}

// gather is a copy of the given rows of f.
func (f *features) gather(rows []int) *features {
	g := &features{rows: len(rows), cols: f.cols}
	if f.sparse == nil {
		g.dense = kernel.Dense[float64](len(rows), f.cols)
		for q, i := range rows {
			_, values := f.row(i)
			copy(g.dense.Data[q*f.cols:], values)
		}
		return g
	}
	g.sparse = &kernel.CSR[float64]{Rows: len(rows), Cols: f.cols, Ptr: make([]int64, len(rows)+1)}
	for q, i := range rows {
		cols, values := f.row(i)
		g.sparse.Col = append(g.sparse.Col, cols...)
		g.sparse.Val = append(g.sparse.Val, values...)
		g.sparse.Ptr[q+1] = int64(len(g.sparse.Col))
	}
	return g
}
