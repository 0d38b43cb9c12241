package gnn

import (
	"context"
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
var optimizerForms = []form[Optimizer]{
	formOf(adamName, func(f *setting.Form) Optimizer { return Adam(f.Float()).decaying(f) }),
	formOf(sgdName, func(f *setting.Form) Optimizer { return SGD(f.Float(), f.Float()).decaying(f) }),
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

// moments is how many matrices the rule remembers for each parameter.
func (o Optimizer) moments() int {
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
	return label{name: o.name, args: args}.String()
}

// MarshalText gives the text form.
func (o Optimizer) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (o *Optimizer) UnmarshalText(text []byte) error { return unmarshal(o, text, optimizerForms) }

// A Schedule changes the learning rate from epoch to epoch. The zero value keeps it
// constant. The text form, in JSON too, is
//
//	constant          Schedule{}
//	cosine:10         Cosine(10)
//	exponential:0.99  Exponential(0.99)
type Schedule struct {
	name   string
	warmup int
	factor float64
}

// The names in the text form.
const (
	constantName    = "constant"
	cosineName      = "cosine"
	exponentialName = "exponential"
)

// scheduleForms are the text forms of schedules.
var scheduleForms = []form[Schedule]{
	formOf(constantName, func(*setting.Form) Schedule { return Schedule{} }),
	formOf(cosineName, func(f *setting.Form) Schedule { return Cosine(f.Int()) }),
	formOf(exponentialName, func(f *setting.Form) Schedule { return Exponential(f.Float()) }),
}

// Cosine lets the rate rise in equal steps over the first warmup epochs and then fall as half a
// cosine to zero behind the last one (Loshchilov and Hutter 2017).
func Cosine(warmup int) Schedule { return Schedule{name: cosineName, warmup: warmup} }

// Exponential multiplies the rate by factor, in (0, 1], after every epoch.
func Exponential(factor float64) Schedule { return Schedule{name: exponentialName, factor: factor} }

// share multiplies the rate in an epoch, counted from 0.
func (s Schedule) share(epoch, epochs int) float64 {
	switch s.name {
	case cosineName:
		if epoch < s.warmup {
			return float64(epoch+1) / (float64(s.warmup) + 1)
		}
		return (1 + math.Cos(math.Pi*float64(epoch-s.warmup)/float64(max(1, epochs-s.warmup)))) / 2
	case exponentialName:
		return math.Pow(s.factor, float64(epoch))
	}
	return 1
}

func (s Schedule) check() error {
	switch {
	case s.warmup < 0:
		return bad("Schedule", s, "a warmup of 0 epochs or more")
	case s.name == exponentialName && !(s.factor > 0 && s.factor <= 1):
		return bad("Schedule", s, "a factor more than 0, at most 1")
	}
	return nil
}

// String returns the text form.
func (s Schedule) String() string {
	switch s.name {
	case cosineName:
		return setting.Text(cosineName, s.warmup)
	case exponentialName:
		return setting.Text(exponentialName, s.factor)
	}
	return constantName
}

// MarshalText gives the text form.
func (s Schedule) MarshalText() ([]byte, error) { return []byte(s.String()), s.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (s *Schedule) UnmarshalText(text []byte) error { return unmarshal(s, text, scheduleForms) }

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
