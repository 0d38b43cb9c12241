package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A grid is the cells of one table, in one scaling, as people read them: a row a method (and value
// of an ablation), a column a data set and number of labels, or measure.
type grid struct {
	Table   table     // whose cells these are
	Scaling scaling   // the zero one where there is none
	Dataset string    // of a table with a grid for each; "" otherwise
	Columns []column  // grouped by data set
	Rows    []gridRow // in the order of the cells
	cells   []cell
}

type column struct{ Dataset, Label string }

type gridRow struct {
	Name    string              // of the method and what it varies
	Figures map[column]*measure // without what was not measured
}

// grids are the tables that cells belong to, in the order of the cells.
func grids(cells []cell) []*grid {
	var all []*grid
	for _, c := range cells {
		var s scaling
		if c.Scaling != nil {
			s = *c.Scaling
		}
		fresh := &grid{Table: tableOf(c.Table), Scaling: s}
		if fresh.Table.grids {
			fresh.Dataset = c.Dataset
		}
		g := *findOrAdd(&all, fresh, func(g *grid) bool {
			return g.Table.Name == c.Table && g.Scaling.name == s.name && g.Dataset == fresh.Dataset
		})
		g.cells = append(g.cells, c)
		row := findOrAdd(&g.Rows, gridRow{c.rowName(), make(map[column]*measure)}, func(r gridRow) bool { return r.Name == c.rowName() })
		for _, m := range c.Measures {
			at := column{c.Dataset, c.columnLabel(m)}
			findOrAdd(&g.Columns, at, func(have column) bool { return have == at })
			row.Figures[at] = &m
		}
	}
	for _, g := range all {
		g.mark()
	}
	return all
}

// findOrAdd is the first of a list that is the same, or else a fresh one at its end.
func findOrAdd[T any](list *[]T, fresh T, same func(have T) bool) *T {
	at := slices.IndexFunc(*list, same)
	if at < 0 {
		at = len(*list)
		*list = append(*list, fresh)
	}
	return &(*list)[at]
}

// Title names the table, a scaling other than the paper's, and the data set of a grid of its own.
func (g *grid) Title() string {
	title := g.Table.Title
	for _, more := range []string{g.Scaling.title, g.Dataset} {
		if more != "" {
			title += ", " + more
		}
	}
	return title
}

// compared reports whether a cell is compared with the table's reference.
func (g *grid) compared() bool {
	return slices.ContainsFunc(g.cells, func(c cell) bool { return c.Measures[0].Difference != nil })
}

// About explains the figures, the comparison, and the settings that methods chose.
func (g *grid) About() string {
	about := g.Table.about
	if g.Scaling.about != "" {
		about += " " + g.Scaling.about
	}
	if g.compared() {
		what := "Δ is the mean difference from %s on the same splits, in points:"
		if g.Table.ranks {
			what = "What is marked differs from %s on the same splits:"
		}
		about += fmt.Sprintf(" "+what+" ▲ ahead, ▼ behind, ≈ level, which may be chance. The test is Student's over the splits, and over the seeds of what is trained more than once; its p are held to 0.05 for the table as a whole by Holm's method. "+
			"What is trained and is more than 1.5 points off in every cell of a graph is trained once.", g.Table.reference)
	}
	for _, c := range g.cells {
		if c.Chosen != nil {
			about += fmt.Sprintf(" %s on %s: %v.", c.Method, c.Dataset, c.Chosen)
		}
	}
	return about
}

func (c cell) rowName() string {
	if c.Varied == nil {
		return c.Method
	}
	return c.Method + ", " + c.Varied.String()
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

// writeMarkdown writes each table with the paper's figures in brackets, under its title where there
// are several.
func writeMarkdown(w io.Writer, cells []cell) error {
	var b strings.Builder
	all := grids(cells)
	for i, g := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(all) > 1 {
			fmt.Fprintf(&b, "## %s\n\n", g.Title())
		}
		g.writeMarkdown(&b)
		if i+1 == len(all) || all[i+1].Table.Name != g.Table.Name || !g.Table.grids {
			fmt.Fprintf(&b, "\n%s%s\n", g.About(), printedFigures(cells, g.Table.Name))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printedFigures explains the figures in brackets of a table, if there are any.
func printedFigures(cells []cell, table string) string {
	printed := func(m measure) bool { return m.Paper.Mean != 0 }
	if !slices.ContainsFunc(cells, func(c cell) bool { return c.Table == table && slices.ContainsFunc(c.Measures, printed) }) {
		return ""
	}
	return " The paper's figure in brackets."
}

func (g *grid) writeMarkdown(b *strings.Builder) {
	lines := [][]string{{""}}
	apart := g.compared() && !g.Table.ranks // Δ has columns of its own
	for _, c := range g.Columns {
		lines[0] = append(lines[0], fmt.Sprintf("%s, %s", c.Dataset, c.Label))
		if apart {
			lines[0] = append(lines[0], "Δ")
		}
	}
	for _, r := range g.Rows {
		line := []string{r.Name}
		for _, c := range g.Columns {
			m := r.Figures[c]
			switch {
			case m == nil:
				m = new(measure)
				line = append(line, "")
			case g.Table.ranks:
				line = append(line, g.ranked(c, *m))
			default:
				line = append(line, m.Figure()+m.Deviation())
			}
			if m.Paper.Mean != 0 {
				line[len(line)-1] += fmt.Sprintf(" (%.1f)", m.Paper.Mean)
			}
			if !apart {
				continue
			}
			versus := ""
			if m.Difference != nil {
				versus = m.Versus()
			}
			line = append(line, versus)
		}
		lines = append(lines, line)
	}
	if g.Table.ranks {
		lines = g.withRanks(lines)
	}
	if g.Table.tall {
		lines = transposed(lines)
	}
	rule := "|" + strings.Repeat("---|", len(lines[0]))
	for k, line := range lines {
		b.WriteByte('|')
		for _, text := range line {
			fmt.Fprintf(b, "%s |", strings.TrimRight(" "+text, " "))
		}
		b.WriteByte('\n')
		if k == 0 {
			fmt.Fprintln(b, rule)
		}
	}
}

// transposed makes rows of columns.
func transposed(lines [][]string) [][]string {
	out := make([][]string, len(lines[0]))
	for _, line := range lines {
		for k, text := range line {
			out[k] = append(out[k], text)
		}
	}
	return out
}
