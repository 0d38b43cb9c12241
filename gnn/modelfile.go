package gnn

import (
	"encoding/json"
	"fmt"
	"io"

	"coles"
	"coles/internal/archive"
)

// modelFormat is that of a model's file. Its arrays are the parameters. Version 2 says
// what the model was made of and by, which version 1 does not.
var modelFormat = archive.Format{Magic: [8]byte([]byte("COLESGNN")), Version: 2, Oldest: 1}

// modelHeader is the part of a model file that is not long arrays of numbers.
type modelHeader struct {
	Settings Settings        `json:"settings"`
	Report   Report          `json:"report"`
	Prepare  *coles.Preparer `json:"prepare"`
	Factor   float64         `json:"factor"`
	Params   []tensor        `json:"parameters"`
	Classes  []int           `json:"classes,omitempty"` // of a classifier
	Input    coles.InputHash `json:"input"`
	Module   string          `json:"module"`
}

// WriteTo writes the model in a versioned format that ends in a checksum. It does
// not contain the embedding: [Model.Embed] makes it again.
//
// Errors: [coles.ErrEmpty] for a nil writer or a model that no training made, and the writer's.
func (m *Model) WriteTo(w io.Writer) (int64, error) { return m.write(w, nil) }

func (m *Model) write(w io.Writer, classes []int) (int64, error) {
	if m == nil || m.prepare == nil {
		return 0, fmt.Errorf("gnn: write model: %w: no training made it", coles.ErrEmpty)
	}
	if w == nil {
		return 0, fmt.Errorf("gnn: write model: %w: the writer is nil", coles.ErrEmpty)
	}
	report := m.report
	report.Seconds, report.Memory = 0, 0 // what two trainings differ in, or one that was resumed
	n, err := modelFormat.Write(w, modelHeader{m.settings, report, m.prepare, m.factor, m.params, classes, m.input, m.module}, arraysOf(m.params)...)
	if err != nil {
		return n, fmt.Errorf("gnn: write model: %w", err)
	}
	return n, nil
}

// ReadModel reads what [Model.WriteTo] wrote, today or in any version before, and no
// byte more. It takes memory as bytes arrive, never because a length is declared.
//
// Errors: [coles.ErrFormat] for bytes that are no such model, [coles.ErrChecksum]
// for a model changed or cut off, [coles.ErrEmpty] for a nil reader, and the reader's.
func ReadModel(r io.Reader) (*Model, error) {
	m, classes, err := readModel(r)
	if err == nil && classes != nil {
		err = fmt.Errorf("%w: it is a classifier", coles.ErrFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: read model: %w", err)
	}
	return m, nil
}

func readModel(r io.Reader) (*Model, []int, error) {
	if r == nil {
		return nil, nil, fmt.Errorf("%w: the reader is nil", coles.ErrEmpty)
	}
	var h modelHeader
	version, arrays, err := modelFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		return lengthsOf(h.Params), h.check()
	})
	if err != nil {
		return nil, nil, err
	}
	fill(h.Params, arrays)
	return &Model{
		settings: h.Settings, prepare: h.Prepare, params: h.Params, factor: h.Factor, report: h.Report,
		input: h.Input, module: h.Module, format: int(version),
	}, h.Classes, nil
}

// check compares the header's parts with one another before anything is read by
// them.
func (h *modelHeader) check() error {
	if h.Prepare == nil {
		return fmt.Errorf("%w: no preparer", coles.ErrFormat)
	}
	if !(h.Factor > 0) {
		return fmt.Errorf("%w: factor %v", coles.ErrFormat, h.Factor)
	}
	return checkTensors(h.Settings, h.Report.Features, h.Params)
}

// checkTensors refuses parameters that are not those of the network for d features.
func checkTensors(s Settings, d int, params []tensor) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.Network.checkSizes(1, d); err != nil {
		return err
	}
	want, err := shapesOf(s.Network, d)
	if err != nil {
		return err
	}
	if len(params) != len(want) {
		return fmt.Errorf("%w: %d parameters, want %d", coles.ErrFormat, len(params), len(want))
	}
	for k, p := range params {
		if w := want[k]; p.Name != w.Name || p.Rows != w.Rows || p.Cols != w.Cols {
			return fmt.Errorf("%w: parameter %d is %s, %d×%d, want %s, %d×%d", coles.ErrFormat, k, p.Name, p.Rows, p.Cols, w.Name, w.Rows, w.Cols)
		}
	}
	return nil
}

func arraysOf(params []tensor) [][]float64 {
	var arrays [][]float64
	for _, p := range params {
		arrays = append(arrays, p.data)
	}
	return arrays
}

func lengthsOf(params []tensor) []int {
	var lengths []int
	for _, p := range params {
		lengths = append(lengths, p.Rows*p.Cols)
	}
	return lengths
}

func fill(params []tensor, arrays [][]float64) {
	for k := range params {
		params[k].data = arrays[k]
	}
}
