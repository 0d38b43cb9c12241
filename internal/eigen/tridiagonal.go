package eigen

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// tridiagonal is a symmetric tridiagonal matrix: e[i] stands beside d[i] and d[i+1].
type tridiagonal struct {
	d, e []float64
}

const (
	// reflectorPanel reflections are gathered before the rest of the matrix is updated by a
	// product: many enough for the product to be efficient, few enough that correcting single rows
	// by them stays cheap.
	reflectorPanel = 32

	// negligible is the square of a norm below which a row counts as zero. Entries are at most
	// about 1 here, so that the change is 1e-140, while the square of anything larger has all its
	// digits. In float32, whose numbers have inverses down to 1e-38, it is the other.
	negligible       = 1e-280
	negligibleSingle = 1e-64
)

// tridiagonalise overwrites the upper triangle of a, entries of magnitude at most about 1, so that a = Q·T·Qᵀ with Q =
// H₀·H₁⋯Hₙ₋₂ and H_j = I − tau[j]·v_j·v_jᵀ. v_j is zero up to entry j, and row j of a from entry j+1 on. Entries below the
// diagonal are neither read nor written. Half of the 4n³/3 operations are matrix-vector products, half products of matrices
// (Golub and Van Loan, section 8.3.1; blocked as LAPACK's dsytrd).
func tridiagonalise[T kernel.Float](ctx context.Context, a kernel.Matrix[T]) (t tridiagonal, tau []T, err error) {
	n := a.Rows
	t = tridiagonal{make([]float64, n), make([]float64, max(0, n-1))}
	tau = make([]T, max(0, n-1))
	r := newReduction(a)
	for j0 := 0; j0 < n-1; j0 += reflectorPanel {
		count := min(reflectorPanel, n-1-j0)
		for p := range count {
			if err := r.reflect(ctx, p, j0+p, t, tau); err != nil {
				return t, tau, err
			}
		}
		s := j0 + count
		rest := kernel.View(a, s, s, n-s, n-s)
		if err := kernel.Gram(ctx, -1, kernel.View(r.vw, 0, s, 2*count, n-s), kernel.View(r.wv, 0, s, 2*count, n-s), rest); err != nil {
			return t, tau, err
		}
	}
	t.d[n-1] = float64(a.Data[(n-1)*a.Stride+n-1])
	return t, tau, ctx.Err()
}

// reduction is the work space of tridiagonalise. After p reflections of a panel the matrix that a
// stands for is a − Σ_q (v_q·w_qᵀ + w_q·v_qᵀ), which is a − vwᵀ·wv over their first 2p rows.
type reduction[T kernel.Float] struct {
	a     kernel.Matrix[T]
	vw    kernel.Matrix[T] // rows v₀, w₀, v₁, w₁, …
	wv    kernel.Matrix[T] // rows w₀, v₀, w₁, v₁, …
	coef  []T              // a column of wv, or wv times a vector
	multi symv[T]

	unused [2 * reflectorPanel / dotTask][]T // zeros, for each task of dots
}

func newReduction[T kernel.Float](a kernel.Matrix[T]) *reduction[T] {
	r := &reduction[T]{
		a:    a,
		vw:   kernel.Dense[T](2*reflectorPanel, a.Rows),
		wv:   kernel.Dense[T](2*reflectorPanel, a.Rows),
		coef: make([]T, 2*reflectorPanel),
	}
	for i := range r.multi.sums {
		r.multi.sums[i] = make([]T, a.Rows)
	}
	for i := range r.unused {
		r.unused[i] = make([]T, a.Rows)
	}
	return r
}

// reflect brings row j up to date. It finds the reflection, the p-th of its panel, that clears the row beyond the second
// diagonal, and the vector w that updates the rest of the matrix.
func (r *reduction[T]) reflect(ctx context.Context, p, j int, t tridiagonal, tau []T) error {
	n := r.a.Rows
	current := r.a.Row(j)
	coef := r.coef[:2*p]
	for q := range coef {
		coef[q] = r.wv.Data[q*r.wv.Stride+j]
	}
	if err := parallel.Ranges(ctx, n-j, columnTask, func(lo, hi int) {
		subtractRows(current[j+lo:j+hi], coef, kernel.View(r.vw, 0, j+lo, 2*p, hi-lo))
	}); err != nil {
		return err
	}
	t.d[j] = float64(current[j])
	s := j + 1
	x := current[s:]
	var beta T
	beta, tau[j] = reflector(x)
	t.e[j] = float64(beta)
	v, w := r.vw.Row(2 * p)[s:], r.vw.Row(2*p + 1)[s:]
	if tau[j] == 0 {
		clear(v)
		clear(w)
	} else {
		copy(v, x)
		if err := r.multiply(ctx, p, s, w, v); err != nil {
			return err
		}
		matrix.Scale(w, tau[j])
		matrix.AddScaled(w, -tau[j]/2*T(dot(w, v)), v)
	}
	copy(r.wv.Row(2 * p)[s:], w)
	copy(r.wv.Row(2*p + 1)[s:], v)
	return nil
}

const (
	// columnTask columns of a panel are updated by one task, and dotTask rows multiplied by a
	// vector: some microseconds of work.
	columnTask = 1024
	dotTask    = 16
)

// multiply sets w to the product of v and the rest of the matrix, from entry (s, s) on, as it is
// after p reflections of the panel.
func (r *reduction[T]) multiply(ctx context.Context, p, s int, w, v []T) error {
	n := r.a.Rows
	r.multi.resize(kernel.View(r.a, s, s, n-s, n-s))
	dots := parallel.Pieces(2*p, dotTask)
	if err := parallel.For(ctx, dots+r.multi.strips, func(i int) {
		if i < dots {
			lo, hi := i*dotTask, min(2*p, (i+1)*dotTask)
			r.dots(lo, hi, s, v)
			return
		}
		r.multi.multiply(i-dots, v)
	}); err != nil {
		return err
	}
	return parallel.Ranges(ctx, n-s, columnTask, func(lo, hi int) {
		r.multi.sum(lo, hi, w)
		subtractRows(w[lo:hi], r.coef[:2*p], kernel.View(r.vw, 0, s+lo, 2*p, hi-lo))
	})
}

// dots sets the coefficients lo to hi to the products of the rows of wv from entry s on with v.
func (r *reduction[T]) dots(lo, hi, s int, v []T) {
	q, rows := lo, r.wv
	for ; q+4 <= hi; q += 4 {
		// Nothing is added to the columns, which the products of a task may share.
		products := kernel.Symv4(rows.Data[q*rows.Stride+s:], rows.Stride, [4]T{}, v, r.unused[lo/dotTask][s:])
		copy(r.coef[q:], products[:])
	}
	for ; q < hi; q++ {
		r.coef[q] = T(dot(rows.Row(q)[s:], v))
	}
}

// subtractRows subtracts from y the rows of a, of the same length, times their coefficients.
func subtractRows[T kernel.Float](y, coef []T, a kernel.Matrix[T]) {
	if len(coef) == 0 || len(y) == 0 {
		return
	}
	c := kernel.Matrix[T]{Rows: 1, Cols: len(coef), Stride: len(coef), Data: coef}
	to := kernel.Matrix[T]{Rows: 1, Cols: len(y), Stride: len(y), Data: y}
	// The context cannot end, so no error is possible.
	_ = kernel.Gemm(context.Background(), false, false, -1, c, a, 1, to)
}

// reflector overwrites x by the vector v, v[0] = 1, for which I − tau·v·vᵀ takes x to (beta, 0, 0,
// …), and returns beta and tau.
func reflector[T kernel.Float](x []T) (beta, tau T) {
	lead, rest := float64(x[0]), x[1:]
	square, least := dot(rest, rest), negligible
	if _, single := any(x).([]float32); single {
		least = negligibleSingle
	}
	if x[0] = 1; square < least {
		return T(lead), 0
	}
	// The sign keeps lead − b free of cancellation.
	b := -math.Copysign(math.Sqrt(lead*lead+square), lead)
	matrix.Scale(rest, T(1/(lead-b)))
	return T(b), T((b - lead) / b)
}

// vector is x as gonum takes it.
func vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}

// dot is x·y, summed in float64.
func dot[T kernel.Float](x, y []T) float64 {
	switch x := any(x).(type) {
	case []float32:
		y := any(y).([]float32)
		return blas32.DDot(blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y})
	case []float64:
		return blas64.Dot(vector(x), vector(any(y).([]float64)))
	}
	return 0
}

// reflectorBlock reflections are applied together, as I − Yᵀ·T·Y.
const reflectorBlock = 64

// backTransform replaces the columns of z by Q times them, where a reduction left Q = H₀·H₁⋯ in the
// rows of a and in tau: the vector of H_j is zero up to entry j, and row j of a from entry j+1 on.
// It takes 2n²k operations, all in products of matrices (Golub and Van Loan, section 5.2.2).
func backTransform[T kernel.Float](ctx context.Context, a kernel.Matrix[T], tau []T, z kernel.Matrix[T]) error {
	n, k := z.Rows, z.Cols
	y := kernel.Dense[T](reflectorBlock, n)
	inner, outer := kernel.Dense[T](reflectorBlock, k), kernel.Dense[T](reflectorBlock, k)
	// Q = H₀·H₁⋯: the last is applied first.
	for hi := len(tau); hi > 0; {
		lo := (hi - 1) / reflectorBlock * reflectorBlock
		count := hi - lo
		s := lo + 1
		v := kernel.View(y, 0, 0, count, n-s)
		for p := range count {
			r := v.Row(p)
			clear(r[:p])
			copy(r[p:], a.Row(lo + p)[s+p:])
		}
		factor, err := BlockFactor(ctx, v, tau[lo:hi])
		if err != nil {
			return err
		}
		part := kernel.View(z, s, 0, n-s, k)
		c, d := kernel.View(inner, 0, 0, count, k), kernel.View(outer, 0, 0, count, k)
		if err := kernel.Gemm(ctx, false, false, 1, v, part, 0, c); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, false, false, 1, factor, c, 0, d); err != nil {
			return err
		}
		if err := kernel.Gemm(ctx, true, false, -1, v, d, 1, part); err != nil {
			return err
		}
		hi = lo
	}
	return nil
}

// BlockFactor is the upper triangular T of H₀·H₁⋯ = I − Vᵀ·T·V, where the rows of V (b × d) are the vectors v_i of the
// reflections H_i = I − tau[i]·v_i·v_iᵀ. Column i of T is −tau[i]·T·V·v_i above the diagonal and tau[i] on it (Schreiber and
// Van Loan 1989). It takes b²d operations.
//
// gonum's Dlarft (v0.17) drops products of reflections behind one that ends in zeros.
func BlockFactor[T kernel.Float](ctx context.Context, v kernel.Matrix[T], tau []T) (kernel.Matrix[T], error) {
	count := len(tau)
	dots, t := kernel.Dense[T](count, count), kernel.Dense[T](count, count)
	if err := kernel.Gemm(ctx, false, true, 1, v, v, 0, dots); err != nil {
		return t, err
	}
	for i, ti := range tau {
		t.Data[i*count+i] = ti
		for r := range i {
			var sum T
			for q := r; q < i; q++ {
				sum += t.Data[r*count+q] * dots.Data[q*count+i]
			}
			t.Data[r*count+i] = -ti * sum
		}
	}
	return t, nil
}
