package coles

import (
	"bytes"
	"coles/internal/kernel"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
)

// A model file is, all numbers little-endian:
//
//	8 bytes   "COLESMDL"
//	uint32    version
//	uint64    length of the header
//	header    JSON: settings, report, shapes, names of the nodes
//	float64…  λ and the factors of the scaling; then P, column weights and
//	          means, or (without features) the embedding; the header has the lengths
//	32 bytes  SHA-256 of everything before
const (
	modelMagic   = "COLESMDL"
	modelVersion = 1
)

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
	Numbers     []int64     `json:"numbers,omitempty"`
	Fingerprint string      `json:"fingerprint,omitempty"`
	Lengths     []int       `json:"lengths"`
}

// WriteTo writes the model in a versioned format that ends in a checksum. A
// model with features does not contain the embedding of the nodes fitted:
// [Model.Embed] makes it again from graph and features.
func (m *Model) WriteTo(w io.Writer) (int64, error) {
	if m == nil || m.ids == nil {
		return 0, fmt.Errorf("coles: write model: %w: neither Fit nor ReadModel made it", ErrEmpty)
	}
	h := modelHeader{
		Settings: m.settings, Report: m.report, Dim: len(m.lambda),
		Power: m.scaling.Power, Rank: m.scaling.EffectiveRank,
		Names: m.ids.names, Numbers: m.ids.numbers,
	}
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
	header, err := json.Marshal(h)
	if err != nil {
		return 0, fmt.Errorf("coles: write model: %w", err)
	}

	out := &hashedWriter{w: w, sum: sha256.New()}
	out.Write([]byte(modelMagic))
	out.Write(binary.LittleEndian.AppendUint32(nil, modelVersion))
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))
	out.Write(header)
	for _, a := range arrays {
		out.writeFloats(a)
	}
	out.Write(out.sum.Sum(nil))
	if out.err != nil {
		return out.n, fmt.Errorf("coles: write model: %w", out.err)
	}
	return out.n, nil
}

// A hashedWriter counts and hashes what it writes and remembers its first error.
type hashedWriter struct {
	w   io.Writer
	sum hash.Hash
	n   int64
	err error
}

func (h *hashedWriter) Write(p []byte) (int, error) {
	if h.err != nil {
		return 0, h.err
	}
	n, err := h.w.Write(p)
	h.sum.Write(p[:n])
	h.n += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	h.err = err
	return n, err
}

// floatChunk is the number of values converted at a time.
const floatChunk = 8192

func (h *hashedWriter) writeFloats(values []float64) {
	buf := make([]byte, 0, 8*floatChunk)
	for len(values) > 0 && h.err == nil {
		chunk := values[:min(floatChunk, len(values))]
		values = values[len(chunk):]
		buf = buf[:0]
		for _, v := range chunk {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		h.Write(buf)
	}
}

// ReadModel reads what [Model.WriteTo] wrote, and no byte more. It takes
// memory as bytes arrive, never because a length is declared.
//
// Errors: [ErrFormat] for bytes that are no model or a version it does not
// know, [ErrChecksum] for a model changed or cut off, and the reader's.
func ReadModel(r io.Reader) (*Model, error) {
	in := &hashedReader{r: r, sum: sha256.New()}
	m, err := readModel(in)
	if err != nil {
		return nil, fmt.Errorf("coles: read model: at byte %d: %w", in.n, err)
	}
	return m, nil
}

func readModel(in *hashedReader) (*Model, error) {
	start, err := in.bytes(len(modelMagic) + 4 + 8)
	if err != nil {
		return nil, err
	}
	if string(start[:8]) != modelMagic {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrFormat, modelMagic)
	}
	if v := binary.LittleEndian.Uint32(start[8:]); v != modelVersion {
		return nil, fmt.Errorf("%w: version %d, this package reads %d", ErrFormat, v, modelVersion)
	}
	length := binary.LittleEndian.Uint64(start[12:])
	if length > math.MaxInt32 {
		return nil, fmt.Errorf("%w: header of %d bytes", ErrFormat, length)
	}
	text, err := in.bytes(int(length))
	if err != nil {
		return nil, err
	}
	var h modelHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("%w: header: %v", ErrFormat, err)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	arrays := make([][]float64, len(h.Lengths))
	for i, n := range h.Lengths {
		if arrays[i], err = in.floats(n); err != nil {
			return nil, err
		}
	}
	want := in.sum.Sum(nil)
	got, err := in.bytes(sha256.Size)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(got, want) {
		return nil, fmt.Errorf("%w: its bytes do not have the checksum it states", ErrChecksum)
	}
	return h.model(arrays)
}

// check compares the header's numbers with one another before anything is read by them.
func (h *modelHeader) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: header: "+format, append([]any{ErrFormat}, args...)...)
	}
	if err := h.Settings.check(); err != nil {
		return bad("%v", err)
	}
	n := h.Report.Graph.Nodes
	if h.Dim < 0 || h.Columns < 0 || n < 1 || h.Dim > math.MaxInt32 || h.Columns > math.MaxInt32 || n > math.MaxInt32 {
		return bad("%d nodes, %d features, %d columns", n, h.Columns, h.Dim)
	}
	ids := nodeIDs{names: h.Names, numbers: h.Numbers}
	if err := ids.check(n); err != nil {
		return bad("%v", err)
	}
	if !finite(h.Power) || !finite(h.Rank) {
		return bad("power %v, rank %v", h.Power, h.Rank)
	}
	want := []int{h.Dim, h.Dim, h.Dim * n}
	if h.Columns > 0 {
		weights, means := 0, 0
		switch h.Preparation {
		case PrepareNone, PrepareRowL1, PrepareRowL2:
		case PrepareTFIDF:
			weights = h.Columns
		case PrepareStandardize:
			weights, means = h.Columns, h.Columns
		default:
			return bad("preparation %v", h.Preparation)
		}
		want = []int{h.Dim, h.Dim, h.Dim * h.Columns, weights, means}
	} else if len(h.Fingerprint) != 2*sha256.Size {
		return bad("fingerprint of %d digits", len(h.Fingerprint))
	}
	if len(h.Lengths) != len(want) {
		return bad("%d arrays, want %d", len(h.Lengths), len(want))
	}
	for i, l := range h.Lengths {
		if l != want[i] {
			return bad("array %d of %d numbers, want %d", i, l, want[i])
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
		ids:      &nodeIDs{names: h.Names, numbers: h.Numbers},
		report:   h.Report,
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

// A hashedReader counts and hashes what it reads.
type hashedReader struct {
	r   io.Reader
	sum hash.Hash
	n   int64
}

// bytes reads n bytes, taking memory only as they arrive.
func (h *hashedReader) bytes(n int) ([]byte, error) {
	var buf bytes.Buffer
	got, err := io.CopyN(io.MultiWriter(&buf, h.sum), h.r, int64(n))
	h.n += got
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it ends %d bytes early", ErrChecksum, int64(n)-got)
	}
	return buf.Bytes(), err
}

// floats reads n finite numbers.
func (h *hashedReader) floats(n int) ([]float64, error) {
	var values []float64
	for n > 0 {
		chunk, err := h.bytes(8 * min(floatChunk, n))
		if err != nil {
			return nil, err
		}
		for q := 0; q < len(chunk); q += 8 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(chunk[q:]))
			if !finite(v) {
				return nil, fmt.Errorf("%w: %v among its numbers", ErrFormat, v)
			}
			values = append(values, v)
		}
		n -= len(chunk) / 8
	}
	return values, nil
}
