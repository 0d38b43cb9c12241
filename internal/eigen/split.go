package eigen

import (
	"context"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// Split makes the rounding errors of an operator M relative to what M leaves and not to what
// cancels in it along one direction c. With c of length 1, a product with x = x₀ + c·s, s = cᵀx, is
// taken as
//
//	M·x = M·x₀ + (M·c)·s
//
// with M·c from the exact operator, and what the first term has of c is replaced by (M·c)ᵀx₀.
func Split(ctx context.Context, m, exact Operator, c []float64) (Operator, error) {
	length := blas64.Nrm2(vector(c))
	if length == 0 {
		return m, nil
	}
	d := len(c)
	basis := kernel.Dense[float64](d, 2) // c and M·c
	unit, image := kernel.Columns(basis, 0, 1), kernel.Columns(basis, 1, 2)
	for i, v := range c {
		basis.Data[2*i] = v / length
	}
	if err := exact(ctx, image, unit); err != nil {
		return nil, err
	}
	own := 0.0 // cᵀM·c
	for i := range d {
		own += basis.Data[2*i] * basis.Data[2*i+1]
	}
	var rest, shares, left kernel.Buffer[float64]
	return func(ctx context.Context, dst, src matrix) error {
		b := src.Cols
		x, s, t := rest.Sized(d, b), shares.Sized(2, b), left.Sized(1, b)
		if err := kernel.Gemm(ctx, true, false, 1, basis, src, 0, s); err != nil {
			return err
		}
		kernel.Copy(x, src)
		if err := kernel.Gemm(ctx, false, false, -1, unit, kernel.Rows(s, 0, 1), 1, x); err != nil {
			return err
		}
		if err := m(ctx, dst, x); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, true, false, 1, unit, dst, 0, t); err != nil {
			return err
		}
		for j := range b {
			share := s.Data[j]
			s.Data[j] = s.Data[s.Stride+j] - own*share - t.Data[j]
			s.Data[s.Stride+j] = share
		}
		return kernel.Gemm(ctx, false, false, 1, basis, s, 1, dst)
	}, nil
}

// Widen makes an operator on float64, in which this package works, of one on numbers of type T.
func Widen[T kernel.Float](apply func(ctx context.Context, dst, src kernel.Matrix[T]) error) Operator {
	if wide, ok := any(apply).(func(context.Context, matrix, matrix) error); ok {
		return wide
	}
	var from, to kernel.Buffer[T]
	return func(ctx context.Context, dst, src matrix) error {
		in, out := from.Sized(src.Rows, src.Cols), to.Sized(dst.Rows, dst.Cols)
		if err := kernel.Convert(ctx, in, src); err != nil {
			return err
		}
		if err := apply(ctx, out, in); err != nil {
			return err
		}
		return kernel.Convert(ctx, dst, out)
	}
}
