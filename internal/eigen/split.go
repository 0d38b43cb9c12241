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
// with M·c given, from exact products, and what the first term has of c is replaced by (M·c)ᵀx₀.
func Split[T kernel.Float](m Operator[T], c, image []float64) Operator[T] {
	d := len(c)
	basis := kernel.Dense[T](d, 2) // c and M·c
	for i, v := range c {
		basis.Data[2*i], basis.Data[2*i+1] = T(v), T(image[i])
	}
	unit := kernel.Columns(basis, 0, 1)
	own := blas64.Dot(vector(c), vector(image))
	var rest, part kernel.Buffer[T]
	var shares, left kernel.Buffer[float64]
	return func(ctx context.Context, dst, src kernel.Matrix[T]) error {
		b := src.Cols
		x, p := rest.Sized(d, b), part.Sized(2, b)
		s, t := shares.Sized(2, b), left.Sized(1, b)
		if err := kernel.Gemm(ctx, true, false, 1, basis, src, 0, s); err != nil {
			return err
		}
		if err := kernel.Convert(ctx, p, s); err != nil {
			return err
		}
		kernel.Copy(x, src)
		if err := kernel.Gemm(ctx, false, false, -1, unit, kernel.Rows(p, 0, 1), 1, x); err != nil {
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
		if err := kernel.Convert(ctx, p, s); err != nil {
			return err
		}
		return kernel.Gemm(ctx, false, false, 1, basis, p, 1, dst)
	}
}
