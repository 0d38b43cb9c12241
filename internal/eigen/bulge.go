package eigen

import (
	"context"
	"runtime"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas/blas64"
)

// chaseGroup rows are cleared by one goroutine in one go, each closely behind
// the one before, so that what all of them change stays in the second cache.
const chaseGroup = 8

// chase reduces a band matrix to a tridiagonal one. Sweep j clears row j beyond
// the second diagonal by a reflection of the b rows and columns that follow,
// which fills the block above and beyond the band: the bulge. The next
// reflection clears the first row of that, and fills another block b rows
// further down; so it goes on to the end of the matrix. What remains of a bulge
// is in the way of no reflection of the next sweep, which moves it by one
// (Bischof, Lang and Sun 2000; Haidar, Ltaief and Dongarra 2011).
// There are 6n²b operations, in blocks that stay in cache.
type chase struct {
	band  banded
	steps int       // of the longest sweep
	tau   []float64 // of sweep j and step s at j·steps + s
	data  []float64 // the vectors of a sweep follow each other
	e     []float64
}

// chaseBulges overwrites the matrix band = Q·T·Qᵀ; the result holds the
// reflections that make up Q, sweep after sweep.
func chaseBulges(ctx context.Context, band banded) (tridiagonal, *chase, error) {
	n := band.n
	c := &chase{band: band, steps: ceilDiv(n-1, band.b), e: make([]float64, max(0, n-1))}
	sweeps := c.sweeps()
	c.tau = make([]float64, sweeps*c.steps)
	c.data = make([]float64, c.start(sweeps))
	groups := ceilDiv(sweeps, chaseGroup)
	done := make([]atomic.Int64, groups)
	err := parallel.For(ctx, groups, func(g int) { c.group(ctx, g, done) })
	t := tridiagonal{make([]float64, n), c.e}
	for i := range n {
		t.d[i] = band.from(i, i)[0]
	}
	if n > 1 {
		t.e[n-2] = band.from(n-2, n-1)[0]
	}
	return t, c, err
}

// sweeps is the number of rows with anything to clear.
func (c *chase) sweeps() int { return max(0, c.band.n-2) }

// count is the number of reflections of a sweep.
func (c *chase) count(sweep int) int { return ceilDiv(c.band.n-1-sweep, c.band.b) }

// start is where the vectors of a sweep begin.
func (c *chase) start(sweep int) int { return sweep*(c.band.n-1) - sweep*(sweep-1)/2 }

// vector is the one of a reflection, which is of the rows from sweep+1+step·b on.
func (c *chase) vector(sweep, step int) []float64 {
	lo := c.start(sweep) + step*c.band.b
	return c.data[lo:min(lo+c.band.b, c.start(sweep+1))]
}

// group does the sweeps of a group. A step needs what the step after it has
// left behind in the sweep before; done counts the steps of the last sweep of
// each group, which the next group waits for.
func (c *chase) group(ctx context.Context, g int, done []atomic.Int64) {
	lo := g * chaseGroup
	hi := min(c.sweeps(), lo+chaseGroup)
	w := newChaseSpace(c.band.b)
	for wave := 0; ; wave++ {
		if wave < c.count(lo) && g > 0 {
			need := int64(min(wave+2, c.count(lo-1)))
			for done[g-1].Load() < need {
				if ctx.Err() != nil {
					return
				}
				runtime.Gosched()
			}
		}
		if ctx.Err() != nil {
			return
		}
		for sweep := lo; sweep < hi; sweep++ {
			if step := wave - (sweep - lo); step >= 0 && step < c.count(sweep) {
				c.step(w, sweep, step)
			}
		}
		step := wave - (hi - 1 - lo)
		done[g].Store(int64(step + 1))
		if step+1 >= c.count(hi-1) {
			return
		}
	}
}

// chaseSpace is the work space of a step.
type chaseSpace struct {
	p, w, u []float64
	zeros   []float64 // what Symv4 multiplies where only one product is wanted
}

func newChaseSpace(b int) *chaseSpace {
	return &chaseSpace{make([]float64, b), make([]float64, b), make([]float64, b), make([]float64, b)}
}

// step applies the reflection H of a step to the diagonal block D of its rows
// and to the block B to the right of that, as H·D·H and H·B·G with the
// reflection G of the next step, which clears the first row of H·B.
func (c *chase) step(s *chaseSpace, sweep, step int) {
	m, at := c.band, sweep*c.steps+step
	r0 := sweep + 1 + step*m.b
	v := c.vector(sweep, step)
	if step == 0 {
		copy(v, m.from(sweep, r0))
		c.e[sweep], c.tau[at] = reflector(v)
	}
	tau, rows := c.tau[at], len(v)

	// H·D·H = D − v·pᵀ − p·vᵀ with p = τ·D·v − ½τ²(vᵀDv)·v.
	p := s.p[:rows]
	symvRows(matrix{Rows: rows, Cols: rows, Stride: 2 * m.b, Data: m.from(r0, r0)}, 0, rows, v, p)
	blas64.Scal(tau, vector(p))
	blas64.Axpy(-tau/2*blas64.Dot(vector(p), vector(v)), vector(v), vector(p))
	kernel.Rank2(m.from(r0, r0), 2*m.b, true, v, p, p, v)
	if step+1 == c.count(sweep) {
		return
	}

	// H·B·G = B − v·wᵀ − u·gᵀ with w = τ·Bᵀv and u = τ'·(B·g − (w·g)·v).
	g := c.vector(sweep, step+1)
	w, u := s.w[:len(g)], s.u[:rows]
	block := matrix{Rows: rows, Cols: len(g), Stride: 2 * m.b, Data: m.from(r0, r0+m.b)}
	s.timesLeft(w, v, block)
	blas64.Scal(tau, vector(w))
	for j, top := range row(block, 0) {
		g[j] = top - w[j] // v begins with 1
	}
	beta, next := reflector(g)
	c.tau[at+1] = next
	s.timesRight(u, block, g)
	blas64.Axpy(-blas64.Dot(vector(w), vector(g)), vector(v), vector(u))
	blas64.Scal(next, vector(u))
	kernel.Rank2(block.Data, block.Stride, false, v, u, w, g)
	clear(row(block, 0))
	block.Data[0] = beta
}

// timesLeft sets w to vᵀ·a.
func (s *chaseSpace) timesLeft(w, v []float64, a matrix) {
	clear(w)
	i := 0
	for ; i+4 <= len(v); i += 4 {
		kernel.Symv4(a.Data[i*a.Stride:], a.Stride, [4]float64(v[i:]), s.zeros[:len(w)], w)
	}
	for ; i < len(v); i++ {
		blas64.Axpy(v[i], vector(row(a, i)), vector(w))
	}
}

// timesRight sets u to a·g.
func (s *chaseSpace) timesRight(u []float64, a matrix, g []float64) {
	i := 0
	for ; i+4 <= len(u); i += 4 {
		sums := kernel.Symv4(a.Data[i*a.Stride:], a.Stride, [4]float64{}, g, s.zeros[:len(g)])
		copy(u[i:], sums[:])
	}
	for ; i < len(u); i++ {
		u[i] = blas64.Dot(vector(row(a, i)), vector(g))
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
