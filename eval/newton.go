package eval

import (
	"context"
	"math"
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
)

const (
	// gradientTolerance is relative to C·Σ‖xᵢ‖, which bounds the gradient of the loss.
	gradientTolerance = 1e-12
	// stepTolerance is relative to ‖u‖. The Hessian is at least the identity, so u is as near to the
	// optimum as the gradient is small.
	stepTolerance  = 1e-9
	maxNewtonSteps = 200
)

// binary is a two-class logistic regression in the coordinates of a design Z, whose columns but the
// last a diagonal matrix S multiplies by scale:
//
//	min over u of φ(u) = ½‖u‖² + C Σᵢ log(1 + exp(−yᵢ·(ZSu)ᵢ)),  yᵢ = ±1.
//
// A truncated Newton method solves it: conjugate gradients find the step p of (I + C·SZᵀDZS)p = −∇φ,
// to an accuracy that grows as the gradient falls (Dembo, Eisenstat and Steihaug 1982).
type binary struct {
	y        []float64
	c, scale float64
	lengths  []float64 // of the rows of ZS
	sum      float64   // of the lengths

	u, margin  []float64 // the iterate and ZSu
	value      float64   // φ(u)
	pull, curv []float64 // −(derivative) and second derivative of the loss of each row
	grad       []float64
	step       []float64 // Newton's step and its image ZS·step
	stepMargin []float64
	steps      int     // of Newton
	first      float64 // ‖grad‖ at the start

	r, p     []float64 // conjugate gradients: residual and direction
	rr, stop float64   // ‖r‖², and the ‖r‖ to reach
	left     int       // products until they are given up, 0 where the gradient is to be taken
	done     bool
}

// newBinary starts at u = 0, of k coordinates.
func newBinary(k int, y []float64, c, scale float64, lengths []float64) *binary {
	b := &binary{y: y, c: c, scale: scale, lengths: lengths, sum: matrix.Total(lengths)}
	for _, v := range []*[]float64{&b.u, &b.grad, &b.step, &b.r, &b.p} {
		*v = make([]float64, k)
	}
	for _, v := range []*[]float64{&b.margin, &b.pull, &b.curv, &b.stepMargin} {
		*v = make([]float64, len(y))
	}
	b.value, _ = b.along(0, 0, 0, 0)
	b.bend()
	return b
}

// solve moves the u of every problem to its optimum, or as near to it as the rounding of the gradient
// lets it see. Each goes its own way, and all share their products with the design: first those with
// directions of conjugate gradients, then the sums of rows that make a gradient or a product with a
// Hessian.
func solve(ctx context.Context, z design, problems []*binary) error {
	t, k := z.Dims()
	points, images := kernel.Unset[float64](len(problems), k), kernel.Unset[float64](len(problems), t)
	grain := 1 + (1<<15)/(t+k) // problems: tens of microseconds
	for open := slices.Clone(problems); len(open) > 0; {
		slices.SortStableFunc(open, func(a, b *binary) int { return min(b.left, 1) - min(a.left, 1) })
		stepping := 0
		for ; stepping < len(open) && open[stepping].left > 0; stepping++ {
			b, v := open[stepping], points.Row(stepping)
			copy(v, b.p)
			matrix.Scale(v[:k-1], b.scale)
		}
		v, s := kernel.Rows(points, 0, len(open)), kernel.Rows(images, 0, len(open))
		if err := z.scores(ctx, kernel.Rows(s, 0, stepping), kernel.Rows(v, 0, stepping)); err != nil {
			return err
		}
		err := parallel.Ranges(ctx, len(open), grain, func(lo, hi int) {
			for q := lo; q < hi; q++ {
				if open[q].left > 0 {
					open[q].advance(s.Row(q))
				} else {
					copy(s.Row(q), open[q].pull)
				}
			}
		})
		if err != nil {
			return err
		}
		if err := z.pulls(ctx, v, s); err != nil {
			return err
		}
		err = parallel.Ranges(ctx, len(open), grain, func(lo, hi int) {
			for q := lo; q < hi; q++ {
				matrix.Scale(v.Row(q)[:k-1], open[q].scale)
				if open[q].left > 0 {
					open[q].turn(v.Row(q))
				} else {
					open[q].begin(v.Row(q))
				}
			}
		})
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(b *binary) bool { return b.done })
	}
	return nil
}

// rounding estimates how large a vanishing gradient is by rounding, with pull and curv at a u of
// some length.
func (b *binary) rounding(length float64) float64 {
	sum := 0.0
	for i, l := range b.lengths {
		sum += lost(l, b.pull[i], b.curv[i], length)
	}
	return unitOf(len(b.u)) * sum
}

// bend sets pull and curv at the iterate.
func (b *binary) bend() {
	for i, y := range b.y {
		s := 1 / (1 + math.Exp(y*b.margin[i])) // probability of the wrong class
		b.pull[i] = b.c * y * s
		b.curv[i] = b.c * s * (1 - s)
	}
}

// begin takes the gradient, given SZᵀ·pull, and starts conjugate gradients unless it is small.
func (b *binary) begin(loss []float64) {
	for j, u := range b.u {
		b.grad[j] = u - loss[j]
	}
	norm, length := matrix.Length(b.grad), matrix.Length(b.u)
	tolerance := max(min(gradientTolerance*b.c*b.sum, stepTolerance*length), b.rounding(length))
	if b.steps == 0 {
		b.first = norm
	}
	if b.done = norm <= tolerance || b.steps == maxNewtonSteps; b.done {
		return
	}
	b.steps++
	// Newton's quadratic convergence needs the relative accuracy of the step to fall with the
	// gradient; never below what is left to gain.
	forcing := max(min(0.1, math.Sqrt(norm/b.first)), 0.1*tolerance/norm)
	clear(b.step)
	clear(b.stepMargin)
	for j, g := range b.grad {
		b.r[j] = -g
	}
	copy(b.p, b.r)
	b.rr, b.stop, b.left = norm*norm, forcing*norm, 2*len(b.r)+50
}

// advance moves step along p, given zp = ZSp, which it replaces by C·D·zp.
func (b *binary) advance(zp []float64) {
	curvature := dot(b.p, b.p) // pᵀ(I + C·SZᵀDZS)p
	for i, m := range zp {
		curvature += b.curv[i] * m * m
	}
	a := b.rr / curvature
	matrix.AddScaled(b.step, a, b.p)
	matrix.AddScaled(b.r, -a, b.p)
	matrix.AddScaled(b.stepMargin, a, zp)
	for i, curv := range b.curv {
		zp[i] *= a * curv
	}
}

// turn takes the next direction, given what remains to be taken off the residual, or makes the step
// if that is small. Cut off early it is still a direction of descent, as conjugate gradients start
// from zero.
func (b *binary) turn(hp []float64) {
	matrix.AddScaled(b.r, -1, hp)
	before := b.rr
	b.rr = dot(b.r, b.r)
	if b.left--; b.left > 0 && !(math.Sqrt(b.rr) <= b.stop) {
		beta := b.rr / before
		for j, r := range b.r {
			b.p[j] = r + beta*b.p[j]
		}
		return
	}
	b.left = 0
	if b.done = !b.lineSearch(); !b.done {
		b.bend()
	}
}

// lineSearch moves along step, halving it until φ has fallen enough: by Armijo's rule, or, where
// φ's own rounding hides the fall, by the slope at the new point (Hager and Zhang 2005, the
// approximate Wolfe condition). It reports whether it moved.
func (b *binary) lineSearch() bool {
	const armijo, halvings = 1e-4, 60
	uu, up, pp := dot(b.u, b.u), dot(b.u, b.step), dot(b.step, b.step)
	slope := dot(b.grad, b.step)
	if !(slope < 0) {
		return false
	}
	for s, k := 1.0, 0; k < halvings; s, k = s/2, k+1 {
		v, g := b.along(s, uu, up, pp)
		fell := v <= b.value+armijo*s*slope
		flat := v <= b.value+1e-14*math.Abs(b.value) && g <= -0.8*slope
		if fell || flat {
			matrix.AddScaled(b.u, s, b.step)
			matrix.AddScaled(b.margin, s, b.stepMargin)
			b.value = v
			return true
		}
	}
	return false
}

// along returns φ(u + s·step) and its derivative by s, given the products of u and step, which are
// the same for every s.
func (b *binary) along(s, uu, up, pp float64) (value, slope float64) {
	for i, y := range b.y {
		m := y * (b.margin[i] + s*b.stepMargin[i])
		e := math.Exp(-math.Abs(m))
		loss := math.Log1p(e)
		wrong := e / (1 + e)
		if m < 0 {
			loss, wrong = loss-m, 1/(1+e)
		}
		value += loss
		slope -= wrong * y * b.stepMargin[i]
	}
	return b.c*value + uu/2 + s*up + s*s*pp/2, b.c*slope + up + s*pp
}

// lost estimates the rounding of one row's term in the gradient, in units of [unitOf]: of the term
// itself, and of the score, a product with coefficients of some length.
func lost(row, pull, curv, length float64) float64 {
	return row * (math.Abs(pull) + curv*row*length)
}

// unitOf is the relative rounding of a sum of k terms, whose errors have random signs.
func unitOf(k int) float64 { return 0x1p-52 * math.Sqrt(float64(k)) }
