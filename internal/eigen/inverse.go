package eigen

import (
	"context"
	"math"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// Eigenvalues closer than this, relative to the norm, form a cluster: the vectors of inverse
	// iteration lean towards each other by ε‖T‖/gap, which polish still removes between clusters
	// but not within.
	clusterGap = 1e-6

	// inverseOffset is the distance, in ε‖T‖, by which shifts pass by their eigenvalues: more than
	// the error of the eigenvalues, so that equal ones grow alike and the vectors of a multiple
	// eigenvalue stay as independent as their random starts; too little to be seen in the
	// residuals.
	inverseOffset = 8

	// inverseTask vectors are computed by one task.
	inverseTask = 8
)

// eigenvectors returns the eigenvectors to the given eigenvalues as the columns of an n × k matrix,
// orthonormal but for what polish takes away (Golub and Van Loan, section 8.2.2). Those of a cluster
// begin with two steps of inverse iteration from a random start and go on in separate.
func (t tridiagonal) eigenvectors(ctx context.Context, values []float64) (panel, error) {
	k := len(values)
	z := kernel.Dense[float64](len(t.d), k)
	s := inverseSteps{t, t.bound(), inverseOffset}
	if err := s.start(ctx, values, z); err != nil {
		return z, err
	}
	for lo := 0; lo < k; {
		hi := lo + 1
		for hi < k && values[hi-1]-values[hi] <= clusterGap*s.norm {
			hi++
		}
		if hi-lo > 1 {
			if err := s.separate(ctx, values[lo:hi], kernel.Columns(z, lo, hi)); err != nil {
				return z, err
			}
		}
		lo = hi
	}
	return z, ctx.Err()
}

// inverseSteps is inverse iteration with shifts that pass by their eigenvalues at a distance of
// offset·ε‖T‖.
type inverseSteps struct {
	t            tridiagonal
	norm, offset float64
}

// separate makes the vectors z of a cluster, a basis of the right space but a skew one,
// orthonormal. That magnifies the little that lies outside of the space by as much as the basis was
// skew; a further step of inverse iteration takes it away again, and a second orthogonalisation
// finds a basis that is hardly skew. If it does, because the rounding errors of the eigenvalues
// spread as far as the offset, a wider offset helps.
func (s inverseSteps) separate(ctx context.Context, values []float64, z panel) error {
	const (
		straight = 4   // skewness that costs less than a digit
		curable  = 1e6 // skewness that one step makes good
		tries    = 4
	)
	skew, err := orthonormalise(ctx, z)
	if err != nil {
		return err
	}
	for range tries {
		before := skew
		if err := s.refine(ctx, values, z); err != nil {
			return err
		}
		if skew, err = orthonormalise(ctx, z); err != nil {
			return err
		}
		if skew > straight {
			s.offset *= 4
		} else if before < curable {
			break
		}
	}
	return nil
}

// start fills the columns of z, from twisted factors where an eigenvalue stands alone, and by two
// steps from random vectors elsewhere: those of one space would come out equal.
func (s inverseSteps) start(ctx context.Context, values []float64, z panel) error {
	apart := func(c int) bool { // from the one before
		return c == 0 || c == len(values) || values[c-1]-values[c] > clusterGap*s.norm
	}
	return s.each(ctx, values, z, func() func(c int, x []float64) {
		var f *factors
		w := newTwisted(s.t, s.norm)
		return func(c int, x []float64) {
			if apart(c) && apart(c+1) && w.vector(s.t, values[c], x) {
				return
			}
			if f == nil {
				f = newFactors(len(s.t.d))
			}
			s.iterate(f, values[c], x, 2, func() {
				rnd := rand.New(rand.NewPCG(uint64(c), 0x7269646961676f6e))
				for i := range x {
					x[i] = rnd.Float64() - 0.5
				}
			})
		}
	})
}

// refine takes a step from each column of z.
func (s inverseSteps) refine(ctx context.Context, values []float64, z panel) error {
	return s.each(ctx, values, z, func() func(c int, x []float64) {
		f := newFactors(len(s.t.d))
		return func(c int, x []float64) {
			s.iterate(f, values[c], x, 1, func() { blas64.Copy(column(z, c), vector(x)) })
		}
	})
}

// each replaces every column c of z by what find, made for every task, sets x to. The columns of a
// task are written together, row after row.
func (s inverseSteps) each(ctx context.Context, values []float64, z panel, newFind func() (find func(c int, x []float64))) error {
	return parallel.Ranges(ctx, len(values), inverseTask, func(lo, hi int) {
		find := newFind()
		found, release := kernel.Scratch[float64](hi-lo, z.Rows)
		defer release()
		for c := lo; c < hi; c++ {
			find(c, found.Row(c-lo))
		}
		for i := range z.Rows {
			to := z.Row(i)[lo:hi]
			for c := range to {
				to[c] = found.Data[c*found.Stride+i]
			}
		}
	})
}

// iterate takes some steps of inverse iteration for a value from what begin sets x to.
func (s inverseSteps) iterate(f *factors, value float64, x []float64, steps int, begin func()) {
	shift := value + s.offset*epsilon*s.norm
	// Only a freak of rounding makes the growth overflow. Another shift has another.
	for range 5 {
		begin()
		f.factor(s.t, shift, epsilon*s.norm/4)
		good := true
		for i := 0; i < steps && good; i++ {
			f.solve(x)
			good = normalise(x)
		}
		if good {
			break
		}
		shift += epsilon * s.norm
	}
}

// column is column c of a.
func column(a panel, c int) blas64.Vector {
	return blas64.Vector{N: a.Rows, Inc: a.Stride, Data: a.Data[c:]}
}

// normalise scales x to norm 1, and reports whether that could be done.
func normalise(x []float64) bool {
	norm := blas64.Nrm2(vector(x))
	if !(norm > 0) || math.IsInf(norm, 0) || math.IsInf(1/norm, 0) {
		return false
	}
	blas64.Scal(1/norm, vector(x))
	return true
}

// factors is P·L·U = T − x·I, by Gaussian elimination with row exchanges.
type factors struct {
	inverse    []float64 // of the diagonal of U
	up1, up2   []float64 // the two diagonals of U above it
	multiplier []float64 // row i, times this, was subtracted from row i+1
	exchanged  []bool    // after the two had been exchanged
}

func newFactors(n int) *factors {
	buf := make([]float64, 4*n)
	return &factors{buf[:n], buf[n : 2*n], buf[2*n : 3*n], buf[3*n:], make([]bool, n)}
}

// factor eliminates. Pivots below tiny, the rounding error of T, become tiny: x is meant to be an
// eigenvalue, and the matrix singular.
func (f *factors) factor(t tridiagonal, x, tiny float64) {
	n := len(t.d)
	clear(f.up1)
	clear(f.up2)
	copy(f.up1, t.e)
	diagonal := t.d[0] - x
	for i := range n - 1 {
		below, next := t.e[i], t.d[i+1]-x
		if math.Abs(below) > math.Abs(diagonal) {
			f.exchanged[i] = true
			m := diagonal / below
			f.multiplier[i] = m
			f.inverse[i] = 1 / clampPivot(below, tiny)
			diagonal = f.up1[i] - m*next
			f.up1[i] = next
			if i+1 < n-1 {
				f.up2[i] = f.up1[i+1]
				f.up1[i+1] *= -m
			}
			continue
		}
		f.exchanged[i] = false
		diagonal = clampPivot(diagonal, tiny)
		f.inverse[i] = 1 / diagonal
		m := below / diagonal
		f.multiplier[i] = m
		diagonal = next - m*f.up1[i]
	}
	f.inverse[n-1] = 1 / clampPivot(diagonal, tiny)
}

func clampPivot(p, tiny float64) float64 {
	if math.Abs(p) < tiny {
		return math.Copysign(tiny, p)
	}
	return p
}

// solve overwrites b by the solution of (T − x·I)·y = b.
func (f *factors) solve(b []float64) {
	n := len(b)
	for i := range n - 1 {
		if f.exchanged[i] {
			b[i], b[i+1] = b[i+1], b[i]
		}
		b[i+1] -= f.multiplier[i] * b[i]
	}
	var y1, y2 float64
	for i := n - 1; i >= 0; i-- {
		y := (b[i] - f.up1[i]*y1 - f.up2[i]*y2) * f.inverse[i]
		b[i] = y
		y1, y2 = y, y1
	}
}

// twisted is the work space for eigenvectors of a tridiagonal matrix T by twisted factors of T −
// x·I: pivots from above down to some row and from below up to it (Fernando, On computing an
// eigenvector of a tridiagonal matrix, SIAM J. Matrix Anal. Appl. 18 (1997)).
type twisted struct {
	squares    []float64 // squares[i] couples i−1 and i
	down, up   []float64 // the pivots
	tiny, norm float64
}

func newTwisted(t tridiagonal, norm float64) *twisted {
	n := len(t.d)
	w := &twisted{make([]float64, n), make([]float64, n), make([]float64, n), epsilon * norm / 4, norm}
	for i, e := range t.e {
		w.squares[i+1] = e * e
	}
	return w
}

// vector sets z to the eigenvector of the eigenvalue x, of norm 1, and reports whether its residual
// is a small multiple of ε‖T‖. The pivots that meet in row r leave γ = 1/((T − x·I)⁻¹)ᵣᵣ there, and
// the vector with z[r] = 1 that the other rows determine has the residual γ/‖z‖: the least γ is as
// good as a step of inverse iteration from the best start.
func (w *twisted) vector(t tridiagonal, x float64, z []float64) bool {
	n := len(t.d)
	down, up, squares := w.down[:n], w.up[:n], w.squares[:n]
	q, p := clampPivot(t.d[0]-x, w.tiny), clampPivot(t.d[n-1]-x, w.tiny)
	down[0], up[n-1] = q, p
	for i := 1; i < n; i++ {
		q = clampPivot(t.d[i]-x-squares[i]/q, w.tiny)
		down[i] = q
		j := n - 1 - i
		p = clampPivot(t.d[j]-x-squares[j+1]/p, w.tiny)
		up[j] = p
	}
	r, least := 0, math.Inf(1)
	for i, d := range t.d {
		if g := math.Abs(down[i] + up[i] - (d - x)); g < least {
			r, least = i, g
		}
	}
	z[r] = 1
	for i := r - 1; i >= 0; i-- {
		z[i] = -t.e[i] / down[i] * z[i+1]
	}
	for i := r + 1; i < n; i++ {
		z[i] = -t.e[i-1] / up[i] * z[i-1]
	}
	const fair = 16 // multiples of ε‖T‖: what inverse iteration comes to as well
	length := blas64.Nrm2(vector(z))
	return least <= fair*epsilon*w.norm*length && normalise(z)
}
