package eval

import (
	"context"
	"math"

	"coles/internal/matrix"
)

const (
	// gradientTolerance is relative to C·Σ‖xᵢ‖, which bounds the gradient of the loss.
	gradientTolerance = 1e-12
	// stepTolerance is relative to ‖u‖. The Hessian is at least the identity, so u is as near to the
	// optimum as the gradient is small.
	stepTolerance  = 1e-9
	maxNewtonSteps = 200
)

// binary is a two-class logistic regression in the coordinates of a design:
//
//	min over u of φ(u) = ½‖u‖² + C Σᵢ log(1 + exp(−yᵢ·(Zu)ᵢ)),  yᵢ = ±1.
//
// A truncated Newton method solves it: conjugate gradients find the step p of (I + C·ZᵀDZ)p = −∇φ,
// to an accuracy that grows as the gradient falls (Dembo, Eisenstat and Steihaug 1982).
type binary struct {
	z       design
	y       []float64
	c       float64
	lengths []float64 // of the rows

	u, margin  []float64 // the iterate and Zu
	pull, curv []float64 // −(derivative) and second derivative of the loss of each row
	grad       []float64
	step       []float64 // Newton's step and its image Z·step
	stepMargin []float64
	r, p, hp   []float64 // conjugate gradients: residual, direction, Hessian times direction
	zp, dzp    []float64
}

func newBinary(z design, y []float64, c float64, lengths []float64) *binary {
	t, k := z.size()
	b := &binary{z: z, y: y, c: c, lengths: lengths}
	for _, v := range []*[]float64{&b.u, &b.grad, &b.step, &b.r, &b.p, &b.hp} {
		*v = make([]float64, k)
	}
	for _, v := range []*[]float64{&b.margin, &b.pull, &b.curv, &b.stepMargin, &b.zp, &b.dzp} {
		*v = make([]float64, t)
	}
	return b
}

// solve moves u to the optimum, or as near to it as the rounding of the gradient lets it see.
func (b *binary) solve(ctx context.Context) error {
	var first float64
	most := gradientTolerance * b.c * matrix.Total(b.lengths)
	for step := range maxNewtonSteps {
		norm, err := b.differentiate(ctx)
		if err != nil {
			return err
		}
		length := matrix.Length(b.u)
		tolerance := max(min(most, stepTolerance*length), b.rounding(length))
		if norm <= tolerance {
			return nil
		}
		if step == 0 {
			first = norm
		}
		// Newton's quadratic convergence needs the relative accuracy of the step to fall with the
		// gradient; never below what is left to gain.
		forcing := max(min(0.1, math.Sqrt(norm/first)), 0.1*tolerance/norm)
		if err := b.newtonStep(ctx, norm, forcing); err != nil {
			return err
		}
		if !b.lineSearch() {
			return nil
		}
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
	_, k := b.z.size()
	return unitOf(k) * sum
}

// differentiate sets pull, curv and grad at the iterate, and returns ‖grad‖.
func (b *binary) differentiate(ctx context.Context) (float64, error) {
	for i, y := range b.y {
		s := 1 / (1 + math.Exp(y*b.margin[i])) // probability of the wrong class
		b.pull[i] = b.c * y * s
		b.curv[i] = b.c * s * (1 - s)
	}
	if err := b.z.mulTrans(ctx, b.grad, b.pull); err != nil {
		return 0, err
	}
	for j, u := range b.u {
		b.grad[j] = u - b.grad[j]
	}
	return matrix.Length(b.grad), nil
}

// newtonStep sets step and stepMargin. Cut off early it still leaves a direction of descent, as
// conjugate gradients start from zero.
func (b *binary) newtonStep(ctx context.Context, norm, forcing float64) error {
	clear(b.step)
	clear(b.stepMargin)
	for j, g := range b.grad {
		b.r[j] = -g
	}
	copy(b.p, b.r)
	rr := norm * norm
	stop := forcing * norm
	for range 2*len(b.r) + 50 {
		curvature, err := b.hessianTimes(ctx)
		if err != nil {
			return err
		}
		a := rr / curvature
		matrix.AddScaled(b.step, a, b.p)
		matrix.AddScaled(b.stepMargin, a, b.zp)
		matrix.AddScaled(b.r, -a, b.p)
		matrix.AddScaled(b.r, -a, b.hp)
		before := rr
		rr = dot(b.r, b.r)
		if math.Sqrt(rr) <= stop {
			break
		}
		beta := rr / before
		for j, r := range b.r {
			b.p[j] = r + beta*b.p[j]
		}
	}
	return nil
}

// hessianTimes sets zp = Zp and hp = C·ZᵀDZp, the Hessian without its identity, and returns pᵀ(I +
// C·ZᵀDZ)p.
func (b *binary) hessianTimes(ctx context.Context) (curvature float64, err error) {
	if err := b.z.mul(ctx, b.zp, b.p); err != nil {
		return 0, err
	}
	curvature = dot(b.p, b.p)
	for i, m := range b.zp {
		b.dzp[i] = b.curv[i] * m
		curvature += b.dzp[i] * m
	}
	return curvature, b.z.mulTrans(ctx, b.hp, b.dzp)
}

// lineSearch moves along step, halving it until φ has fallen enough: by Armijo's rule, or, where
// φ's own rounding hides the fall, by the slope at the new point (Hager and Zhang 2005, the
// approximate Wolfe condition). It reports whether it moved.
func (b *binary) lineSearch() bool {
	const armijo, halvings = 1e-4, 60
	uu, up, pp := dot(b.u, b.u), dot(b.u, b.step), dot(b.step, b.step)
	value, slope := b.along(0, uu, up, pp)
	if !(slope < 0) {
		return false
	}
	for s, k := 1.0, 0; k < halvings; s, k = s/2, k+1 {
		v, g := b.along(s, uu, up, pp)
		fell := v <= value+armijo*s*slope
		flat := v <= value+1e-14*math.Abs(value) && g <= -0.8*slope
		if fell || flat {
			matrix.AddScaled(b.u, s, b.step)
			matrix.AddScaled(b.margin, s, b.stepMargin)
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
