package distributed

import (
	"fmt"

	"coles"
)

// encodeEdges and decodeEdges are the coder of EdgeChunk.
func encodeEdges(c EdgeChunk) []byte {
	b := make([]byte, 0, 32+8*(len(c.U)+len(c.V)+len(c.Weight)))
	return appendList(appendList(appendList(b, c.U), c.V), c.Weight)
}

func decodeEdges(b []byte) (EdgeChunk, error) {
	f := &frame{b: b}
	c := EdgeChunk{list[int64](f), list[int64](f), list[float64](f)}
	if err := c.check(); err != nil {
		f.fail("%v", err)
	}
	return c, f.end()
}

// check compares the lengths.
func (c EdgeChunk) check() error {
	if len(c.U) != len(c.V) || c.Weight != nil && len(c.Weight) != len(c.U) {
		return fmt.Errorf("%w: edges of %d and %d nodes with %d weights", coles.ErrShape, len(c.U), len(c.V), len(c.Weight))
	}
	return nil
}

// encodeRows and decodeRows are the coder of Rows.
func encodeRows(r Rows) []byte {
	b := make([]byte, 0, 32+8*len(r.Data))
	return appendList(appendInts(b, r.First, int64(r.Columns)), r.Data)
}

func decodeRows(b []byte) (Rows, error) {
	f := &frame{b: b}
	r := Rows{First: f.number()}
	columns := f.number()
	r.Columns, r.Data = int(columns), list[float64](f)
	if columns > 0 || len(r.Data) > 0 { // truncation may leave no columns
		f.panel(len(r.Data), columns)
	}
	return r, f.end()
}

// cells are edges of a block: between its rows U and the nodes V.
type cells struct {
	U      []int32
	V      []int64
	Weight []float64 // nil where all are 1
}

func encodeCells(c cells) []byte {
	b := make([]byte, 0, 32+4*len(c.U)+8*(len(c.V)+len(c.Weight)))
	return appendList(appendList(appendList(b, c.U), c.V), c.Weight)
}

func decodeCells(b []byte) (cells, error) {
	f := &frame{b: b}
	c := cells{list[int32](f), list[int64](f), list[float64](f)}
	if len(c.U) != len(c.V) || c.Weight != nil && len(c.Weight) != len(c.U) {
		f.fail("edges of %d rows and %d nodes with %d weights", len(c.U), len(c.V), len(c.Weight))
	}
	return c, f.end()
}

// sums are numbers of a block, or of some, that add up to those of all blocks; of Most the largest
// counts.
type sums struct {
	Place     int64 // among those that are added in one go
	Add, Most []float64
}

func encodeSums(s sums) []byte {
	b := make([]byte, 0, 32+8*(len(s.Add)+len(s.Most)))
	return appendList(appendList(appendInts(b, s.Place), s.Add), s.Most)
}

func decodeSums(b []byte) (sums, error) {
	f := &frame{b: b}
	s := sums{f.number(), list[float64](f), list[float64](f)}
	return s, f.end()
}

// A solution is the small problem solved: the directions V of the columns, P and perhaps below it
// that of degrees.
type solution struct {
	Columns    int
	Lambda     []float64
	Directions []float64
	Mean       []float64 // of the columns of FXVᵀ
}

func encodeSolution(s solution) []byte {
	b := make([]byte, 0, 64+8*(len(s.Lambda)+len(s.Directions)+len(s.Mean)))
	return appendList(appendList(appendList(appendInts(b, int64(s.Columns)), s.Lambda), s.Directions), s.Mean)
}

func decodeSolution(b []byte) (solution, error) {
	f := &frame{b: b}
	columns := f.number()
	s := solution{int(columns), list[float64](f), list[float64](f), list[float64](f)}
	f.panel(len(s.Directions), columns)
	if f.err == nil && (len(s.Directions) != len(s.Mean)*s.Columns || len(s.Mean) < len(s.Lambda) || len(s.Mean) > len(s.Lambda)+1) {
		f.fail("%d eigenvalues, %d numbers and %d means of directions among %d", len(s.Lambda), len(s.Directions), len(s.Mean), columns)
	}
	return s, f.end()
}

func init() {
	registerFrames(encodeEdges, decodeEdges)
	registerFrames(encodeRows, decodeRows)
	registerFrames(encodeCells, decodeCells)
	registerFrames(encodeSums, decodeSums)
	registerFrames(encodeSolution, decodeSolution)
}
