package coles

import (
	"context"

	"coles/internal/kernel"
)

func gramAdd[T kernel.Float](ctx context.Context, a, b kernel.Matrix[T], c kernel.Matrix[float64]) error {
	if same, ok := any(c).(kernel.Matrix[T]); ok {
		return kernel.Gram(ctx, 1, a, b, same)
	}
	t := kernel.Dense[T](c.Rows, c.Cols)
	if err := kernel.Gram(ctx, 1, a, b, t); err != nil {
		return err
	}
	for i := range c.Rows {
		r := c.Data[i*c.Stride:][:c.Cols]
		for j, v := range t.Data[i*t.Stride:][:t.Cols] {
			r[j] += float64(v)
		}
	}
	return nil
}
