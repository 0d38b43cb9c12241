package gnn

import (
	"context"
	"strconv"
	"strings"

	"coles"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
)

// layerForms are the text forms of layers.
var layerForms = []setting.Way[Layer]{
	setting.WayOf(gcnName, wideLayer(GCN)),
	setting.WayOf(linearName, wideLayer(Linear)),
	setting.WayOf(sageName, wideLayer(SAGE)),
	{Name: propagateName, Read: func(f *setting.Form) (Layer, error) {
		var filter coles.Filter
		err := filter.UnmarshalText([]byte(f.Rest()))
		return Propagate(filter), err
	}},
	setting.WayOf("relu", func(*setting.Form) Layer { return ReLU() }),
	setting.WayOf("prelu", func(*setting.Form) Layer { return PReLU() }),
	setting.WayOf("elu", func(*setting.Form) Layer { return ELU() }),
	setting.WayOf(dropoutName, func(f *setting.Form) Layer { return Dropout(f.Float()) }),
	{Name: customName, Read: func(f *setting.Form) (Layer, error) { return namedLayer(f.Rest()) }},
}

// wideLayer reads a layer with a width, which may be orthonormal.
func wideLayer(make func(width int) Layer) func(f *setting.Form) Layer {
	return func(f *setting.Form) Layer {
		orthonormal, width := f.Word(orthonormalWord), AutoWidth
		if f.Left() > 0 && !orthonormal {
			width = f.Int()
			orthonormal = f.Word(orthonormalWord)
		}
		read := make(width)
		read.orthonormal = orthonormal
		return read
	}
}

// namedLayer reads the name of a layer of [NewLayer], and its width if it has one.
func namedLayer(text string) (Layer, error) {
	name, width, wide := strings.Cut(text, ",")
	spec := custom.LayerSpec{Width: SameWidth}
	if wide {
		var err error
		if spec.Width, err = strconv.Atoi(width); err != nil || spec.Width < 0 {
			return Layer{}, setting.Bad("Layer", text, "a width for %q", width)
		}
	}
	return NewLayer(name, spec, nil, nil), nil
}

// GCN is W·H·Θ + 1·b with W = D̂^-½(A+I)D̂^-½ (Kipf and Welling 2017). The parameter "weight" is Θ, k × width, by
// Glorot's rule; "bias" is b, 1 × width, zero at first.
func GCN(width int) Layer {
	return Layer{label: label{Name: gcnName}, spec: custom.LayerSpec{Width: width, Hops: 1, Parameters: weightAndBias}, forward32: gcn[float32], forward64: gcn[float64]}
}

func gcn[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	weight := p.Parameter("weight")
	if b := p.Parameter("bias"); b != nil {
		return p.Convolve(p.W(), h, weight, b)
	}
	return p.SpMM(p.W(), p.MatMul(h, weight))
}

// Linear is H·Θ + 1·b. Its parameters are "weight" and "bias". Behind [Propagate] it is the linear
// encoder of COLES.
func Linear(width int) Layer {
	return Layer{label: label{Name: linearName}, spec: custom.LayerSpec{Width: width, Parameters: weightAndBias}, forward32: linear[float32], forward64: linear[float64]}
}

func linear[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return withBias(p, p.MatMul(h, p.Parameter("weight")))
}

func weightAndBias(in, width int) []custom.Parameter {
	return []custom.Parameter{custom.Weight("weight", in, width), custom.Bias("bias", width)}
}

// withBias adds the bias of the layer, if it has one.
func withBias[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	if b := p.Parameter("bias"); b != nil {
		return p.Bias(h, b)
	}
	return h
}

// SAGE is H·Θ₁ + D⁻¹A·H·Θ₂ + 1·b, GraphSAGE by the mean of neighbours (Hamilton, Ying and Leskovec 2017).
// A node without neighbours has no second term. Its parameters are "self", "neighbors" and "bias".
func SAGE(width int) Layer {
	parameters := func(in, width int) []custom.Parameter {
		return []custom.Parameter{custom.Weight("self", in, width), custom.Weight("neighbors", in, width), custom.Bias("bias", width)}
	}
	return Layer{label: label{Name: sageName}, spec: custom.LayerSpec{Width: width, Hops: 1, Parameters: parameters}, forward32: sage[float32], forward64: sage[float64]}
}

func sage[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	own, others := p.MatMul(p.Own(h), p.Parameter("self")), p.MatMul(h, p.Parameter("neighbors"))
	return withBias(p, p.Add(own, p.SpMM(p.Operator("means", neighborMeans), others)))
}

// neighborMeans is D⁻¹A.
func neighborMeans(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	means, err := matrix.RowMeans[float64](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	return matrix.ExportCSR(ctx, means)
}

// Propagate is F·H for a fixed filter such as [coles.SGC], once if it is first.
func Propagate(f coles.Filter) Layer {
	return Layer{
		label: label{Name: propagateName, Args: []any{f}}, filter: f, spec: custom.LayerSpec{Width: SameWidth, Hops: f.Hops()},
		forward32: propagate[float32](f), forward64: propagate[float64](f),
	}
}

// propagate is Σₖ aₖ·Wᵏ·H by Horner's rule.
func propagate[T autodiff.Float](f coles.Filter) custom.Forward[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		a := f.Coefficients()
		sum := p.Scale(h, a[len(a)-1])
		for k := len(a) - 2; k >= 0; k-- {
			sum = p.SpMM(p.W(), sum)
			if a[k] != 0 {
				sum = p.Add(sum, p.Scale(h, a[k]))
			}
		}
		return sum
	}
}

// ReLU is max(H, 0) by entry.
func ReLU() Layer {
	return Layer{label: label{Name: "relu"}, spec: custom.LayerSpec{Width: SameWidth}, forward32: (*custom.Pass[float32]).ReLU, forward64: (*custom.Pass[float64]).ReLU}
}

// PReLU is H where positive, else a·H (He et al. 2015); "slope" is a, first 0.25.
func PReLU() Layer {
	parameters := func(_, _ int) []custom.Parameter {
		return []custom.Parameter{{Name: "slope", Rows: 1, Cols: 1, Start: 0.25}}
	}
	return Layer{label: label{Name: "prelu"}, spec: custom.LayerSpec{Width: SameWidth, Parameters: parameters}, forward32: prelu[float32], forward64: prelu[float64]}
}

func prelu[T autodiff.Float](p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return p.PReLU(h, p.Parameter("slope"))
}

// ELU is H where positive and e^H − 1 elsewhere.
func ELU() Layer {
	return Layer{label: label{Name: "elu"}, spec: custom.LayerSpec{Width: SameWidth}, forward32: (*custom.Pass[float32]).ELU, forward64: (*custom.Pass[float64]).ELU}
}

// Dropout sets entries to zero with probability rate and divides the others by 1 − rate, while training;
// of sparse features the stored ones.
func Dropout(rate float64) Layer {
	return Layer{
		label: label{Name: dropoutName, Args: []any{rate}}, spec: custom.LayerSpec{Width: SameWidth},
		forward32: dropout[float32](rate), forward64: dropout[float64](rate),
	}
}

func dropout[T autodiff.Float](rate float64) custom.Forward[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] { return p.Dropout(h, rate, p.Rand()) }
}

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (l *Layer) UnmarshalText(text []byte) error {
	return setting.ReadText(l, text, layerForms, Layer.check)
}
