package coles

import (
	"context"
	"math"

	"coles/internal/kernel"
)

// prepared applies a preparation and gives the result in numbers of type T.
func prepared[T kernel.Float](ctx context.Context, p *Preparer, f *features) (*signal[T], error) {
	x, err := applied[T](ctx, p, f)
	if err != nil {
		return nil, err
	}
	if _, single := any(x).(*signal[float32]); !single {
		return x, nil
	}
	if p.how == PrepareNone { // what vanishes in float32 is seen here only
		if err := checkRange(ctx, f.rows(), f.largest); err != nil {
			return nil, err
		}
	}
	return x, checkRange(ctx, x.rows(), x.largest)
}

func applied[T kernel.Float](ctx context.Context, p *Preparer, f *features) (*signal[T], error) {
	if err := p.refuse(ctx, f); err != nil {
		return nil, err
	}
	switch p.how {
	case PrepareTFIDF:
		f, err := f.thin(ctx)
		if err != nil {
			return nil, err
		}
		return mapRows[T](ctx, f, p.row)
	case PrepareRowL2, PrepareRowL1:
		return mapRows[T](ctx, f, p.row)
	case PrepareStandardize:
		return mapDenseRows[T](ctx, f, p.row)
	}
	return signalOf[T](ctx, f)
}

// row prepares the values of a row in place; cols is nil where all are there.
func (p *Preparer) row(cols []int32, vals []float64) {
	switch p.how {
	case PrepareTFIDF:
		tame(vals)
		for q := range vals {
			vals[q] *= p.weight[cols[q]]
		}
		divide(vals, euclidean(vals))
	case PrepareRowL2:
		tame(vals)
		divide(vals, euclidean(vals))
	case PrepareRowL1:
		tame(vals)
		divide(vals, total(vals))
	case PrepareStandardize:
		for j, v := range vals {
			vals[j] = deviationOf(v, p.mean[j], p.weight[j])
		}
	}
}

func divide(row []float64, length float64) {
	if length > 0 {
		for q := range row {
			row[q] /= length
		}
	}
}

// mapRows changes the stored entries of every row, in new storage.
func mapRows[T kernel.Float](ctx context.Context, f *features, change func(cols []int32, vals []float64)) (*signal[T], error) {
	if f.sparse == nil {
		return mapDenseRows[T](ctx, f, change)
	}
	a := f.sparse
	out := &kernel.CSR[T]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: make([]T, a.NNZ())}
	return &signal[T]{sparse: out}, eachBlock(ctx, a.Rows, func(lo, hi int) {
		var buf []float64
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			buf = append(buf[:0], vals...)
			change(cols, buf)
			_, to := out.Row(i)
			for q, v := range buf {
				to[q] = T(v)
			}
		}
	})
}

// mapDenseRows changes every row as a whole and gives a dense matrix.
func mapDenseRows[T kernel.Float](ctx context.Context, f *features, change func(cols []int32, vals []float64)) (*signal[T], error) {
	if err := checkPanel(f.rows(), f.cols()); err != nil {
		return nil, err
	}
	out := kernel.Unset[T](f.rows(), f.cols())
	return &signal[T]{dense: out, owned: true}, eachBlock(ctx, out.Rows, func(lo, hi int) {
		buf := make([]float64, out.Cols)
		for i := lo; i < hi; i++ {
			f.load(buf, i)
			change(nil, buf)
			for j, v := range buf {
				out.Data[i*out.Stride+j] = T(v)
			}
		}
	})
}

// euclidean is the length of a row, safe from overflow for finite entries.
func euclidean(row []float64) float64 {
	largest, sum := 0.0, 0.0
	for _, v := range row {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return 0
	}
	for _, v := range row {
		sum += v / largest * (v / largest)
	}
	return largest * math.Sqrt(sum)
}

// total sums by halves, so that its rounding grows with the logarithm of the length.
func total(x []float64) float64 {
	const few = 128
	if len(x) > few {
		half := len(x) / 2
		return total(x[:half]) + total(x[half:])
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}
