package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/given"
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
	roughTolerance = 1e-3 // in place of it where only rows that are held out are predicted
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
	within   float64 // stepTolerance
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
	norm       float64 // ‖grad‖
	noise      float64 // what rounding makes of a gradient that vanishes

	r, p     []float64 // conjugate gradients: residual and direction
	rr, stop float64   // ‖r‖², and the ‖r‖ to reach
	left     int       // products until they are given up, 0 where the step is to be made
	done     bool
}

// newBinary starts at w = 0 with the odds of the class as intercept, of k coordinates.
func newBinary(k int, y []float64, c, scale float64, lengths []float64) *binary {
	b := &binary{y: y, within: stepTolerance, c: c, scale: scale, lengths: lengths, sum: matrix.Total(lengths)}
	for _, v := range []*[]float64{&b.u, &b.grad, &b.step, &b.r, &b.p} {
		*v = make([]float64, k)
	}
	for _, v := range []*[]float64{&b.margin, &b.pull, &b.curv, &b.stepMargin} {
		*v = make([]float64, len(y))
	}
	in := 0.5
	for _, v := range y {
		in += max(v, 0)
	}
	b.step[k-1] = math.Log(in / (float64(len(y)) + 1 - in))
	return b
}

// solve moves the u of every problem to its optimum, or as near to it as the rounding of the gradient
// lets it see. They take Newton's steps together, each with conjugate gradients of its own, and share
// all products with the design.
func solve(ctx context.Context, z design, problems []*binary) error {
	for open := slices.Clone(problems); len(open) > 0; {
		if err := together(ctx, z, open, (*binary).aim, (*binary).move, (*binary).begin); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(b *binary) bool { return b.done })
		if err := conjugate(ctx, z, open); err != nil {
			return err
		}
	}
	return nil
}

// conjugate finds Newton's step of each problem.
func conjugate(ctx context.Context, z design, problems []*binary) error {
	for problems = slices.Clone(problems); len(problems) > 0; {
		if err := together(ctx, z, problems, (*binary).direct, (*binary).advance, (*binary).turn); err != nil {
			return err
		}
		problems = slices.DeleteFunc(problems, func(b *binary) bool { return b.left == 0 })
	}
	return nil
}

// together takes one product ZSv with a vector and one SZᵀs for each of the problems: before writes v, between replaces the
// product by s, and after reads the result.
func together(ctx context.Context, z design, problems []*binary, before, between, after func(*binary, []float64)) error {
	t, k := z.Dims()
	v, freeV := kernel.Scratch[float64](len(problems), k)
	defer freeV()
	s, freeS := kernel.Scratch[float64](len(problems), t)
	defer freeS()
	each := func(do func(q int, b *binary)) error {
		return parallel.Ranges(ctx, len(problems), 1+(1<<15)/(t+k), func(lo, hi int) {
			for q := lo; q < hi; q++ {
				do(q, problems[q])
			}
		})
	}
	err := each(func(q int, b *binary) {
		before(b, v.Row(q))
		matrix.Scale(v.Row(q)[:k-1], b.scale)
	})
	if err == nil {
		err = z.scores(ctx, s, v)
	}
	if err == nil {
		err = each(func(q int, b *binary) { between(b, s.Row(q)) })
	}
	if err == nil {
		err = z.pulls(ctx, v, s)
	}
	if err != nil {
		return err
	}
	return each(func(q int, b *binary) {
		matrix.Scale(v.Row(q)[:k-1], b.scale)
		after(b, v.Row(q))
	})
}

// rounding estimates the size that rounding gives a vanishing gradient, with pull and curv at a u of some length. It counts
// the term of each row and the row's score, a product with u. The errors of the k terms of a sum have random signs.
func (b *binary) rounding(length float64) float64 {
	sum := 0.0
	for i, l := range b.lengths {
		sum += l * (math.Abs(b.pull[i]) + b.curv[i]*l*length)
	}
	return 0x1p-52 * math.Sqrt(float64(len(b.u))) * sum
}

// check refuses an iterate that is not known to be near the optimum: the Hessian is at least the identity, so that the
// gradient and its rounding bound the error.
func (b *binary) check() error {
	bound, longest := b.norm+b.noise, matrix.Magnitude(b.lengths)
	if bound <= accuracy*matrix.Length(b.u[:len(b.u)-1]) || bound*longest <= scoreAccuracy {
		return nil
	}
	return fmt.Errorf("%w: rounding hides the optimum of a logistic regression on rows up to %.3g long with C = %g; scale the features",
		ErrConvergence, longest, b.c)
}

// aim asks for the margin of Newton's step.
func (b *binary) aim(v []float64) { copy(v, b.step) }

// move makes the step, given its margin, which it replaces by the pull there.
func (b *binary) move(margin []float64) {
	copy(b.stepMargin, margin)
	if b.steps > 0 {
		b.done = !b.lineSearch()
	} else {
		b.take(1)
		b.value, _ = b.along(0, given.Dot(b.u, b.u), 0, 0)
	}
	copy(margin, b.pull)
}

// begin takes the gradient, given SZᵀ·pull, and starts conjugate gradients unless it is small.
func (b *binary) begin(loss []float64) {
	if b.done {
		return
	}
	for j, u := range b.u {
		b.grad[j] = u - loss[j]
	}
	length := matrix.Length(b.u)
	b.norm = matrix.Length(b.grad)
	b.noise = b.rounding(length)
	tolerance := max(b.within*min(gradientTolerance/stepTolerance*b.c*b.sum, matrix.Length(b.u[:len(b.u)-1])), b.noise)
	if b.steps == 0 {
		b.first = b.norm
	}
	if b.done = b.norm <= tolerance || b.steps == maxNewtonSteps; b.done {
		return
	}
	// Newton's quadratic convergence needs the relative accuracy of the step to fall with the
	// gradient; never below what is left to gain.
	forcing := max(min(0.1, math.Sqrt(b.norm/b.first)), 0.1*tolerance/b.norm)
	b.steps++
	clear(b.step)
	for j, g := range b.grad {
		b.r[j] = -g
	}
	copy(b.p, b.r)
	b.rr, b.stop, b.left = b.norm*b.norm, forcing*b.norm, 2*len(b.r)+50
}

// direct asks for the image of the direction, of the length that the residual makes 1.
func (b *binary) direct(v []float64) {
	unit := 1 / math.Sqrt(b.rr)
	for j, p := range b.p {
		v[j] = unit * p
	}
}

// advance moves step along p, given the image zp of p in units of ‖r‖. It replaces zp by the vector whose pull C·SZᵀDZSp is
// taken off the residual.
func (b *binary) advance(zp []float64) {
	curvature := 0.0 // pᵀ(I + C·SZᵀDZS)p
	for i, m := range zp {
		curvature += b.curv[i] * m * m
	}
	a := b.rr / (given.Dot(b.p, b.p) + b.rr*curvature)
	matrix.AddScaled(b.step, a, b.p)
	matrix.AddScaled(b.r, -a, b.p)
	for i, curv := range b.curv {
		zp[i] *= a * curv
	}
}

// turn takes the next direction, given the part to be taken off the residual in units of ‖r‖, unless the residual is small.
// Cut off early it is still a step of descent, as conjugate gradients start from zero.
func (b *binary) turn(hp []float64) {
	before, unit := b.rr, math.Sqrt(b.rr)
	for j, v := range hp {
		b.r[j] -= unit * v
	}
	b.rr = given.Dot(b.r, b.r)
	if b.left--; b.left == 0 || math.Sqrt(b.rr) <= b.stop {
		b.left = 0
		return
	}
	beta := b.rr / before
	for j, r := range b.r {
		b.p[j] = r + beta*b.p[j]
	}
}

// lineSearch moves along step, halving it until φ has fallen enough: by Armijo's rule, or, where
// φ's own rounding hides the fall, by the slope at the new point (Hager and Zhang 2005, the
// approximate Wolfe condition). It reports whether it moved.
func (b *binary) lineSearch() bool {
	const armijo, halvings = 1e-4, 60
	uu, up, pp := given.Dot(b.u, b.u), given.Dot(b.u, b.step), given.Dot(b.step, b.step)
	slope := given.Dot(b.grad, b.step)
	if !(slope < 0) {
		return false
	}
	for s, k := 1.0, 0; k < halvings; s, k = s/2, k+1 {
		v, g := b.along(s, uu, up, pp)
		fell := v <= b.value+armijo*s*slope
		flat := v <= b.value+1e-14*math.Abs(b.value) && g <= -0.8*slope
		if fell || flat {
			b.take(s)
			b.value = v
			return true
		}
	}
	return false
}

// take moves the iterate by a part of the step.
func (b *binary) take(s float64) {
	matrix.AddScaled(b.u, s, b.step)
	matrix.AddScaled(b.margin, s, b.stepMargin)
}

// along returns φ(u + s·step) and its derivative by s, given the products of u and step, which are
// the same for every s, and sets pull and curv there.
func (b *binary) along(s, uu, up, pp float64) (value, slope float64) {
	// Σ log(1 + e) is the logarithm of a product, of factors up to 2, and the terms of the small ones a series.
	product := 1.0
	for i, y := range b.y {
		m := y * (b.margin[i] + s*b.stepMargin[i])
		e := math.Exp(-math.Abs(m))
		wrong := e / (1 + e) // probability of the wrong class
		if e < 0x1p-10 {
			value += e * (1 - e*(1./2-e*(1./3-e*(1./4-e/5))))
		} else if product *= 1 + e; product > 0x1p900 {
			value, product = value+math.Log(product), 1
		}
		if m < 0 {
			value, wrong = value-m, 1/(1+e)
		}
		b.pull[i] = b.c * y * wrong
		b.curv[i] = b.c * wrong * (1 - wrong)
		slope -= wrong * y * b.stepMargin[i]
	}
	value += math.Log(product)
	return b.c*value + uu/2 + s*up + s*s*pp/2, b.c*slope + up + s*pp
}
