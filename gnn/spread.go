package gnn

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// spread tells how the energy of H is spread over its columns: ‖HᵀH/n − I‖²_F/d′, and
// the effective rank of the covariance C of its rows, (Tr C)²/‖C‖²_F, which is 0 where
// there is no energy. C is that of H less its mean row h̄, in a unit in which squares are
// numbers: the mean may be most of H, and H of any size. HᵀH/n = C + h̄ᵀh̄.
func spread[T kernel.Float](ctx context.Context, h kernel.Matrix[T]) (orthogonality, rank float64, err error) {
	n, d := float64(h.Rows), h.Cols
	mean := meanRow(h)
	centred, release := kernel.Scratch[T](h.Rows, d)
	defer release()
	unit, err := centre(ctx, centred, h, mean)
	if err != nil {
		return 0, 0, err
	}
	gram, release := kernel.Scratch[T](d, d)
	defer release()
	for i := range d {
		clear(gram.Data[i*gram.Stride:][:d])
	}
	if err := kernel.Gram(ctx, 1, centred, centred, gram); err != nil {
		return 0, 0, err
	}
	distance, trace, squares := 0.0, 0.0, 0.0
	for i := range d {
		for j, v := range gram.Data[i*gram.Stride:][i:d] {
			c, times := float64(v)/n, 2.0 // the lower triangle is the same
			g := c*unit*unit + mean[i]*mean[i+j]
			if j == 0 {
				trace += c
				g--
				times = 1
			}
			distance += times * g * g
			squares += times * c * c
		}
	}
	if squares != 0 {
		rank = trace * trace / squares
	}
	if math.IsNaN(distance) { // squares beyond the numbers, of either sign
		distance = math.Inf(1)
	}
	return distance / float64(d), rank, nil
}

func meanRow[T kernel.Float](h kernel.Matrix[T]) []float64 {
	mean := make([]float64, h.Cols)
	for i := range h.Rows {
		for j, v := range h.Data[i*h.Stride:][:h.Cols] {
			mean[j] += float64(v)
		}
	}
	for j := range mean {
		mean[j] /= float64(h.Rows)
	}
	return mean
}

// centre makes dst the rows of h less their mean, divided by unit: a power of two near
// their largest magnitude, or 1 where all are zero.
func centre[T kernel.Float](ctx context.Context, dst, h kernel.Matrix[T], mean []float64) (unit float64, err error) {
	const rows = 128
	largest := make([]float64, (h.Rows+rows-1)/rows) // of each block
	if err := parallel.Ranges(ctx, h.Rows, rows, func(lo, hi int) {
		most := 0.0
		for i := lo; i < hi; i++ {
			for j, v := range h.Data[i*h.Stride:][:h.Cols] {
				most = max(most, math.Abs(float64(v)-mean[j]))
			}
		}
		largest[lo/rows] = most
	}); err != nil {
		return 0, err
	}
	unit = 1
	if most := slices.Max(largest); most > 0 {
		_, exponent := math.Frexp(most)
		unit = math.Ldexp(1, min(max(exponent, -1000), 1000))
	}
	inverse := 1 / unit // of a power of two, exact
	return unit, parallel.Ranges(ctx, h.Rows, rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := dst.Data[i*dst.Stride:][:h.Cols]
			for j, v := range h.Data[i*h.Stride:][:h.Cols] {
				to[j] = T((float64(v) - mean[j]) * inverse)
			}
		}
	})
}
