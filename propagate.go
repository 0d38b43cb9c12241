package coles

import (
	"context"
	"unsafe"

	"coles/internal/kernel"
)

// stripBytes of every row are filtered together: K hops on a strip that fits
// the cache, and two strips of memory instead of a second and a third panel.
const stripBytes = 2048

// stripWidth cuts columns evenly into strips of whole vectors of sixteen.
func stripWidth[T kernel.Float](columns int) int {
	most := stripBytes / int(unsafe.Sizeof(T(0)))
	count := (columns + most - 1) / most
	if count <= 1 {
		return columns
	}
	return ((columns+count-1)/count + 15) &^ 15
}

// filtered returns FX. The storage is new, or that of a dense X which the
// signal owns and thereby loses.
func filtered[T kernel.Float](ctx context.Context, f Filter, w *kernel.CSR[T], x *signal[T]) (kernel.Matrix[T], error) {
	if err := ctx.Err(); err != nil { // before memory is taken
		return kernel.Matrix[T]{}, err
	}
	n, d := x.rows(), x.cols()
	if err := checkPanel(n, d); err != nil {
		return kernel.Matrix[T]{}, err
	}
	width := stripWidth[T](d)
	if width == d {
		return propagate(ctx, f, w, x, kernel.Unset[T](n, d), kernel.Unset[T](n, d))
	}
	y, giveY := kernel.Scratch[T](n, width)
	defer giveY()
	spare, giveSpare := kernel.Scratch[T](n, width)
	defer giveSpare()
	fx := x.dense
	if !x.owned {
		fx = kernel.Unset[T](n, d)
	}
	for lo := 0; lo < d; lo += width {
		hi := min(lo+width, d)
		strip, err := propagate(ctx, f, w, x.columns(lo, hi), kernel.Columns(y, 0, hi-lo), kernel.Columns(spare, 0, hi-lo))
		if err != nil {
			return fx, err
		}
		if err := eachBlock(ctx, n, func(top, bottom int) {
			kernel.Copy(kernel.View(fx, top, lo, bottom-top, hi-lo), kernel.Rows(strip, top, bottom))
		}); err != nil {
			return fx, err
		}
	}
	return fx, nil
}

// propagate computes FX by Horner's rule in one of two panels and returns that
// one. X must not be a view of either.
func propagate[T kernel.Float](ctx context.Context, f Filter, w *kernel.CSR[T], x *signal[T], y, spare kernel.Matrix[T]) (kernel.Matrix[T], error) {
	last := len(f.coef) - 1
	if err := clearPanel(ctx, y); err != nil {
		return y, err
	}
	if err := x.addTo(ctx, y, T(f.coef[last])); err != nil {
		return y, err
	}
	for k := last - 1; k >= 0; k-- {
		if err := x.hop(ctx, spare, w, y, T(f.coef[k])); err != nil {
			return y, err
		}
		y, spare = spare, y
	}
	return y, nil
}
