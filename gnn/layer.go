package gnn

import (
	"encoding/json"
	"fmt"

	"coles"
	"coles/internal/enum"
	"coles/internal/strict"
)

// A Layer is one step of a [Network]. Layers with parameters have the names of
// theirs below; H is what comes in, n×k, and every weight is drawn by Glorot's
// rule, every bias zero.
type Layer struct {
	kind        layerKind
	width       int
	filter      coles.Filter
	rate        float64
	orthonormal bool
}

type layerKind int

const (
	gcnLayer layerKind = iota
	linearLayer
	sageLayer
	propagateLayer
	reluLayer
	preluLayer
	eluLayer
	dropoutLayer
)

var layerNames = []string{"gcn", "linear", "sage", "propagate", "relu", "prelu", "elu", "dropout"}

func (k layerKind) String() string { return enum.Name(k, layerNames) }

func (k layerKind) MarshalText() ([]byte, error) {
	return enum.Marshal(k, layerNames, coles.ErrSetting)
}

func (k *layerKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(k, text, layerNames, coles.ErrSetting)
}

// AutoWidth is the width of 512, or 256 where there are at most 512 features (the
// paper's 512, 512 and 256 for Cora, Citeseer and Pubmed); for the last layer of
// a classifier the number of classes.
const AutoWidth = 0

// GCN is W·H·Θ + 1·b with W = D̂^-½(A+I)D̂^-½ (Kipf and Welling 2017). Its parameters are
// "weight" (Θ, k×width) and "bias" (b, 1×width).
func GCN(width int) Layer { return Layer{kind: gcnLayer, width: width} }

// Linear is H·Θ + 1·b. Its parameters are "weight" and "bias". Behind [Propagate]
// it is the linear encoder of COLES.
func Linear(width int) Layer { return Layer{kind: linearLayer, width: width} }

// SAGE is H·Θ₁ + D⁻¹A·H·Θ₂ + 1·b, GraphSAGE with the mean over neighbours (Hamilton,
// Ying and Leskovec 2017); a node without neighbours has the first part only. Its
// parameters are "self", "neighbors" and "bias".
func SAGE(width int) Layer { return Layer{kind: sageLayer, width: width} }

// Propagate is F·H for a fixed filter, such as [coles.SGC] or [coles.S2GC]. Before the
// first parameters it is computed once.
func Propagate(f coles.Filter) Layer { return Layer{kind: propagateLayer, filter: f} }

// ReLU is max(H, 0) by entry.
func ReLU() Layer { return Layer{kind: reluLayer} }

// PReLU is H where positive and a·H elsewhere. Its parameter is "slope" (a, 1×1),
// 0.25 at first.
func PReLU() Layer { return Layer{kind: preluLayer} }

// ELU is H where positive and e^H − 1 elsewhere.
func ELU() Layer { return Layer{kind: eluLayer} }

// Dropout sets entries to zero with probability rate and divides the others by
// 1 − rate, while training.
func Dropout(rate float64) Layer { return Layer{kind: dropoutLayer, rate: rate} }

// Orthonormal returns the layer, a [GCN] or a [Linear], with a weight that has
// orthonormal columns, ΘᵀΘ = I, from the first step to the last, and without
// bias: a point on the Stiefel manifold. Width must not exceed what comes in.
//
// Each step goes along the Riemannian gradient G − Θ·(ΘᵀG + GᵀΘ)/2 and back to the
// manifold by the Q of a QR decomposition. Weight decay means nothing there and
// leaves it alone.
func (l Layer) Orthonormal() Layer {
	l.orthonormal = true
	return l
}

// trained tells whether the layer has a weight.
func (l Layer) trained() bool { return l.kind <= sageLayer }

// hops is how many edges away the layer looks.
func (l Layer) hops() int {
	switch l.kind {
	case gcnLayer, sageLayer:
		return 1
	case propagateLayer:
		return l.filter.Hops()
	}
	return 0
}

func (l Layer) check() error {
	switch {
	case l.kind < 0 || int(l.kind) >= len(layerNames):
		return fmt.Errorf("%w: %v", coles.ErrSetting, l.kind)
	case !l.trained() && l.width != 0:
		return fmt.Errorf("%w: %v of width %d, which it has not", coles.ErrSetting, l.kind, l.width)
	case l.width < 0:
		return fmt.Errorf("%w: %v of width %d", coles.ErrSetting, l.kind, l.width)
	case l.kind == dropoutLayer && !(l.rate >= 0 && l.rate < 1):
		return fmt.Errorf("%w: dropout at a rate of %v, want 0 to less than 1", coles.ErrSetting, l.rate)
	case l.orthonormal && l.kind != gcnLayer && l.kind != linearLayer:
		return fmt.Errorf("%w: no %v layer is orthonormal", coles.ErrSetting, l.kind)
	case l.kind == propagateLayer && len(l.filter.Coefficients()) == 0:
		return fmt.Errorf("%w: a filter without coefficients", coles.ErrSetting)
	}
	return nil
}

// String is the name it has in JSON, with its numbers.
func (l Layer) String() string {
	text := l.kind.String()
	switch {
	case l.trained() && l.width != AutoWidth:
		text += fmt.Sprintf("(%d)", l.width)
	case l.kind == propagateLayer:
		text += fmt.Sprintf("(%v)", l.filter)
	case l.kind == dropoutLayer:
		text += fmt.Sprintf("(%g)", l.rate)
	}
	if l.orthonormal {
		text += " orthonormal"
	}
	return text
}

// layerJSON is a layer outside Go.
type layerJSON struct {
	Kind        *layerKind    `json:"kind"` // which has to be there
	Width       int           `json:"width,omitempty"`
	Filter      *coles.Filter `json:"filter,omitempty"`
	Rate        float64       `json:"rate,omitempty"`
	Orthonormal bool          `json:"orthonormal,omitempty"`
}

// MarshalJSON writes the kind of the layer and its numbers.
func (l Layer) MarshalJSON() ([]byte, error) {
	j := layerJSON{Kind: &l.kind, Width: l.width, Rate: l.rate, Orthonormal: l.orthonormal}
	if l.kind == propagateLayer {
		j.Filter = &l.filter
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *Layer) UnmarshalJSON(text []byte) error {
	var j layerJSON
	if err := strict.Unmarshal(text, &j, coles.ErrSetting); err != nil {
		return err
	}
	if j.Kind == nil {
		return fmt.Errorf("gnn: layer: %w: no kind", coles.ErrSetting)
	}
	read := Layer{kind: *j.Kind, width: j.Width, rate: j.Rate, orthonormal: j.Orthonormal}
	if j.Filter != nil {
		read.filter = *j.Filter
	}
	if err := read.check(); err != nil {
		return err
	}
	*l = read
	return nil
}
