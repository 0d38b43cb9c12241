package matrix

import (
	"context"

	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/scratch"
)

// FilterParts is [Filter] for data larger than memory. FX is made in a space, in parts of columns that the room has two panels
// for. Each part is read and written once. Without hops it needs no room. An X that is owned is given back. progress is told
// how many parts are done.
func FilterParts[T kernel.Float](ctx context.Context, space *scratch.Space, coef []float64, w Walk[T], x *Matrix[T], room []T, progress func(done, total int)) (Filtered[T], error) {
	n, d := x.Dims()
	width := StripWidth[T](space, n, d)
	if len(coef) > 1 || len(room) > 0 {
		width = min(width, len(room)/2/n)
	}
	f := Filtered[T]{Degrees: w.Pattern, panel: room}
	panel := func(k, width int) kernel.Matrix[T] {
		return kernel.Matrix[T]{Rows: n, Cols: width, Stride: width, Data: room[k*n*width:][:n*width]}
	}
	if err := f.cut(ctx, space, x, width); err != nil {
		return f, err
	}
	if x.Owned && x.Sparse == nil {
		if err := scratch.Release(space, x.Dense.Data); err != nil {
			return f, err
		}
	}
	for k, part := range f.Parts {
		progress(k, len(f.Parts))
		y, spare := part, part
		if len(coef) > 1 {
			y, spare = panel(0, part.Cols), panel(1, part.Cols)
		}
		if err := w.filter(ctx, coef, part, y, spare, f.Factor); err != nil {
			return f, err
		}
	}
	return f, ctx.Err()
}

// cut makes the parts of the columns of X.
func (f *Filtered[T]) cut(ctx context.Context, space *scratch.Space, x *Matrix[T], width int) error {
	n, d := x.Dims()
	for lo := 0; lo < d; lo += width {
		wide := min(width, d-lo)
		data, err := scratch.Make[T](space, n*wide)
		if err != nil {
			return err
		}
		f.Parts = append(f.Parts, kernel.Matrix[T]{Rows: n, Cols: wide, Stride: wide, Data: data})
	}
	return parallel.Rows(ctx, n, func(lo, hi int) {
		row := make([]T, d)
		for i := lo; i < hi; i++ {
			clear(row)
			x.AddRow(row, i, 1)
			for k, part := range f.Parts {
				copy(part.Row(i), row[k*width:])
			}
		}
	})
}
