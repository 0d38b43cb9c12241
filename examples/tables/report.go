package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles/eval"
)

// A cell is one measurement of a method on a data set: one line of the JSON and CSV forms, and a
// place in the others.
type cell struct {
	Table    string
	Dataset  string
	PerClass int // labelled nodes per class; 0 where no labels are learned from
	Method   string
	Varied   *setting // of an ablation
	Chosen   *setting // of a method that finds a setting for each data set
	Scaling  *scaling // the column of a table of accuracy; nil elsewhere
	Measures []measure
	Seeds    int       // how often it was trained or drawn
	Seconds  float64   // to embed once, or to train on all splits what is trained on labels
	bySplit  []float64 // of a table of accuracy, the mean over the seeds
}

// A setting is what an ablation varies, or a method has chosen.
type setting struct {
	Key   string // in JSON
	Sign  string // in print; "" where the value speaks for itself
	Value any    // int or string
}

func (s setting) String() string {
	if s.Sign == "" {
		return fmt.Sprint(s.Value)
	}
	return fmt.Sprintf("%s = %v", s.Sign, s.Value)
}

// A measure is a figure, in percent unless it is plain.
type measure struct {
	Key   string // in JSON; "" for what a table has a single one of
	Label string // in print
	Mean  float64
	Std   float64 // population standard deviation over splits, runs and seeds
	Apart bool    // is not of the kind of the others in its column
	Plain bool    // is no percentage but a number of its own kind, without a deviation
	Paper printedFigure
	// Difference is from the table's reference on the same splits, as a share; nil where nothing is
	// compared.
	Difference *eval.Comparison
}

// Versus prints the difference in points, with a star if it is significant.
func (m measure) Versus() string {
	star := ""
	if m.Difference.P < 0.05 {
		star = "*"
	}
	return signed(100*m.Difference.Mean) + star
}

// signed prints a difference.
func signed(points float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", points), "-", "−", 1)
}

// Figure is the number as people read it, without its deviation.
func (m measure) Figure() string {
	if m.Plain {
		return strconv.FormatFloat(m.Mean, 'f', -1, 64)
	}
	return fmt.Sprintf("%.1f", m.Mean)
}

// Deviation is what stands behind the figure.
func (m measure) Deviation() string {
	if m.Plain {
		return ""
	}
	return fmt.Sprintf(" ± %.1f", m.Std)
}

// A sample is the values, shares from 0 to 1, that a measure is made of.
type sample struct {
	key, label string
	values     []float64
}

// measure adds the means and deviations of samples.
func (c *cell) measure(samples ...sample) error {
	for _, s := range samples {
		mean, std, err := eval.MeanStd(s.values)
		if err != nil {
			return err
		}
		c.Measures = append(c.Measures, measure{Key: s.key, Label: s.label, Mean: round(100*mean, 2), Std: round(100*std, 2)})
	}
	return nil
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}

// A field is a name and what stands there: a string, an int or a float64.
type field struct {
	key   string
	value any
}

// fields are what the cell says, in order: first where, then the figures.
func (c cell) fields() []field {
	all := []field{{"table", c.Table}, {"dataset", c.Dataset}}
	if c.PerClass > 0 {
		all = append(all, field{"per_class", c.PerClass})
	}
	all = append(all, field{"method", c.Method})
	for _, s := range []*setting{c.Varied, c.Chosen} {
		if s != nil {
			all = append(all, field{s.Key, s.Value})
		}
	}
	if c.Scaling != nil {
		all = append(all, field{"column", c.Scaling.name})
	}
	var means, stds, papers, differences []field
	for _, m := range c.Measures {
		mean, std, paper := m.Key, m.Key+"_std", m.Key+"_paper"
		if m.Key == "" {
			mean, std, paper = "mean", "std", "paper"
		}
		means = append(means, field{mean, m.Mean})
		if !m.Plain {
			stds = append(stds, field{std, m.Std})
		}
		if m.Paper.Mean != 0 {
			papers = append(papers, field{paper, m.Paper.Mean})
		}
		if m.Paper.Std != 0 {
			papers = append(papers, field{paper + "_std", m.Paper.Std})
		}
		if d := m.Difference; d != nil {
			differences = append(differences, field{"difference", round(100*d.Mean, 2)}, field{"difference_low", round(100*d.Low, 2)}, field{"difference_high", round(100*d.High, 2)}, field{"p", round(d.P, 4)})
		}
	}
	return slices.Concat(all, means, stds, []field{{"seeds", c.Seeds}}, papers, differences, []field{{"seconds", round(c.Seconds, 4)}})
}

// formats write a report, by the names that -format knows.
var formats = map[string]func(r *report) error{
	"markdown": func(r *report) error { return writeMarkdown(r.w, r.cells) },
	"csv":      func(r *report) error { return writeCSV(r.w, r.cells) },
	"json":     func(*report) error { return nil }, // each cell went out when it was measured
	"html":     func(r *report) error { return writeHTML(r.w, r.cells, r.clouds) },
}

// A report takes cells as they are measured. JSON is a line for each and goes out at once; the
// other formats are written when all are there.
type report struct {
	w      io.Writer
	format string
	cells  []cell
	clouds []cloud // of the page
}

func (r *report) add(c cell) error {
	if r.format == "json" {
		return writeJSON(r.w, []cell{c})
	}
	r.cells = append(r.cells, c)
	return nil
}

// draw adds the maps of a data set to a page.
func (r *report) draw(ctx context.Context, p *problem) error {
	if r.format != "html" || p.Features == nil {
		return nil
	}
	both, err := drawClouds(ctx, p)
	r.clouds = append(r.clouds, both...)
	return err
}

func (r *report) finish() error { return formats[r.format](r) }

// writeJSON writes an object a line, its members in the order of [cell.fields].
func writeJSON(w io.Writer, cells []cell) error {
	var b bytes.Buffer
	for _, c := range cells {
		for i, f := range c.fields() {
			value, err := json.Marshal(f.value)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], f.key, value)
		}
		b.WriteString("}\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeCSV writes a line of names and a line a cell. A name that a cell does not have is left
// blank: tables of different kinds go in one file.
func writeCSV(w io.Writer, cells []cell) error {
	place := make(map[string]int)
	var names []string
	for _, c := range cells {
		for _, f := range c.fields() {
			if _, ok := place[f.key]; !ok {
				place[f.key] = len(names)
				names = append(names, f.key)
			}
		}
	}
	lines := [][]string{names}
	for _, c := range cells {
		line := make([]string, len(names))
		for _, f := range c.fields() {
			line[place[f.key]] = fmt.Sprint(f.value)
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// A grid is the cells of one table, in one scaling, as people read them: a row a method (and value
// of an ablation), a column a data set and number of labels, or measure.
type grid struct {
	Table   table
	Scaling scaling  // the zero one where there is none
	Dataset string   // of a table with a grid for each; "" otherwise
	Columns []column // those of a data set stand together
	Rows    []gridRow
	cells   []cell
}

type column struct{ Dataset, Label string }

type gridRow struct {
	Name    string
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

// Title is the table's, and that of a scaling which is not the paper's.
func (g *grid) Title() string {
	title := g.Table.Title
	for _, more := range []string{g.Scaling.title, g.Dataset} {
		if more != "" {
			title += ", " + more
		}
	}
	return title
}

// ID is where the page has the grid.
func (g *grid) ID() string {
	id := g.Table.Name
	if g.Scaling.title != "" {
		id += "-" + g.Scaling.name
	}
	if g.Dataset != "" {
		id += "-" + g.Dataset
	}
	return id
}

// compared reports whether a cell is compared with the table's reference.
func (g *grid) compared() bool {
	return slices.ContainsFunc(g.cells, func(c cell) bool { return c.Measures[0].Difference != nil })
}

// About is what the figures are, what they are compared with, and what methods chose to get them.
func (g *grid) About() string {
	about := g.Table.about
	if g.Scaling.about != "" {
		about += " " + g.Scaling.about
	}
	if g.compared() {
		about += fmt.Sprintf(" Δ is the mean difference from %s on the same splits, in points; a star marks one that Student's paired test does not take for chance (p < 0.05).", g.Table.reference)
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

// printedFigures says what stands in brackets in a table, if anything does.
func printedFigures(cells []cell, table string) string {
	if !printed(slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.Table != table })) {
		return ""
	}
	return " The paper's figure in brackets."
}

func (g *grid) writeMarkdown(b *strings.Builder) {
	lines := [][]string{{""}}
	for _, c := range g.Columns {
		lines[0] = append(lines[0], fmt.Sprintf("%s, %s", c.Dataset, c.Label))
		if g.compared() {
			lines[0] = append(lines[0], "Δ")
		}
	}
	for _, r := range g.Rows {
		line := []string{r.Name}
		for _, c := range g.Columns {
			m := r.Figures[c]
			if m == nil {
				m = new(measure)
				line = append(line, "")
			} else {
				line = append(line, m.Figure()+m.Deviation())
			}
			if m.Paper.Mean != 0 {
				line[len(line)-1] += fmt.Sprintf(" (%.1f)", m.Paper.Mean)
			}
			if !g.compared() {
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
