package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"github.com/james-bowman/sparse"
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

// check demands a layer with a width, before which only filters and then dropout stand.
func (n Network) check() error {
	wide := false
	for i, l := range n {
		if err := l.check(); err != nil {
			return fmt.Errorf("gnn: layer %d: %w", i, err)
		}
		wide = wide || l.wide()
		if !wide && (l.custom || l.name != dropoutName) && i >= n.lead() {
			return bad(layerField(i), l, "a weight before it")
		}
	}
	if !wide {
		return bad("Network", n, "a layer with a weight")
	}
	return nil
}

// layerField names a layer in errors.
func layerField(i int) string { return fmt.Sprintf("Network[%d]", i) }

// known refuses layers of which there is only a name.
func (n Network) known() error {
	for i, l := range n {
		if l.forward32 == nil || l.forward64 == nil {
			return bad(layerField(i), l, setAnew)
		}
	}
	return nil
}

// setAnew gives a network that was read from a file the layers of which it has the names.
func (n Network) setAnew(layers Network, d int) error {
	if len(layers) > 0 {
		if layers = layers.resolve(d, n.width()); layers.String() != n.String() {
			return bad("Network", layers, "%v, as in the file", n)
		}
		copy(n, layers)
	}
	return n.known()
}

// resolve gives every layer its width, for d features; last, if not 0, replaces AutoWidth in the last
// one.
func (n Network) resolve(d, last int) Network {
	auto := 512
	if d <= auto {
		auto = 256
	}
	resolved := slices.Clone(n)
	end := n.lastWide()
	in := d
	for i := range resolved {
		l := &resolved[i]
		if !l.wide() {
			continue
		}
		switch {
		case l.spec.Width != AutoWidth:
		case i == end && last != 0:
			l.spec.Width = last
		case l.orthonormal:
			l.spec.Width = min(auto, in)
		default:
			l.spec.Width = auto
		}
		in = l.spec.Width
	}
	return resolved
}

// lastWide is the place of the last layer with a width.
func (n Network) lastWide() int {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i].wide() {
			return i
		}
	}
	return -1
}

// width is the length of the rows of the result.
func (n Network) width() int { return n[n.lastWide()].spec.Width }

// lead is how many filters stand at the beginning: what they do is done once.
func (n Network) lead() int {
	if at := slices.IndexFunc(n, func(l Layer) bool { return l.name != propagateName || l.custom }); at >= 0 {
		return at
	}
	return len(n)
}

// hops is how many edges away the layers behind the lead look, together.
func (n Network) hops() int {
	hops := 0
	for _, l := range n[n.lead():] {
		hops += l.spec.Hops
	}
	return hops
}

// shapes lists the parameters of a network with d inputs, its widths resolved. It refuses weights,
// and outputs for the nodes, of more entries than can be indexed, before memory is taken
// for them.
func (n Network) shapes(nodes, d int) ([]shape, error) {
	var shapes []shape
	in := d
	for i, l := range n {
		if l.wide() {
			if err := (shape{i, Parameter{Name: "output", Rows: max(nodes, in), Cols: l.spec.Width}}).check(); err != nil {
				return nil, err
			}
		}
		more, err := shapesOf(i, l.parameters(in))
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, more...)
		if l.wide() {
			in = l.spec.Width
		}
	}
	return shapes, nil
}

// A parameter is a matrix that is trained.
type parameter[T autodiff.Float] struct {
	shape
	value, grad autodiff.Matrix[T]
	moments     [][]autodiff.Matrix[T] // what the optimiser remembers, of each phase
}

// draw makes a parameter: entry after entry, each row from a seed.
func draw[T autodiff.Float](ctx context.Context, s shape, seed uint64) (*parameter[T], error) {
	p := &parameter[T]{shape: s, value: kernel.Unset[T](s.Rows, s.Cols), grad: kernel.Unset[T](s.Rows, s.Cols)}
	rnd := stream.New()
	for i := range s.Rows {
		rnd.Reseed(seed, uint64(i))
		for j := range s.Cols {
			v := s.Start
			if s.Bound != 0 {
				v += s.Bound * (2*rnd.Float64() - 1)
			}
			p.value.Data[i*p.value.Stride+j] = T(v)
		}
	}
	if s.Orthonormal {
		return p, retract(ctx, p.value)
	}
	return p, nil
}

// An encoder is a network with its parameters, followed by the objective's.
type encoder[T autodiff.Float] struct {
	layers Network
	params []*parameter[T]
}

// newEncoder draws the parameters.
func newEncoder[T autodiff.Float](ctx context.Context, n Network, shapes []shape, seed uint64) (encoder[T], error) {
	e := encoder[T]{layers: n}
	for k, s := range shapes {
		p, err := draw[T](ctx, s, stream.Seed(seed, uint64(k)))
		if err != nil {
			return e, err
		}
		e.params = append(e.params, p)
	}
	return e, nil
}

// numbers are copies of the parameters, and lengths their lengths.
func (e *encoder[T]) numbers() (all [][]float64) {
	for _, p := range e.params {
		all = append(all, widened(p.value))
	}
	return all
}

func (e *encoder[T]) lengths() (all []int) {
	for _, p := range e.params {
		all = append(all, len(p.value.Data))
	}
	return all
}

// embed records the outputs of the layers behind the lead; the last is the network's. A nil rnd stands
// for evaluation: no dropout. Parameters that trains refuses are constants. A nil trains refuses all:
// there will be no gradient, and of the record the output alone stays.
func (e *encoder[T]) embed(
	ctx context.Context, t *autodiff.Tape[T], v *view[T], rnd *rand.Rand, trains func(*parameter[T]) bool,
) []*autodiff.Value[T] {
	p := &Pass[T]{Tape: t, ctx: ctx, view: v, rnd: rnd, params: e.params, trains: trains}
	h := v.x.value(t)
	var outputs []*autodiff.Value[T]
	for i := e.layers.lead(); i < len(e.layers); i++ {
		p.layer, p.looks = i, e.layers[i].spec.Hops > 0
		l, rows, width := e.layers[i], h.Rows(), h.Cols()
		if l.wide() {
			width = l.spec.Width
		}
		if v.sample != nil && p.looks {
			rows = len(v.sample.Levels[p.level+1])
		}
		if h = precise[forward[T]](l.forward32, l.forward64)(p, h); h.Rows() != rows || h.Cols() != width {
			panic(fmt.Sprintf("gnn: layer %d: %v makes a %d×%d matrix, want %d×%d", i, l, h.Rows(), h.Cols(), rows, width))
		}
		p.level += l.spec.Hops
		if trains == nil {
			h, outputs = t.Forget(h), nil
		}
		outputs = append(outputs, h)
	}
	if v.rows != nil {
		outputs[len(outputs)-1] = t.Gather(h, v.rows)
	}
	return outputs
}

// evaluatedNodes is how many nodes a network that does not look at the graph is evaluated for at a time:
// enough to share out, and little memory.
const evaluatedNodes = 1 << 13

// evaluated is the output for some nodes of a graph, nil for all of them: it is these rows of h. A
// network that does not look at the graph is given them in parts, any other sees all nodes at once.
// h may be memory of the tape.
func (e *encoder[T]) evaluated(ctx context.Context, t *autodiff.Tape[T], d *data[T], nodes []int) (h autodiff.Matrix[T], rows []int, err error) {
	n := d.graph.Nodes()
	if nodes == nil {
		nodes = upTo(n)
	}
	if e.layers.hops() > 0 || len(nodes) == n && n <= evaluatedNodes {
		t.Reset(ctx)
		return last(e.embed(ctx, t, d.whole, nil, nil)).Data(), nodes, t.Err()
	}
	h = kernel.Unset[T](len(nodes), e.layers.width())
	for lo := 0; lo < len(nodes); lo += evaluatedNodes {
		hi := min(lo+evaluatedNodes, len(nodes))
		v, err := d.surroundings(ctx, nodes[lo:hi], 0)
		if err != nil {
			return h, nil, err
		}
		t.Reset(ctx)
		part := last(e.embed(ctx, t, v, nil, nil))
		if err := t.Err(); err != nil {
			return h, nil, err
		}
		kernel.Copy(kernel.Rows(h, lo, hi), part.Data())
	}
	return h, upTo(len(nodes)), nil
}

// last is the last of some values.
func last[V any](all []V) V { return all[len(all)-1] }

// upTo are the numbers below n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A Pass serves a layer while it computes: with the operations of the tape, its parameters and the
// graph.
type Pass[T autodiff.Float] struct {
	*autodiff.Tape[T]
	ctx    context.Context
	view   *view[T]
	rnd    *rand.Rand
	layer  int
	level  int  // of a sample, that which comes in
	looks  bool // the layer does, at the graph
	params []*parameter[T]
	trains func(*parameter[T]) bool
}

// Parameter is the parameter of the layer that has this name; nil if none has.
func (p *Pass[T]) Parameter(name string) *autodiff.Value[T] {
	for _, q := range p.params {
		if q.layer == p.layer && q.Name == name {
			return onTape(p.Tape, q, p.trains)
		}
	}
	return nil
}

// Average moves a row of the parameter of that name, which is [Parameter.Averaged], towards given
// numbers while training: p ← (1 − share)·p + share·numbers. In evaluation it does nothing.
func (p *Pass[T]) Average(name string, numbers []float64, share float64) {
	for _, q := range p.params {
		if p.rnd != nil && q.layer == p.layer && q.Name == name {
			for j, v := range numbers {
				q.value.Data[j] += T(share * (v - float64(q.value.Data[j])))
			}
		}
	}
}

// onTape is a parameter as a variable, or as a constant where it is not trained.
func onTape[T autodiff.Float](t *autodiff.Tape[T], p *parameter[T], trains func(*parameter[T]) bool) *autodiff.Value[T] {
	if trains == nil || p.Averaged || !trains(p) {
		return t.Constant(p.value)
	}
	return t.Variable(p.value, p.grad)
}

// Rand is where random draws come from while training, and nil in evaluation, where a layer must
// not depend on any.
func (p *Pass[T]) Rand() *rand.Rand { return p.rnd }

// W is D̂^-½(A+I)D̂^-½, of as many rows and columns as H has rows; in a sample ([Settings].Sampler) of as
// many rows as come out.
func (p *Pass[T]) W() *autodiff.Sparse[T] {
	if v := p.view; v.sample != nil {
		return p.seen(v.whole.normalized())
	}
	return p.view.normalized()
}

// Operator is a sparse n × n matrix of the graph, computed by of, once for a graph, and kept under its
// name; an error ends the training. In blocks it is the part that belongs to the rows
// of H, in a sample what is drawn of it; an entry must not join nodes that are farther apart than the
// hops of the layer.
func (p *Pass[T]) Operator(name string, of func(ctx context.Context, g *coles.Graph) (*sparse.CSR, error)) *autodiff.Sparse[T] {
	v := p.view
	if v.sample != nil {
		v = v.whole
	}
	s, err := v.operator(p.ctx, name, of)
	if err != nil {
		p.Fail(err)
		return p.W() // of the right size: after an error nobody uses the result
	}
	if p.view.sample != nil {
		return p.seen(s)
	}
	return s
}

// operatorOf is the matrix that a function computes from a graph, in numbers of type T.
func operatorOf[T autodiff.Float](ctx context.Context, g *coles.Graph, name string, of operatorFunc) (*autodiff.Sparse[T], error) {
	made, err := of(ctx, g)
	if err == nil {
		err = matrix.CheckCSR(ctx, made)
	}
	if err == nil {
		if r, c := made.Dims(); r != g.Nodes() || c != g.Nodes() {
			err = fmt.Errorf("%w: %d × %d for %d nodes", coles.ErrShape, r, c, g.Nodes())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: operator %q: %w", name, err)
	}
	a, _, err := matrix.FromCSR(ctx, made, func(x, y float64) float64 { return x + y })
	if err != nil {
		return nil, err
	}
	return autodiff.NewSparse(matrix.ConvertCSR[T](a), false), nil
}
