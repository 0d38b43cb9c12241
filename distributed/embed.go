package distributed

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/spectral"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// embed makes the columns FXVᵀ and weighs them, by three passes that move no row. The energies of columns are summed about
// their means, and not taken from (FX)ᵀFX. Where rows hardly differ, that would leave no digit.
func (p plan) embed(s beam.Scope, fx, solved, found, choice beam.PCollection) (embedding, model beam.PCollection) {
	y, energies := beam.ParDo2(s, &project{p.worker(), p.Grid.Height}, fx, beam.SideInput{Input: solved})
	energy := total(s, energies, p.blocks())
	weighed := beam.ParDo(s, &weigh{p}, energy, beam.SideInput{Input: solved})
	sides := []beam.Option{beam.SideInput{Input: solved}, beam.SideInput{Input: weighed}}
	norms := total(s, beam.ParDo(s, &lengths{}, y, sides...), p.blocks())
	model = beam.ParDo(s, &assemble{p}, norms, append(sides, beam.SideInput{Input: found}, beam.SideInput{Input: choice})...)
	return beam.ParDo(s, &scale{}, y, beam.SideInput{Input: model}), model
}

// project makes rows of FXVᵀ, and sums of squares about the means of their columns.
type project struct {
	worker
	Height int64
}

func (f *project) ProcessElement(ctx context.Context, number int64, b piece, v solution, emit func(int64, rowChunk), sum func(int64, sums)) error {
	y, err := v.columns(ctx, b.Block)
	if err != nil {
		return err
	}
	k := y.Cols
	energy := make([]float64, k)
	for r := range y.Rows {
		for j, e := range y.Row(r) {
			energy[j] += (e - v.Mean[j]) * (e - v.Mean[j])
		}
	}
	sum(partOf(number, energy, nil))
	emit(number, rowChunk{number * f.Height, k, y.Data})
	return nil
}

// columns makes the rows HVᵀ of a block H.
func (v solution) columns(ctx context.Context, h *block) (kernel.Matrix[float64], error) {
	y := kernel.Dense[float64](h.height(), len(v.Mean))
	if y.Cols == 0 {
		return y, nil
	}
	return y, kernel.Gemm(ctx, false, true, 1, h.matrix(), panel(v.Directions, v.Columns), 0, y)
}

// weigh chooses γ.
type weigh struct{ Plan plan }

func (f *weigh) ProcessElement(energy sums, v solution) (spectral.Weights, error) {
	columns := spectral.Columns{Rows: int(f.Plan.Nodes), Unit: 1, Mean: v.Mean, Energy: energy.Add}
	rule := spectral.Rule(f.Plan.Settings.Scaling)
	if f.Plan.Grid.Messages != coles.Float32 {
		return rule.WeighFirst(v.Determined, v.Zero, columns, v.Lambda, linear.Rounding(false)), nil
	}
	w := rule.Weigh(columns, v.Lambda, linear.Rounding(false))
	noise := v.rounded(energy.Add, float64(f.Plan.Nodes))
	if doubt := rule.Doubt(columns, v.Lambda, w, noise); doubt > spectral.MostDoubt {
		return w, fmt.Errorf("distributed: %w: rounding in float32 may change YYᵀ by %.2g; send messages in float64", coles.ErrPrecision, doubt)
	}
	return w, nil
}

// rounded estimates the effect of float32 messages on the eigenpairs and on columns FXVᵀ of n rows with these energies. Every
// number has been rounded, but no sum, so M = (FX)ᵀΔWFX is off as far as the columns are. The other eigenvalues are not known,
// but near zero they may be rounding. The other columns are taken to be as long as the columns of P.
func (v solution) rounded(energy []float64, n float64) spectral.Noise {
	k := len(v.Lambda)
	noise := spectral.Noise{Pairs: make([]float64, k), Next: math.Inf(-1)}
	if k < v.Columns {
		noise.Next = 0
	}
	for j, mean := range v.Mean {
		square := energy[j] + n*mean*mean
		noise.Pairs[j] = math.Sqrt(square / n)
		noise.Total += square * float64(v.Columns) / float64(k)
	}
	noise.Column = 6e-8 * math.Sqrt(noise.Total/float64(v.Columns))
	for j := range noise.Pairs {
		noise.Pairs[j] *= 2 * noise.Column
	}
	return noise
}

// lengths adds up the lengths of centred rows of the weighted columns.
type lengths struct{}

func (f *lengths) ProcessElement(number int64, y rowChunk, v solution, w spectral.Weights) (int64, sums) {
	all := 0.0
	for lo := 0; lo < len(y.Data); lo += y.Columns {
		row, square := y.Data[lo:lo+y.Columns], 0.0
		for j, e := range row {
			off := (e - v.Mean[j]) * w.Factors[j]
			square += off * off
		}
		all += math.Sqrt(square)
	}
	return partOf(number, []float64{all}, nil)
}

// assemble makes the model.
type assemble struct{ Plan plan }

func (f *assemble) ProcessElement(norms sums, v solution, w spectral.Weights, found facts, c choice) ([]byte, error) {
	set, n := f.Plan.settings(c), float64(f.Plan.Nodes)
	rule, factors := spectral.Rule(set.Scaling), slices.Clone(w.Factors)
	if !w.Equal {
		if err := rule.Stretch(factors, norms.Add[0]/n, 1); err != nil {
			return nil, fmt.Errorf("distributed: %w", err)
		}
	}
	r := coles.Report{
		Graph: found.Graph, Asked: f.Plan.Asked, Alignment: c.Alignment, Undetermined: w.Undetermined,
		Features: f.Plan.Columns, Preparation: found.Preparer.Preparation(), Solver: coles.SolverDirect,
	}
	part := coles.Part{
		Settings: set, Preparer: found.Preparer, Lambda: v.Lambda, Directions: matrix.ToDense(panel(v.Directions, v.Columns)),
		Scaling: coles.Scaling{Power: w.Power, EffectiveRank: w.EffectiveRank, Factors: factors},
	}
	m, err := inside.Assembled(r, nil, []coles.Part{part}, set.Dim, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err = m.WriteTo(&b)
	return b.Bytes(), err
}

// scale multiplies the columns by the factors of the model.
type scale struct{}

func (*scale) ProcessElement(number int64, y rowChunk, model []byte) (int64, rowChunk, error) {
	scaled, err := scaledRows(y, model)
	return number, scaled, err
}

// scaledRows multiplies the columns by the factors of a model, in new storage.
func scaledRows(y rowChunk, model []byte) (rowChunk, error) {
	m, err := coles.ReadModel(bytes.NewReader(model))
	if err != nil {
		return rowChunk{}, err
	}
	out, factors := rowChunk{y.First, y.Columns, make([]float64, len(y.Data))}, m.Parts()[0].Scaling.Factors
	for q, v := range y.Data {
		factor := factors[q%y.Columns]
		if factor == 0 { // and not −0
			continue
		}
		if out.Data[q] = v * factor; !matrix.Finite(out.Data[q]) {
			return out, fmt.Errorf("distributed: %w: the embedding of node %d overflows", coles.ErrNotFinite, y.First+int64(q/y.Columns))
		}
	}
	return out, nil
}
