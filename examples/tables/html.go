package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

var (
	//go:embed page.gohtml
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// writeHTML writes one page that needs nothing else: it asks no server for
// anything, and forbids the browser to.
func writeHTML(w io.Writer, cells []cell) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	page := struct {
		Style    template.CSS
		Script   template.JS
		Sections []section
	}{Style: template.CSS(pageStyle), Script: template.JS(pageScript)}
	for _, g := range grids(cells) {
		page.Sections = append(page.Sections, newSection(g, cells))
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// A section of the page is a table and its plots.
type section struct {
	Name, Title, About string
	Groups             []group
	Columns            []column
	Rows               []pageRow
	Charts             []*chart
	Legend             []series
}

// A group is the columns of a data set, under one heading.
type group struct {
	Dataset string
	Columns int
}

type pageRow struct {
	Name    string
	Figures []figure
}

// A figure is what stands in the table: "" where nothing was measured.
type figure struct {
	Mean, Std string
	Paper     string
	Gain      string // over the paper's
	Better    bool
	Best      bool // of its column
	First     bool // of its group
}

func newSection(g *grid, cells []cell) section {
	s := section{Name: g.Table.name, Title: g.Table.title, About: g.about(), Columns: g.Columns}
	for k, c := range g.Columns {
		if k == 0 || g.Columns[k-1].Dataset != c.Dataset {
			s.Groups = append(s.Groups, group{Dataset: c.Dataset})
		}
		s.Groups[len(s.Groups)-1].Columns++
	}
	for _, r := range g.Rows {
		line := pageRow{Name: r.Name}
		for k, c := range g.Columns {
			f := newFigure(r.figure(k), g.best(k))
			f.First = k == 0 || g.Columns[k-1].Dataset != c.Dataset
			line.Figures = append(line.Figures, f)
		}
		s.Rows = append(s.Rows, line)
	}
	cells = slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.Table != s.Name })
	s.Charts = charts(g.Table, cells)
	s.Legend = legend(s.Charts)
	return s
}

// best is the largest mean of a column, as printed.
func (g *grid) best(column int) string {
	var best *measure
	for _, r := range g.Rows {
		if m := r.figure(column); m != nil && (best == nil || m.Mean > best.Mean) {
			best = m
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", best.Mean)
}

func newFigure(m *measure, best string) figure {
	if m == nil {
		return figure{}
	}
	f := figure{Mean: fmt.Sprintf("%.1f", m.Mean), Std: fmt.Sprintf("%.1f", m.Std)}
	f.Best = f.Mean == best
	if m.Paper != nil {
		f.Paper = fmt.Sprintf("%.1f", *m.Paper)
		// Of the figures as printed: whoever subtracts them should find the same.
		gain := round(m.Mean, 1) - round(*m.Paper, 1)
		f.Gain = strings.Replace(fmt.Sprintf("%+.1f", gain), "-", "−", 1)
		f.Better = gain > -0.05
	}
	return f
}
