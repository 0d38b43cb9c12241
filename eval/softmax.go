package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// softmaxRows is how many rows of scores a task turns into probabilities.
const softmaxRows = 256

// softmax is a multinomial logistic regression in the coordinates of a design:
//
//	min over U of φ(U) = ½‖U‖² + C Σᵢ (log Σₖ exp(m_ik) − m_i,yᵢ),  M = ZU,
//
// of which the last row of U, the intercepts, is left out of the penalty if it
// is free. It is solved by the method of binary, for all classes at once: with p_i
// the probabilities of a row, the Hessian takes a direction P to
// P + C·ZᵀH, where H_i = p_i∘q_i − p_i·(p_i·q_i), q_i = (ZP)_i.
//
// All starts from zero, and the gradients of a row over the classes add up to
// zero; so do then those of U, and free intercepts with them, although φ does
// not tell their sum.
type softmax struct {
	z         *jointDesign
	y         []int
	c         float64
	tolerance float64
	free      bool

	u, margin  kernel.Matrix[float64] // the iterate and ZU
	share      kernel.Matrix[float64] // the probabilities
	pull       kernel.Matrix[float64] // derivative of the loss by the margins, and of its products
	grad       kernel.Matrix[float64]
	step       kernel.Matrix[float64] // Newton's step and its image Z·step
	stepMargin kernel.Matrix[float64]
	r, p, hp   kernel.Matrix[float64] // conjugate gradients: residual, direction, Hessian times direction
	zp         kernel.Matrix[float64]
}

func newSoftmax(z *jointDesign, y []int, classes int, c, tolerance float64, free bool) *softmax {
	t, k := z.size()
	s := &softmax{z: z, y: y, c: c, tolerance: tolerance, free: free}
	for _, v := range []*kernel.Matrix[float64]{&s.u, &s.grad, &s.step, &s.r, &s.p, &s.hp} {
		*v = kernel.Dense[float64](k, classes)
	}
	for _, v := range []*kernel.Matrix[float64]{&s.margin, &s.share, &s.pull, &s.stepMargin, &s.zp} {
		*v = kernel.Dense[float64](t, classes)
	}
	return s
}

// solve moves u to the optimum.
func (s *softmax) solve(ctx context.Context) error {
	var first float64
	for step := range maxNewtonSteps {
		norm, err := s.differentiate(ctx)
		if err != nil {
			return err
		}
		if norm <= s.tolerance {
			return nil
		}
		if step == 0 {
			first = norm
		}
		forcing := max(min(0.1, math.Sqrt(norm/first)), 0.1*s.tolerance/norm) // as in binary.solve
		if err := s.newtonStep(ctx, norm, forcing); err != nil {
			return err
		}
		moved, err := s.lineSearch(ctx)
		if err != nil {
			return err
		}
		if !moved {
			return fmt.Errorf("%w: logistic regression stalls at a gradient of %.3g, wanted %.3g",
				ErrConvergence, norm, s.tolerance)
		}
	}
	return fmt.Errorf("%w: logistic regression is not done after %d Newton steps", ErrConvergence, maxNewtonSteps)
}

// penalised is the part of U, or of a matrix like it, that the penalty is on.
func (s *softmax) penalised(u kernel.Matrix[float64]) []float64 {
	if s.free {
		return u.Data[:(u.Rows-1)*u.Cols]
	}
	return u.Data
}

// differentiate sets share and grad at the iterate, and returns ‖grad‖.
func (s *softmax) differentiate(ctx context.Context) (float64, error) {
	classes := s.u.Cols
	err := parallel.Ranges(ctx, len(s.y), softmaxRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			margin, share := s.margin.Data[i*classes:(i+1)*classes], s.share.Data[i*classes:(i+1)*classes]
			top, sum := margin[0], 0.0
			for _, m := range margin {
				top = max(top, m)
			}
			for k, m := range margin {
				share[k] = math.Exp(m - top)
				sum += share[k]
			}
			pull := s.pull.Data[i*classes : (i+1)*classes]
			var others float64
			for k := range share {
				share[k] /= sum
				pull[k] = s.c * share[k]
				if k != s.y[i] {
					others += pull[k]
				}
			}
			// Not C·(p − 1), whose digits cancel where p is near 1.
			pull[s.y[i]] = -others
		}
	})
	if err != nil {
		return 0, err
	}
	if err := s.z.mulTrans(ctx, s.grad, s.pull); err != nil {
		return 0, err
	}
	axpy(1, s.penalised(s.u), s.penalised(s.grad))
	return norm2(s.grad.Data), nil
}

// newtonStep sets step and stepMargin. Cut off early it still leaves a
// direction of descent, as conjugate gradients start from zero.
func (s *softmax) newtonStep(ctx context.Context, norm, forcing float64) error {
	clear(s.step.Data)
	clear(s.stepMargin.Data)
	for j, g := range s.grad.Data {
		s.r.Data[j] = -g
	}
	copy(s.p.Data, s.r.Data)
	rr := norm * norm
	stop := forcing * norm
	for range 2*len(s.r.Data) + 50 {
		if err := s.hessianTimes(ctx); err != nil {
			return err
		}
		a := rr / dot(s.p.Data, s.hp.Data)
		axpy(a, s.p.Data, s.step.Data)
		axpy(a, s.zp.Data, s.stepMargin.Data)
		axpy(-a, s.hp.Data, s.r.Data)
		before := rr
		rr = dot(s.r.Data, s.r.Data)
		if math.Sqrt(rr) <= stop {
			break
		}
		beta := rr / before
		for j, r := range s.r.Data {
			s.p.Data[j] = r + beta*s.p.Data[j]
		}
	}
	return nil
}

// hessianTimes sets zp = Z·p and hp, the Hessian times p.
func (s *softmax) hessianTimes(ctx context.Context) error {
	if err := s.z.mul(ctx, s.zp, s.p); err != nil {
		return err
	}
	classes := s.u.Cols
	err := parallel.Ranges(ctx, len(s.y), softmaxRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			share, q := s.share.Data[i*classes:(i+1)*classes], s.zp.Data[i*classes:(i+1)*classes]
			var mean float64
			for k, p := range share {
				mean += p * q[k]
			}
			curved := s.pull.Data[i*classes : (i+1)*classes]
			for k, p := range share {
				curved[k] = s.c * p * (q[k] - mean)
			}
		}
	})
	if err != nil {
		return err
	}
	if err := s.z.mulTrans(ctx, s.hp, s.pull); err != nil {
		return err
	}
	axpy(1, s.penalised(s.p), s.penalised(s.hp))
	return nil
}

// lineSearch moves along step by the rules of [binary.lineSearch].
func (s *softmax) lineSearch(ctx context.Context) (moved bool, err error) {
	const armijo, halvings = 1e-4, 60
	value, slope, err := s.along(ctx, 0)
	if err != nil || !(slope < 0) {
		return false, err
	}
	for a, k := 1.0, 0; k < halvings; a, k = a/2, k+1 {
		v, g, err := s.along(ctx, a)
		if err != nil {
			return false, err
		}
		fell := v <= value+armijo*a*slope
		flat := v <= value+1e-14*math.Abs(value) && g <= -0.8*slope
		if fell || flat {
			axpy(a, s.step.Data, s.u.Data)
			axpy(a, s.stepMargin.Data, s.margin.Data)
			return true, nil
		}
	}
	return false, nil
}

// along returns φ(U + a·step) and its derivative by a.
func (s *softmax) along(ctx context.Context, a float64) (value, slope float64, err error) {
	classes := s.u.Cols
	parts := (len(s.y) + softmaxRows - 1) / softmaxRows
	values, slopes := make([]float64, parts), make([]float64, parts)
	err = parallel.Ranges(ctx, len(s.y), softmaxRows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			margin, step := s.margin.Data[i*classes:(i+1)*classes], s.stepMargin.Data[i*classes:(i+1)*classes]
			at := func(k int) float64 { return margin[k] + a*step[k] }
			own := at(s.y[i])
			// Relative to the largest of the others, so that a loss near
			// zero keeps its digits.
			top := math.Inf(-1)
			for k := range margin {
				if k != s.y[i] {
					top = max(top, at(k))
				}
			}
			var others, turn float64
			for k := range margin {
				if k != s.y[i] {
					e := math.Exp(at(k) - top)
					others += e
					turn += e * (step[k] - step[s.y[i]])
				}
			}
			gap := top + math.Log(others) - own // loss = log(1 + e^gap)
			e := math.Exp(-math.Abs(gap))
			loss, wrong := math.Log1p(e), e/(1+e)
			if gap > 0 {
				loss, wrong = loss+gap, 1/(1+e)
			}
			values[lo/softmaxRows] += loss
			slopes[lo/softmaxRows] += wrong * turn / others
		}
	})
	for q := range values {
		value += values[q]
		slope += slopes[q]
	}
	u, p := s.penalised(s.u), s.penalised(s.step)
	uu, up, pp := dot(u, u), dot(u, p), dot(p, p)
	return s.c*value + uu/2 + a*up + a*a*pp/2, s.c*slope + up + a*pp, err
}
