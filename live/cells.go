package live

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// cells are the table that an encoder makes the features of the nodes of.
type cells struct {
	encoder *table.Encoder
	rows    *table.Table // without ids
}

// KeepCells has the graph keep the cells of a table. The table has a row for every node, in their order, and the encoder has
// made of it the features that [Follow] was given. From then on features come in as rows of such tables, by [Change.Rows] and
// [Graph.SetRows], and [Graph.Rows] reads them back. The table is copied; a row takes its cells and 16 bytes each.
//
// Errors: [coles.ErrShape] for a table of other rows, or with other encoded features than the graph's; as
// [table.Encoder.Encode].
func (g *Graph) KeepCells(ctx context.Context, e *table.Encoder, rows *table.Table) error {
	defer g.alone()()
	x, err := e.Encode(ctx, rows)
	if err != nil {
		return fmt.Errorf("live: %w", err)
	}
	raw, err := matrix.Read(ctx, x)
	if err != nil {
		return fmt.Errorf("live: features: %w", err)
	}
	hashes, err := matrix.RowHashes(ctx, raw)
	if err != nil {
		return err
	}
	if len(hashes) != len(g.hashes) || raw.Cols() != g.parts[0].x.Cols() {
		return fmt.Errorf("live: %w: %d rows that make %d features, for %d nodes of %d", coles.ErrShape, len(hashes), raw.Cols(), len(g.hashes), g.parts[0].x.Cols())
	}
	for i, hash := range hashes {
		if hash != g.hashes[i] {
			return fmt.Errorf("live: %w: row %d of the table does not make the features of node %d", coles.ErrShape, i, i)
		}
	}
	kept := &table.Table{Columns: slices.Clone(rows.Columns)}
	for j, c := range kept.Columns {
		kept.Columns[j].Cells = slices.Clone(c.Cells)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cells = &cells{e, kept}
	return nil
}

// Encoder makes the features of a graph that keeps cells; nil for another.
func (g *Graph) Encoder() *table.Encoder {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.cells == nil {
		return nil
	}
	return g.cells.encoder
}

// Rows are the cells of some nodes, with their names, as they came in.
//
// Errors: [coles.ErrShape] for a graph that keeps no cells, [coles.ErrIndex].
func (g *Graph) Rows(nodes []int) (*table.Table, error) {
	if g.Encoder() == nil {
		return nil, errNoCells
	}
	g.mu.RLock()
	rows := &table.Table{Columns: slices.Clone(g.cells.rows.Columns)}
	g.mu.RUnlock()
	for j := range rows.Columns {
		rows.Columns[j].Cells = make([]string, 0, len(nodes))
	}
	for _, i := range nodes {
		if err := g.copyCells(rows, i); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (g *Graph) copyCells(to *table.Table, i int) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if i < 0 || i >= g.count {
		return fmt.Errorf("live: rows: %w: node %d of %d", coles.ErrIndex, i, g.count)
	}
	for j, c := range g.cells.rows.Columns {
		to.Columns[j].Cells = append(to.Columns[j].Cells, c.Cells[i])
	}
	if g.ids != nil {
		to.IDs = append(to.IDs, g.ids[i])
	}
	return nil
}

var (
	errNoCells = fmt.Errorf("live: %w: rows of a table, and the graph keeps no cells; KeepCells begins that", coles.ErrShape)
	errCells   = fmt.Errorf("live: %w: features for a graph that keeps cells; give rows of a table", coles.ErrShape)
)

// encodeRows makes features of new rows.
func (g *Graph) encodeRows(ctx context.Context, rows *table.Table) (mat.Matrix, error) {
	if g.cells == nil {
		return nil, errNoCells
	}
	for _, c := range rows.Columns {
		if !slices.ContainsFunc(g.cells.rows.Columns, func(kept table.Column) bool { return kept.Name == c.Name }) {
			return nil, fmt.Errorf("live: %w: column %q, which the cells of the graph lack", coles.ErrShape, c.Name)
		}
	}
	x, err := g.cells.encoder.Encode(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	return x, nil
}

// put puts row k of a table in the place of row i, which for a new row is one behind the last.
func (c *cells) put(i int, rows *table.Table, k int) {
	for j := range c.rows.Columns {
		to, cell := &c.rows.Columns[j], ""
		if at := slices.IndexFunc(rows.Columns, func(of table.Column) bool { return of.Name == to.Name }); at >= 0 {
			cell = rows.Columns[at].Cells[k]
		}
		if i == len(to.Cells) {
			to.Cells = append(to.Cells, "")
		}
		to.Cells[i] = cell
	}
}

// fill moves the last row to the place of row i.
func (c *cells) fill(i, last int) {
	if c == nil {
		return
	}
	for j := range c.rows.Columns {
		of := &c.rows.Columns[j].Cells
		(*of)[i] = (*of)[last]
		*of = (*of)[:last]
	}
}

// cellsHeader is cells in a file.
type cellsHeader struct {
	Encoder []byte         `json:"encoder"` // its own file
	Columns []columnHeader `json:"columns"`
}

type columnHeader struct {
	Name  []byte     `json:"name"`
	Kind  table.Kind `json:"kind"`
	Exact bool       `json:"exact,omitempty"`
	Cells [][]byte   `json:"cells"`
}

func (c *cells) header() (*cellsHeader, error) {
	if c == nil {
		return nil, nil
	}
	var encoder bytes.Buffer
	if _, err := c.encoder.WriteTo(&encoder); err != nil {
		return nil, err
	}
	h := &cellsHeader{Encoder: encoder.Bytes()}
	for _, of := range c.rows.Columns {
		to := columnHeader{Name: []byte(of.Name), Kind: of.Kind, Exact: of.Exact}
		for _, cell := range of.Cells {
			to.Cells = append(to.Cells, []byte(cell))
		}
		h.Columns = append(h.Columns, to)
	}
	return h, nil
}

// keep gives the graph that is read its cells.
func (h *cellsHeader) keep(g *Graph) error {
	if h == nil {
		return nil
	}
	file := bytes.NewReader(h.Encoder)
	e, err := table.ReadEncoder(file)
	if err != nil || file.Len() > 0 {
		return fmt.Errorf("an encoder with %d bytes behind it: %v", file.Len(), err)
	}
	rows := table.New()
	for _, of := range h.Columns {
		c := table.Column{Name: string(of.Name), Kind: of.Kind, Exact: of.Exact}
		for _, cell := range of.Cells {
			c.Cells = append(c.Cells, string(cell))
		}
		rows.Columns = append(rows.Columns, c)
	}
	return g.KeepCells(context.Background(), e, rows)
}
