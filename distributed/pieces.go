package distributed

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"coles"
	"coles/internal/kernel"
)

// A piece belongs to a block of rows or is sent to it in a hop: exactly one field is set.
type piece struct {
	Block   *block
	Tile    *tile
	Mates   *mates
	Message *message
	Place   *place // where the piece is, in this program
}

// A block is rows of X, as they came or prepared, or of FX.
type block struct {
	Columns int
	Alone   bool      // no hop changes it: in a model of features alone
	Degree  []float64 // of every row; nil before it is known
	Data    []float64
}

// A tile is the part of A between two blocks. It stays with the block that has more nodes in it, whose rows are Own. Columns
// are numbers in Mates, the rows of the other block that have entries. So one copy serves both directions: the other block
// sends its rows Mates, and gets as many sums. The tile of a block with itself is symmetric, and Mates equals Own.
type tile struct {
	Other  int64
	Own    []int32
	Mates  []int32
	Ptr    []int32 // where the entries of each row of Own begin, and the end
	Col    []int32
	Val    []float64 // nil where all are 1
	Counts *tally    // of its edges; nil after they are counted
}

// mates tell a block which of its rows the block with their tile wants to get.
type mates struct {
	Other  int64
	Rows   []int32
	Degree []float64 // of these rows within the tile; nil after it is added up
}

// A message goes from block to block in a hop. It has rows of the sender for the tile that the receiver has or, with Rows set,
// sums to add to these rows of the receiver. A block's message to itself is added to all of its rows.
type message struct {
	From    int64
	Columns int
	Rows    []int32
	Data    []float64
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

// panel is data as rows of a number of columns.
func panel(data []float64, columns int) kernel.Matrix[float64] {
	return kernel.Matrix[float64]{Rows: len(data) / columns, Cols: columns, Stride: columns, Data: data}
}

// csr is the tile as a matrix, Own × Mates.
func (t *tile) csr() *kernel.CSR[float64] {
	a := &kernel.CSR[float64]{Rows: len(t.Own), Cols: len(t.Mates), Ptr: make([]int64, len(t.Ptr)), Col: t.Col, Val: t.Val}
	for i, p := range t.Ptr {
		a.Ptr[i] = int64(p)
	}
	if a.Val == nil {
		a.Val = slices.Repeat([]float64{1}, len(t.Col))
	}
	return a
}

func (p piece) check() error {
	var parts []checked
	for k, v := 0, reflect.ValueOf(p); k < v.NumField(); k++ {
		if !v.Field(k).IsNil() {
			parts = append(parts, v.Field(k).Interface().(checked))
		}
	}
	if len(parts) != 1 {
		return fmt.Errorf("%d pieces in one", len(parts))
	}
	return parts[0].check()
}

func (m *mates) check() error {
	if m.Degree != nil && len(m.Degree) != len(m.Rows) {
		return fmt.Errorf("%d degrees of %d rows", len(m.Degree), len(m.Rows))
	}
	return checkAscending(m.Rows)
}

func (b *block) check() error {
	if err := checkPanel(len(b.Data), b.Columns); err != nil {
		return err
	}
	if b.Degree != nil && len(b.Degree) != b.height() {
		return fmt.Errorf("%d degrees of %d rows", len(b.Degree), b.height())
	}
	return nil
}

func (t *tile) check() error {
	if err := checkAscending(t.Own, t.Mates); err != nil {
		return err
	}
	if len(t.Ptr) != len(t.Own)+1 || t.Val != nil && len(t.Val) != len(t.Col) {
		return fmt.Errorf("%d rows, %d beginnings, %d columns and %d values", len(t.Own), len(t.Ptr), len(t.Col), len(t.Val))
	}
	if t.Ptr[0] != 0 || int(t.Ptr[len(t.Own)]) != len(t.Col) || !slices.IsSorted(t.Ptr) {
		return errors.New("rows that do not follow each other")
	}
	for r := range t.Own {
		row := t.Col[t.Ptr[r]:t.Ptr[r+1]]
		if err := checkAscending(row); err != nil {
			return err
		}
		if len(row) > 0 && int(row[len(row)-1]) >= len(t.Mates) {
			return fmt.Errorf("column %d of %d", row[len(row)-1], len(t.Mates))
		}
	}
	return nil
}

func (m *message) check() error {
	if err := errors.Join(checkAscending(m.Rows), checkPanel(len(m.Data), m.Columns)); err != nil {
		return err
	}
	if m.Rows != nil && len(m.Rows) != len(m.Data)/m.Columns {
		return fmt.Errorf("%d numbers for %d rows", len(m.Data), len(m.Rows))
	}
	return nil
}

// A hand holds all pieces of a block in a hop, in an order that does not depend on the engine.
type hand struct {
	number   int64
	block    *block
	tiles    []*tile
	mates    []*mates
	messages []*message
}

// gather sorts the pieces of a block and checks that they fit its rows.
func gather(number int64, next func(*piece) bool) (*hand, error) {
	h, rows := &hand{number: number}, [][]int32(nil)
	for p := (piece{}); next(&p); p = (piece{}) {
		switch {
		case p.Block != nil:
			if h.block != nil {
				return nil, fmt.Errorf("distributed: %w: two blocks are number %d", coles.ErrShape, number)
			}
			h.block = p.Block
		case p.Tile != nil:
			h.tiles, rows = append(h.tiles, p.Tile), append(rows, p.Tile.Own)
		case p.Mates != nil:
			h.mates, rows = append(h.mates, p.Mates), append(rows, p.Mates.Rows)
		case p.Message != nil:
			h.messages, rows = append(h.messages, p.Message), append(rows, p.Message.Rows)
		}
	}
	if h.block == nil {
		return nil, fmt.Errorf("distributed: %w: no features for the nodes of block %d", coles.ErrShape, number)
	}
	slices.SortFunc(h.tiles, func(a, b *tile) int { return cmp.Compare(a.Other, b.Other) })
	slices.SortFunc(h.mates, func(a, b *mates) int { return cmp.Compare(a.Other, b.Other) })
	slices.SortFunc(h.messages, func(a, b *message) int { return cmp.Compare(a.From, b.From) })
	for _, ascending := range rows {
		if k := len(ascending); k > 0 && int(ascending[k-1]) >= h.block.height() {
			return nil, fmt.Errorf("distributed: %w: a row beyond the %d rows of block %d", coles.ErrIndex, h.block.height(), number)
		}
	}
	return h, nil
}

// degrees adds up the degrees of all rows, in the order of the blocks that they have edges with.
func (h *hand) degrees() []float64 {
	parts := slices.Clone(h.mates)
	for _, t := range h.tiles {
		part := &mates{Other: t.Other, Rows: t.Own, Degree: make([]float64, len(t.Own))}
		for i, a := 0, t.csr(); i < a.Rows; i++ {
			_, vals := a.Row(i)
			for _, w := range vals {
				part.Degree[i] += w
			}
		}
		parts = append(parts, part)
	}
	slices.SortFunc(parts, func(a, b *mates) int { return cmp.Compare(a.Other, b.Other) })
	sum := make([]float64, h.block.height())
	for _, p := range parts {
		for q, r := range p.Rows {
			sum[r] += p.Degree[q]
		}
	}
	return sum
}

// A place is where a piece waits to be taken, once.
type place struct {
	Job    string
	Number int64
}

func (at *place) check() error { return nil }
