package eigen

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// accurate is the residual that [Top] goes on to, of the largest value: within the 1e-6 that is
	// promised, with room for what is done to the vectors after.
	accurate = 5e-7

	// steepness is about the value of a filter at the k-th eigenvalue, of a filter that is at most 1 where
	// it is small. With a steeper one fewer vectors are orthogonalised, and more products taken.
	steepness = 40

	// highest bounds the value at the largest eigenvalue, beside which the others are rounded.
	highest = 1e4

	// margin is how far below the k-th Ritz value, as a share of the spectrum, a filter is small.
	margin = 0.01

	// positive is the share of the spectrum that a k-th value must be above 0: the degree of a filter grows
	// with the root of its inverse, and for a value of rounding errors without end.
	positive = 1e-4
)

// A Subspace is where [Top] looks for eigenvectors of an operator.
type Subspace struct {
	// Apply is multiplication by A of vectors in the subspace, in which the products lie but for
	// rounding.
	Apply Operator[float64]

	// Single, if set, is A as far as float32 goes, which polynomials of it are made of.
	Single Operator[float32]

	// Project takes out of vectors, in columns, what is outside of the subspace; nil for the whole space.
	Project func(ctx context.Context, x kernel.Matrix[float64]) error
}

// Top is [Krylov] for an operator A whose largest eigenvalues are close together, as a graph's are. A Krylov space tells
// neighbours apart slowly, and takes many vectors that have to be orthogonal. It searches with a polynomial of A instead,
// which has the same eigenvectors. A short search with A finds the least eigenvalue and a value that k of them are above; the
// Chebyshev polynomial that is small between the two sets the others far apart. What is found is measured against A, and the
// search goes on until every ‖Av − (vᵀAv)v‖ is at most 5e-7 of the largest value.
//
// All eigenvalues of A must be above lo.
func Top(ctx context.Context, n, k int, a Subspace, lo float64, o KrylovOptions) (*Result, error) {
	if 20*k <= n { // deep inside the spectrum a polynomial would squeeze eigenvalues together
		r, err := filtered(ctx, n, k, a, o)
		if r != nil || err != nil && !errors.Is(err, errZero) {
			return r, err
		}
	}
	return Krylov(ctx, n, k, a.with(a.Apply, lo), o)
}

// rounding is the relative residual of polynomials below which there is nothing but rounding.
func (a Subspace) rounding() float64 {
	if a.Single != nil {
		return 1e-8
	}
	return 1e-13
}

// with is multiplication by p, a polynomial of A, and by low outside of the subspace. Between the two
// projections rounding errors outside of it may grow.
func (a Subspace) with(p Operator[float64], low float64) Operator[float64] {
	if a.Project == nil {
		return p
	}
	var buffer kernel.Buffer[float64]
	return func(ctx context.Context, dst, src panel) error {
		inside := buffer.Sized(src.Rows, src.Cols)
		kernel.Copy(inside, src)
		if err := a.Project(ctx, inside); err != nil {
			return err
		}
		if err := p(ctx, dst, inside); err != nil {
			return err
		}
		if err := a.Project(ctx, dst); err != nil || low == 0 {
			return err
		}
		return parallel.EachRow(ctx, dst.Rows, func(i int) {
			to, x, y := dst.Row(i), src.Row(i), inside.Row(i)
			for j := range to {
				to[j] += low * (x[j] - y[j])
			}
		})
	}
}

// filtered is Top by a filter, or nil where none is of use.
func filtered(ctx context.Context, n, k int, a Subspace, o KrylovOptions) (*Result, error) {
	o.Block = min(32, max(8, (k+7)/8)) // eight of float32 are one register; wider blocks take more products
	o, err := o.withDefaults(n, k)
	if err != nil || k == 0 || n <= denseOrder || 3*o.MaxBasis > 2*n {
		return nil, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	itself := a.with(a.Apply, 0)
	s := newSearch(n, k, itself, o)
	// With filters chosen by what was found before, the basis is filled as long as they become steeper.
	f, least, products := chebyshev{degree: 1}, 0.0, 0
	for {
		found, bottom, err := s.fill(ctx, itself)
		if err != nil {
			return nil, err
		}
		products += k
		if f.degree == 1 {
			least = min(0, bottom)
		}
		next := filter(found, least)
		if 2*next.degree < 3*f.degree {
			break
		}
		products += f.degree * s.applied
		f = next
		if err := s.restartWith(ctx, a.with(f.of(a), 0), found.Vectors); err != nil {
			return nil, err
		}
	}
	if f.degree == 1 {
		return nil, nil
	}
	for {
		r, err := s.accurately(ctx, itself, a.rounding())
		if err != nil {
			return nil, err
		}
		products += r.Applied + f.degree*s.applied
		switch {
		case r.Residual <= accurate:
			r.Applied, r.Next = products, f.inverse(r.Next)
			return r, nil
		case a.Single == nil:
			return nil, nil
		}
		a.Single = nil // float32 does not do
		if err := s.restartWith(ctx, a.with(f.of(a), 0), r.Vectors); err != nil {
			return nil, err
		}
	}
}

// accurately searches with a filter until what is found of A is accurate, or has the errors of rounding.
func (s *search[T]) accurately(ctx context.Context, a Operator[float64], rounding float64) (r *Result, err error) {
	r, measured := &Result{}, 0
	s.o.Tol = 1e-6
	s.enough = func(ctx context.Context, v panel) (bool, error) {
		measured += v.Cols
		var err error
		if r, err = rayleighQuotients(ctx, a, v); err != nil || r.Residual <= accurate {
			return true, err
		}
		s.o.Tol *= accurate / r.Residual / 2
		return s.o.Tol < rounding, nil
	}
	found, _, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	r.Applied, r.Next = measured, math.Ldexp(s.after(found, s.k), s.scale)
	return r, nil
}

// fill fills the basis, and measures the first Ritz vectors against A. bottom is the least of all
// Ritz values less its residual.
func (s *search[T]) fill(ctx context.Context, a Operator[float64]) (found *Result, bottom float64, err error) {
	if s.next == 0 {
		// Narrower blocks show more of the ends of the spectrum.
		if err := s.begin(ctx, max(1, s.o.Block/2)); err != nil {
			return nil, 0, err
		}
	}
	for !s.full() {
		if err := s.step(ctx); err != nil {
			return nil, 0, err
		}
	}
	r, err := s.rayleighRitz(ctx, 0, s.size)
	if err != nil {
		return nil, 0, err
	}
	v, err := s.vectors(ctx, r, s.k)
	if err != nil {
		return nil, 0, err
	}
	found, err = rayleighQuotients(ctx, a, v)
	return found, math.Ldexp(r.values[s.size-1]-r.residuals[s.size-1], s.scale), err
}

// restartWith goes on with another operator, from random combinations of vectors, in rows.
func (s *search[T]) restartWith(ctx context.Context, apply Operator[T], rows panel) error {
	s.apply, s.size, s.last, s.applied, s.scaled, s.scale = apply, 0, 0, 0, false, 0
	clear(s.h.Data)
	mix := kernel.Dense[float64](rows.Rows, s.o.Block)
	for i := range mix.Data {
		mix.Data[i] = s.rnd.NormFloat64()
	}
	w, release := kernel.Scratch[float64](s.n, s.o.Block)
	defer release()
	if err := kernel.Gemm(ctx, true, false, 1, rows, mix, 0, w); err != nil {
		return err
	}
	s.next = s.o.Block
	return s.append(ctx, w)
}

// A chebyshev is the polynomial T_degree((A − middle)/half): at most 1 in size within half of the
// middle. Its degree is odd, so that it takes what is below to less than −1.
type chebyshev struct {
	degree       int
	middle, half float64
}

// filter is the polynomial for what has been found of A, of which least is the least eigenvalue. The
// degree is 1 where A itself does, or where the k-th value is hardly above 0.
func filter(found *Result, least float64) chebyshev {
	last := len(found.Values) - 1
	top, kth := found.Values[0], found.Values[last]
	if kth <= positive*(top-least) || found.Residual <= accurate {
		return chebyshev{degree: 1}
	}
	cut := max(0, kth-margin*(top-least))
	f := chebyshev{middle: (cut + least) / 2, half: (cut - least) / 2}
	// T_d(cosh t) is cosh(d·t).
	arc := func(i int) float64 {
		return math.Acosh(max(1, (found.Values[i]+found.Residuals[i]-f.middle)/f.half))
	}
	most := min(math.Acosh(steepness)/arc(last), math.Acosh(highest)/arc(0))
	f.degree = max(1, 2*int((most+1)/2)-1)
	return f
}

// inverse is the value above the middle at which the polynomial has a value, no less than the end of where it is
// small.
func (f chebyshev) inverse(value float64) float64 {
	return f.middle + f.half*math.Cosh(math.Acosh(max(1, value))/float64(f.degree))
}

// of is multiplication by the polynomial of A, in float32 where A is known in it. A relative error ε of
// p(A) moves eigenvectors by residuals of some ε·p(λ₁)/p'(λ) of A, and a filter is steep.
func (f chebyshev) of(a Subspace) Operator[float64] {
	if a.Single != nil {
		return polynomial(f, a.Single)
	}
	return polynomial(f, a.Apply)
}

// polynomial takes products by T_{j+1}(x) = 2x·T_j(x) − T_{j−1}(x).
func polynomial[T kernel.Float](f chebyshev, a Operator[T]) Operator[float64] {
	var buffers [3]kernel.Buffer[T]
	return func(ctx context.Context, dst, src panel) error {
		before, now := buffers[0].Sized(src.Rows, src.Cols), buffers[1].Sized(src.Rows, src.Cols)
		next := buffers[2].Sized(src.Rows, src.Cols)
		if err := kernel.Convert(ctx, now, src); err != nil {
			return err
		}
		for j := range f.degree {
			if err := a(ctx, next, now); err != nil {
				return err
			}
			scale, middle, old := T(2/f.half), T(f.middle), T(1)
			if j == 0 { // what is before is not read yet, but by a product with 0
				scale, old = scale/2, 0
				kernel.Copy(before, now)
			}
			const grain = 1 << 14
			if err := parallel.Ranges(ctx, len(next.Data), grain, func(lo, hi int) {
				y, x := now.Data[lo:hi], before.Data[lo:hi]
				for q, v := range next.Data[lo:hi] {
					next.Data[lo+q] = scale*(v-middle*y[q]) - old*x[q]
				}
			}); err != nil {
				return err
			}
			before, now, next = now, next, before
		}
		return kernel.Convert(ctx, dst, now)
	}
}

// rayleighQuotients makes a Result of vectors, in columns, with the values vᵀAv, sorted by them.
func rayleighQuotients(ctx context.Context, a Operator[float64], v panel) (*Result, error) {
	av := kernel.Unset[float64](v.Rows, v.Cols)
	if err := a(ctx, av, v); err != nil {
		return nil, err
	}
	vectors, err := kernel.Transposed(ctx, v)
	if err != nil {
		return nil, err
	}
	images, err := kernel.Transposed(ctx, av)
	if err != nil {
		return nil, err
	}
	r := &Result{Next: math.Inf(-1), Vectors: kernel.Unset[float64](v.Cols, v.Rows)}
	quotients, order := make([]float64, v.Cols), matrix.UpTo(v.Cols)
	for i := range order {
		quotients[i] = blas64.Dot(vector(vectors.Row(i)), vector(images.Row(i)))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(quotients[j], quotients[i]) })
	for to, i := range order {
		x, y := vectors.Row(i), vector(images.Row(i))
		copy(r.Vectors.Row(to), x)
		blas64.Axpy(-quotients[i], vector(x), y)
		r.Values, r.Residuals = append(r.Values, quotients[i]), append(r.Residuals, blas64.Nrm2(y))
	}
	r.Residual = relative(slices.Max(r.Residuals), max(r.Values[0], -r.Values[len(order)-1]))
	FixSigns(r.Vectors)
	return r, nil
}

// Split makes the rounding errors of an operator M relative to its result, and not to terms that cancel along one direction c.
// With c of length 1, a product with x = x₀ + c·s, s = cᵀx, is taken as
//
//	M·x = M·x₀ + (M·c)·s
//
// with M·c given, from exact products. The first term's part along c is replaced by (M·c)ᵀx₀.
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
