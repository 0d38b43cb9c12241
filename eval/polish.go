package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	polishedTo       = 1e-8    // of the coefficients' length: the gradient at which polishing ends
	maxPolishSteps   = 20      // without damping, of which a few do wherever they help
	maxPolishEntries = 1 << 27 // of the factor of a step: 1 GB
)

// A polisher solves a two-class regression where float64 cannot tell whether a gradient vanishes:
// with long rows and a large C its terms, as large as C·Σ‖xᵢ‖, cancel to less than their rounding.
// Here it is a sum of twofold numbers, and bounds the error of the coefficients again.
//
// The steps are Newton's, by a factor of (E^½·Z | I), E the second derivatives of the loss: the
// Hessian I + ZᵀEZ would lose twice the digits. With more columns than rows the unknowns are the β
// of u = Zᵀβ, at the optimum the pull of each row.
type polisher struct {
	z       *matrix.Matrix[float64]
	y       []float64
	c       float64
	longest float64 // row

	pull []twofold // −(derivative) of the loss of each row
	curv []float64 // its second derivative

	span   kernel.Matrix[float64] // L of Z = L·Q, if the unknowns are β
	root   []float64              // E^½
	factor blas64.Triangular      // of the equations of a step
}

// A guess is u, the unknowns at, which are u itself or β, and the margin Zu.
type guess struct{ at, u, margin []twofold }

// polish returns the coefficients at the optimum for the rows of z, from others that are near.
func polish(ctx context.Context, z *matrix.Matrix[float64], lengths, y []float64, c float64, from []float64) ([]float64, error) {
	t, k := z.Dims()
	if m := float64(min(t, k)); m*float64(t+k) > maxPolishEntries {
		return nil, fmt.Errorf("%w: rounding hides the gradient of the logistic regression, and %d × %d numbers are too many to factor",
			ErrConvergence, t, k)
	}
	p := &polisher{z: z, y: y, c: c, longest: matrix.Magnitude(lengths),
		pull: make([]twofold, t), curv: make([]float64, t), root: make([]float64, t)}
	g := guess{u: twofolds(from)}
	var err error
	if g.margin, err = p.scores(ctx, g.u); err != nil {
		return nil, err
	}
	g.at = g.u
	if t < k {
		if g, err = p.toSpan(ctx, g); err != nil {
			return nil, err
		}
	}
	return p.solve(ctx, g)
}

// toSpan makes β the unknowns: Newton's step from u leads to a sum of rows.
func (p *polisher) toSpan(ctx context.Context, from guess) (guess, error) {
	t, k := p.z.Dims()
	dense := kernel.Dense[float64](t, k)
	for i := range t {
		p.z.AddRow(dense.Row(i), i, 1)
	}
	var err error
	if p.span, err = spanOf(ctx, dense, make([]float64, t)); err != nil {
		return guess{}, err
	}
	p.differentiate(from.margin)
	return p.newton(ctx, from.margin, guess{make([]twofold, t), make([]twofold, k), make([]twofold, t)})
}

func (p *polisher) solve(ctx context.Context, g guess) ([]float64, error) {
	for step, undamped := 0, 0; ; step++ {
		p.differentiate(g.margin)
		norm, allowed, err := p.gradient(ctx, g.u)
		if err != nil {
			return nil, err
		}
		if norm <= allowed {
			return highs(g.u), nil
		}
		if step == maxNewtonSteps || undamped == maxPolishSteps || !matrix.Finite(norm) {
			return nil, fmt.Errorf("%w: the gradient of the logistic regression is %.3g, wanted %.3g", ErrConvergence, norm, allowed)
		}
		next, err := p.newton(ctx, g.margin, g)
		if err != nil {
			return nil, err
		}
		change := 0.0
		for _, v := range gaps(next.margin, g.margin) {
			change = max(change, math.Abs(v))
		}
		if change > 0.1 {
			// The third derivative of the loss is nowhere larger than the second: this much of the step
			// does not overshoot (Bach 2010).
			part := math.Log1p(change) / change
			next = guess{between(g.at, next.at, part), between(g.u, next.u, part), between(g.margin, next.margin, part)}
		} else {
			undamped++
		}
		g = next
	}
}

// differentiate sets pull and curv at the margin.
func (p *polisher) differentiate(margin []twofold) {
	one := twofold{hi: 1}
	for i, y := range p.y {
		m := margin[i].scaled(y) // y is a sign
		wrong, e := one, m
		if m.hi > 0 {
			e = m.scaled(-1)
		}
		e = e.exp()
		if m.hi > 0 {
			wrong = e
		}
		all := one.plus(e)
		p.pull[i] = wrong.over(all).times(twofold{hi: p.c * y})
		p.curv[i] = p.c * (e.hi / all.hi / all.hi)
	}
}

// gradient returns the norm of u − Zᵀ·pull, and how large it may be.
func (p *polisher) gradient(ctx context.Context, u []twofold) (norm, allowed float64, err error) {
	loss, err := p.combined(ctx, p.pull)
	if err != nil {
		return 0, 0, err
	}
	length := matrix.Length(highs(u[:len(u)-1])) // without the intercept
	allowed = polishedTo * length
	if length*p.longest < 1e-12 {
		// Rows hardly move a score: of terms that cancel to nothing, all but 28 digits.
		terms := 0.0
		for _, v := range p.pull {
			terms += math.Abs(v.hi)
		}
		allowed = max(allowed, 1e-28*p.longest*terms)
	}
	return matrix.Length(gaps(u, loss)), allowed, nil
}

// newton solves the equations that are linear about the margin near, where pull and curv are taken,
// starting from g.
func (p *polisher) newton(ctx context.Context, near []twofold, g guess) (guess, error) {
	err := p.decompose(ctx)
	if err != nil {
		return guess{}, err
	}
	for range 2 { // the second finds the digits that the first has lost
		pull := make([]twofold, len(p.pull))
		for i, v := range g.margin {
			pull[i] = p.pull[i].minus(v.minus(near[i]).scaled(p.curv[i]))
		}
		if p.span.Rows == 0 {
			if pull, err = p.combined(ctx, pull); err != nil {
				return guess{}, err
			}
		}
		if g, err = p.moved(ctx, g, p.solution(gaps(pull, g.at))); err != nil {
			return guess{}, err
		}
	}
	return g, nil
}

// moved is g after a step of its unknowns.
func (p *polisher) moved(ctx context.Context, g guess, step []float64) (guess, error) {
	change, err := twofolds(step), error(nil)
	at := sum(g.at, change)
	u := at
	if p.span.Rows > 0 {
		// Not from β, whose terms may cancel.
		if change, err = p.combined(ctx, change); err != nil {
			return guess{}, err
		}
		u = sum(g.u, change)
	}
	margin, err := p.scores(ctx, u)
	return guess{at, u, margin}, err
}

// decompose sets factor to the lower triangular F with FFᵀ = I + ZᵀEZ or, of β, I + E^½·ZZᵀ·E^½.
func (p *polisher) decompose(ctx context.Context) error {
	for i, e := range p.curv {
		p.root[i] = max(math.Sqrt(e), 1e-150) // not zero: solution divides by it
	}
	t, n := p.z.Dims()
	if p.span.Rows > 0 {
		n = t
	}
	a := kernel.Dense[float64](n, t+n)
	for i, root := range p.root {
		if p.span.Rows > 0 {
			matrix.AddScaled(a.Row(i), root, p.span.Row(i)[:i+1])
			continue
		}
		cols, values := p.z.Row(i)
		for q, v := range values {
			a.Data[matrix.Column(cols, q)*a.Stride+i] = root * v
		}
	}
	for i := range n {
		a.Data[i*a.Stride+t+i] = 1
	}
	p.factor = blas64.Triangular{N: n, Stride: a.Stride, Uplo: blas.Lower, Diag: blas.NonUnit, Data: a.Data}
	return factorLQ(ctx, a, make([]float64, n))
}

// solution overwrites r by (I + ZᵀEZ)⁻¹r or, of β, (I + E·ZZᵀ)⁻¹r.
func (p *polisher) solution(r []float64) []float64 {
	if p.span.Rows > 0 {
		for i, root := range p.root {
			r[i] /= root
		}
	}
	blas64.Trsv(blas.NoTrans, p.factor, vector(r))
	blas64.Trsv(blas.Trans, p.factor, vector(r))
	if p.span.Rows > 0 {
		for i, root := range p.root {
			r[i] *= root
		}
	}
	return r
}

// scores is Zu.
func (p *polisher) scores(ctx context.Context, u []twofold) ([]twofold, error) {
	s := make([]twofold, p.z.Rows())
	return s, parallel.Ranges(ctx, len(s), 16, func(lo, hi int) { // few, for rows may be long
		for i := lo; i < hi; i++ {
			cols, values := p.z.Row(i)
			for q, v := range values {
				s[i].add(v, u[matrix.Column(cols, q)])
			}
			s[i] = sumOf(s[i].hi, s[i].lo)
		}
	})
}

// combined is Zᵀs.
func (p *polisher) combined(ctx context.Context, s []twofold) ([]twofold, error) {
	u := make([]twofold, p.z.Cols())
	for i, c := range s {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cols, values := p.z.Row(i)
		for q, v := range values {
			u[matrix.Column(cols, q)].add(v, c)
		}
	}
	for j, v := range u {
		u[j] = sumOf(v.hi, v.lo)
	}
	return u, nil
}
