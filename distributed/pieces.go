package distributed

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
	"coles/internal/kernel"
)

// A piece is one of what a block of rows has or is told in a hop: exactly one field is set.
type piece struct {
	Block    *block
	Tile     *tile
	Mates    *mates
	Message  *message
	Presence *presence
}

// A block is rows of X, as they came or prepared, or of FX.
type block struct {
	Columns int
	Single  bool      // travels in float32
	Degree  []float64 // of every row; nil before it is known
	Data    []float64
}

// A tile is the part of A between two blocks. It stays with the one that has more nodes in it, whose
// rows are Own; columns are numbers in Mates, the rows of the other block that have entries. So one
// copy serves both directions: the other block sends its rows Mates, and is sent as many sums.
// The tile of a block with itself is symmetric, and Mates equals Own.
type tile struct {
	Other int64
	Own   []int32
	Mates []int32
	Ptr   []int32 // where the entries of each row of Own begin, and the end
	Col   []int32
	Val   []float64 // nil where all are 1
}

// mates tell a block which of its rows another one, that has their tile, wants to be sent.
type mates struct {
	Other int64
	Rows  []int32
}

// What a message is.
const (
	ofRows = iota // rows of the sender, for the tile that the receiver has
	ofSums        // what these rows add to the rows Rows of the receiver
	ofSelf        // what a block adds to all of its own rows
)

// A message is what one block sends another in a hop, in float64 or in float32.
type message struct {
	From    int64
	Kind    byte
	Columns int
	Rows    []int32 // of sums
	Data    []float64
	Single  []float32
}

// presence is what one tile says of the nodes of a block: their degrees. That of the block which has
// the tile also counts the tile's edges.
type presence struct {
	From   int64
	Rows   []int32
	Degree []float64
	Counts tally
}

// A tally counts edges of a tile, each once.
type tally struct{ Edges, Duplicates, Loops, Zeros, Weighted int64 }

func (t *tally) add(u tally) {
	t.Edges += u.Edges
	t.Duplicates += u.Duplicates
	t.Loops += u.Loops
	t.Zeros += u.Zeros
	t.Weighted += u.Weighted
}

// height is the number of rows.
func (b *block) height() int { return len(b.Data) / b.Columns }

// matrix is the rows as a matrix.
func (b *block) matrix() kernel.Matrix[float64] {
	return panel(b.Data, b.Columns)
}

// panel is data as rows of so many columns.
func panel[T kernel.Float](data []T, columns int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: len(data) / columns, Cols: columns, Stride: columns, Data: data}
}

// csr is the tile as a matrix, Own × Mates.
func (t *tile) csr() *kernel.CSR[float64] {
	a := &kernel.CSR[float64]{Rows: len(t.Own), Cols: len(t.Mates), Ptr: make([]int64, len(t.Ptr)), Col: t.Col, Val: t.Val}
	for i, p := range t.Ptr {
		a.Ptr[i] = int64(p)
	}
	if a.Val == nil {
		a.Val = make([]float64, len(t.Col))
		for q := range a.Val {
			a.Val[q] = 1
		}
	}
	return a
}

// encodePiece is the frame of a piece.
func encodePiece(p piece) []byte {
	switch {
	case p.Block != nil:
		v := p.Block
		b := make([]byte, 0, 32+8*len(v.Degree)+width(v.Single)*len(v.Data))
		b = appendInts(append(b, 'b'), int64(v.Columns))
		return appendNumbers(appendList(b, v.Degree), v.Data, v.Single)
	case p.Tile != nil:
		v := p.Tile
		b := make([]byte, 0, 64+4*(len(v.Own)+len(v.Mates)+len(v.Ptr)+len(v.Col))+8*len(v.Val))
		b = appendInts(append(b, 't'), v.Other)
		b = appendList(appendList(appendList(appendList(b, v.Own), v.Mates), v.Ptr), v.Col)
		return appendList(b, v.Val)
	case p.Mates != nil:
		return appendList(appendInts([]byte{'w'}, p.Mates.Other), p.Mates.Rows)
	case p.Message != nil:
		v := p.Message
		b := make([]byte, 0, 48+4*len(v.Rows)+8*len(v.Data)+4*len(v.Single))
		b = appendInts(append(b, 'm', v.Kind), v.From, int64(v.Columns))
		return appendList(appendList(appendList(b, v.Rows), v.Data), v.Single)
	default:
		v, c := p.Presence, p.Presence.Counts
		b := appendInts([]byte{'p'}, v.From, c.Edges, c.Duplicates, c.Loops, c.Zeros, c.Weighted)
		return appendList(appendList(b, v.Rows), v.Degree)
	}
}

// decodePiece reads what encodePiece wrote.
func decodePiece(b []byte) (piece, error) {
	f := &frame{b: b}
	var p piece
	switch kind := f.byte(); kind {
	case 'b':
		p.Block = f.block()
	case 't':
		p.Tile = f.tile()
	case 'w':
		p.Mates = &mates{f.number(), list[int32](f)}
		f.ascending(p.Mates.Rows)
	case 'm':
		p.Message = f.message()
	case 'p':
		p.Presence = f.presence()
	default:
		f.fail("no piece is of kind %d", kind)
	}
	if err := f.end(); err != nil {
		return piece{}, err
	}
	return p, nil
}

func (f *frame) block() *block {
	columns := f.number()
	v := &block{Columns: int(columns), Degree: list[float64](f)}
	v.Data, v.Single = f.numbers()
	if f.panel(len(v.Data), columns); f.err == nil && v.Degree != nil && len(v.Degree) != v.height() {
		f.fail("%d degrees of %d rows", len(v.Degree), v.height())
	}
	return v
}

func (f *frame) tile() *tile {
	t := &tile{f.number(), list[int32](f), list[int32](f), list[int32](f), list[int32](f), list[float64](f)}
	f.ascending(t.Own)
	f.ascending(t.Mates)
	if len(t.Ptr) != len(t.Own)+1 || t.Val != nil && len(t.Val) != len(t.Col) {
		f.fail("%d rows, %d beginnings, %d columns and %d values", len(t.Own), len(t.Ptr), len(t.Col), len(t.Val))
		return t
	}
	if t.Ptr[0] != 0 || int(t.Ptr[len(t.Own)]) != len(t.Col) || !slices.IsSorted(t.Ptr) {
		f.fail("rows that do not follow each other")
		return t
	}
	for r := range t.Own {
		row := t.Col[t.Ptr[r]:t.Ptr[r+1]]
		if f.ascending(row); len(row) > 0 && int(row[len(row)-1]) >= len(t.Mates) {
			f.fail("column %d of %d", row[len(row)-1], len(t.Mates))
		}
	}
	return t
}

func (f *frame) message() *message {
	v := &message{Kind: f.byte(), From: f.number()}
	columns := f.number()
	v.Columns, v.Rows = int(columns), list[int32](f)
	v.Data, v.Single = list[float64](f), list[float32](f)
	f.ascending(v.Rows)
	count := len(v.Data) + len(v.Single)
	f.panel(count, columns)
	if v.Kind > ofSelf || v.Data != nil && v.Single != nil || v.Kind == ofSums && len(v.Rows)*v.Columns != count || v.Kind != ofSums && v.Rows != nil {
		f.fail("a message of kind %d with %d numbers for %d rows", v.Kind, count, len(v.Rows))
	}
	return v
}

func (f *frame) presence() *presence {
	v := &presence{From: f.number()}
	for _, count := range []*int64{&v.Counts.Edges, &v.Counts.Duplicates, &v.Counts.Loops, &v.Counts.Zeros, &v.Counts.Weighted} {
		*count = f.number()
	}
	v.Rows, v.Degree = list[int32](f), list[float64](f)
	if f.ascending(v.Rows); len(v.Rows) != len(v.Degree) {
		f.fail("%d degrees of %d rows", len(v.Degree), len(v.Rows))
	}
	return v
}

// A hand is what a block holds in a hop, in an order that does not depend on the engine.
type hand struct {
	block    *block
	tiles    []*tile
	mates    []*mates
	messages []*message
	presence []*presence
}

// gather sorts the pieces of a block and checks that they fit its rows.
func gather(number int64, next func(*piece) bool) (*hand, error) {
	h := &hand{}
	var p piece
	for ; next(&p); p = (piece{}) {
		switch {
		case p.Block != nil:
			if h.block != nil {
				return nil, fmt.Errorf("distributed: %w: two blocks are number %d", coles.ErrShape, number)
			}
			h.block = p.Block
		case p.Tile != nil:
			h.tiles = append(h.tiles, p.Tile)
		case p.Mates != nil:
			h.mates = append(h.mates, p.Mates)
		case p.Message != nil:
			h.messages = append(h.messages, p.Message)
		case p.Presence != nil:
			h.presence = append(h.presence, p.Presence)
		}
	}
	if h.block == nil {
		return nil, fmt.Errorf("distributed: %w: no features for the nodes of block %d", coles.ErrShape, number)
	}
	slices.SortFunc(h.tiles, func(a, b *tile) int { return cmp.Compare(a.Other, b.Other) })
	slices.SortFunc(h.mates, func(a, b *mates) int { return cmp.Compare(a.Other, b.Other) })
	slices.SortFunc(h.messages, func(a, b *message) int { return cmp.Compare(a.From, b.From) })
	slices.SortFunc(h.presence, func(a, b *presence) int { return cmp.Compare(a.From, b.From) })
	return h, h.check(number)
}

// check compares the numbers of rows with the height of the block.
func (h *hand) check(number int64) error {
	height := h.block.height()
	bad := func(rows []int32) bool { return len(rows) > 0 && int(rows[len(rows)-1]) >= height }
	wrong := slices.ContainsFunc(h.tiles, func(t *tile) bool { return bad(t.Own) }) ||
		slices.ContainsFunc(h.mates, func(m *mates) bool { return bad(m.Rows) }) ||
		slices.ContainsFunc(h.presence, func(p *presence) bool { return bad(p.Rows) }) ||
		slices.ContainsFunc(h.messages, func(m *message) bool { return bad(m.Rows) })
	if wrong {
		return fmt.Errorf("distributed: %w: a row beyond the %d rows of block %d", coles.ErrIndex, height, number)
	}
	return nil
}

func init() { registerFrames(encodePiece, decodePiece) }
