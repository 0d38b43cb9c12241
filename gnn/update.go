package gnn

import (
	"context"

	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
)

// update moves the parameters that phase k trains by their gradients, in step number t of the phase, from 1 on. The
// rate is the optimizer's as the schedule has it.
func update[T autodiff.Float](
	ctx context.Context, o optim.Optimizer, k int, phase custom.Phase, params []*parameter[T], t int, rate float64,
) error {
	for _, p := range params {
		if p.Averaged || !trains(phase, p.shape) {
			continue
		}
		rule := o
		if p.Orthonormal {
			rule = o.WithDecay(0)
			if err := makeTangent(ctx, p.value, p.grad); err != nil {
				return err
			}
		}
		if err := optim.Step(ctx, rule, t, rate, p.value, p.grad, p.moments[k]); err != nil {
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
