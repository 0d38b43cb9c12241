package gnn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"coles"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// A Model is a trained network: enough to embed nodes that come later. It is
// immutable and safe for use by many goroutines.
type Model struct {
	settings  Settings
	prepare   *coles.Preparer
	params    []tensor
	factor    float64    // what the output of the network is multiplied by
	embedding *mat.Dense // of the nodes trained on; nil in a model that was read from a file
	report    Report
	input     coles.InputHash
	module    string // version of the module that trained
	format    int    // version of the file it is from
}

// A tensor is a named matrix as models and checkpoints keep it, without padding.
type tensor struct {
	Name string    `json:"name"`
	Rows int       `json:"rows"`
	Cols int       `json:"cols"`
	data []float64 // of float32 they are as exact
}

// A Report tells what a training did.
type Report struct {
	Graph       coles.GraphReport `json:"graph"`
	Features    int               `json:"features"` // d
	Preparation coles.Preparation `json:"preparation"`
	Dim         int               `json:"dim"`        // d′
	Parameters  int               `json:"parameters"` // numbers trained
	Precision   coles.Precision   `json:"precision"`
	Epochs      int               `json:"epochs"`     // done
	BestEpoch   int               `json:"best_epoch"` // whose parameters these are
	Loss        float64           `json:"loss"`       // of the last epoch
	Rank        float64           `json:"rank"`       // effective rank of the embedding
	Seconds     float64           `json:"seconds"`    // which files do not keep, nor Memory
	Memory      int               `json:"memory"`     // bytes that the steps took beside data and parameters
}

// String is the report in a few lines.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph: %v\n", r.Graph)
	fmt.Fprintf(&b, "features: %d, prepared by %v\n", r.Features, r.Preparation)
	fmt.Fprintf(&b, "network: %d parameters, %d columns, %v\n", r.Parameters, r.Dim, r.Precision)
	fmt.Fprintf(&b, "training: %d epochs, the best %d, loss %.5g, effective rank %.1f, %d MB for a step", r.Epochs, r.BestEpoch, r.Loss, r.Rank, r.Memory/1e6)
	if r.Seconds > 0 {
		fmt.Fprintf(&b, ", %.2f seconds", r.Seconds)
	}
	return b.String()
}

// model is what the run has come to.
func (r *run[T]) model(ctx context.Context) (*Model, error) {
	h, err := r.output(ctx)
	if err != nil {
		return nil, err
	}
	m := &Model{
		settings: r.Settings, prepare: r.prepare, params: r.tensors(),
		input: r.input, module: coles.ModuleVersion(), format: int(modelFormat.Version),
	}
	if m.embedding, m.factor, err = scaled(ctx, h, r.Norm); err != nil {
		return nil, err
	}
	m.report = r.report()
	if _, m.report.Rank, err = spread(ctx, h); err != nil {
		return nil, err
	}
	return m, nil
}

func (r *run[T]) report() Report {
	report := Report{
		Graph: r.data.graph.Report(), Features: r.data.whole.x.cols(), Preparation: r.prepare.Preparation(),
		Dim: r.Network.width(), Precision: r.Precision, Epochs: r.epoch, BestEpoch: r.epoch,
		Loss: r.last.Loss, Seconds: time.Since(r.started).Seconds(), Memory: r.tape.Bytes(),
	}
	if r.best.epoch > 0 {
		report.BestEpoch = r.best.epoch
	}
	for _, p := range r.encoder.params {
		report.Parameters += len(p.value.Data)
	}
	return report
}

// tensors are copies of the parameters.
func (r *run[T]) tensors() []tensor {
	var out []tensor
	for _, p := range r.encoder.params {
		out = append(out, tensor{p.name, p.value.Rows, p.value.Cols, widened(p.value)})
	}
	return out
}

// widened is a copy of the entries of m, which has no padding.
func widened[T kernel.Float](m kernel.Matrix[T]) []float64 {
	out := make([]float64, len(m.Data))
	for i, v := range m.Data {
		out[i] = float64(v)
	}
	return out
}

// precisionOf is the precision of numbers of type T.
func precisionOf[T kernel.Float]() coles.Precision {
	if _, single := any(T(0)).(float32); single {
		return coles.Float32
	}
	return coles.Float64
}

// scaled is h times the factor that makes r the mean norm of its centred rows, or
// as it is for r = 0.
func scaled[T kernel.Float](ctx context.Context, h kernel.Matrix[T], r float64) (*mat.Dense, float64, error) {
	wide := kernel.Unset[float64](h.Rows, h.Cols)
	if err := kernel.Convert(ctx, wide, h); err != nil {
		return nil, 0, err
	}
	y := denseOf(wide)
	if r == 0 {
		return y, 1, nil
	}
	even := make([]float64, h.Cols)
	for j := range even {
		even[j] = 1
	}
	s, err := coles.SpectralScaling(ctx, y, even, coles.WithPower(0), coles.WithNorm(r), coles.WithPrecision(precisionOf[T]()))
	if err != nil {
		return nil, 0, fmt.Errorf("gnn: %w", err)
	}
	factor := s.Factors[0]
	if err := multiply(ctx, wide, factor); err != nil {
		return nil, 0, err
	}
	return y, factor, checkFinite(ctx, wide, fmt.Errorf("gnn: %w: scaled to the norm %v the embedding overflows", coles.ErrNotFinite, r))
}

// multiply multiplies all of y by a factor.
func multiply(ctx context.Context, y kernel.Matrix[float64], factor float64) error {
	return parallel.Ranges(ctx, y.Rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.Data[i*y.Stride:][:y.Cols]
			for j := range row {
				row[j] *= factor
			}
		}
	})
}

func denseOf(y kernel.Matrix[float64]) *mat.Dense { return mat.NewDense(y.Rows, y.Cols, y.Data) }

// Embedding returns a copy of the embedding of the nodes trained on (n×d′), or nil in a
// model that was read from a file: Embed makes it again from graph and features.
func (m *Model) Embedding() *mat.Dense {
	if m == nil || m.embedding == nil {
		return nil
	}
	return mat.DenseCopyOf(m.embedding)
}

// orEmpty lets the methods of a nil Model see one that holds nothing.
func (m *Model) orEmpty() *Model {
	if m == nil {
		return new(Model)
	}
	return m
}

// Embed returns the embedding of every node of a graph (n×d′) without training
// anything: the graph trained on, to the byte; one that has grown, new nodes
// and all; or another graph with the same features.
//
// Errors: [coles.ErrShape], [coles.ErrNotFinite], [coles.ErrPreparation], [coles.ErrEmpty],
// [coles.ErrTooLarge], [coles.ErrPrecision] for features that leave its range, and ctx's.
func (m *Model) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	y, err := m.output(ctx, g, x)
	if err != nil {
		return nil, err
	}
	if m.factor != 1 {
		if err := multiply(ctx, y, m.factor); err != nil {
			return nil, err
		}
	}
	if err := checkFinite(ctx, y, fmt.Errorf("gnn: embed: %w: scaled, the embedding overflows", coles.ErrNotFinite)); err != nil {
		return nil, err
	}
	return denseOf(y), nil
}

// output is what the network makes of a graph, not yet scaled.
func (m *Model) output(ctx context.Context, g *coles.Graph, x mat.Matrix) (none kernel.Matrix[float64], err error) {
	if err := checkContext(ctx); err != nil {
		return none, err
	}
	if m == nil || m.prepare == nil {
		return none, fmt.Errorf("gnn: embed: %w: no training made the model", coles.ErrEmpty)
	}
	if err := checkRows(g, x); err != nil {
		return none, err
	}
	if err := m.settings.Network.checkSizes(g.Nodes(), m.report.Features); err != nil {
		return none, err
	}
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	if m.settings.Precision == coles.Float64 {
		return outputIn[float64](ctx, m, g, x)
	}
	return outputIn[float32](ctx, m, g, x)
}

func outputIn[T kernel.Float](ctx context.Context, m *Model, g *coles.Graph, x mat.Matrix) (y kernel.Matrix[float64], err error) {
	d, err := newData[T](ctx, g, x, m.prepare, m.settings)
	if err != nil {
		return y, err
	}
	if cols := d.whole.x.cols(); cols != m.report.Features {
		return y, fmt.Errorf("gnn: embed: %w: %d prepared columns for a network of %d", coles.ErrShape, cols, m.report.Features)
	}
	e := encoder[T]{layers: m.settings.Network}
	for _, p := range m.params {
		e.params = append(e.params, &parameter[T]{name: p.Name, value: narrowed[T](p)})
	}
	t := tape.New[T](ctx)
	h := e.embed(ctx, t, &d.whole, nil)
	if err := t.Err(); err != nil {
		return y, err
	}
	if err := checkFinite(ctx, h.Data(), fmt.Errorf("gnn: embed: %w: the output is not finite in %v", coles.ErrPrecision, m.settings.Precision)); err != nil {
		return y, err
	}
	y = kernel.Unset[float64](h.Rows(), h.Cols())
	return y, kernel.Convert(ctx, y, h.Data())
}

// narrowed is a tensor in the numbers that are computed with.
func narrowed[T kernel.Float](p tensor) kernel.Matrix[T] {
	m := kernel.Dense[T](p.Rows, p.Cols)
	for i, v := range p.data {
		m.Data[i] = T(v)
	}
	return m
}

// Parameters returns the names of the parameters, such as "0.weight", in the order
// of the layers.
func (m *Model) Parameters() []string {
	var names []string
	for _, p := range m.orEmpty().params {
		names = append(names, p.Name)
	}
	return names
}

// Parameter returns a copy of the parameter of that name.
func (m *Model) Parameter(name string) (p *mat.Dense, ok bool) {
	for _, p := range m.orEmpty().params {
		if p.Name == name {
			return mat.NewDense(p.Rows, p.Cols, append([]float64(nil), p.data...)), true
		}
	}
	return nil, false
}

// Settings returns the settings of the training, widths and precision resolved.
func (m *Model) Settings() Settings { return m.orEmpty().settings.clone() }

// Report tells what the training did.
func (m *Model) Report() Report { return m.orEmpty().report }
