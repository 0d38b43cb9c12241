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

// graphFormat marks the file of a followed graph. Its arrays are the ends of the rows of the adjacency matrix, its
// columns and weights; the same of the features, or without ends and columns if they are dense; FX; M and (FX)ᵀv; the
// volume and the energy of the features, each with the largest there has been, of which older files have the first alone; and, with
// features, the hashes of their rows, in two halves, or without the places in the structure.
var graphFormat = archive.Format{Magic: [8]byte([]byte("COLESLIV")), Version: 1}

type graphHeader struct {
	Model   []byte       `json:"model"` // its own file
	Names   [][]byte     `json:"names,omitempty"`
	Loops   bool         `json:"loops,omitempty"`
	Nodes   int          `json:"nodes"`
	Columns int          `json:"columns"` // of the features
	Lengths []int        `json:"lengths"`
	Cells   *cellsHeader `json:"cells,omitempty"`
}

// The arrays of the file.
const (
	rowEnds = iota
	cols
	weights
	featureEnds
	featureCols
	features
	filtered
	product
	alongNegatives
	alongDegrees
	volume
	perNode
	arrayCount
)

// WriteTo writes all of the graph in a versioned format that ends in a checksum: the model, nodes and edges, the prepared
// features, cells if it keeps them, and all that is kept up to date. It holds 8·(2n·d + d²) bytes, and 32 bytes an edge. What [Read] makes
// of it goes on to the byte as this graph does. Changes wait meanwhile.
func (g *Graph) WriteTo(w io.Writer) (int64, error) {
	defer g.alone()()
	var model bytes.Buffer
	if _, err := g.model.WriteTo(&model); err != nil {
		return 0, err
	}
	h := graphHeader{Model: model.Bytes(), Loops: g.adj.loops, Nodes: len(g.adj.nodes), Columns: g.x.Cols()}
	var err error
	if h.Cells, err = g.cells.header(); err != nil {
		return 0, err
	}
	for _, id := range g.ids {
		h.Names = append(h.Names, []byte(id))
	}
	var arrays [arrayCount][]float64
	a := g.adj.raw()
	arrays[rowEnds], arrays[cols], arrays[weights] = asNumbers(a.Ptr[1:]), asNumbers(a.Col), a.Val
	if s := g.x.Sparse; s != nil {
		arrays[featureEnds], arrays[featureCols], arrays[features] = asNumbers(s.Ptr[1:]), asNumbers(s.Col), s.Val
	} else {
		arrays[features] = g.x.Dense.Data
	}
	arrays[filtered], arrays[product] = g.fx.Dense.Data, g.m.Data
	arrays[alongNegatives], arrays[alongDegrees], arrays[volume] = g.along[forNegatives], g.along[forDegrees], []float64{g.adj.volume, g.adj.peak, g.energy[0], g.energy[1]}
	for _, v := range g.hashes {
		arrays[perNode] = append(arrays[perNode], float64(v>>32), float64(uint32(v)))
	}
	if g.known != nil {
		arrays[perNode] = asNumbers(g.known)
	}
	for _, array := range arrays {
		h.Lengths = append(h.Lengths, len(array))
	}
	n, err := graphFormat.Write(w, h, arrays[:]...)
	if err != nil {
		return n, fmt.Errorf("live: write: %w", err)
	}
	return n, nil
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
		return h.Lengths, h.check(m)
	})
	if err != nil {
		return nil, fmt.Errorf("live: read: %w", err)
	}
	g, err := h.graph(m, arrays)
	if err != nil {
		return nil, fmt.Errorf("live: read: %w: %v", coles.ErrFormat, err)
	}
	return g, nil
}

// check refuses sizes that do not fit each other.
func (h *graphHeader) check(m *coles.Model) error {
	_, d := m.Directions().Dims()
	if len(h.Lengths) != arrayCount || h.Nodes < 1 || h.Nodes > math.MaxInt32 || h.Columns < 1 || d != h.Columns || h.Names != nil && len(h.Names) != h.Nodes || inside.Linear(m.Settings()).Drawn {
		return fmt.Errorf("%d arrays, %d nodes, %d names, %d columns for a model of %d", len(h.Lengths), h.Nodes, len(h.Names), h.Columns, d)
	}
	n, each := h.Nodes, 2
	if m.Structure() != nil {
		each = 1
	}
	l := h.Lengths
	dense := l[featureEnds] == 0 && l[featureCols] == 0 && l[features]/d == n && l[features]%d == 0
	sparse := l[featureEnds] == n && l[featureCols] == l[features] && m.Structure() == nil
	if l[rowEnds] != n || l[cols] != l[weights] || !dense && !sparse || l[filtered]/d != n || l[filtered]%d != 0 || l[product]/d != d || l[product]%d != 0 ||
		l[alongNegatives] != d || l[alongDegrees] != d || l[volume] != 1 && l[volume] != 4 || l[perNode] != each*n {
		return fmt.Errorf("arrays of %d numbers for %d nodes and %d columns", l, n, d)
	}
	return nil
}

// graph makes the graph of arrays whose lengths fit.
func (h *graphHeader) graph(m *coles.Model, arrays [][]float64) (*Graph, error) {
	n, d := h.Nodes, h.Columns
	a, err := asCSR(n, n, arrays[rowEnds], arrays[cols], arrays[weights])
	if err != nil {
		return nil, fmt.Errorf("edges: %w", err)
	}
	fit := inside.Linear(m.Settings())
	g := &Graph{fit: fit, count: n, places: slices.Repeat([]int32{-1}, n), along: [2][]float64{arrays[alongNegatives], arrays[alongDegrees]}}
	g.adj = &adjacency{nodes: make([]node, n), loops: h.Loops, alone: fit.Alone, entries: a.NNZ(), unit: m.Report().WeightUnit, volume: arrays[volume][0], peak: arrays[volume][0]}
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
	g.x = &matrix.Matrix[float64]{Owned: true, Dense: kernel.Matrix[float64]{Rows: n, Cols: d, Stride: d, Data: arrays[features]}}
	if len(arrays[featureEnds]) > 0 {
		g.x.Dense = kernel.Matrix[float64]{}
		if g.x.Sparse, err = asCSR(n, d, arrays[featureEnds], arrays[featureCols], arrays[features]); err != nil {
			return nil, fmt.Errorf("features: %w", err)
		}
	}
	g.fx = &matrix.Matrix[float64]{Owned: true, Dense: kernel.Matrix[float64]{Rows: n, Cols: d, Stride: d, Data: arrays[filtered]}}
	g.m = kernel.Matrix[float64]{Rows: d, Cols: d, Stride: d, Data: arrays[product]}
	if sums := arrays[volume]; len(sums) > 1 {
		g.adj.peak, g.energy = sums[1], [2]float64(sums[2:])
	} else if g.energy[0], err = g.x.Squares(context.Background()); err == nil {
		g.energy[1] = g.energy[0]
	}
	for _, array := range arrays {
		if !matrix.Finite(matrix.Magnitude(array)) {
			return nil, fmt.Errorf("a number that is not finite")
		}
	}
	if err := h.name(g, m, arrays[perNode]); err != nil {
		return nil, err
	}
	g.use(m)
	g.gone = g.missing()
	if err := g.adj.finite(nil); err != nil {
		return nil, err
	}
	return g, h.Cells.keep(g)
}

// name gives a graph its names, and hashes or places.
func (h *graphHeader) name(g *Graph, m *coles.Model, each []float64) error {
	if h.Names != nil {
		g.row = make(map[string]int, h.Nodes)
		for i, id := range h.Names {
			g.ids = append(g.ids, string(id))
			g.row[string(id)] = i
		}
		if len(g.row) != h.Nodes {
			return fmt.Errorf("a name that is given twice")
		}
	}
	if s := m.Structure(); s != nil {
		for _, v := range each {
			if v != math.Trunc(v) || v < -1 || v > math.MaxInt32 {
				return fmt.Errorf("place %v of a node", v)
			}
			g.known = append(g.known, int32(v))
		}
		return nil
	}
	for q := 0; q < len(each); q += 2 {
		if hi, lo := each[q], each[q+1]; hi < 0 || hi > math.MaxUint32 || lo < 0 || lo > math.MaxUint32 {
			return fmt.Errorf("hash of row %d", q/2)
		}
		g.hashes = append(g.hashes, uint64(each[q])<<32|uint64(each[q+1]))
	}
	return nil
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
