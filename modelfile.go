package coles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"coles/internal/archive"
	"coles/internal/kernel"
)

// modelFormat is that of a model's file. Its arrays are λ and the factors of the
// scaling; then P, column weights and means, or (without features) the embedding.
// Version 2 says what the model was made of and by, which version 1 does not.
var modelFormat = archive.Format{Magic: [8]byte([]byte("COLESMDL")), Version: 2, Oldest: 1}

// modelHeader is the part of a model file that is not long arrays of numbers.
type modelHeader struct {
	Settings    Settings    `json:"settings"`
	Report      Report      `json:"report"`
	Preparation Preparation `json:"preparation"`
	Columns     int         `json:"columns"` // d; 0 in a model without features
	Dim         int         `json:"dim"`
	Power       float64     `json:"power"`
	Rank        float64     `json:"rank"`
	Names       []string    `json:"names,omitempty"`
	RawNames    [][]byte    `json:"raw_names,omitempty"` // in the place of names that are not all UTF-8, as JSON is
	Numbers     []int64     `json:"numbers,omitempty"`
	Fingerprint string      `json:"fingerprint,omitempty"`
	Input       InputHash   `json:"input"`
	Module      string      `json:"module"`
	Refitted    bool        `json:"refitted,omitempty"`
	Lengths     []int       `json:"lengths"`
}

// WriteTo writes the model in a versioned format that ends in a checksum. A
// model with features does not contain the embedding of the nodes fitted:
// [Model.Embed] makes it again from graph and features.
//
// Errors: [ErrEmpty] for a nil writer or a model that neither [Fit] nor [ReadModel] made,
// and the writer's.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if m == nil || m.ids == nil {
		return 0, fmt.Errorf("coles: write model: %w: neither Fit nor ReadModel made it", ErrEmpty)
	}
	if w == nil {
		return 0, fmt.Errorf("coles: write model: %w: the writer is nil", ErrEmpty)
	}
	h := modelHeader{
		Settings: m.settings, Report: m.report, Dim: len(m.lambda),
		Power: m.scaling.Power, Rank: m.scaling.EffectiveRank,
		Numbers: m.ids.numbers, Input: m.input, Module: m.module, Refitted: m.refitted,
	}
	h.Report.Seconds = StageSeconds{} // the only thing that two fits differ in
	h.setNames(m.ids.names)
	arrays := [][]float64{m.lambda, m.scaling.Factors}
	if m.prepare != nil {
		h.Columns, h.Preparation = m.prepare.columns, m.prepare.how
		arrays = append(arrays, m.projection.P.RawMatrix().Data, m.prepare.weight, m.prepare.mean)
	} else {
		h.Fingerprint = hex.EncodeToString(m.fingerprint[:])
		arrays = append(arrays, m.embedding.RawMatrix().Data)
	}
	for _, a := range arrays {
		h.Lengths = append(h.Lengths, len(a))
	}
	n, err := modelFormat.Write(w, h, arrays...)
	if err != nil {
		return n, fmt.Errorf("coles: write model: %w", err)
	}
	return n, nil
}

// ReadModel reads what [Model.WriteTo] wrote, today or in any version before, and no
// byte more. It takes memory as bytes arrive, never because a length is declared.
//
// Errors: [ErrFormat] for bytes that are no model or a version it does not
// know, [ErrChecksum] for a model changed or cut off, [ErrEmpty] for a nil reader, and
// the reader's.
func ReadModel(r io.Reader) (*Model, error) {
	if r == nil {
		return nil, fmt.Errorf("coles: read model: %w: the reader is nil", ErrEmpty)
	}
	var h modelHeader
	version, arrays, err := modelFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		return h.Lengths, h.check()
	})
	if err == nil {
		var m *Model
		if m, err = h.model(arrays); err == nil {
			m.format = int(version)
			return m, nil
		}
	}
	return nil, fmt.Errorf("coles: read model: %w", err)
}

func (h *modelHeader) setNames(names []string) {
	if !slices.ContainsFunc(names, func(s string) bool { return !utf8.ValidString(s) }) {
		h.Names = names
		return
	}
	for _, s := range names {
		h.RawNames = append(h.RawNames, []byte(s))
	}
}

func (h *modelHeader) names() []string {
	if h.RawNames == nil {
		return h.Names
	}
	names := make([]string, len(h.RawNames))
	for i, s := range h.RawNames {
		names[i] = string(s)
	}
	return names
}

// check compares the header's numbers with one another before anything is read by them.
func (h *modelHeader) check() error {
	if err := h.Settings.check(); err != nil {
		return err
	}
	n := h.Report.Graph.Nodes
	if h.Dim < 0 || h.Columns < 0 || n < 1 || h.Dim > math.MaxInt32 || h.Columns > math.MaxInt32 || n > math.MaxInt32 {
		return fmt.Errorf("%d nodes, %d features, %d columns", n, h.Columns, h.Dim)
	}
	for _, rows := range []int{n, h.Columns} {
		if err := checkPanel(rows, h.Dim); err != nil {
			return err
		}
	}
	ids := nodeIDs{names: h.names(), numbers: h.Numbers}
	if err := ids.check(n); err != nil {
		return err
	}
	if h.Columns > 0 && h.Settings.Dim > h.Columns {
		return fmt.Errorf("d′ = %d of %d features", h.Settings.Dim, h.Columns)
	}
	if !finite(h.Power) || !finite(h.Rank) {
		return fmt.Errorf("power %v, rank %v", h.Power, h.Rank)
	}
	want := []int{h.Dim, h.Dim, h.Dim * n}
	if h.Columns > 0 {
		weights, means, ok := h.Preparation.keeps(h.Columns)
		if !ok {
			return fmt.Errorf("preparation %v", h.Preparation)
		}
		want = []int{h.Dim, h.Dim, h.Dim * h.Columns, weights, means}
	} else if len(h.Fingerprint) != 2*sha256.Size {
		return fmt.Errorf("fingerprint of %d digits", len(h.Fingerprint))
	}
	if len(h.Lengths) != len(want) {
		return fmt.Errorf("%d arrays, want %d", len(h.Lengths), len(want))
	}
	for i, l := range h.Lengths {
		if l != want[i] {
			return fmt.Errorf("array %d of %d numbers, want %d", i, l, want[i])
		}
	}
	return nil
}

// model puts a checked header and its arrays together.
func (h *modelHeader) model(arrays [][]float64) (*Model, error) {
	m := &Model{
		settings: h.Settings,
		lambda:   arrays[0],
		scaling:  Scaling{Power: h.Power, EffectiveRank: h.Rank, Factors: arrays[1]},
		ids:      &nodeIDs{names: h.names(), numbers: h.Numbers},
		report:   h.Report,
		input:    h.Input,
		module:   h.Module,
		refitted: h.Refitted,
	}
	if h.Columns == 0 {
		fingerprint, err := hex.DecodeString(h.Fingerprint)
		if err != nil {
			return nil, fmt.Errorf("%w: header: fingerprint: %v", ErrFormat, err)
		}
		copy(m.fingerprint[:], fingerprint)
		m.embedding = denseOf(panelOf(h.Report.Graph.Nodes, h.Dim, arrays[2]))
		return m, nil
	}
	m.prepare = &Preparer{how: h.Preparation, columns: h.Columns, weight: arrays[3], mean: arrays[4]}
	m.projection = &Projection{P: denseOf(panelOf(h.Dim, h.Columns, arrays[2])), Lambda: m.lambda, Solver: h.Report.Solver}
	return m, nil
}

func panelOf(r, c int, data []float64) kernel.Matrix[float64] {
	return kernel.Matrix[float64]{Rows: r, Cols: c, Stride: max(c, 1), Data: data}
}
