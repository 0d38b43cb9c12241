package gnn

import (
	"slices"

	"coles"
	"coles/gnn/custom"
	"coles/internal/setting"
)

// The names of layers that something depends on.
const (
	gcnName       = "gcn"
	linearName    = "linear"
	sageName      = "sage"
	propagateName = "propagate"
	dropoutName   = "dropout"
)

// wideNames are the names of layers with a width.
var wideNames = []string{gcnName, linearName, sageName}

// A Layer is one step of a [Network]. H is its input, n × k. The zero value is no layer. The text form, in
// JSON too, is
//
//	gcn:64, linear       GCN(64), Linear(AutoWidth)
//	gcn:64,orthonormal   GCN(64).Orthonormal()
//	propagate:s2gcsum:8  Propagate(coles.S2GCSum(8))
//	dropout:0.5          Dropout(0.5)
//	custom:NAME,64       NewLayer("NAME", …), of which a text has name and width only
type Layer struct {
	label       // without the width
	spec        custom.LayerSpec
	forward32   custom.Forward[float32]
	forward64   custom.Forward[float64] // both nil where only the name is known
	orthonormal bool
	filter      coles.Filter // of Propagate
}

const (
	AutoWidth = 0  // 512, or 256 up to 512 features, as in the paper; at a classifier's end its classes
	SameWidth = -1 // as many columns as come in
)

// NewLayer makes a layer of a function, given in both precisions: see package [coles/gnn/custom]. Files keep the name,
// without a comma.
func NewLayer(name string, spec custom.LayerSpec, forward32 custom.Forward[float32], forward64 custom.Forward[float64]) Layer {
	return Layer{label: label{Name: name, Custom: true}, spec: spec, forward32: forward32, forward64: forward64}
}

// Orthonormal returns the layer, a [GCN] or a [Linear], with a weight on the Stiefel manifold, ΘᵀΘ = I, from
// the first step to the last, and without bias. Width must not exceed what comes in. Each step goes
// along the Riemannian gradient G − Θ·(ΘᵀG + GᵀΘ)/2 and back by the Q of a QR decomposition. Weight
// decay leaves it alone.
func (l Layer) Orthonormal() Layer {
	l.orthonormal = true
	return l
}

// wide reports whether the columns that come out are not those that come in.
func (l Layer) wide() bool { return l.spec.Width != SameWidth }

// parameters lists the trained parameters for in columns, the width resolved.
func (l Layer) parameters(in int) []custom.Parameter {
	if l.spec.Parameters == nil {
		return nil
	}
	width := l.spec.Width
	if !l.wide() {
		width = in
	}
	all := l.spec.Parameters(in, width)
	if l.orthonormal { // the weight alone
		all = slices.Clone(all[:1])
		all[0].Orthonormal = true
	}
	return all
}

func (l Layer) check() error {
	switch {
	case l.Name == "":
		return setting.Bad("Layer", nil, "one")
	case l.spec.Width < SameWidth:
		return setting.Bad("Width", l.spec.Width, "1 or more, AutoWidth or SameWidth")
	case l.spec.Hops < 0:
		return setting.Bad("Hops", l.spec.Hops, "0 or more")
	case l.orthonormal && (l.Custom || l.Name != gcnName && l.Name != linearName):
		return setting.Bad("Layer", l, "GCN or Linear where it is orthonormal")
	case l.Custom:
		return l.CheckName()
	case !l.wide() && slices.Contains(wideNames, l.Name):
		return setting.Bad("Layer", l, "a width")
	case l.Name == dropoutName && !(l.Args[0].(float64) >= 0 && l.Args[0].(float64) < 1):
		return setting.Bad("Layer", l, "a rate from 0 to less than 1")
	case l.Name == propagateName && len(l.filter.Coefficients()) == 0:
		return setting.Bad("Filter", l, "a filter with its numbers")
	case l.Name == propagateName:
		_, err := l.filter.MarshalText()
		return err
	}
	return nil
}

// orthonormalWord is the last argument of an orthonormal layer.
const orthonormalWord = "orthonormal"

// String returns the text form.
func (l Layer) String() string {
	l.Args = slices.Clone(l.Args)
	if l.wide() && (l.Custom || l.spec.Width != AutoWidth) {
		l.Args = append(l.Args, l.spec.Width)
	}
	if l.orthonormal {
		l.Args = append(l.Args, orthonormalWord)
	}
	return l.label.String()
}

// MarshalText gives the text form.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), l.check() }
