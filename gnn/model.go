package gnn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/archive"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Model is a trained network, immutable and safe for many goroutines.
type Model struct {
	settings  Settings
	prepare   *coles.Preparer
	shapes    []shape
	params    [][]float64 // of these shapes; float32 is exact in it
	factor    float64     // of the network's output
	embedding *mat.Dense  // of the nodes trained on; nil in a model that was read from a file
	report    Report
}

// model returns the trained network.
func (r *run[T]) model(ctx context.Context) (*Model, error) {
	h, err := r.output(ctx)
	if err != nil {
		return nil, err
	}
	m := &Model{settings: r.Settings, prepare: r.prepare, shapes: r.shapes, params: r.encoder.numbers()[:len(r.shapes)], report: r.report}
	if m.embedding, m.factor, err = scaled(ctx, h, r.Norm); err != nil {
		return nil, err
	}
	if _, m.report.Rank, err = spread(ctx, r.tape, r.tape.Constant(h)); err != nil {
		return nil, err
	}
	m.report.Epochs, m.report.BestEpoch, m.report.Loss = r.epoch, r.epoch, r.last.Loss
	if r.best.epoch > 0 {
		m.report.BestEpoch = r.best.epoch
	}
	m.report.Seconds, m.report.Memory = time.Since(r.started).Seconds(), r.tape.Bytes()
	return m, nil
}

// Embedding is of the nodes trained on (n × d′), to read; nil from a file.
func (m *Model) Embedding() *mat.Dense { return m.embedding }

// Embed returns the embedding of every node of a graph (n × d′) without training. The graph may be the one trained
// on, which has the same bytes again, one that has grown, or another with the same features. Errors:
// [coles.ErrShape], [coles.ErrIndex], [coles.ErrNotFinite], [coles.ErrNegative], [coles.ErrTooLarge],
// [coles.ErrPrecision] for features that leave its range, and ctx's.
func (m *Model) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	h, err := m.output(ctx, g, x)
	if err != nil {
		return nil, err
	}
	return times(ctx, h, m.factor)
}

// output is the network's output for a graph, not yet scaled.
func (m *Model) output(ctx context.Context, g *coles.Graph, x mat.Matrix) (kernel.Matrix[float64], error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	if m.settings.Precision == coles.Float64 {
		return outputIn[float64](ctx, m, g, x)
	}
	return outputIn[float32](ctx, m, g, x)
}

func outputIn[T autodiff.Float](ctx context.Context, m *Model, g *coles.Graph, x mat.Matrix) (none kernel.Matrix[float64], err error) {
	source, err := readFeatures(ctx, g, x)
	if err != nil {
		return none, err
	}
	if d := source.Cols(); d != m.report.Features {
		return none, fmt.Errorf("gnn: embed: %w: %d features for a network of %d", coles.ErrShape, d, m.report.Features)
	}
	if _, err := m.settings.Network.shapes(g.Nodes(), m.report.Features); err != nil {
		return none, err
	}
	d, err := newData[T](ctx, g, source, m.prepare, m.settings)
	if err != nil {
		return none, err
	}
	e := encoder[T]{layers: m.settings.Network}
	for k, s := range m.shapes {
		e.params = append(e.params, &parameter[T]{shape: s, value: narrowed[T](s, m.params[k])})
	}
	h, _, err := e.evaluated(ctx, autodiff.New[T](ctx), d, nil)
	if err != nil {
		return none, err
	}
	wrong := fmt.Errorf("gnn: embed: %w: the output is not finite in %v", coles.ErrPrecision, m.settings.Precision)
	if err := checkFinite(ctx, matrix.Of(h), wrong); err != nil {
		return none, err
	}
	y := kernel.Unset[float64](h.Rows, h.Cols)
	return y, kernel.Convert(ctx, y, h)
}

// Parameters are the names of the parameters, "0.weight" say, by layers.
func (m *Model) Parameters() []string {
	var names []string
	for _, s := range m.shapes {
		names = append(names, s.String())
	}
	return names
}

// Parameter returns a copy of the parameter of that name.
func (m *Model) Parameter(name string) (p *mat.Dense, ok bool) {
	k := slices.Index(m.Parameters(), name)
	if k < 0 {
		return nil, false
	}
	return mat.NewDense(m.shapes[k].Rows, m.shapes[k].Cols, slices.Clone(m.params[k])), true
}

// Settings are the training's, widths and precision resolved.
func (m *Model) Settings() Settings { return m.settings.clone() }

// Report describes the training.
func (m *Model) Report() Report { return m.report }

// modelFormat is the format of a model's file, whose arrays are the parameters, layer by layer.
var modelFormat = archive.Format{Magic: [8]byte([]byte("COLESGNN")), Version: 2}

// modelHeader is the part of a model file that is not long arrays of numbers.
type modelHeader struct {
	Settings Settings        `json:"settings"`
	Report   Report          `json:"report"`
	Prepare  *coles.Preparer `json:"prepare"`
	Factor   float64         `json:"factor"`
	Classes  []int           `json:"classes,omitempty"` // of a classifier
}

// WriteTo writes the model without its embedding. Errors: the writer's.
func (m *Model) WriteTo(w io.Writer) (int64, error) { return m.write(w, nil) }

func (m *Model) write(w io.Writer, classes []int) (int64, error) {
	report := m.report
	report.Seconds, report.Memory = 0, 0 // what two trainings differ in, or one that was resumed
	n, err := modelFormat.Write(w, modelHeader{m.settings, report, m.prepare, m.factor, classes}, m.params...)
	if err != nil {
		return n, fmt.Errorf("gnn: write model: %w", err)
	}
	return n, nil
}

// Hash is as [coles.Model.Hash]. Of a program's own layers it covers the names.
func (m *Model) Hash() string {
	prepare, _ := json.Marshal(m.prepare) // finite numbers, which do not fail
	s := m.settings
	return archive.Hash(fmt.Sprint(s.Network, s.FeatureScale, s.Precision, string(prepare), m.factor), m.params...)
}

// ReadModel reads what [Model.WriteTo] wrote, and no byte more, in memory for the bytes that arrive. A
// network with layers of [NewLayer], of which a file has the names, needs all its layers. Errors:
// [coles.ErrFormat] for other bytes or versions, [coles.ErrChecksum] for a model changed or cut off,
// [coles.ErrSetting] for layers missing or others, and the reader's.
func ReadModel(r io.Reader, layers ...Layer) (*Model, error) {
	m, classes, err := readModel(r, layers)
	if err == nil && classes != nil {
		err = fmt.Errorf("%w: it is a classifier", coles.ErrFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: read model: %w", err)
	}
	return m, nil
}

func readModel(r io.Reader, layers Network) (*Model, []int, error) {
	var h modelHeader
	var shapes []shape
	var missing error // which is no fault of the file
	params, err := modelFormat.Read(r, func(text []byte) (lengths []int, err error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		if h.Prepare == nil || !(h.Factor > 0) {
			return nil, fmt.Errorf("no preparer, or the factor %v", h.Factor)
		}
		if err := h.Settings.checkRead(h.Report.Features); err != nil {
			return nil, err
		}
		if missing = h.Settings.Network.setAnew(layers, h.Report.Features); missing != nil {
			return nil, missing
		}
		shapes, lengths, err = h.Settings.parameters(h.Report.Features)
		return lengths, err
	})
	if missing != nil {
		return nil, nil, missing
	}
	if err != nil {
		return nil, nil, err
	}
	return &Model{settings: h.Settings, prepare: h.Prepare, shapes: shapes, params: params, factor: h.Factor, report: h.Report}, h.Classes, nil
}
