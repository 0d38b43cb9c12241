package coles

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"coles/internal/archive"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/prepare"

	"gonum.org/v1/gonum/mat"
)

// modelFormat marks the file of a model. Its arrays are λ and the factors of the scaling, the directions of
// the columns, column weights and means; without features, log q and V·S^-½ of the structure; and all of these again
// for columns of the structure beside those of features, and once more for columns of roles.
var modelFormat = archive.Format{Magic: [8]byte([]byte("COLESMDL")), Version: 2}

// modelHeader is the part of a model file that is not long arrays of numbers.
type modelHeader struct {
	Settings    Settings        `json:"settings"`
	Report      Report          `json:"report"`
	Preparation Preparation     `json:"preparation"`
	Columns     int             `json:"columns"`          // d
	Blocks      []prepare.Block `json:"blocks,omitempty"` // of the preparation
	Used        []int32         `json:"used,omitempty"`   // columns of features that it keeps, nil for all, of
	Of          int             `json:"of,omitempty"`
	Known       int             `json:"known,omitempty"` // nodes, the first of all, that the structure was learnt from; 0 without one
	Dim         int             `json:"dim"`
	Degrees     bool            `json:"degrees,omitempty"` // the last column carries degrees
	Power       float64         `json:"power"`
	Rank        float64         `json:"rank"`
	Names       []string        `json:"names,omitempty"`
	RawNames    [][]byte        `json:"raw_names,omitempty"` // instead of names if not all are UTF-8, as JSON is
	Beside      *modelHeader    `json:"beside,omitempty"`    // of the structure's columns, whose arrays follow
	Roles       *modelHeader    `json:"roles,omitempty"`     // of columns of roles, whose arrays are last
	Lengths     []int           `json:"lengths"`
}

// WriteTo writes the model in a versioned format that ends in a checksum. It does not contain the embedding of
// the nodes fitted: [Model.Embed] makes it again. A [Structure] takes 8·n·r bytes.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	h, arrays := m.header()
	n, err := modelFormat.Write(w, h, arrays...)
	if err != nil {
		return n, fmt.Errorf("coles: write model: %w", err)
	}
	return n, nil
}

// header is the header of the model's file, and its arrays.
func (m *Model) header() (h modelHeader, arrays [][]float64) {
	h = modelHeader{
		Settings: m.made().settings, Report: m.report, Dim: len(m.scaling.Factors), Degrees: len(m.lambda) < len(m.scaling.Factors),
		Power: m.scaling.Power, Rank: m.scaling.EffectiveRank,
	}
	h.Report.Seconds = Report{}.Seconds // the only thing that two fits differ in
	h.setNames(m.ids)
	h.Columns, h.Preparation, h.Blocks = m.prepare.fitted.Columns, m.prepare.Preparation(), m.prepare.fitted.Blocks
	h.Used, h.Of = m.prepare.fitted.Used, m.prepare.fitted.Of
	arrays = [][]float64{m.lambda, m.scaling.Factors, m.directions.RawMatrix().Data, m.prepare.fitted.Weight, m.prepare.fitted.Mean}
	if s := m.prepare.made; s != nil {
		encoder, _ := matrix.ToFloat64(context.Background(), s.encoder) // which does not end
		h.Known, arrays = len(s.logs), append(arrays, s.logs, encoder.Data)
	}
	if m.beside != nil {
		beside, more := m.beside.header()
		beside.Names, beside.RawNames = nil, nil // as they are above
		h.Beside, arrays = &beside, append(arrays, more...)
	}
	if m.roles != nil {
		roles, more := m.roles.header()
		roles.Names, roles.RawNames = nil, nil // as they follow
		h.Roles, arrays = &roles, append(arrays, more...)
	}
	for _, a := range arrays {
		h.Lengths = append(h.Lengths, len(a))
	}
	return h, arrays
}

// Hash identifies, by 64 bits in hexadecimal digits, what [Model.Embed] makes vectors by, to the byte. What
// is computed from the embedding, such as a classifier, fits vectors of this hash only. It is no guard
// against malice.
func (m *Model) Hash() string {
	h, arrays := m.header()
	f := m.settings.linear()
	text := fmt.Sprint(f.Alone, f.Filter, m.settings.Precision, h.Preparation, h.Columns, h.Lengths[1:])
	if len(h.Used) > 0 {
		text += fmt.Sprint(h.Of, h.Used)
	}
	if len(h.Blocks) > 0 {
		text += fmt.Sprint(h.Blocks)
	}
	if m.beside != nil {
		text += m.beside.Hash() + m.settings.Structure.String()
	}
	if m.roles != nil {
		text += m.roles.Hash() + fmt.Sprint(m.report.RoleShare)
	}
	own := len(arrays) - h.Beside.arrays() - h.Roles.arrays()
	return archive.Hash(text, arrays[1:own]...) // λ is in the factors
}

// ReadModel reads what [Model.WriteTo] wrote, and no byte more. It takes memory as bytes arrive. Errors:
// [ErrFormat] for other files and versions, [ErrChecksum].
func ReadModel(r io.Reader) (*Model, error) {
	var h modelHeader
	arrays, err := modelFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		h.Report.Kind = cmp.Or(h.Report.Kind, h.Settings.Kind) // in older files it has another name
		return h.Lengths, h.check()
	})
	if err != nil {
		return nil, fmt.Errorf("coles: read model: %w", err)
	}
	m, err := h.model(arrays)
	if err != nil {
		return nil, fmt.Errorf("coles: read model: %w", err)
	}
	return m, nil
}

// arrays is how many arrays a part has, 0 for none.
func (h *modelHeader) arrays() int {
	if h == nil {
		return 0
	}
	return len(h.Lengths)
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
	if err := h.Settings.Check(); err != nil {
		return err
	}
	n := h.Report.Graph.Nodes
	if h.Dim < 0 || h.Columns < 0 || n < 1 || h.Dim > math.MaxInt32 || h.Columns > math.MaxInt32 || n > math.MaxInt32 {
		return fmt.Errorf("%d nodes, %d features, %d columns", n, h.Columns, h.Dim)
	}
	for _, size := range [][2]int{{n, h.Dim}, {h.Columns, h.Dim}, {n, h.Columns}} {
		if err := matrix.CheckSize(size[0], size[1]); err != nil {
			return err
		}
	}
	if err := checkIDs(h.names(), n); err != nil {
		return err
	}
	kind := h.Settings.Kind
	if auto := h.Settings.Filter.kind == autoFilter; kind == 0 || h.Columns == 0 || kind == UseFeatures && (h.Known > 0 || h.Degrees) || kind == UseGraph && auto {
		return fmt.Errorf("model %v of %d features, filter %v, with a column of degrees: %v", kind, h.Columns, h.Settings.Filter, h.Degrees)
	}
	if h.Report.Kind != kind {
		return fmt.Errorf("model %v, and %v by its report", kind, h.Report.Kind)
	}
	if h.Settings.Dim > h.Columns && h.Beside == nil && h.Roles == nil {
		return fmt.Errorf("d′ = %d of %d features", h.Settings.Dim, h.Columns)
	}
	if !matrix.Finite(h.Power) || !matrix.Finite(h.Rank) {
		return fmt.Errorf("power %v, rank %v", h.Power, h.Rank)
	}
	vectors := h.Dim
	if h.Degrees {
		vectors--
	}
	if vectors < 0 {
		return fmt.Errorf("a column of degrees among %d", h.Dim)
	}
	weights, means, ok := prepare.Kind(h.Preparation).Keeps(h.Columns)
	if !ok || h.Known > 0 && h.Preparation != PrepareNone {
		return fmt.Errorf("preparation %v", h.Preparation)
	}
	if err := prepare.CheckUsed(h.Columns, h.Used, h.Of); err != nil {
		return err
	}
	if err := prepare.CheckBlocks(prepare.Kind(h.Preparation), h.Columns, h.Blocks); err != nil {
		return err
	}
	want := []int{vectors, h.Dim, h.Dim * h.Columns, weights, means}
	if h.Known < 0 || h.Known > n {
		return fmt.Errorf("%d known nodes of %d", h.Known, n)
	}
	if h.Known > 0 {
		want = append(want, h.Known, h.Known*h.Columns)
	}
	if h.Beside != nil {
		if err := h.checkBeside(); err != nil {
			return fmt.Errorf("structure: %w", err)
		}
		want = append(want, h.Beside.Lengths...)
	}
	if h.Roles != nil {
		if err := h.checkRoles(); err != nil {
			return fmt.Errorf("roles: %w", err)
		}
		want = append(want, h.Roles.Lengths...)
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

// checkBeside compares the part of the structure with the whole.
func (h *modelHeader) checkBeside() error {
	b, n := h.Beside, h.Report.Graph.Nodes
	if b.Roles != nil { // as earlier versions had, whose vectors of one graph were of two lengths
		return errors.New("columns of roles of its own: fit again")
	}
	if err := b.check(); err != nil {
		return err
	}
	if b.Known == 0 || b.Known != b.Report.Graph.Nodes || b.Known != n || h.Known > 0 || b.Beside != nil || !(h.Settings.Structure > 0) {
		return fmt.Errorf("%d nodes, and share %v, of %d nodes", b.Known, h.Settings.Structure, n)
	}
	return nil
}

// checkRoles compares the part of roles with the whole.
func (h *modelHeader) checkRoles() error {
	r, n := h.Roles, h.Report.Graph.Nodes
	if err := r.check(); err != nil {
		return err
	}
	if r.Known != 2*n || r.Report.Graph.Nodes != 2*n || r.Beside != nil || r.Roles != nil || r.Settings.Precision != Float64 || 2*r.Settings.Dim >= h.Settings.Dim || !(h.Report.RoleShare > 0 && h.Report.RoleShare < 1) {
		return fmt.Errorf("%d known of %d, and share %v, for %d nodes", r.Known, r.Report.Graph.Nodes, h.Report.RoleShare, n)
	}
	return nil
}

// model puts a checked header and its arrays together.
func (h *modelHeader) model(arrays [][]float64) (*Model, error) {
	m := &Model{
		settings: h.Settings,
		lambda:   arrays[0],
		scaling:  Scaling{Power: h.Power, EffectiveRank: h.Rank, Factors: arrays[1]},
		ids:      h.names(),
		report:   h.Report,
	}
	m.prepare = &Preparer{fitted: prepare.Preparer{How: prepare.Kind(h.Preparation), Columns: h.Columns, Weight: arrays[3], Mean: arrays[4], Blocks: h.Blocks, Used: h.Used, Of: h.Of}}
	if h.Known > 0 {
		s := &Structure{logs: arrays[5], encoder: kernel.Unset[float32](h.Known, h.Columns)}
		for i, v := range arrays[6] {
			if s.encoder.Data[i] = float32(v); !matrix.Finite(float64(s.encoder.Data[i])) {
				return nil, fmt.Errorf("%w: %v among numbers of 32 bits", ErrFormat, v)
			}
		}
		if m.prepare.made = s; m.ids != nil {
			s.ids = m.ids[:h.Known]
		}
	}
	m.directions = panelOf(h.Dim, h.Columns, arrays[2])
	if h.Roles != nil {
		own := len(arrays) - len(h.Roles.Lengths)
		var err error
		if m.roles, err = h.Roles.model(arrays[own:]); err != nil {
			return nil, err
		}
		arrays = arrays[:own]
		m.roles.ids = roleIDs(m.ids)
		m.roles.prepare.made.ids = m.roles.ids
	}
	if h.Beside != nil {
		var err error
		if m.beside, err = h.Beside.model(arrays[len(arrays)-len(h.Beside.Lengths):]); err != nil {
			return nil, err
		}
		m.share = float64(h.Settings.Structure)
		m.beside.ids, m.beside.prepare.made.ids = m.ids, m.ids
	}
	return m, nil
}

func panelOf(r, c int, data []float64) *mat.Dense {
	return matrix.ToDense(kernel.Matrix[float64]{Rows: r, Cols: c, Stride: max(c, 1), Data: data})
}

// assembled is Assembled of package inside.
func (s Settings) assembled(r Report, ids []string, prepare *Preparer, p *Projection, degree []float64, scaling Scaling, y *mat.Dense) (*Model, error) {
	if s.Kind == UseGraph {
		s.Filter = s.filterFor(prepare.fitted.Columns)
	}
	m := &Model{settings: s, prepare: prepare, directions: p.above(degree), lambda: p.Lambda, scaling: scaling, embedding: y, ids: ids}
	r.Features, r.Preparation, r.Solver = prepare.fitted.Features(), prepare.Preparation(), p.Solver
	m.describe(&r)
	m.report = r
	h, _ := m.header()
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("coles: model: %w: %w", ErrFormat, err)
	}
	return m, nil
}
