package eigen

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

// search is the state of a block Lanczos iteration with full orthogonalisation. The first size
// columns of q are the basis Q, and
//
//	A·Q = Q·H + F·(0 … 0 C),
//
// where H = QᵀAQ and F, the next block, is the part of A·(newest block) orthogonal to the basis. The
// basis is held in the numbers of the operator; everything else is float64, and so are all sums. A
// basis in float32 is orthonormal up to 1e-7.
type search[T kernel.Float] struct {
	n, k  int
	apply Operator[T]
	o     KrylovOptions
	rnd   *rand.Rand

	q      kernel.Matrix[T] // n × room: the basis, then the next block
	h      panel            // room × room, upper triangle
	first  []int            // row of H in which each column begins
	size   int              // vectors in the basis
	last   int              // of which in the newest block
	next   int              // vectors in the next block
	couple panel            // next × last: C

	// open says that the products of some vectors in the basis are not all within it and F: a part below the tolerance was
	// dropped.
	open bool

	// enough, if set, is asked of vectors within the tolerance, which it may lower.
	enough func(ctx context.Context, v panel) (bool, error)

	applied int

	scale  int // the operator is divided by this power of two
	scaled bool
}

func newSearch[T kernel.Float](n, k int, apply Operator[T], o KrylovOptions) *search[T] {
	return &search[T]{
		n: n, k: k, apply: apply, o: o,
		rnd: rand.New(rand.NewPCG(o.Seed, 0x6b72796c6f76)),
		q:   kernel.Unset[T](n, o.MaxBasis), // a column is written before it is read
		h:   kernel.Dense[float64](o.MaxBasis, o.MaxBasis),

		first: make([]int, o.MaxBasis),
	}
}

// basis is Q.
func (s *search[T]) basis() kernel.Matrix[T] { return kernel.Columns(s.q, 0, s.size) }

// begin makes the next block b random vectors.
func (s *search[T]) begin(ctx context.Context, b int) error {
	s.next = b
	w, release := kernel.Scratch[float64](s.n, b)
	defer release()
	for i := range w.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := w.Row(i)
		for j := range r {
			r[j] = s.rnd.NormFloat64()
		}
	}
	return s.append(ctx, w)
}

// append makes the next block of w, which it makes orthonormal and orthogonal to the basis.
func (s *search[T]) append(ctx context.Context, w panel) error {
	if _, err := extend(ctx, s.basis(), w, s.rnd); err != nil {
		return err
	}
	return kernel.Convert(ctx, kernel.Columns(s.q, s.size, s.size+w.Cols), w)
}

// full reports that there is no room for the block after the next.
func (s *search[T]) full() bool { return s.size+2*s.next > s.q.Cols }

// step takes the next block into the basis and finds the one after it. The basis must not be full.
func (s *search[T]) step(ctx context.Context) error {
	lo, hi := s.size, s.size+s.next
	w, releaseW := kernel.Scratch[float64](s.n, s.next)
	defer releaseW()
	f, releaseF := kernel.Scratch[float64](s.n, s.next)
	defer releaseF()
	if err := s.multiply(ctx, w, kernel.Columns(s.q, lo, hi)); err != nil {
		return err
	}
	// By the symmetry of A the products with this block have no part in the vectors before the last
	// block, whose own products lie within the basis: what rounding leaves there, extend takes out.
	first := 0
	if s.last > 0 && !s.open {
		first = lo - s.last
	}
	s.size, s.last = hi, s.next
	c, err := project(ctx, kernel.Columns(s.q, first, hi), w)
	if err != nil {
		return err
	}
	coef, err := kernel.Transposed(ctx, c)
	if err != nil {
		return err
	}
	kernel.Copy(kernel.View(s.h, first, lo, hi-first, s.last), coef)
	for j := lo; j < hi; j++ {
		s.first[j] = first
		if first > 0 { // C is upper triangular
			s.first[j] += j - lo
		}
	}
	kernel.Copy(f, w)
	if err := s.append(ctx, f); err != nil {
		return err
	}
	s.couple = kernel.Dense[float64](s.next, s.last)
	return kernel.Gemm(ctx, true, false, 1, f, w, 0, s.couple)
}

// multiply computes dst = A·src, divided by a power of two that brings the first product near 1,
// since squares of its entries are to be taken.
func (s *search[T]) multiply(ctx context.Context, dst panel, src kernel.Matrix[T]) error {
	if err := s.apply.times(ctx, dst, src); err != nil {
		return err
	}
	s.applied += src.Cols
	if !s.scaled {
		most, longest := 0.0, make([]float64, dst.Cols)
		for i := range dst.Rows {
			most = max(most, matrix.Magnitude(dst.Row(i)))
			for j, v := range dst.Row(i) {
				longest[j] = math.Hypot(longest[j], v)
			}
		}
		if slices.Max(longest) <= s.o.Zero {
			return errZero
		}
		if most > 0 {
			_, s.scale = math.Frexp(most)
			s.scaled = true
		}
	}
	if s.scale == 0 {
		return nil
	}
	first, second := twoToMinus(s.scale)
	return parallel.EachRow(ctx, dst.Rows, func(i int) {
		r := dst.Row(i)
		for j := range r {
			r[j] = r[j] * first * second
		}
	})
}

// ritz is a Rayleigh-Ritz approximation from a part of the basis.
type ritz struct {
	spectrum
	residuals []float64 // of each pair, not divided by the norm
}

// converged counts the leading pairs within tol.
func (r ritz) converged(tol float64) int {
	for i, residual := range r.residuals {
		if !(residual <= tol*r.norm) {
			return i
		}
	}
	return len(r.residuals)
}

// worst is the largest residual among the k leading pairs, relative to the norm.
func (r ritz) worst(k int) float64 { return relative(slices.Max(r.residuals[:k]), r.norm) }

// rayleighRitz approximates the first count eigenpairs of A, compressed to the span of the basis
// from column lo on.
func (s *search[T]) rayleighRitz(ctx context.Context, lo, count int) (ritz, error) {
	order := s.size - lo
	h, release := kernel.Scratch[float64](order, order)
	defer release()
	kernel.Copy(h, kernel.View(s.h, lo, lo, order, order))
	sp, err := decompose(ctx, h, min(count, order))
	if err != nil {
		return ritz{}, err
	}
	r := ritz{sp, make([]float64, len(sp.values))}
	// The residual of Q·u is F·C times the last entries of u.
	outside := kernel.Dense[float64](s.next, len(r.values))
	tail := kernel.View(r.vectors, order-s.last, 0, s.last, len(r.values))
	if err := kernel.Gemm(ctx, false, false, 1, s.couple, tail, 0, outside); err != nil {
		return ritz{}, err
	}
	for i := range outside.Rows {
		for j, v := range outside.Row(i) {
			r.residuals[j] = math.Hypot(r.residuals[j], v)
		}
	}
	return r, nil
}

// restart replaces the basis from column lo on by the first keep of its Ritz vectors, and the next
// block moves up behind them. Their part of H is diagonal, and their couplings to the next block
// come with its product (the thick restart of Wu and Simon).
func (s *search[T]) restart(ctx context.Context, lo int, r ritz, keep int) error {
	wide := kernel.Columns(r.vectors, 0, keep)
	u, release, err := narrow[T](ctx, wide)
	if err != nil {
		return err
	}
	defer release()
	old := kernel.Columns(s.q, lo, s.size)
	const strip = 256
	part, release := kernel.Scratch[float64](strip, keep)
	defer release()
	for top := 0; top < s.n; top += strip {
		rows := min(strip, s.n-top)
		p := kernel.View(part, 0, 0, rows, keep)
		if err := kernel.Gemm(ctx, false, false, 1, kernel.View(old, top, 0, rows, old.Cols), u, 0, p); err != nil {
			return err
		}
		if err := kernel.Convert(ctx, kernel.View(s.q, top, lo, rows, keep), p); err != nil {
			return err
		}
		for i := top; i < top+rows; i++ {
			to := s.q.Data[i*s.q.Stride:]
			copy(to[lo+keep:], to[s.size:s.size+s.next])
		}
	}
	coupling := kernel.Dense[float64](lo, keep)
	if err := kernel.Gemm(ctx, false, false, 1, kernel.View(s.h, 0, lo, lo, old.Cols), wide, 0, coupling); err != nil {
		return err
	}
	for i := range s.h.Rows {
		clear(s.h.Row(i)[lo:])
	}
	kernel.Copy(kernel.View(s.h, 0, lo, lo, keep), coupling)
	for i, v := range r.values[:keep] {
		s.h.Data[(lo+i)*s.h.Stride+lo+i] = v
		s.first[lo+i] = lo + i
		if lo > 0 {
			s.first[lo+i] = 0
		}
	}
	s.size, s.last = lo+keep, 0
	return nil
}
