package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"coles"
	"coles/internal/archive"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"
)

// graphFormat marks the file of a followed graph. Its arrays are the ends of the rows of the adjacency matrix, its columns and
// weights. For every part follow the features, likewise or, if dense, without ends and columns; FX; M; (FX)ᵀv; and the volume
// and the energy of the features, each with its largest value so far. Of these four numbers older files have the first alone.
// Last are the hashes of rows, in two halves, or without features the places in the structure. Version 1 has (FX)ᵀ√degree
// behind (FX)ᵀv.
var graphFormat = archive.Format{Magic: [8]byte([]byte("COLESLIV")), Version: 2, Oldest: 1}

type graphHeader struct {
	Model   []byte       `json:"model"` // its own file
	Names   [][]byte     `json:"names,omitempty"`
	Loops   bool         `json:"loops,omitempty"`
	Nodes   int          `json:"nodes"`
	Columns int          `json:"columns"` // of the features of the first part
	Lengths []int        `json:"lengths"`
	Cells   *cellsHeader `json:"cells,omitempty"`
}

// The first arrays of the file, and those of each part.
const (
	rowEnds = iota
	cols
	weights
	common
)

const (
	featureEnds = iota
	featureCols
	features
	filtered
	product
	along
	volume
	perNode
	ofPart
)

// WriteTo writes all of the graph in a versioned format that ends in a checksum: the model, nodes and edges, the prepared
// features, cells if it keeps them, and FX and M. It holds 8·(2n·d + d²) bytes, and 32 bytes an edge. A graph that [Read]
// makes of it goes on as this one does, to the byte. Changes wait meanwhile.
func (g *Graph) WriteTo(w io.Writer) (int64, error) {
	defer g.alone()()
	var model bytes.Buffer
	if _, err := g.model.WriteTo(&model); err != nil {
		return 0, err
	}
	h := graphHeader{Model: model.Bytes(), Loops: g.adj.loops, Nodes: len(g.adj.nodes), Columns: g.parts[0].x.Cols()}
	var err error
	if h.Cells, err = g.cells.header(); err != nil {
		return 0, err
	}
	for _, id := range g.ids {
		h.Names = append(h.Names, []byte(id))
	}
	a := g.adj.raw()
	arrays := [][]float64{asNumbers(a.Ptr[1:]), asNumbers(a.Col), a.Val}
	for _, p := range g.parts {
		of := p.arrays()
		if p.known == nil {
			for _, v := range g.hashes {
				of[perNode] = append(of[perNode], float64(v>>32), float64(uint32(v)))
			}
		}
		arrays = append(arrays, of[:]...)
	}
	for _, array := range arrays {
		h.Lengths = append(h.Lengths, len(array))
	}
	n, err := graphFormat.Write(w, h, arrays...)
	if err != nil {
		return n, fmt.Errorf("live: write: %w", err)
	}
	return n, nil
}

// arrays are the arrays of a part, but for hashes.
func (p *part) arrays() (arrays [ofPart][]float64) {
	if s := p.x.Sparse; s != nil {
		arrays[featureEnds], arrays[featureCols], arrays[features] = asNumbers(s.Ptr[1:]), asNumbers(s.Col), s.Val
	} else {
		arrays[features] = p.x.Dense.Data
	}
	arrays[filtered], arrays[product], arrays[along] = p.fx.Dense.Data, p.m.Data, p.along
	arrays[volume] = []float64{p.adj.volume, p.adj.peak, p.energy[0], p.energy[1]}
	if p.known != nil {
		arrays[perNode] = asNumbers(p.known)
	}
	return arrays
}

// Read reads what [Graph.WriteTo] wrote, and no byte more. It takes memory as bytes arrive. Errors:
// [coles.ErrFormat] for no such file, an unknown version or contents that do not fit each other, [coles.ErrChecksum].
func Read(r io.Reader) (*Graph, error) {
	var h graphHeader
	var m *coles.Model
	arrays, err := graphFormat.Read(r, func(text []byte) ([]int, error) {
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		file := bytes.NewReader(h.Model)
		var err error
		if m, err = coles.ReadModel(file); err != nil || file.Len() > 0 {
			return nil, fmt.Errorf("a model with %d bytes behind it: %v", file.Len(), err)
		}
		all := h.Lengths
		h.Lengths = current(slices.Clone(all), len(m.Parts()))
		return all, h.check(m)
	})
	if err != nil {
		return nil, fmt.Errorf("live: read: %w", err)
	}
	g, err := h.graph(m, current(arrays, len(m.Parts())))
	if err != nil {
		return nil, fmt.Errorf("live: read: %w: %v", coles.ErrFormat, err)
	}
	return g, nil
}

// current leaves out the arrays that version 1 has beside others.
func current[T any](arrays []T, parts int) []T {
	if len(arrays) == common+parts*(ofPart+1) {
		for k := range parts {
			at := common + k*ofPart + volume
			arrays = slices.Delete(arrays, at, at+1)
		}
	}
	return arrays
}

// check refuses sizes that do not fit each other.
func (h *graphHeader) check(m *coles.Model) error {
	parts, l := m.Parts(), h.Lengths
	if len(l) != common+ofPart*len(parts) || h.Nodes < 1 || h.Nodes > math.MaxInt32 || h.Names != nil && len(h.Names) != h.Nodes || l[rowEnds] != h.Nodes || l[cols] != l[weights] {
		return fmt.Errorf("%d arrays of %d numbers, %d nodes, %d names for %d parts", len(l), l, h.Nodes, len(h.Names), len(parts))
	}
	for k, of := range parts {
		d := inside.Columns(of.Preparer) // also where no column is left of these features
		if of.Roles || k == 0 && d != h.Columns || inside.Linear(of.Settings).Drawn {
			return fmt.Errorf("%d columns for part %d of %d", h.Columns, k, d)
		}
		if err := checkPart(l[common+k*ofPart:][:ofPart], h.Nodes, d, of.Structure() != nil); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(l []int, n, d int, made bool) error {
	each := 2
	if made {
		each = 1
	}
	dense := l[featureEnds] == 0 && l[featureCols] == 0 && l[features]/d == n && l[features]%d == 0
	sparse := l[featureEnds] == n && l[featureCols] == l[features] && !made
	if !dense && !sparse || l[filtered]/d != n || l[filtered]%d != 0 || l[product]/d != d || l[product]%d != 0 ||
		l[along] != d || l[volume] != 1 && l[volume] != 4 || l[perNode] != each*n {
		return fmt.Errorf("arrays of %d numbers for %d nodes and %d columns", l, n, d)
	}
	return nil
}

// graph makes the graph of arrays whose lengths fit.
func (h *graphHeader) graph(m *coles.Model, arrays [][]float64) (*Graph, error) {
	for _, array := range arrays {
		if !matrix.Finite(matrix.Magnitude(array)) {
			return nil, fmt.Errorf("a number that is not finite")
		}
	}
	n, parts := h.Nodes, m.Parts()
	a, err := asCSR(n, n, arrays[rowEnds], arrays[cols], arrays[weights])
	if err != nil {
		return nil, fmt.Errorf("edges: %w", err)
	}
	sums := arrays[common+volume]
	g := &Graph{model: m, count: n}
	g.adj = &adjacency{nodes: make([]node, n), loops: h.Loops, entries: a.NNZ(), unit: parts[len(parts)-1].WeightUnit, volume: sums[0], peak: sums[0]}
	if len(sums) > 1 {
		g.adj.peak = sums[1]
	}
	for i := range n {
		g.adj.nodes[i].cols, g.adj.nodes[i].given = a.Row(i)
		for q, j := range g.adj.nodes[i].cols {
			back, weights := a.Row(int(j))
			at, found := slices.BinarySearch(back, int32(i))
			if w := g.adj.nodes[i].given[q]; !found || weights[at] != w || w <= 0 || int(j) == i && !h.Loops {
				return nil, fmt.Errorf("edge %d–%d", i, j)
			}
		}
		g.adj.weigh(int32(i))
	}
	if h.Names != nil {
		g.row = make(map[string]int, n)
		for i, id := range h.Names {
			g.ids = append(g.ids, string(id))
			g.row[string(id)] = i
		}
		if len(g.row) != n {
			return nil, fmt.Errorf("a name that is given twice")
		}
	}
	for k, of := range parts {
		own := arrays[common+k*ofPart:][:ofPart]
		p, err := readPart(of, g.adj, own)
		if err != nil {
			return nil, err
		}
		g.parts = append(g.parts, p)
		p.gone = p.missing(g.row)
		if p.known != nil {
			continue
		}
		for each, q := own[perNode], 0; q < len(each); q += 2 {
			if hi, lo := each[q], each[q+1]; hi < 0 || hi > math.MaxUint32 || lo < 0 || lo > math.MaxUint32 {
				return nil, fmt.Errorf("hash of row %d", q/2)
			}
			g.hashes = append(g.hashes, uint64(each[q])<<32|uint64(each[q+1]))
		}
	}
	if err := g.adj.finite(nil); err != nil {
		return nil, err
	}
	return g, h.Cells.keep(g)
}

// readPart makes a part of its arrays.
func readPart(of coles.Part, adj *adjacency, arrays [][]float64) (p *part, err error) {
	d, n := inside.Columns(of.Preparer), len(adj.nodes)
	p = &part{of: of, fit: inside.Linear(of.Settings), adj: adj, places: filled(n), along: arrays[along]}
	p.x = &matrix.Matrix[float64]{Owned: true, Dense: kernel.Matrix[float64]{Rows: n, Cols: d, Stride: d, Data: arrays[features]}}
	if len(arrays[featureEnds]) > 0 {
		p.x.Dense = kernel.Matrix[float64]{}
		if p.x.Sparse, err = asCSR(n, d, arrays[featureEnds], arrays[featureCols], arrays[features]); err != nil {
			return nil, fmt.Errorf("features: %w", err)
		}
	}
	p.fx = &matrix.Matrix[float64]{Owned: true, Dense: kernel.Matrix[float64]{Rows: n, Cols: d, Stride: d, Data: arrays[filtered]}}
	p.m = kernel.Matrix[float64]{Rows: d, Cols: d, Stride: d, Data: arrays[product]}
	if sums := arrays[volume]; len(sums) > 1 {
		p.energy = [2]float64(sums[2:])
	} else if p.energy[0], err = p.x.Squares(context.Background()); err == nil {
		p.energy[1] = p.energy[0]
	}
	if of.Structure() == nil {
		return p, nil
	}
	for _, v := range arrays[perNode] {
		if v != math.Trunc(v) || v < -1 || v > math.MaxInt32 {
			return nil, fmt.Errorf("place %v of a node", v)
		}
		p.known = append(p.known, int32(v))
	}
	return p, nil
}

// asCSR is a matrix of given ends of rows, columns, which ascend in every row, and values.
func asCSR(rows, width int, ends, columns, vals []float64) (*kernel.CSR[float64], error) {
	a := &kernel.CSR[float64]{Rows: rows, Cols: width, Ptr: make([]int64, rows+1), Col: make([]int32, len(columns)), Val: vals}
	at := 0
	for i, end := range ends {
		if !(end >= float64(at) && end <= float64(len(columns)) && end == math.Trunc(end)) {
			return nil, fmt.Errorf("row %d ends at %v", i, end)
		}
		for from := at; at < int(end); at++ {
			c := columns[at]
			if !(c >= 0 && c < float64(width) && c == math.Trunc(c)) || at > from && int32(c) <= a.Col[at-1] {
				return nil, fmt.Errorf("row %d has column %v", i, c)
			}
			a.Col[at] = int32(c)
		}
		a.Ptr[i+1] = int64(at)
	}
	if at != len(columns) {
		return nil, fmt.Errorf("%d entries in no row", len(columns)-at)
	}
	return a, nil
}

func asNumbers[T int32 | int64](all []T) []float64 {
	numbers := make([]float64, len(all))
	for i, v := range all {
		numbers[i] = float64(v)
	}
	return numbers
}
