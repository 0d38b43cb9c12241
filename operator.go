package coles

import (
	"context"

	"coles/internal/eigen"
	"coles/internal/kernel"
)

// formed is the operator v ↦ (FX)ᵀ ΔW (FX) v.
func formed[T kernel.Float](fx *signal[T], dw *contrasting[T]) eigen.Operator {
	var u, z panelBuffer[T]
	return inNumbers(func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		u, z := u.sized(fx.rows(), src.Cols), z.sized(fx.rows(), src.Cols)
		if err := fx.times(ctx, u, src); err != nil {
			return err
		}
		if err := dw.apply(ctx, z, u); err != nil {
			return err
		}
		return fx.transposeTimes(ctx, dst, z)
	})
}

// implicit is the operator v ↦ Xᵀ F ΔW F X v. It keeps three n × b panels.
func implicit[T kernel.Float](x *signal[T], w *kernel.CSR[T], f Filter, dw *contrasting[T]) eigen.Operator {
	var u, y, spare panelBuffer[T]
	return inNumbers(func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		n, b := x.rows(), src.Cols
		u, y, spare := u.sized(n, b), y.sized(n, b), spare.sized(n, b)
		if err := x.times(ctx, u, src); err != nil {
			return err
		}
		fu, err := propagate(ctx, f, w, &signal[T]{dense: u}, y, spare)
		if err != nil {
			return err
		}
		if err := dw.apply(ctx, u, fu); err != nil {
			return err
		}
		fu, err = propagate(ctx, f, w, &signal[T]{dense: u}, y, spare)
		if err != nil {
			return err
		}
		return x.transposeTimes(ctx, dst, fu)
	})
}

// inNumbers makes an operator on float64, in which the eigensolver works, of one
// on numbers of type T.
func inNumbers[T kernel.Float](apply func(ctx context.Context, dst, src kernel.Matrix[T]) error) eigen.Operator {
	if wide, ok := any(apply).(func(context.Context, kernel.Matrix[float64], kernel.Matrix[float64]) error); ok {
		return wide
	}
	var from, to panelBuffer[T]
	return func(ctx context.Context, dst, src kernel.Matrix[float64]) error {
		in, out := from.sized(src.Rows, src.Cols), to.sized(dst.Rows, dst.Cols)
		if err := kernel.Convert(ctx, in, src); err != nil {
			return err
		}
		if err := apply(ctx, out, in); err != nil {
			return err
		}
		return kernel.Convert(ctx, dst, out)
	}
}

// A panelBuffer keeps the storage of a panel from one use to the next.
type panelBuffer[T kernel.Float] struct{ data []T }

func (b *panelBuffer[T]) sized(r, c int) kernel.Matrix[T] {
	if cap(b.data) < r*c {
		b.data = kernel.Unset[T](r, c).Data
	}
	return kernel.Matrix[T]{Rows: r, Cols: c, Stride: max(c, 1), Data: b.data[:r*c]}
}
