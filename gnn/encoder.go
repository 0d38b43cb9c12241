package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/stream"

	"gonum.org/v1/gonum/mat"
)

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

// readFeatures checks features from outside, a row for every node.
func readFeatures(ctx context.Context, g *coles.Graph, x mat.Matrix) (*matrix.Source, error) {
	if g.Roles() != nil {
		return nil, bad("WithArcs", true, "a graph without: networks know no direction")
	}
	if x == nil {
		return nil, fmt.Errorf("gnn: features: %w: none, and a network reads nothing else; the embedding that coles.Fit(ctx, g, nil) makes of the graph will do", coles.ErrShape)
	}
	source, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	if n, d := source.Dims(); n != g.Nodes() || d == 0 {
		return nil, fmt.Errorf("gnn: features: %w: %d × %d for %d nodes", coles.ErrShape, n, d, g.Nodes())
	}
	return source, nil
}

func newData[T autodiff.Float](ctx context.Context, g *coles.Graph, x *matrix.Source, prepare *coles.Preparer, s Settings) (*data[T], error) {
	prepared, err := inside.View(ctx, prepare, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	if x, err = matrix.Read(ctx, prepared); err != nil {
		return nil, err
	}
	w, err := matrix.Normalized(ctx, inside.Adjacency(g), true)
	if err != nil {
		return nil, err
	}
	for _, l := range s.Network[:s.Network.lead()] {
		if x, err = filtered(ctx, l.filter, w, x); err != nil {
			return nil, fmt.Errorf("gnn: %w", err)
		}
	}
	if s.FeatureScale != 1 { // else dense ones are read where they are
		x = x.Changed(false, func(_ []int32, vals []float64) { matrix.Scale(vals, s.FeatureScale) })
	}
	scaled, err := matrix.As[T](ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: features: %w", err)
	}
	wrong := fmt.Errorf("gnn: features: %w: prepared and scaled they leave the range of a %T", coles.ErrPrecision, T(0))
	if err := checkFinite(ctx, scaled, wrong); err != nil {
		return nil, err
	}
	whole := newView(g, newFeatures(scaled), autodiff.NewSparse(matrix.ConvertCSR[T](w), true))
	d := &data[T]{graph: g, whole: whole, filter: s.Network.lead() > 0}
	if s.Augmentation.Some() {
		d.source = x
	}
	return d, ctx.Err()
}

// filtered is FX, as [coles.Filter.Apply] has it.
func filtered(ctx context.Context, f coles.Filter, w *kernel.CSR[float64], x *matrix.Source) (*matrix.Source, error) {
	m, err := matrix.As[float64](ctx, x)
	if err != nil {
		return nil, err
	}
	fx, err := matrix.Polynomial(ctx, f.Coefficients(), w, m)
	if err != nil {
		return nil, err
	}
	dense, err := matrix.ToFiniteDense(ctx, "FX", fx)
	if err != nil {
		return nil, err
	}
	return matrix.Read(ctx, dense)
}

// embed records the outputs of the layers behind the lead; the last is the network's. A nil rnd stands
// for evaluation: no dropout. Parameters that trains refuses are constants. A nil trains refuses all:
// there will be no gradient, and of the record the output alone stays.
func (e *encoder[T]) embed(
	ctx context.Context, t *autodiff.Tape[T], v *view[T], rnd *rand.Rand, trains func(*parameter[T]) bool,
) []*autodiff.Value[T] {
	p := &pass[T]{Tape: t, ctx: ctx, view: v, rnd: rnd, params: e.params, trains: trains}
	shown := &custom.Pass[T]{Tape: t, Inputs: p}
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
		if h = precise[custom.Forward[T]](l.forward32, l.forward64)(shown, h); h.Rows() != rows || h.Cols() != width {
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
		nodes = matrix.UpTo(n)
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
	return h, matrix.UpTo(len(nodes)), nil
}

// last is the last of some values.
func last[V any](all []V) V { return all[len(all)-1] }
