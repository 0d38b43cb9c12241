package gnn

import (
	"math"
	"testing"

	"coles/internal/kernel"
)

// One number under each rule, against the formulas of the papers written out.
func TestRulesEqualTheirFormulas(t *testing.T) {
	gradients := []float64{0.3, -1.2, 0.7, 0.01, -0.4}
	const rate, lambda, start = 0.1, 0.05, 2.0
	adam := func(decoupled bool) []float64 {
		var path []float64
		theta, m, v := start, 0.0, 0.0
		for k, g := range gradients {
			step := float64(k + 1)
			if decoupled {
				theta -= rate * lambda * theta
			} else {
				g += lambda * theta
			}
			m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
			theta -= rate * (m / (1 - math.Pow(0.9, step))) / (math.Sqrt(v/(1-math.Pow(0.999, step))) + 1e-8)
			path = append(path, theta)
		}
		return path
	}
	sgd := func(momentum float64) []float64 {
		var path []float64
		theta, v := start, 0.0
		for _, g := range gradients {
			v = momentum*v + g + lambda*theta
			theta -= rate * v
			path = append(path, theta)
		}
		return path
	}
	for name, c := range map[string]struct {
		rule Optimizer
		want []float64
	}{
		"Adam, coupled decay":   {Adam(rate).WithDecay(lambda), adam(false)},
		"Adam, decoupled decay": {Adam(rate).WithDecoupledDecay(lambda), adam(true)},
		"descent":               {SGD(rate, 0).WithDecay(lambda), sgd(0)},
		"momentum":              {SGD(rate, 0.8).WithDecay(lambda), sgd(0.8)},
	} {
		p := &parameter[float64]{value: kernel.Dense[float64](1, 1), grad: kernel.Dense[float64](1, 1)}
		p.value.Data[0] = start
		for k, g := range gradients {
			p.grad.Data[0] = g
			if err := update(ctx, c.rule, []*parameter[float64]{p}, k+1, rate); err != nil {
				t.Fatal(err)
			}
			if got := p.value.Data[0]; math.Abs(got-c.want[k]) > 1e-14 {
				t.Errorf("%s, step %d: %v, want %v", name, k+1, got, c.want[k])
			}
		}
	}
}

func TestSchedulesEqualTheirFormulas(t *testing.T) {
	for epoch := range 10 {
		e := float64(epoch)
		cosine := (1 + math.Cos(math.Pi*(e-4)/6)) / 2
		if epoch < 4 {
			cosine = (e + 1) / 5
		}
		for name, c := range map[string]struct {
			s    Schedule
			want float64
		}{
			"constant":    {Constant(), 1},
			"cosine":      {Cosine(4), cosine},
			"exponential": {Exponential(0.9), math.Pow(0.9, e)},
		} {
			if got := c.s.share(epoch, 10); math.Abs(got-c.want) > 1e-15 {
				t.Errorf("%s, epoch %d: %v, want %v", name, epoch, got, c.want)
			}
		}
	}
}
