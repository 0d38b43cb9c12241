package gnn

import (
	"context"
	"math/rand/v2"

	"coles/internal/kernel"
	"coles/internal/tape"
)

// A view is a graph as a network sees it, as it is or augmented, the whole or
// the surroundings of some of its nodes.
type view[T kernel.Float] struct {
	x     features[T]
	w     *tape.Sparse[T] // W = D̂^-½(A+I)D̂^-½
	means *tape.Sparse[T] // D⁻¹A, if a layer wants it
	rows  []int           // of which nodes the output is wanted; nil for all
}

// An encoder is a network with its parameters.
type encoder[T kernel.Float] struct {
	layers Network
	params []*parameter[T]
}

// embed records the output of the network. A nil rnd stands for evaluation: no
// dropout and nothing to differentiate by.
func (e *encoder[T]) embed(ctx context.Context, t *tape.Tape[T], v *view[T], rnd *rand.Rand) *tape.Value[T] {
	params := e.params
	next := func() *tape.Value[T] {
		p := params[0]
		params = params[1:]
		if rnd == nil {
			return t.Constant(p.value)
		}
		return t.Variable(p.value, p.grad)
	}
	x := v.x
	var h *tape.Value[T] // nil before the first weight
	times := func(theta *tape.Value[T]) *tape.Value[T] {
		if h == nil {
			return x.times(t, theta)
		}
		return t.MatMul(h, theta)
	}
	bias := func(l Layer, h *tape.Value[T]) *tape.Value[T] {
		if l.orthonormal {
			return h
		}
		return t.Bias(h, next())
	}
	for _, l := range e.layers[e.layers.lead():] {
		switch l.kind {
		case gcnLayer:
			h = bias(l, t.SpMM(v.w, times(next())))
		case linearLayer:
			h = bias(l, times(next()))
		case sageLayer:
			own, others := times(next()), times(next())
			h = bias(l, t.Add(own, t.SpMM(v.means, others)))
		case propagateLayer:
			h = filtered(t, l.filter.Coefficients(), v.w, h)
		case reluLayer:
			h = t.ReLU(h)
		case preluLayer:
			h = t.PReLU(h, next())
		case eluLayer:
			h = t.ELU(h)
		case dropoutLayer:
			switch {
			case rnd == nil:
			case h == nil:
				x, _ = x.dropped(ctx, l.rate, rnd) // the tape, too, sees the end of ctx
			default:
				h = t.Dropout(h, l.rate, rnd)
			}
		}
	}
	if v.rows != nil {
		h = t.Gather(h, v.rows)
	}
	return h
}

// filtered is Σ_k a_k·Wᵏ·H by Horner's rule.
func filtered[T kernel.Float](t *tape.Tape[T], a []float64, w *tape.Sparse[T], h *tape.Value[T]) *tape.Value[T] {
	sum := t.Scale(h, a[len(a)-1])
	for k := len(a) - 2; k >= 0; k-- {
		sum = t.SpMM(w, sum)
		if a[k] != 0 {
			sum = t.Add(sum, t.Scale(h, a[k]))
		}
	}
	return sum
}
