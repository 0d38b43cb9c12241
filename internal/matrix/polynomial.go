package matrix

import (
	"context"
	"unsafe"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// stripBytes of every row are filtered together: K hops on a strip that fits the cache, and two
// strips of memory instead of a second and a third panel.
const stripBytes = 2048

// StripWidth cuts columns evenly into strips of whole vectors of sixteen.
func StripWidth[T kernel.Float](columns int) int {
	most := stripBytes / int(unsafe.Sizeof(T(0)))
	count := (columns + most - 1) / most
	if count <= 1 {
		return columns
	}
	return ((columns+count-1)/count + 15) &^ 15
}

// Polynomial returns Σₖ coef[k]·Wᵏ·X. The storage is new, or that of a dense X that is owned and
// thereby lost.
func Polynomial[T kernel.Float](ctx context.Context, coef []float64, w *kernel.CSR[T], x *Matrix[T]) (kernel.Matrix[T], error) {
	if err := ctx.Err(); err != nil { // before memory is taken
		return kernel.Matrix[T]{}, err
	}
	n, d := x.Dims()
	if err := CheckSize(n, d); err != nil {
		return kernel.Matrix[T]{}, err
	}
	width := StripWidth[T](d)
	if width == d {
		return Horner(ctx, coef, w, x, kernel.Unset[T](n, d), kernel.Unset[T](n, d))
	}
	y, giveY := kernel.Scratch[T](n, width)
	defer giveY()
	spare, giveSpare := kernel.Scratch[T](n, width)
	defer giveSpare()
	fx := x.Dense
	if !x.Owned || x.Sparse != nil {
		fx = kernel.Unset[T](n, d)
	}
	for lo := 0; lo < d; lo += width {
		hi := min(lo+width, d)
		strip, err := Horner(ctx, coef, w, x.Columns(lo, hi), kernel.Columns(y, 0, hi-lo), kernel.Columns(spare, 0, hi-lo))
		if err != nil {
			return fx, err
		}
		if err := parallel.Rows(ctx, n, func(top, bottom int) {
			kernel.Copy(kernel.View(fx, top, lo, bottom-top, hi-lo), kernel.Rows(strip, top, bottom))
		}); err != nil {
			return fx, err
		}
	}
	return fx, nil
}

// Horner computes [Polynomial] by Horner's rule in one of two panels and returns that one. X must
// not be a view of either.
func Horner[T kernel.Float](ctx context.Context, coef []float64, w *kernel.CSR[T], x *Matrix[T], y, spare kernel.Matrix[T]) (kernel.Matrix[T], error) {
	last := len(coef) - 1
	if err := Clear(ctx, y); err != nil {
		return y, err
	}
	if err := x.AddTo(ctx, y, T(coef[last])); err != nil {
		return y, err
	}
	for k := last - 1; k >= 0; k-- {
		if err := x.AddHop(ctx, spare, w, y, T(coef[k])); err != nil {
			return y, err
		}
		y, spare = spare, y
	}
	return y, nil
}
