package gnn

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"coles"
	"coles/internal/kernel"
	"coles/internal/stream"
)

// A parameter is a matrix that is trained.
type parameter[T kernel.Float] struct {
	name        string
	value, grad kernel.Matrix[T]
	moments     []kernel.Matrix[T] // what the optimiser remembers
	orthonormal bool
}

// prelu is the slope that PReLU begins with (He et al. 2015).
const prelu = 0.25

// shapesOf lists the parameters of a network with d inputs, its widths resolved,
// layer by layer.
func shapesOf(n Network, d int) ([]tensor, error) {
	var shapes []tensor
	in := d
	for i, l := range n {
		if l.trained() && (l.width < 1 || l.orthonormal && l.width > in) {
			return nil, fmt.Errorf("gnn: layer %d: %w: width %d behind %d", i, coles.ErrDim, l.width, in)
		}
		add := func(name string, rows, cols int) {
			shapes = append(shapes, tensor{Name: fmt.Sprintf("%d.%s", i, name), Rows: rows, Cols: cols})
		}
		switch l.kind {
		case gcnLayer, linearLayer:
			add("weight", in, l.width)
			if !l.orthonormal {
				add("bias", 1, l.width)
			}
		case sageLayer:
			add("self", in, l.width)
			add("neighbors", in, l.width)
			add("bias", 1, l.width)
		case preluLayer:
			add("slope", 1, 1)
		}
		if l.trained() {
			in = l.width
		}
	}
	return shapes, nil
}

// newParameters draws the parameters of a network with d inputs.
func newParameters[T kernel.Float](ctx context.Context, n Network, d int, seed uint64) ([]*parameter[T], error) {
	shapes, err := shapesOf(n, d)
	if err != nil {
		return nil, err
	}
	var params []*parameter[T]
	for k, s := range shapes {
		p := &parameter[T]{name: s.Name, value: kernel.Dense[T](s.Rows, s.Cols), grad: kernel.Dense[T](s.Rows, s.Cols)}
		layer, kind, _ := strings.Cut(s.Name, ".")
		switch kind {
		case "bias": // zero
		case "slope":
			p.value.Data[0] = prelu
		default:
			p.glorot(stream.Seed(seed, uint64(k)))
			i, _ := strconv.Atoi(layer)
			if p.orthonormal = n[i].orthonormal; p.orthonormal {
				if err := retract(ctx, p.value); err != nil {
					return nil, err
				}
			}
		}
		params = append(params, p)
	}
	return params, nil
}

// glorot draws a k×l matrix uniformly within ±√(6/(k+l)) (Glorot and Bengio 2010).
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
