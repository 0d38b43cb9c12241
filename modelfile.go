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
	"coles/internal/structure"

	"gonum.org/v1/gonum/mat"
)

// modelFormat marks the file of a model. Its arrays are, of every part, λ and the factors of the scaling, the directions of
// the columns, column weights and means, and of a [Structure] log q and V·S^-½.
var modelFormat = archive.Format{Magic: [8]byte([]byte("COLESMDL")), Version: 4, Oldest: 2}

// modelHeader is the part of a model file that is not long arrays of numbers.
type modelHeader struct {
	Report   Report       `json:"report"`
	Dim      int          `json:"dim"` // d′ that was asked for
	Names    []string     `json:"names,omitempty"`
	RawNames [][]byte     `json:"raw_names,omitempty"` // instead of names if not all are UTF-8, as JSON is
	Parts    []partHeader `json:"parts"`
	Lengths  []int        `json:"lengths"`
}

// partHeader is the header of a part.
type partHeader struct {
	Settings    Settings        `json:"settings"`
	WeightUnit  float64         `json:"weight_unit,omitempty"`
	Preparation Preparation     `json:"preparation"`
	Columns     int             `json:"columns"`          // d
	Blocks      []prepare.Block `json:"blocks,omitempty"` // of the preparation
	Used        []int32         `json:"used,omitempty"`   // columns of features that it keeps, nil for all, of
	Of          int             `json:"of,omitempty"`
	Known       int             `json:"known,omitempty"` // nodes, the first of all, that a Structure was learnt from; 0 for given features
	Dim         int             `json:"dim"`
	Below       bool            `json:"degrees,omitempty"` // the last direction stands below P, as versions 2 and 3 may have it, for degrees
	Power       float64         `json:"power"`
	Rank        float64         `json:"rank"`
	Share       float64         `json:"share,omitempty"`
	Roles       bool            `json:"roles,omitempty"`
}

// olderHeader is the header of version 2: of the first part, with the headers of the other parts inside.
type olderHeader struct {
	partHeader
	Report   Report       `json:"report"`
	Names    []string     `json:"names"`
	RawNames [][]byte     `json:"raw_names"`
	Beside   *olderHeader `json:"beside"` // neighbour columns
	Roles    *olderHeader `json:"roles"`
	Lengths  []int        `json:"lengths"`
}

// upgrade is the header in the present version.
func (o *olderHeader) upgrade() (modelHeader, error) {
	h := modelHeader{Report: o.Report, Dim: o.Settings.Dim, Names: o.Names, RawNames: o.RawNames, Lengths: o.Lengths}
	h.Report.Kind = cmp.Or(h.Report.Kind, o.Settings.Kind) // which once had another name
	first := o.partHeader
	first.WeightUnit = o.Report.WeightUnit
	if o.Roles != nil {
		first.Settings.Dim -= 2 * o.Roles.Settings.Dim
	}
	if o.Beside != nil || o.Roles != nil {
		first.Settings.Dim = min(first.Settings.Dim, first.Columns)
	}
	h.Parts = []partHeader{first}
	if b := o.Beside; b != nil {
		if b.Roles != nil { // as earlier versions had, whose vectors of one graph were of two lengths
			return h, errors.New("structure with columns of roles of its own: fit again")
		}
		b.WeightUnit, b.Share = o.Report.WeightUnit, float64(o.Settings.Structure)
		h.Parts = append(h.Parts, b.partHeader)
	}
	if r := o.Roles; r != nil {
		r.WeightUnit, r.Share, r.partHeader.Roles = r.Report.WeightUnit, o.Report.RoleShare, true
		h.Parts = append(h.Parts, r.partHeader)
	}
	return h, nil
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
	h = modelHeader{Report: m.made().report, Dim: m.dim}
	h.Report.Seconds = Report{}.Seconds // the only thing that two fits differ in
	h.setNames(m.ids)
	for k := range m.parts {
		part, more := m.parts[k].header()
		h.Parts, arrays = append(h.Parts, part), append(arrays, more...)
	}
	h.Lengths = lengthsOf(arrays)
	return h, arrays
}

func (p *Part) header() (h partHeader, arrays [][]float64) {
	f := p.Preparer.fitted
	h = partHeader{
		Settings: p.Settings, WeightUnit: p.WeightUnit, Preparation: p.Preparer.Preparation(), Columns: f.Columns, Blocks: f.Blocks, Used: f.Used, Of: f.Of,
		Dim: len(p.Scaling.Factors), Below: len(p.Lambda) < len(p.Scaling.Factors), Power: p.Scaling.Power, Rank: p.Scaling.EffectiveRank,
		Share: p.Share, Roles: p.Roles,
	}
	arrays = [][]float64{p.Lambda, p.Scaling.Factors, p.Directions.RawMatrix().Data, f.Weight, f.Mean}
	if s := p.Structure(); s != nil {
		encoder, _ := matrix.ToFloat64(context.Background(), s.learnt.Encoder) // which does not end
		h.Known, arrays = len(s.learnt.Logs), append(arrays, s.learnt.Logs, encoder.Data)
	}
	return h, arrays
}

func lengthsOf(arrays [][]float64) (lengths []int) {
	for _, a := range arrays {
		lengths = append(lengths, len(a))
	}
	return lengths
}

// Hash identifies, by 64 bits in hexadecimal digits, the numbers by which [Model.Embed] makes vectors, to the byte. A
// classifier of vectors fits this hash only. It is no guard against malice.
func (m *Model) Hash() string {
	whole, _ := m.header()
	lengths, others := whole.Lengths, ""
	for k := range m.parts[1:] {
		p := &m.parts[k+1]
		_, arrays := p.header()
		others += p.hash(lengthsOf(arrays), "") + fmt.Sprint(p.Share)
	}
	return m.parts[0].hash(lengths, others)
}

// hash identifies a part with arrays of these lengths, together with a text.
func (p *Part) hash(lengths []int, text string) string {
	h, arrays := p.header()
	f := p.Settings.linear()
	own := fmt.Sprint(f.Alone, f.Filter, p.Settings.Precision, h.Preparation, h.Columns, lengths[1:])
	if len(h.Used) > 0 {
		own += fmt.Sprint(h.Of, h.Used)
	}
	if len(h.Blocks) > 0 {
		own += fmt.Sprint(h.Blocks)
	}
	return archive.Hash(own+text, arrays[1:]...) // λ is in the factors
}

// ReadModel reads what [Model.WriteTo] wrote, also in versions 2 and 3, and no byte more. It takes memory as bytes arrive. Errors:
// [ErrFormat], [ErrChecksum].
func ReadModel(r io.Reader) (*Model, error) {
	var h modelHeader
	arrays, err := modelFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		if len(h.Parts) == 0 {
			var older olderHeader
			err := json.Unmarshal(text, &older)
			if err == nil {
				h, err = older.upgrade()
			}
			if err != nil {
				return nil, err
			}
		}
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
	n := h.Report.Graph.Nodes
	if n < 1 || n > math.MaxInt32 || h.Dim < 0 || h.Dim > math.MaxInt32 {
		return fmt.Errorf("%d nodes, %d columns", n, h.Dim)
	}
	if err := checkIDs(h.names(), n); err != nil {
		return err
	}
	var want []int
	for k := range h.Parts {
		p := &h.Parts[k]
		nodes := n
		if p.Roles {
			nodes = 2 * n
		}
		lengths, err := p.check(nodes)
		switch {
		case err != nil:
		case k == 0 && (p.Roles || p.Share != 0 || h.Report.Kind != p.Settings.Kind):
			err = fmt.Errorf("model %v of share %v, and %v by its report", p.Settings.Kind, p.Share, h.Report.Kind)
		case k > 0 && (p.Known == 0 || !(p.Share > 0 && p.Share < 1)):
			err = fmt.Errorf("%d nodes, and share %v, of %d nodes", p.Known, p.Share, nodes)
		}
		if err != nil {
			return fmt.Errorf("part %d: %w", k, err)
		}
		want = append(want, lengths...)
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

// check compares the numbers of a part of so many nodes with one another. It returns the lengths of the part's arrays.
func (h *partHeader) check(n int) (lengths []int, err error) {
	if err := h.Settings.Check(); err != nil {
		return nil, err
	}
	vectors := h.Dim
	if h.Below {
		vectors--
	}
	if vectors < 0 || h.Columns < 0 || h.Dim > math.MaxInt32 || h.Columns > math.MaxInt32 {
		return nil, fmt.Errorf("%d features, %d columns", h.Columns, h.Dim)
	}
	for _, size := range [][2]int{{n, h.Dim}, {h.Columns, h.Dim}, {n, h.Columns}} {
		if err := matrix.CheckSize(size[0], size[1]); err != nil {
			return nil, err
		}
	}
	kind := h.Settings.Kind
	if auto := h.Settings.Filter.kind == autoFilter; kind == 0 || h.Columns == 0 || kind == UseFeatures && h.Known > 0 || kind == UseGraph && auto {
		return nil, fmt.Errorf("model %v of %d features, filter %v", kind, h.Columns, h.Settings.Filter)
	}
	if h.Settings.Dim > h.Columns {
		return nil, fmt.Errorf("d′ = %d of %d features", h.Settings.Dim, h.Columns)
	}
	if !matrix.Finite(h.Power) || !matrix.Finite(h.Rank) || !(h.WeightUnit >= 0 && matrix.Finite(h.WeightUnit)) {
		return nil, fmt.Errorf("power %v, rank %v, unit %v", h.Power, h.Rank, h.WeightUnit)
	}
	weights, means, ok := prepare.Kind(h.Preparation).Keeps(h.Columns)
	if !ok || h.Known > 0 && h.Preparation != PrepareNone {
		return nil, fmt.Errorf("preparation %v", h.Preparation)
	}
	if err := prepare.CheckUsed(h.Columns, h.Used, h.Of); err != nil {
		return nil, err
	}
	if err := prepare.CheckBlocks(prepare.Kind(h.Preparation), h.Columns, h.Blocks); err != nil {
		return nil, err
	}
	if h.Known < 0 || h.Known > n {
		return nil, fmt.Errorf("%d known nodes of %d", h.Known, n)
	}
	lengths = []int{vectors, h.Dim, h.Dim * h.Columns, weights, means}
	if h.Known > 0 {
		lengths = append(lengths, h.Known, h.Known*h.Columns)
	}
	return lengths, nil
}

// model puts a checked header and its arrays together.
func (h *modelHeader) model(arrays [][]float64) (*Model, error) {
	m := &Model{dim: h.Dim, ids: h.names(), report: h.Report}
	for k := range h.Parts {
		p, rest, err := h.Parts[k].part(arrays, m.ids)
		if err != nil {
			return nil, err
		}
		m.parts, arrays = append(m.parts, p), rest
	}
	return m, nil
}

// part puts the first arrays together, and returns the others.
func (h *partHeader) part(arrays [][]float64, ids []string) (p Part, rest [][]float64, err error) {
	fitted := prepare.Preparer{How: prepare.Kind(h.Preparation), Columns: h.Columns, Weight: arrays[3], Mean: arrays[4], Blocks: h.Blocks, Used: h.Used, Of: h.Of}
	p = Part{
		Settings: h.Settings, WeightUnit: h.WeightUnit, Preparer: &Preparer{fitted: fitted}, Directions: panelOf(h.Dim, h.Columns, arrays[2]), Lambda: arrays[0],
		Scaling: Scaling{Power: h.Power, EffectiveRank: h.Rank, Factors: arrays[1]}, Share: h.Share, Roles: h.Roles,
	}
	if h.Known == 0 {
		return p, arrays[5:], nil
	}
	learnt := structure.Structure{Logs: arrays[5], Encoder: kernel.Unset[float32](h.Known, h.Columns)}
	for i, v := range arrays[6] {
		if learnt.Encoder.Data[i] = float32(v); !matrix.Finite(float64(learnt.Encoder.Data[i])) {
			return p, nil, fmt.Errorf("%w: %v among numbers of 32 bits", ErrFormat, v)
		}
	}
	if h.Roles {
		ids = roleIDs(ids)
	}
	if p.Preparer.made = (&Structure{learnt: learnt}); ids != nil {
		p.Preparer.made.ids = ids[:h.Known]
	}
	return p, arrays[7:], nil
}

func panelOf(r, c int, data []float64) *mat.Dense {
	return matrix.ToDense(kernel.Matrix[float64]{Rows: r, Cols: c, Stride: max(c, 1), Data: data})
}

// assembled is Assembled of package inside.
func assembled(r Report, ids []string, parts []Part, dim int, y *mat.Dense) (*Model, error) {
	m := &Model{parts: parts, dim: dim, ids: ids, report: r}
	if y != nil {
		m.rows = vectorsOf(kernel.Matrix[float64](y.RawMatrix()))
	}
	for k := range parts {
		if s := &parts[k].Settings; s.Kind == UseGraph {
			s.Filter = s.filterFor(parts[k].Preparer.fitted.Columns)
		}
	}
	m.describe()
	h, _ := m.header()
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("coles: model: %w: %w", ErrFormat, err)
	}
	return m, nil
}
