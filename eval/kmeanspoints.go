package eval

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// points are the rows that are clustered: of a dense matrix scaled by a power
// of two and moved by their mean, which distances do not see but squares and
// products in T do, or of a sparse one scaled only.
type points[T kernel.Float] struct {
	rows, cols int
	dense      kernel.Matrix[T]
	sparse     *kernel.CSR[T]
	squares    []T // ‖row‖²
	variance   float64

	scale float64
	mean  []float64 // of the rows before scaling; zero where sparse
}

func newPoints[T kernel.Float](ctx context.Context, f *features) (*points[T], error) {
	largest, err := f.largest(ctx)
	if err != nil {
		return nil, err
	}
	p := &points[T]{rows: f.rows, cols: f.cols, squares: make([]T, f.rows), scale: 1, mean: make([]float64, f.cols)}
	if largest > 0 {
		p.scale = math.Ldexp(1, -max(math.Ilogb(largest), -1000))
	}
	if f.sparse != nil {
		p.sparse = kernel.ConvertCSR[T](f.sparse)
		p.sparse.Val = make([]T, len(f.sparse.Val))
		for q, v := range f.sparse.Val {
			p.sparse.Val[q] = T(v * p.scale)
		}
	} else {
		if p.mean, err = f.mean(ctx); err != nil {
			return nil, err
		}
		p.dense = kernel.Dense[T](f.rows, f.cols)
	}
	const grain = 1024
	parts := make([]float64, (f.rows+grain-1)/grain)
	err = parallel.Ranges(ctx, f.rows, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if f.sparse == nil {
				row := p.dense.Data[i*f.cols : (i+1)*f.cols]
				_, values := f.row(i)
				for j, v := range values {
					row[j] = T((v - p.mean[j]) * p.scale)
				}
			}
			square := p.square(i)
			p.squares[i] = T(square)
			parts[lo/grain] += square
		}
	})
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		p.variance += part
	}
	p.variance /= float64(f.rows) * float64(f.cols)
	return p, p.subtractMean(ctx, f)
}

// subtractMean makes the mean of squares of a sparse matrix's columns the mean of
// their variances.
func (p *points[T]) subtractMean(ctx context.Context, f *features) error {
	if p.sparse == nil {
		return nil
	}
	mean, err := f.mean(ctx)
	for _, m := range mean {
		p.variance -= (m * p.scale) * (m * p.scale) / float64(p.cols)
	}
	return err
}

// row returns the values of row i, and their columns when sparse.
func (p *points[T]) row(i int) (cols []int32, values []T) {
	if p.sparse != nil {
		return p.sparse.Row(i)
	}
	return nil, p.dense.Data[i*p.cols : (i+1)*p.cols]
}

func (p *points[T]) square(i int) float64 {
	_, values := p.row(i)
	sum := 0.0
	for _, v := range values {
		sum += float64(v) * float64(v)
	}
	return sum
}

// addTo adds row i, c times, to a sum.
func (p *points[T]) addTo(sum []float64, i int, c float64) {
	cols, values := p.row(i)
	if p.sparse != nil {
		for q, j := range cols {
			sum[j] += c * float64(values[q])
		}
		return
	}
	for j, v := range values {
		sum[j] += c * float64(v)
	}
}

// times sets out to the products of rows [lo, hi) with the columns of c.
func (p *points[T]) times(ctx context.Context, lo, hi int, c, out kernel.Matrix[T]) error {
	if p.sparse != nil {
		return kernel.SpMM(ctx, out, p.sparse.Slice(lo, hi), c)
	}
	return kernel.Gemm(ctx, false, false, 1, kernel.Rows(p.dense, lo, hi), c, 0, out)
}

// original moves a centre back to where the rows were given.
func (p *points[T]) original(centre, dst []float64) {
	for j, v := range centre {
		dst[j] = v/p.scale + p.mean[j]
	}
}
