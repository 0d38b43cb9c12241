package main

import (
	"fmt"
	"slices"
	"strings"
)

// A grid is the cells of one table as people read them: a row a method (and value
// of an ablation), a column a data set and number of labels, or measure.
type grid struct {
	Table   table
	Columns []column
	Rows    []gridRow
	Chosen  []string // what methods chose on which data set
}

type column struct{ Dataset, Label string }

type gridRow struct {
	Name    string
	Figures []*measure // by column; nil where nothing was measured
}

// grids are the tables that cells belong to, in the order of the cells.
func grids(cells []cell) []*grid {
	var all []*grid
	for _, c := range cells {
		at := slices.IndexFunc(all, func(g *grid) bool { return g.Table.name == c.Table })
		if at < 0 {
			at = len(all)
			all = append(all, &grid{Table: tableOf(c.Table)})
		}
		all[at].add(c)
	}
	return all
}

func (g *grid) add(c cell) {
	if c.Chosen != nil {
		g.Chosen = append(g.Chosen, fmt.Sprintf("%s on %s: %v.", c.Method, c.Dataset, c.Chosen))
	}
	row := slices.IndexFunc(g.Rows, func(r gridRow) bool { return r.Name == c.rowName() })
	if row < 0 {
		row = len(g.Rows)
		g.Rows = append(g.Rows, gridRow{Name: c.rowName()})
	}
	for _, m := range c.Measures {
		col := g.column(column{c.Dataset, c.columnLabel(m)})
		r := &g.Rows[row]
		for len(r.Figures) <= col {
			r.Figures = append(r.Figures, nil)
		}
		r.Figures[col] = &m
	}
}

// about is what the figures are, and what was chosen to get them.
func (g *grid) about() string {
	return strings.Join(append([]string{g.Table.about}, g.Chosen...), " ")
}

// column is the number of a column, which is new or known; those of a data set
// stand together.
func (g *grid) column(c column) int {
	if at := slices.Index(g.Columns, c); at >= 0 {
		return at
	}
	g.Columns = append(g.Columns, c)
	return len(g.Columns) - 1
}

// figure is what a row has in a column, or nil.
func (r gridRow) figure(column int) *measure {
	if column >= len(r.Figures) {
		return nil
	}
	return r.Figures[column]
}

func (c cell) rowName() string {
	if c.Varied == nil {
		return c.Method
	}
	return c.Method + ", " + c.Varied.String()
}

func (s setting) String() string {
	if s.Sign == "" {
		return fmt.Sprint(s.Value)
	}
	return fmt.Sprintf("%s = %v", s.Sign, s.Value)
}

func (c cell) columnLabel(m measure) string {
	switch {
	case c.PerClass == 0:
		return m.Label
	case m.Label == "":
		return fmt.Sprint(c.PerClass)
	}
	return fmt.Sprintf("%d, %s", c.PerClass, m.Label)
}
