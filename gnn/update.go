package gnn

import (
	"context"
	"fmt"
	"math"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// updated is how many numbers of a parameter a task moves.
const updated = 1 << 14

// update moves the parameters that a phase trains by their gradients: step number t of the phase,
// from 1 on, at a rate that the schedule has made of the optimizer's.
func update[T autodiff.Float](
	ctx context.Context, o Optimizer, phase int, trains func(shape) bool, params []*parameter[T], t int, rate float64,
) error {
	for _, p := range params {
		if !trains(p.shape) || p.Averaged {
			continue
		}
		moments := p.moments[phase]
		decay := o.decay
		if p.Orthonormal {
			decay = 0
			if err := makeTangent(ctx, p.value, p.grad); err != nil {
				return err
			}
		}
		// A parameter, its gradient and its moments have no padding.
		if err := parallel.Ranges(ctx, len(p.value.Data), updated, func(lo, hi int) {
			g, v := p.grad.Data[lo:hi], p.value.Data[lo:hi]
			if decay > 0 && !o.decoupled {
				matrix.AddScaled(g, T(decay), v)
			}
			if decay > 0 && o.decoupled {
				matrix.Scale(v, T(1-rate*decay))
			}
			switch {
			case o.name == adamName:
				adamStep(v, g, moments[0].Data[lo:hi], moments[1].Data[lo:hi], t, rate)
			case o.momentum > 0:
				m := moments[0].Data[lo:hi]
				matrix.Scale(m, T(o.momentum))
				matrix.AddScaled(m, 1, g)
				matrix.AddScaled(v, T(-rate), m)
			default:
				matrix.AddScaled(v, T(-rate), g)
			}
		}); err != nil {
			return err
		}
		if p.Orthonormal {
			if err := retract(ctx, p.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// The constants of Adam that its authors recommend.
const (
	adamFirst   = 0.9
	adamSecond  = 0.999
	adamEpsilon = 1e-8
)

// adamStep is the rule of [Adam] for one part of a parameter.
func adamStep[T kernel.Float](v, g, first, second []T, t int, rate float64) {
	step := T(rate / (1 - math.Pow(adamFirst, float64(t))))
	correction := T(1 / math.Sqrt(1-math.Pow(adamSecond, float64(t))))
	first, second, g = first[:len(v)], second[:len(v)], g[:len(v)]
	for i := range v {
		first[i] = adamFirst*first[i] + (1-adamFirst)*g[i]
		second[i] = adamSecond*second[i] + (1-adamSecond)*g[i]*g[i]
		v[i] -= step * first[i] / (T(math.Sqrt(float64(second[i])))*correction + adamEpsilon)
	}
}

// The Stiefel manifold is the set of d × k matrices Θ with ΘᵀΘ = I.

// makeTangent replaces g, the gradient at theta, by the Riemannian one, g − theta·(thetaᵀg +
// gᵀtheta)/2: its projection on the tangent space for the metric of the surrounding space (Absil,
// Mahony and Sepulchre 2008, 3.35).
func makeTangent[T kernel.Float](ctx context.Context, theta, g kernel.Matrix[T]) error {
	k := theta.Cols
	s, release := kernel.Scratch[T](k, k)
	defer release()
	if err := kernel.Gemm(ctx, true, false, 1, theta, g, 0, s); err != nil {
		return err
	}
	kernel.Symmetrize(s)
	return kernel.Gemm(ctx, false, false, -1, theta, s, 1, g)
}

// retract replaces x, of full rank, by the Q of its QR decomposition with a positive diagonal of R:
// the closest way back to the manifold that is one decomposition long. R is found as the Cholesky
// factor of XᵀX, and once more from the result: X is near the manifold, where that is as accurate
// as reflections (Yamamoto, Nakatsukasa, Yanagisawa and Fukaya 2015) and all products.
func retract[T kernel.Float](ctx context.Context, x kernel.Matrix[T]) error {
	q, release := kernel.Scratch[float64](x.Rows, x.Cols)
	defer release()
	if err := kernel.Convert(ctx, q, x); err != nil {
		return err
	}
	for range 2 {
		if err := orthonormalize(ctx, q); err != nil {
			return err
		}
	}
	return kernel.Convert(ctx, x, q)
}

// orthonormalize multiplies q by the inverse of the Cholesky factor of qᵀq.
func orthonormalize(ctx context.Context, q kernel.Matrix[float64]) error {
	k := q.Cols
	gram, releaseGram := kernel.Scratch[float64](k, k)
	defer releaseGram()
	clear(gram.Data)
	if err := kernel.Gram(ctx, 1, q, q, gram); err != nil {
		return err
	}
	r, ok := lapack64.Potrf(blas64.Symmetric{N: k, Stride: gram.Stride, Data: gram.Data, Uplo: blas.Upper})
	if !ok || !lapack64.Trtri(r) {
		return fmt.Errorf("gnn: %w: a weight on the Stiefel manifold has lost its rank", ErrDiverged)
	}
	for i := 1; i < k; i++ {
		clear(gram.Data[i*gram.Stride:][:i])
	}
	product, release := kernel.Scratch[float64](q.Rows, k)
	defer release()
	if err := kernel.Gemm(ctx, false, false, 1, q, gram, 0, product); err != nil {
		return err
	}
	kernel.Copy(q, product)
	return nil
}
