package gnn

import (
	"context"
	"math"

	"coles/internal/kernel"
)

// spread tells how the energy of H is spread over its columns: ‖HᵀH/n − I‖²_F/d′, and
// the effective rank of the covariance C = HᵀH/n − h̄h̄ᵀ, (Tr C)²/‖C‖²_F, which is 0
// where there is no energy.
func spread[T kernel.Float](ctx context.Context, h kernel.Matrix[T]) (orthogonality, rank float64, err error) {
	orthogonality, rank, err = momentsOf(ctx, h)
	if err != nil || !math.IsNaN(rank) && !math.IsInf(rank, 0) {
		return orthogonality, rank, err
	}
	// The squares are no numbers any more. The rank is that of H in another unit.
	largest := T(0)
	for _, v := range h.Data {
		largest = max(largest, v, -v)
	}
	_, exponent := math.Frexp(float64(largest))
	small := kernel.Dense[T](h.Rows, h.Cols)
	kernel.Copy(small, h)
	for i := range small.Data {
		small.Data[i] = T(math.Ldexp(float64(small.Data[i]), -exponent))
	}
	_, rank, err = momentsOf(ctx, small)
	return math.Inf(1), rank, err
}

func momentsOf[T kernel.Float](ctx context.Context, h kernel.Matrix[T]) (orthogonality, rank float64, err error) {
	n, d := float64(h.Rows), h.Cols
	gram, release := kernel.Scratch[T](d, d)
	defer release()
	for i := range d {
		clear(gram.Data[i*gram.Stride:][:d])
	}
	if err := kernel.Gram(ctx, 1, h, h, gram); err != nil {
		return 0, 0, err
	}
	mean := make([]float64, d)
	for i := range h.Rows {
		for j, v := range h.Data[i*h.Stride:][:d] {
			mean[j] += float64(v)
		}
	}
	distance, trace, squares := 0.0, 0.0, 0.0
	for i := range d {
		for j, v := range gram.Data[i*gram.Stride:][i:d] {
			g, times := float64(v)/n, 2.0 // the lower triangle is the same
			c := g - mean[i]/n*(mean[i+j]/n)
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
	return distance / float64(d), rank, nil
}
