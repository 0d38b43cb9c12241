package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles/internal/archive"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/floats/scalar"
)

var (
	//go:embed page.gohtml
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

var page = template.Must(template.New("page").Parse(pageTemplate))

// writeHTML writes one page that needs nothing else: it asks no server for anything, and forbids
// the browser to.
func writeHTML(w io.Writer, cells []cell, maps []plot) error {
	all := grids(cells)
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		Style            template.CSS
		Script           template.JS
		Grids            []*grid
		Several, Printed bool // whether a table has several rows, and the paper a figure for some cell
		Maps             []plot
		Made             []entry
	}{
		template.CSS(pageStyle), template.JS(pageScript), all,
		slices.ContainsFunc(all, func(g *grid) bool { return len(g.Rows) > 1 }), printed(cells), maps, made(),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// printed reports whether the paper prints a figure for one of the cells.
func printed(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool {
		return slices.ContainsFunc(c.Measures, func(m measure) bool { return m.Paper.Mean != 0 })
	})
}

// An entry of the foot of the page.
type entry struct{ Name, Value string }

// made states how the page was made, and on which machine.
func made() []entry {
	command := filepath.Base(os.Args[0])
	for _, arg := range os.Args[1:] {
		if strings.ContainsAny(arg, " \t\n\"'\\$*") || arg == "" {
			arg = strconv.Quote(arg)
		}
		command += " " + arg
	}
	return []entry{
		{"Date", time.Now().UTC().Format("2006-01-02 15:04 UTC")},
		{"Version", "coles " + archive.ModuleVersion() + ", " + runtime.Version()},
		{"Command", command},
		{"Seed", fmt.Sprintf("%d for what is drawn once, such as splits without a file; 1, 2, … for what is repeated", splitSeed)},
		{"Machine", fmt.Sprintf("%s/%s, %s kernels, %d processors", runtime.GOOS, runtime.GOARCH, kernel.Path(), runtime.GOMAXPROCS(0))},
	}
}

// A group is the columns of a data set, under one heading.
type group struct {
	Dataset string // is the heading
	Columns int    // below it
}

// Groups lists the data sets of the columns.
func (g *grid) Groups() []group {
	var all []group
	for k, c := range g.Columns {
		if g.First(k) {
			all = append(all, group{Dataset: c.Dataset})
		}
		all[len(all)-1].Columns++
	}
	return all
}

// First reports whether a column is the first of its group.
func (g *grid) First(k int) bool { return k == 0 || g.Columns[k-1].Dataset != g.Columns[k].Dataset }

// Best reports whether a figure looks like the largest of its column.
func (g *grid) Best(c column, m measure) bool {
	best := 0.0
	for _, r := range g.Rows {
		if other := r.Figures[c]; other != nil && !other.Apart && !other.Plain {
			best = max(best, other.Mean)
		}
	}
	return !m.Apart && !m.Plain && scalar.Round(m.Mean, 1) == scalar.Round(best, 1)
}

// gain is over the paper's figure, of both as printed: whoever subtracts them should find the same.
func (m measure) gain() float64 { return scalar.Round(m.Mean, 1) - scalar.Round(m.Paper.Mean, 1) }

// Gain prints what is gained over the paper's figure.
func (m measure) Gain() string { return signed(m.gain()) }

// Better reports whether nothing is lost against the paper's figure.
func (m measure) Better() bool { return m.gain() > -0.05 }
