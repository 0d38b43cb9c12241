package gnn

import (
	"fmt"
	"math"
	"strings"

	"coles"
)

// A Network is a sequence of layers, features to embeddings. Parameters are
// called by the place of their layer and their name there: "0.weight" is Θ of
// the first layer.
type Network []Layer

// String is the layers in order.
func (n Network) String() string {
	var text []string
	for _, l := range n {
		text = append(text, l.String())
	}
	return strings.Join(text, " → ")
}

// check demands a layer with a weight, before which only filters and then
// dropout stand.
func (n Network) check() error {
	trained := false
	for i, l := range n {
		if err := l.check(); err != nil {
			return fmt.Errorf("gnn: layer %d: %w", i, err)
		}
		trained = trained || l.trained()
		if !trained && l.kind != dropoutLayer && i >= n.lead() {
			return fmt.Errorf("gnn: layer %d: %w: %v before the first weight", i, coles.ErrSetting, l.kind)
		}
	}
	if !trained {
		return fmt.Errorf("gnn: network: %w: no layer has a weight", coles.ErrSetting)
	}
	return nil
}

// resolve gives every layer its width, for d features; last is what AutoWidth
// means for the last one, if not 0.
func (n Network) resolve(d, last int) (Network, error) {
	auto := 512
	if d <= auto {
		auto = 256
	}
	resolved := append(Network(nil), n...)
	end := n.lastTrained()
	in := d
	for i, l := range resolved {
		if !l.trained() {
			continue
		}
		switch {
		case l.width == AutoWidth && i == end && last != 0:
			l.width = last
		case l.width == AutoWidth:
			l.width = auto
			if l.orthonormal {
				l.width = min(auto, in)
			}
		}
		if l.orthonormal && l.width > in {
			return nil, fmt.Errorf("gnn: layer %d: %w: %d orthonormal columns of length %d", i, coles.ErrDim, l.width, in)
		}
		resolved[i], in = l, l.width
	}
	return resolved, nil
}

// checkSizes refuses weights, and outputs for n nodes, of more entries than can
// be indexed, before there is memory taken for them. The widths are resolved, d
// features come in.
func (n Network) checkSizes(nodes, d int) error {
	in := d
	for i, l := range n {
		if !l.trained() {
			continue
		}
		if rows := max(nodes, in); l.width > math.MaxInt32/rows {
			return fmt.Errorf("gnn: layer %d: %w: %d columns of %d rows", i, coles.ErrTooLarge, l.width, rows)
		}
		in = l.width
	}
	return nil
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

// lead is how many filters stand at the beginning: what they do is done once.
func (n Network) lead() int {
	for i, l := range n {
		if l.kind != propagateLayer {
			return i
		}
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

// averages tells whether a layer wants the mean over neighbours.
func (n Network) averages() bool {
	for _, l := range n {
		if l.kind == sageLayer {
			return true
		}
	}
	return false
}

// width is the length of the rows of the result.
func (n Network) width() int { return n[n.lastTrained()].width }
