// Package optim moves parameters by their gradients: rules of descent ([Adam], [SGD]) and learning rates
// that change from epoch to epoch ([Cosine], [Exponential]), for the Settings of package gnn.
package optim

import (
	"context"
	"fmt"
	"math"

	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
)

// An Optimizer is the rule by which a gradient moves parameters. The zero value is no optimizer;
// [Adam] and [SGD] make one. The text form, in JSON too, is
//
//	adam:0.001                  Adam(0.001)
//	adam:0.001,0.0005           Adam(0.001).WithDecay(0.0005)
//	sgd:0.1,0.9                 SGD(0.1, 0.9)
//	sgd:0.1,0.9,0.01,decoupled  SGD(0.1, 0.9).WithDecoupledDecay(0.01)
type Optimizer struct {
	name      string
	rate      float64
	momentum  float64
	decay     float64
	decoupled bool
}

// The words of the text form.
const (
	adamName      = "adam"
	sgdName       = "sgd"
	decoupledWord = "decoupled"
)

// optimizerForms are the text forms of optimizers, and how weight decay follows in each.
var optimizerForms = []setting.Way[Optimizer]{
	setting.WayOf(adamName, func(f *setting.Form) Optimizer { return Adam(f.Float()).decaying(f) }),
	setting.WayOf(sgdName, func(f *setting.Form) Optimizer { return SGD(f.Float(), f.Float()).decaying(f) }),
}

// decaying reads the decay that a text may end with.
func (o Optimizer) decaying(f *setting.Form) Optimizer {
	if f.Left() > 0 {
		o.decay = f.Float()
		o.decoupled = f.Word(decoupledWord)
	}
	return o
}

// Adam is, for a parameter θ with gradient g at step t = 1, 2, … (Kingma and Ba 2015),
//
//	m ← 0.9·m + 0.1·g,  v ← 0.999·v + 0.001·g²,
//	θ ← θ − rate·m̂/(√v̂ + 1e-8),  m̂ = m/(1 − 0.9ᵗ),  v̂ = v/(1 − 0.999ᵗ).
func Adam(rate float64) Optimizer { return Optimizer{name: adamName, rate: rate} }

// SGD is gradient descent with momentum μ in [0, 1): v ← μ·v + g, θ ← θ − rate·v.
func SGD(rate, momentum float64) Optimizer {
	return Optimizer{name: sgdName, rate: rate, momentum: momentum}
}

// WithDecay adds λ·θ to every gradient g: an L2 penalty, "coupled" to the rule as in PyTorch's
// Adam.
func (o Optimizer) WithDecay(lambda float64) Optimizer {
	o.decay, o.decoupled = lambda, false
	return o
}

// WithDecoupledDecay takes rate·λ·θ from every parameter in addition to the rule (Loshchilov and
// Hutter 2019).
func (o Optimizer) WithDecoupledDecay(lambda float64) Optimizer {
	o.decay, o.decoupled = lambda, true
	return o
}

func (o Optimizer) check() error {
	switch {
	case o.name == "":
		return bad("Optimizer", nil, "one")
	case !(o.rate > 0 && matrix.Finite(o.rate)):
		return bad("Optimizer", o, "a learning rate more than 0")
	case !(o.momentum >= 0 && o.momentum < 1):
		return bad("Optimizer", o, "a momentum from 0 to less than 1")
	case !(o.decay >= 0 && matrix.Finite(o.decay)):
		return bad("Optimizer", o, "a decay of 0 or more")
	}
	return nil
}

// Rate is the learning rate.
func (o Optimizer) Rate() float64 { return o.rate }

// Moments is how many matrices the rule remembers for each parameter.
func (o Optimizer) Moments() int {
	switch {
	case o.name == adamName:
		return 2
	case o.momentum > 0:
		return 1
	}
	return 0
}

// String returns the text form.
func (o Optimizer) String() string {
	if o.name == "" {
		return "none"
	}
	args := []any{o.rate}
	if o.name == sgdName {
		args = append(args, o.momentum)
	}
	if o.decay != 0 {
		args = append(args, o.decay)
		if o.decoupled {
			args = append(args, decoupledWord)
		}
	}
	return setting.Text(o.name, args...)
}

// MarshalText gives the text form.
func (o Optimizer) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (o *Optimizer) UnmarshalText(text []byte) error {
	return setting.ReadText(o, text, optimizerForms, Optimizer.check)
}

// updated is how many numbers of a parameter a task moves.
const updated = 1 << 14

// Step moves a parameter v by its gradient g, which it may overwrite, in step number t, from 1 on. The rate is the
// optimizer's as a [Schedule] has it. The moments are as many matrices as [Optimizer.Moments], zero at first. All
// have one shape and no padding.
func Step[T autodiff.Float](ctx context.Context, o Optimizer, t int, rate float64, v, g autodiff.Matrix[T], moments []autodiff.Matrix[T]) error {
	return parallel.Ranges(ctx, len(v.Data), updated, func(lo, hi int) {
		g, v := g.Data[lo:hi], v.Data[lo:hi]
		if o.decay > 0 && !o.decoupled {
			matrix.AddScaled(g, T(o.decay), v)
		}
		if o.decay > 0 && o.decoupled {
			matrix.Scale(v, T(1-rate*o.decay))
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
	})
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

// bad is a coles.SettingError.
func bad(field string, value any, want string) error {
	return fmt.Errorf("gnn: %w", setting.Bad(field, value, "%s", want))
}
