package eigen

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/kernel"

	"gonum.org/v1/gonum/blas/blas64"
)

// sharpness is the power that [Top] raises an operator to. More power means fewer vectors to
// orthogonalise and more products; 16 was best on graphs of 3,000 to 20,000 nodes.
const sharpness = 16

// Top is [Krylov] for an operator whose eigenvalues lie between lo and hi, the largest of them
// close together, as those of a graph are: a Krylov space tells neighbours apart slowly. A power of
// A − lo·I has the same eigenvectors in the same order, but the largest far apart. What is found is
// measured against A itself: deep inside the spectrum, where k is a large part of n, a power
// squeezes eigenvalues together instead.
func Top(ctx context.Context, n, k int, a Operator[float64], lo, hi float64, o KrylovOptions) (*Result, error) {
	if 20*k <= n {
		r, err := Krylov(ctx, n, k, power(a, sharpness, lo, hi), o)
		if err != nil {
			return nil, err
		}
		accurate, err := rayleighQuotients(ctx, a, r)
		if err != nil || accurate {
			return r, err
		}
	}
	return Krylov(ctx, n, k, a, o)
}

// power is ((A − lo·I)/(hi − lo))^p.
func power(a Operator[float64], p int, lo, hi float64) Operator[float64] {
	var first, second kernel.Buffer[float64]
	return func(ctx context.Context, dst, src panel) error {
		x, y := first.Sized(src.Rows, src.Cols), second.Sized(src.Rows, src.Cols)
		kernel.Copy(x, src)
		for range p {
			if err := a(ctx, y, x); err != nil {
				return err
			}
			for q, v := range y.Data {
				y.Data[q] = (v - lo*x.Data[q]) / (hi - lo)
			}
			x, y = y, x
		}
		kernel.Copy(dst, x)
		return nil
	}
}

// rayleighQuotients replaces the values of r by vᵀAv, sorts the pairs by them, and reports whether
// every ‖Av − (vᵀAv)v‖ is at most 5e-7 of the largest value: within the 1e-6 that is promised, with
// room for what is done to the vectors after.
func rayleighQuotients(ctx context.Context, a Operator[float64], r *Result) (bool, error) {
	v, err := kernel.Transposed(ctx, r.Vectors)
	if err != nil {
		return false, err
	}
	av := kernel.Unset[float64](v.Rows, v.Cols)
	if err := a(ctx, av, v); err != nil {
		return false, err
	}
	images, err := kernel.Transposed(ctx, av)
	if err != nil {
		return false, err
	}
	largest, residual := 0.0, 0.0
	for i := range r.Values {
		x, y := vector(r.Vectors.Row(i)), vector(images.Row(i))
		r.Values[i] = blas64.Dot(x, y)
		blas64.Axpy(-r.Values[i], x, y)
		largest, residual = max(largest, math.Abs(r.Values[i])), max(residual, blas64.Nrm2(y))
	}
	order := make([]int, len(r.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.Values[j], r.Values[i]) })
	sorted := kernel.Unset[float64](r.Vectors.Rows, r.Vectors.Cols)
	values := make([]float64, len(order))
	for i, from := range order {
		values[i] = r.Values[from]
		copy(sorted.Row(i), r.Vectors.Row(from))
	}
	r.Values, r.Vectors = values, sorted
	return residual <= 5e-7*largest, nil
}

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
