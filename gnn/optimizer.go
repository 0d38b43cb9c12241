package gnn

import (
	"encoding/json"
	"fmt"
	"math"

	"coles"
	"coles/internal/enum"
	"coles/internal/strict"
)

// An Optimizer is the rule by which a gradient moves parameters. The zero value
// is no optimizer; [Adam] and [SGD] make one.
type Optimizer struct {
	kind      optimizerKind
	rate      float64
	momentum  float64
	decay     float64
	decoupled bool
}

type optimizerKind int

const (
	adamOptimizer optimizerKind = iota + 1
	sgdOptimizer
)

var optimizerNames = []string{"none", "adam", "sgd"}

func (k optimizerKind) MarshalText() ([]byte, error) {
	return enum.Marshal(k, optimizerNames, coles.ErrSetting)
}

func (k *optimizerKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(k, text, optimizerNames, coles.ErrSetting)
}

// The constants of Adam that its authors recommend.
const (
	adamFirst   = 0.9
	adamSecond  = 0.999
	adamEpsilon = 1e-8
)

// Adam is, for a parameter θ with gradient g at step t = 1, 2, … (Kingma and Ba 2015),
//
//	m ← 0.9·m + 0.1·g,  v ← 0.999·v + 0.001·g²,
//	θ ← θ − rate·m̂/(√v̂ + 1e-8),  m̂ = m/(1 − 0.9ᵗ),  v̂ = v/(1 − 0.999ᵗ).
func Adam(rate float64) Optimizer { return Optimizer{kind: adamOptimizer, rate: rate} }

// SGD is gradient descent with momentum μ in [0, 1): v ← μ·v + g, θ ← θ − rate·v.
func SGD(rate, momentum float64) Optimizer {
	return Optimizer{kind: sgdOptimizer, rate: rate, momentum: momentum}
}

// WithDecay adds λ·θ to every gradient g: an L2 penalty, "coupled" to the rule as
// in PyTorch's Adam.
func (o Optimizer) WithDecay(lambda float64) Optimizer {
	o.decay, o.decoupled = lambda, false
	return o
}

// WithDecoupledDecay takes rate·λ·θ from every parameter beside the rule
// (Loshchilov and Hutter 2019).
func (o Optimizer) WithDecoupledDecay(lambda float64) Optimizer {
	o.decay, o.decoupled = lambda, true
	return o
}

func (o Optimizer) check() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch {
	case o.kind != adamOptimizer && o.kind != sgdOptimizer:
		return fmt.Errorf("gnn: %w: no optimizer", coles.ErrSetting)
	case !positive(o.rate):
		return fmt.Errorf("gnn: optimizer: %w: learning rate %v, want more than 0", coles.ErrSetting, o.rate)
	case !(o.momentum >= 0 && o.momentum < 1):
		return fmt.Errorf("gnn: optimizer: %w: momentum %v, want 0 to less than 1", coles.ErrSetting, o.momentum)
	case o.decay != 0 && !positive(o.decay):
		return fmt.Errorf("gnn: optimizer: %w: decay %v, want 0 or more", coles.ErrSetting, o.decay)
	}
	return nil
}

// moments is how many matrices the rule remembers for each parameter.
func (o Optimizer) moments() int {
	switch {
	case o.kind == adamOptimizer:
		return 2
	case o.momentum > 0:
		return 1
	}
	return 0
}

// optimizerJSON is an optimizer outside Go.
type optimizerJSON struct {
	Kind      optimizerKind `json:"kind"`
	Rate      float64       `json:"rate"`
	Momentum  float64       `json:"momentum,omitempty"`
	Decay     float64       `json:"decay,omitempty"`
	Decoupled bool          `json:"decoupled,omitempty"`
}

// MarshalJSON writes the rule and its numbers.
func (o Optimizer) MarshalJSON() ([]byte, error) {
	return json.Marshal(optimizerJSON{o.kind, o.rate, o.momentum, o.decay, o.decoupled})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Optimizer) UnmarshalJSON(text []byte) error {
	var j optimizerJSON
	if err := strict.Unmarshal(text, &j, coles.ErrSetting); err != nil {
		return err
	}
	read := Optimizer{j.Kind, j.Rate, j.Momentum, j.Decay, j.Decoupled}
	if err := read.check(); err != nil {
		return err
	}
	*o = read
	return nil
}
