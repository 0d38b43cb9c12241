package gnn

import (
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/setting"
)

// A Layer is one step of a [Network]. H is what comes in, n × k; every weight is drawn by Glorot's
// rule, every bias zero. The zero value is no layer. Its text form, in JSON too, is
//
//	gcn:64               GCN(64)
//	linear               Linear(AutoWidth)
//	gcn:64,orthonormal   GCN(64).Orthonormal()
//	propagate:s2gcsum:8  Propagate(coles.S2GCSum(8))
//	dropout:0.5          Dropout(0.5)
//
// and so on.
type Layer struct {
	kind        layerKind
	width       int
	filter      coles.Filter
	rate        float64
	orthonormal bool
}

type layerKind int

const (
	noLayer layerKind = iota
	gcn
	linear
	sage
	propagate
	relu
	prelu
	elu
	dropout
)

// A kind is what layers of one kind have in common, in numbers of type T.
type kind[T kernel.Float] struct {
	name    string
	weights []string // names of the weights, k × width; with them comes "bias", 1 × width
	slope   bool     // there is a parameter "slope", 1 × 1
	hops    int      // how many edges away it looks; a filter in addition as many as it has
	forward func(p *pass[T], l Layer)
}

// kinds is all that there is to know about every kind of layers.
func kinds[T kernel.Float]() []kind[T] {
	return []kind[T]{
		noLayer:   {name: "none"},
		gcn:       {name: "gcn", weights: []string{"weight"}, hops: 1, forward: (*pass[T]).gcn},
		linear:    {name: "linear", weights: []string{"weight"}, forward: (*pass[T]).linear},
		sage:      {name: "sage", weights: []string{"self", "neighbors"}, hops: 1, forward: (*pass[T]).sage},
		propagate: {name: "propagate", forward: (*pass[T]).propagate},
		relu:      {name: "relu", forward: (*pass[T]).relu},
		prelu:     {name: "prelu", slope: true, forward: (*pass[T]).prelu},
		elu:       {name: "elu", forward: (*pass[T]).elu},
		dropout:   {name: "dropout", forward: (*pass[T]).dropout},
	}
}

// layerKinds is the table for what does not depend on the type of the numbers.
var layerKinds = kinds[float64]()

// AutoWidth is the width of 512, or 256 where there are at most 512 features (the paper's 512, 512
// and 256 for Cora, Citeseer and Pubmed); for the last layer of a classifier the number of classes.
const AutoWidth = 0

// GCN is W·H·Θ + 1·b with W = D̂^-½(A+I)D̂^-½ (Kipf and Welling 2017). Its parameters are "weight"
// (Θ, k × width) and "bias" (b, 1 × width).
func GCN(width int) Layer { return Layer{kind: gcn, width: width} }

// Linear is H·Θ + 1·b. Its parameters are "weight" and "bias". Behind [Propagate] it is the linear
// encoder of COLES.
func Linear(width int) Layer { return Layer{kind: linear, width: width} }

// SAGE is H·Θ₁ + D⁻¹A·H·Θ₂ + 1·b, GraphSAGE with the mean over neighbours (Hamilton, Ying and
// Leskovec 2017); a node without neighbours has the first part only. Its parameters are "self",
// "neighbors" and "bias".
func SAGE(width int) Layer { return Layer{kind: sage, width: width} }

// Propagate is F·H for a fixed filter, such as [coles.SGC] or [coles.S2GC]. Before the first
// parameters it is computed once.
func Propagate(f coles.Filter) Layer { return Layer{kind: propagate, filter: f} }

// ReLU is max(H, 0) by entry.
func ReLU() Layer { return Layer{kind: relu} }

// PReLU is H where positive and a·H elsewhere. Its parameter is "slope" (a, 1 × 1), 0.25 at first
// (He et al. 2015).
func PReLU() Layer { return Layer{kind: prelu} }

// ELU is H where positive and e^H − 1 elsewhere.
func ELU() Layer { return Layer{kind: elu} }

// Dropout sets entries to zero with probability rate and divides the others by 1 − rate, while
// training.
func Dropout(rate float64) Layer { return Layer{kind: dropout, rate: rate} }

// Orthonormal returns the layer, a [GCN] or a [Linear], with a weight that has orthonormal columns,
// ΘᵀΘ = I, from the first step to the last, and without bias: a point on the Stiefel manifold.
// Width must not exceed what comes in.
//
// Each step goes along the Riemannian gradient G − Θ·(ΘᵀG + GᵀΘ)/2 and back to the manifold by the
// Q of a QR decomposition. Weight decay means nothing there and leaves it alone.
func (l Layer) Orthonormal() Layer {
	l.orthonormal = true
	return l
}

// trained reports whether the layer has a weight.
func (l Layer) trained() bool { return len(layerKinds[l.kind].weights) > 0 }

// hops is how many edges away the layer looks.
func (l Layer) hops() int { return layerKinds[l.kind].hops + l.filter.Hops() }

func (l Layer) check() error {
	switch {
	case l.kind == noLayer:
		return setting.Bad("no layer")
	case l.width < 0:
		return setting.Bad("width %d", l.width)
	case l.kind == dropout && !(l.rate >= 0 && l.rate < 1):
		return setting.Bad("dropout at a rate of %v, want 0 to less than 1", l.rate)
	case l.orthonormal && len(layerKinds[l.kind].weights) != 1:
		return setting.Bad("no %s layer is orthonormal", layerKinds[l.kind].name)
	case l.kind == propagate:
		_, err := l.filter.MarshalText()
		return err
	}
	return nil
}

// orthonormalWord is how the text form says that.
const orthonormalWord = "orthonormal"

// String is the text form.
func (l Layer) String() string {
	var args []any
	switch {
	case l.trained() && l.width != AutoWidth:
		args = []any{l.width}
	case l.kind == propagate:
		args = []any{l.filter}
	case l.kind == dropout:
		args = []any{l.rate}
	}
	if l.orthonormal {
		args = append(args, orthonormalWord)
	}
	return setting.Text(layerKinds[l.kind].name, args...)
}

// MarshalText gives the text form.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), l.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (l *Layer) UnmarshalText(text []byte) error {
	var names []string
	for _, k := range layerKinds[1:] {
		names = append(names, k.name)
	}
	f := setting.Parse(text)
	at := slices.Index(names, f.Name)
	if at < 0 {
		return f.Unknown(names)
	}
	read := Layer{kind: layerKind(at + 1)}
	switch {
	case read.trained():
		read.orthonormal = f.Word(orthonormalWord)
		if f.Left() > 0 && !read.orthonormal {
			read.width = f.Int()
			read.orthonormal = f.Word(orthonormalWord)
		}
	case read.kind == propagate:
		if err := read.filter.UnmarshalText([]byte(f.Rest())); err != nil {
			return err
		}
	case read.kind == dropout:
		read.rate = f.Float()
	}
	return accept(l, read, f)
}
