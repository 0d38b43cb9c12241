package gnn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"coles"
	"coles/internal/kernel"
	"coles/internal/stream"
	"coles/internal/tape"
)

// A Network is a sequence of layers, features to embeddings. Parameters are called by the place of
// their layer and their name there: "0.weight" is Θ of the first layer.
type Network []Layer

// String is the layers in order.
func (n Network) String() string {
	text := make([]string, len(n))
	for i, l := range n {
		text[i] = l.String()
	}
	return strings.Join(text, " → ")
}

// check demands a layer with a weight, before which only filters and then dropout stand.
func (n Network) check() error {
	trained := false
	for i, l := range n {
		if err := l.check(); err != nil {
			return fmt.Errorf("gnn: layer %d: %w", i, err)
		}
		trained = trained || l.trained()
		if !trained && l.kind != dropout && i >= n.lead() {
			return bad("layer %d: %v before the first weight", i, l)
		}
	}
	if !trained {
		return bad("no layer of the network has a weight")
	}
	return nil
}

// resolve gives every layer its width, for d features; last is what AutoWidth means for the last
// one, if not 0.
func (n Network) resolve(d, last int) Network {
	auto := 512
	if d <= auto {
		auto = 256
	}
	resolved := slices.Clone(n)
	end := n.lastTrained()
	in := d
	for i, l := range resolved {
		if !l.trained() {
			continue
		}
		switch {
		case l.width != AutoWidth:
		case i == end && last != 0:
			l.width = last
		case l.orthonormal:
			l.width = min(auto, in)
		default:
			l.width = auto
		}
		resolved[i], in = l, l.width
	}
	return resolved
}

// lastTrained is the place of the last layer with a weight.
func (n Network) lastTrained() int {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i].trained() {
			return i
		}
	}
	return -1
}

// width is the length of the rows of the result.
func (n Network) width() int { return n[n.lastTrained()].width }

// lead is how many filters stand at the beginning: what they do is done once.
func (n Network) lead() int {
	if at := slices.IndexFunc(n, func(l Layer) bool { return l.kind != propagate }); at >= 0 {
		return at
	}
	return len(n)
}

// hops is how many edges away the layers behind the lead look, together.
func (n Network) hops() int {
	hops := 0
	for _, l := range n[n.lead():] {
		hops += l.hops()
	}
	return hops
}

// A shape is the size of a parameter, and where it belongs.
type shape struct {
	layer      int
	name       string
	rows, cols int
}

func (s shape) String() string { return fmt.Sprintf("%d.%s", s.layer, s.name) }

// shapes lists the parameters of a network with d inputs, its widths resolved. It refuses weights,
// and outputs for so many nodes, of more entries than can be indexed, before there is memory taken
// for them.
func (n Network) shapes(nodes, d int) ([]shape, error) {
	var shapes []shape
	in := d
	for i, l := range n {
		of := layerKinds[l.kind]
		if of.slope {
			shapes = append(shapes, shape{i, "slope", 1, 1})
		}
		if !l.trained() {
			continue
		}
		if l.width < 1 || l.orthonormal && l.width > in {
			return nil, bad("layer %d: %v, %d columns of length %d", i, l, l.width, in)
		}
		if rows := max(nodes, in); l.width > math.MaxInt32/rows {
			return nil, fmt.Errorf("gnn: layer %d: %w: %d columns of %d rows", i, coles.ErrTooLarge, l.width, rows)
		}
		for _, name := range of.weights {
			shapes = append(shapes, shape{i, name, in, l.width})
		}
		if !l.orthonormal {
			shapes = append(shapes, shape{i, "bias", 1, l.width})
		}
		in = l.width
	}
	return shapes, nil
}

// A parameter is a matrix that is trained.
type parameter[T kernel.Float] struct {
	value, grad kernel.Matrix[T]
	moments     []kernel.Matrix[T] // what the optimiser remembers
	orthonormal bool
}

// An encoder is a network with its parameters.
type encoder[T kernel.Float] struct {
	layers Network
	shapes []shape
	params []*parameter[T]
}

// newEncoder draws the parameters of a network.
func newEncoder[T kernel.Float](ctx context.Context, n Network, shapes []shape, seed uint64) (encoder[T], error) {
	e := encoder[T]{layers: n, shapes: shapes}
	for k, s := range shapes {
		p := &parameter[T]{value: kernel.Dense[T](s.rows, s.cols), grad: kernel.Dense[T](s.rows, s.cols)}
		e.params = append(e.params, p)
		switch s.name {
		case "bias": // zero
		case "slope":
			p.value.Data[0] = 0.25
		default:
			p.glorot(stream.Seed(seed, uint64(k)))
			if p.orthonormal = n[s.layer].orthonormal; p.orthonormal {
				if err := retract(ctx, p.value); err != nil {
					return e, err
				}
			}
		}
	}
	return e, nil
}

// numbers are copies of the parameters.
func (e *encoder[T]) numbers() [][]float64 {
	var out [][]float64
	for _, p := range e.params {
		out = append(out, widened(p.value))
	}
	return out
}

// glorot draws a k × l matrix uniformly within ±√(6/(k+l)) (Glorot and Bengio 2010).
func (p *parameter[T]) glorot(seed uint64) {
	bound := math.Sqrt(6 / float64(p.value.Rows+p.value.Cols))
	rnd := stream.New()
	for i := range p.value.Rows {
		rnd.Reseed(seed, uint64(i))
		for j := range p.value.Cols {
			p.value.Data[i*p.value.Stride+j] = T(bound * (2*rnd.Float64() - 1))
		}
	}
}

// embed records the output of the network. A nil rnd stands for evaluation: no dropout and nothing
// to differentiate by.
func (e *encoder[T]) embed(ctx context.Context, t *tape.Tape[T], v *view[T], rnd *rand.Rand) *tape.Value[T] {
	p := &pass[T]{ctx: ctx, t: t, view: v, rnd: rnd, params: e.params, x: v.x}
	table := kinds[T]()
	for _, l := range e.layers[e.layers.lead():] {
		table[l.kind].forward(p, l)
	}
	if v.rows != nil {
		return t.Gather(p.h, v.rows)
	}
	return p.h
}

// A pass is on its way through the layers.
type pass[T kernel.Float] struct {
	ctx    context.Context
	t      *tape.Tape[T]
	view   *view[T]
	rnd    *rand.Rand
	params []*parameter[T] // of the layers to come
	x      features[T]     // what comes in before the first weight
	h      *tape.Value[T]  // what comes in after it; nil before
}

// next is the next parameter.
func (p *pass[T]) next() *tape.Value[T] {
	first := p.params[0]
	p.params = p.params[1:]
	if p.rnd == nil {
		return p.t.Constant(first.value)
	}
	return p.t.Variable(first.value, first.grad)
}

// weighted is H times the next weight.
func (p *pass[T]) weighted() *tape.Value[T] {
	theta := p.next()
	switch {
	case p.h != nil:
		return p.t.MatMul(p.h, theta)
	case p.x.factor != nil:
		return p.t.SpMM(p.x.factor, theta)
	}
	return p.t.MatMul(p.t.Constant(p.x.Dense), theta)
}

// bias adds the next bias, if the layer has one, to what comes out.
func (p *pass[T]) bias(l Layer, h *tape.Value[T]) {
	if !l.orthonormal {
		h = p.t.Bias(h, p.next())
	}
	p.h = h
}

func (p *pass[T]) gcn(l Layer)    { p.bias(l, p.t.SpMM(p.view.w, p.weighted())) }
func (p *pass[T]) linear(l Layer) { p.bias(l, p.weighted()) }

func (p *pass[T]) sage(l Layer) {
	own, others := p.weighted(), p.weighted()
	p.bias(l, p.t.Add(own, p.t.SpMM(p.view.means, others)))
}

// propagate is Σₖ aₖ·Wᵏ·H by Horner's rule.
func (p *pass[T]) propagate(l Layer) {
	t, a := p.t, l.filter.Coefficients()
	sum := t.Scale(p.h, a[len(a)-1])
	for k := len(a) - 2; k >= 0; k-- {
		sum = t.SpMM(p.view.w, sum)
		if a[k] != 0 {
			sum = t.Add(sum, t.Scale(p.h, a[k]))
		}
	}
	p.h = sum
}

func (p *pass[T]) relu(Layer)  { p.h = p.t.ReLU(p.h) }
func (p *pass[T]) prelu(Layer) { p.h = p.t.PReLU(p.h, p.next()) }
func (p *pass[T]) elu(Layer)   { p.h = p.t.ELU(p.h) }

func (p *pass[T]) dropout(l Layer) {
	switch {
	case p.rnd == nil:
	case p.h != nil:
		p.h = p.t.Dropout(p.h, l.rate, p.rnd)
	default:
		if x, err := p.x.dropped(p.ctx, l.rate, p.rnd); err == nil { // the tape, too, sees the end of ctx
			p.x = x
		}
	}
}
