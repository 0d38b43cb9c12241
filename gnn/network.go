package gnn

import (
	"fmt"
	"slices"
	"strings"

	"coles/gnn/custom"
)

// A Network is a list of layers. "0.weight" is "weight" of the first.
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
		if !wide && (l.Custom || l.Name != dropoutName) && i >= n.lead() {
			return bad(layerField(i), l, "a weight before it")
		}
	}
	if !wide {
		return bad("Network", n, "a layer with a weight")
	}
	return nil
}

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
	if at := slices.IndexFunc(n, func(l Layer) bool { return l.Name != propagateName || l.Custom }); at >= 0 {
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
			if err := (shape{i, custom.Parameter{Name: "output", Rows: max(nodes, in), Cols: l.spec.Width}}).check(); err != nil {
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

// checkSampled refuses layers that a sample cannot serve.
func (n Network) checkSampled() error {
	for i, l := range n {
		if i >= n.lead() && l.spec.Hops > 1 {
			return bad(layerField(i), l, "at most one hop with a sampler, not %d", l.spec.Hops)
		}
	}
	return nil
}
