package gnn

import (
	"context"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// updated is how many numbers of a parameter a task moves.
const updated = 1 << 14

// update moves every parameter by its gradient: step number t, from 1 on, at a
// rate that the schedule has made of the optimizer's.
func update[T kernel.Float](ctx context.Context, o Optimizer, params []*parameter[T], t int, rate float64) error {
	for _, p := range params {
		if p.moments == nil && o.moments() > 0 {
			for range o.moments() {
				p.moments = append(p.moments, kernel.Dense[T](p.value.Rows, p.value.Cols))
			}
		}
		decay := o.decay
		if p.orthonormal {
			decay = 0
			if err := makeTangent(ctx, p.value, p.grad); err != nil {
				return err
			}
		}
		// A parameter and all beside it have no padding.
		if err := parallel.Ranges(ctx, len(p.value.Data), updated, func(lo, hi int) {
			g, v := p.grad.Data[lo:hi], p.value.Data[lo:hi]
			if decay > 0 && !o.decoupled {
				addTo(g, T(decay), v)
			}
			if decay > 0 && o.decoupled {
				scaleBy(v, T(1-rate*decay))
			}
			switch {
			case o.kind == adamOptimizer:
				adam(v, g, p.moments[0].Data[lo:hi], p.moments[1].Data[lo:hi], t, rate)
			case o.momentum > 0:
				m := p.moments[0].Data[lo:hi]
				scaleBy(m, T(o.momentum))
				addTo(m, 1, g)
				addTo(v, T(-rate), m)
			default:
				addTo(v, T(-rate), g)
			}
		}); err != nil {
			return err
		}
		if p.orthonormal {
			if err := retract(ctx, p.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// adam is the rule of [Adam] for one part of a parameter.
func adam[T kernel.Float](v, g, first, second []T, t int, rate float64) {
	step := T(rate / (1 - math.Pow(adamFirst, float64(t))))
	correction := T(1 / math.Sqrt(1-math.Pow(adamSecond, float64(t))))
	first, second, g = first[:len(v)], second[:len(v)], g[:len(v)]
	for i := range v {
		first[i] = adamFirst*first[i] + (1-adamFirst)*g[i]
		second[i] = adamSecond*second[i] + (1-adamSecond)*g[i]*g[i]
		v[i] -= step * first[i] / (T(math.Sqrt(float64(second[i])))*correction + adamEpsilon)
	}
}

func addTo[T kernel.Float](dst []T, c T, src []T) {
	for i, v := range src {
		dst[i] += c * v
	}
}

func scaleBy[T kernel.Float](x []T, c T) {
	for i := range x {
		x[i] *= c
	}
}
