package gnn

import (
	"math"

	"coles/internal/matrix"
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
	kind      optimizerKind
	rate      float64
	momentum  float64
	decay     float64
	decoupled bool
}

type optimizerKind int

const (
	noOptimizer optimizerKind = iota
	adam
	sgd
)

var optimizerNames = []string{"none", "adam", "sgd"}

// decoupledWord is how the text form says that.
const decoupledWord = "decoupled"

// Adam is, for a parameter θ with gradient g at step t = 1, 2, … (Kingma and Ba 2015),
//
//	m ← 0.9·m + 0.1·g,  v ← 0.999·v + 0.001·g²,
//	θ ← θ − rate·m̂/(√v̂ + 1e-8),  m̂ = m/(1 − 0.9ᵗ),  v̂ = v/(1 − 0.999ᵗ).
func Adam(rate float64) Optimizer { return Optimizer{kind: adam, rate: rate} }

// SGD is gradient descent with momentum μ in [0, 1): v ← μ·v + g, θ ← θ − rate·v.
func SGD(rate, momentum float64) Optimizer {
	return Optimizer{kind: sgd, rate: rate, momentum: momentum}
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
	case o.kind == noOptimizer:
		return bad("no optimizer")
	case !(o.rate > 0 && matrix.Finite(o.rate)):
		return bad("optimizer: learning rate %v, want more than 0", o.rate)
	case !(o.momentum >= 0 && o.momentum < 1):
		return bad("optimizer: momentum %v, want 0 to less than 1", o.momentum)
	case !(o.decay >= 0 && matrix.Finite(o.decay)):
		return bad("optimizer: decay %v, want 0 or more", o.decay)
	}
	return nil
}

// moments is how many matrices the rule remembers for each parameter.
func (o Optimizer) moments() int {
	switch {
	case o.kind == adam:
		return 2
	case o.momentum > 0:
		return 1
	}
	return 0
}

// String is the text form.
func (o Optimizer) String() string {
	var args []any
	if o.kind != noOptimizer {
		args = append(args, o.rate)
	}
	if o.kind == sgd {
		args = append(args, o.momentum)
	}
	if o.decay != 0 {
		args = append(args, o.decay)
		if o.decoupled {
			args = append(args, decoupledWord)
		}
	}
	return setting.Text(optimizerNames[o.kind], args...)
}

// MarshalText gives the text form.
func (o Optimizer) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (o *Optimizer) UnmarshalText(text []byte) error {
	f := setting.Parse(text)
	var read Optimizer
	switch f.Name {
	case optimizerNames[adam]:
		read = Adam(f.Float())
	case optimizerNames[sgd]:
		read = SGD(f.Float(), f.Float())
	default:
		return f.Unknown(optimizerNames[1:])
	}
	if f.Left() > 0 {
		read.decay = f.Float()
		read.decoupled = f.Word(decoupledWord)
	}
	return accept(o, read, f)
}

// A Schedule says how the learning rate changes from epoch to epoch. The zero value keeps it as it
// is. The text form, in JSON too, is
//
//	constant          Schedule{}
//	cosine:10         Cosine(10)
//	exponential:0.99  Exponential(0.99)
type Schedule struct {
	kind   scheduleKind
	warmup int
	factor float64
}

type scheduleKind int

const (
	constant scheduleKind = iota
	cosine
	exponential
)

var scheduleNames = []string{"constant", "cosine", "exponential"}

// Cosine lets the rate rise in equal steps over the first warmup epochs and then fall as half a
// cosine to zero behind the last one (Loshchilov and Hutter 2017).
func Cosine(warmup int) Schedule { return Schedule{kind: cosine, warmup: warmup} }

// Exponential multiplies the rate by factor, in (0, 1], after every epoch.
func Exponential(factor float64) Schedule { return Schedule{kind: exponential, factor: factor} }

// share is what the rate is multiplied by in an epoch, counted from 0.
func (s Schedule) share(epoch, epochs int) float64 {
	switch s.kind {
	case cosine:
		if epoch < s.warmup {
			return float64(epoch+1) / (float64(s.warmup) + 1)
		}
		return (1 + math.Cos(math.Pi*float64(epoch-s.warmup)/float64(max(1, epochs-s.warmup)))) / 2
	case exponential:
		return math.Pow(s.factor, float64(epoch))
	}
	return 1
}

func (s Schedule) check() error {
	switch {
	case s.warmup < 0:
		return bad("schedule: warmup of %d epochs", s.warmup)
	case s.kind == exponential && !(s.factor > 0 && s.factor <= 1):
		return bad("schedule: factor %v, want more than 0 to 1", s.factor)
	}
	return nil
}

// String is the text form.
func (s Schedule) String() string {
	var args []any
	switch s.kind {
	case cosine:
		args = []any{s.warmup}
	case exponential:
		args = []any{s.factor}
	}
	return setting.Text(scheduleNames[s.kind], args...)
}

// MarshalText gives the text form.
func (s Schedule) MarshalText() ([]byte, error) { return []byte(s.String()), s.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (s *Schedule) UnmarshalText(text []byte) error {
	f := setting.Parse(text)
	var read Schedule
	switch f.Name {
	case scheduleNames[constant]:
	case scheduleNames[cosine]:
		read = Cosine(f.Int())
	case scheduleNames[exponential]:
		read = Exponential(f.Float())
	default:
		return f.Unknown(scheduleNames)
	}
	return accept(s, read, f)
}
