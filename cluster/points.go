package cluster

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// points are the rows that are clustered, scaled by a power of two. Those of a dense matrix are
// moved by their mean, which distances do not see but squares and products in T do.
type points[T kernel.Float] struct {
	*matrix.Matrix[T]
	squares  []T     // ‖row‖²
	variance float64 // the mean of the columns'

	scale float64
	mean  []float64 // of the rows, times scale; zero where sparse
}

// newPoints scales the rows to at most about 1.
func newPoints[T kernel.Float](ctx context.Context, f *matrix.Matrix[float64]) (*points[T], error) {
	largest, err := f.Largest(ctx)
	if err != nil {
		return nil, err
	}
	mean, err := given.MeanRow(ctx, f)
	if err != nil {
		return nil, err
	}
	n, d := f.Dims()
	p := &points[T]{squares: make([]T, n), scale: 1, mean: mean}
	if largest > 0 {
		p.scale = math.Ldexp(1, -min(max(math.Ilogb(largest), -1000), 1000))
	}
	matrix.Scale(mean, p.scale)
	if a := f.Sparse; a != nil {
		for _, m := range mean { // the variance is the mean of the squares less the square of the mean
			p.variance -= m * m / float64(d)
		}
		p.mean = make([]float64, d)
		p.Matrix = &matrix.Matrix[T]{Sparse: &kernel.CSR[T]{Rows: n, Cols: d, Ptr: a.Ptr, Col: a.Col, Val: kernel.Unset[T](1, len(a.Val)).Data}}
	} else {
		p.Matrix = matrix.Of(kernel.Unset[T](n, d))
	}
	squares, err := parallel.Sum(ctx, n, 1, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			cols, from := f.Row(i)
			_, to := p.Row(i)
			square := 0.0
			for q, v := range from {
				to[q] = T(v*p.scale - p.mean[matrix.Column(cols, q)])
				square += float64(to[q]) * float64(to[q])
			}
			p.squares[i] = T(square)
			sum[0] += square
		}
	})
	if err != nil {
		return nil, err
	}
	if p.variance += squares[0] / (float64(n) * float64(d)); !matrix.Finite(p.variance) {
		return nil, fmt.Errorf("%w: the mean of the rows overflows", coles.ErrNotFinite)
	}
	return p, nil
}

// addTo adds row i, c times, to a sum.
func (p *points[T]) addTo(sum []float64, i int, c float64) {
	cols, vals := p.Row(i)
	if cols == nil {
		sum = sum[:len(vals)] // once for all entries
		for j, v := range vals {
			sum[j] += c * float64(v)
		}
		return
	}
	for q, j := range cols {
		sum[j] += c * float64(vals[q])
	}
}

// original moves a centre back to where the rows were given.
func (p *points[T]) original(centre, dst []float64) {
	for j, v := range centre {
		dst[j] = (v + p.mean[j]) / p.scale
	}
}
