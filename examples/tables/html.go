package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"coles/internal/archive"
	"coles/internal/kernel"
)

var (
	//go:embed page.gohtml
	pageTemplate string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// writeHTML writes one page that needs nothing else: it asks no server for anything, and forbids
// the browser to.
func writeHTML(w io.Writer, cells []cell, clouds []cloud) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	page := struct {
		Style  template.CSS
		Script template.JS
		Frame  any
		Marks  []string
		Grids  []*grid
		Clouds []cloud
		Title  string
		Intro  []string
		Made   []entry
	}{template.CSS(pageStyle), template.JS(pageScript), frame, marks, grids(cells), clouds, "COLES: measured", nil, made()}
	page.Intro = intro(page.Grids)
	if printed(cells) {
		page.Title = "COLES: measured, and in the paper"
	}
	var b bytes.Buffer
	if err := t.Execute(&b, page); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// intro is what a reader needs to know of the tables that are there, a sentence each.
func intro(grids []*grid) []string {
	if len(grids) == 0 {
		return []string{"Nothing was measured."}
	}
	all := []string{"Contrastive Laplacian Eigenmaps (Zhu, Sun and Koniusz, NeurIPS 2021).", "Figures are in percent, mean ± standard deviation."}
	several, papers, charts := false, false, false
	for _, g := range grids {
		several = several || len(g.Rows) > 1
		papers = papers || printed(g.cells)
		charts = charts || len(g.Charts()) > 0
	}
	if several {
		all = append(all, "The best of a column is bold; a heading sorts its table.")
	}
	if papers {
		all = append(all, "Under a figure stands the one that the paper prints, if it prints one, and the difference.")
	}
	if charts {
		all = append(all, "Point at a mark of a plot to read its value.")
	}
	return all
}

// printed reports whether the paper prints a figure for one of the cells.
func printed(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool {
		return slices.ContainsFunc(c.Measures, func(m measure) bool { return m.Paper.Mean != 0 })
	})
}

// An entry of the foot of the page.
type entry struct{ Name, Value string }

// made says how the page was made, and on what.
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
	Dataset string
	Columns int
}

// Groups are those of the columns.
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
	return !m.Apart && !m.Plain && round(m.Mean, 1) == round(best, 1)
}

// gain is over the paper's figure, of both as printed: whoever subtracts them should find the same.
func (m measure) gain() float64 { return round(m.Mean, 1) - round(m.Paper.Mean, 1) }

// Gain prints what is gained over the paper's figure.
func (m measure) Gain() string { return signed(m.gain()) }

// Better reports whether nothing is lost against the paper's figure.
func (m measure) Better() bool { return m.gain() > -0.05 }

// A chart is accuracy over what a table varies, on one data set. Positions along the axis are
// evenly spaced, as are the values: each is about double the last.
type chart struct {
	Title, Axis string
	Ticks       []string
	Series      []series
}

// A series is a line of a chart and its entry in the legend.
type series struct {
	Name    string
	Style   int // which colour and mark
	Printed bool
	Points  []point
}

type point struct {
	At        int // which tick
	Mean, Std float64
}

// Charts are the plots of a table, one a data set, in which a series of the same name has the same
// style.
func (g *grid) Charts() []*chart {
	if g.Table.axis == "" {
		return nil
	}
	var all []*chart
	var names []string
	for _, c := range g.cells {
		plot := *findOrAdd(&all, &chart{Title: c.Dataset, Axis: g.Table.axis}, func(have *chart) bool { return have.Title == c.Dataset })
		along, name := fmt.Sprint(c.PerClass), c.Method
		if c.Varied != nil {
			along, name = fmt.Sprint(c.Varied.Value), fmt.Sprintf("%s, %d labels a class", c.Method, c.PerClass)
		}
		tick := place(&plot.Ticks, along)
		style := place(&names, name) % len(marks)
		for _, m := range c.Measures {
			plot.add(series{Name: name, Style: style}, point{tick, m.Mean, m.Std})
			if m.Paper.Mean != 0 {
				plot.add(series{Name: name + ", the paper", Style: style, Printed: true}, point{tick, m.Paper.Mean, 0})
			}
		}
	}
	return all
}

// place is where a text stands in a list, to which it is added if it is new.
func place(list *[]string, text string) int {
	if at := slices.Index(*list, text); at >= 0 {
		return at
	}
	*list = append(*list, text)
	return len(*list) - 1
}

// add adds a point to a series, which is new or known.
func (c *chart) add(to series, p point) {
	known := findOrAdd(&c.Series, to, func(s series) bool { return s.Name == to.Name })
	known.Points = append(known.Points, p)
}

// Legend is each series of the charts once.
func (g *grid) Legend() []series {
	var all []series
	for _, c := range g.Charts() {
		for _, s := range c.Series {
			findOrAdd(&all, s, func(have series) bool { return have.Name == s.Name })
		}
	}
	return all
}

// frame is where things are drawn, in units of the view box.
var frame = struct{ Width, Height, Left, Right, Middle, Top, Bottom, TicksAt, AxisAt, Inset, Gap float64 }{
	Width: 340, Height: 240, Left: 38, Right: 330, Middle: 184, Top: 12, Bottom: 198, TicksAt: 214, AxisAt: 234, Inset: 16, Gap: 6,
}

// marks are the shapes of points around the origin, one for each style: lines are told apart
// without colour.
var marks = []string{
	"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",                   // circle
	"M-3.5-3.5h7v7h-7z",                                    // square
	"M0-4.6L4.4 3.4H-4.4z",                                 // triangle
	"M0-5L5 0L0 5L-5 0z",                                   // diamond
	"M0 4.6L4.4-3.4H-4.4z",                                 // triangle on its tip
	"M-4.5-1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",                // plus
	"M-4.4 0L-1.8-4.2H1.8L4.4 0L1.8 4.2H-1.8z",             // hexagon
	"M0-5L1.4-1.4L5 0L1.4 1.4L0 5L-1.4 1.4L-5 0L-1.4-1.4z", // star
}

func (c *chart) x(at int) float64 {
	if len(c.Ticks) == 1 {
		return frame.Middle
	}
	left, right := frame.Left+frame.Inset, frame.Right-frame.Inset
	return round(left+(right-left)*float64(at)/float64(len(c.Ticks)-1), 1)
}

// span is the range of the other axis: all means, with some room, and between whole steps.
func (c *chart) span() (low, high, step float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range c.Series {
		for _, p := range s.Points {
			low, high = min(low, p.Mean-p.Std), max(high, p.Mean+p.Std)
		}
	}
	step = 1
	for _, wider := range []float64{2, 5, 10, 20} {
		if (high-low)/step > 6 {
			step = wider
		}
	}
	low, high = step*math.Floor(low/step), step*math.Ceil(high/step)
	if low == high {
		high += step
	}
	return low, high, step
}

func (c *chart) y(v float64) float64 {
	low, high, _ := c.span()
	return round(frame.Bottom-(frame.Bottom-frame.Top)*(v-low)/(high-low), 1)
}

// A label is text in the drawing.
type label struct {
	X, Y float64
	Text string
}

// Levels are the horizontal lines of the grid.
func (c *chart) Levels() []label {
	low, high, step := c.span()
	var all []label
	for v := low; v <= high; v += step {
		all = append(all, label{frame.Left - frame.Gap, c.y(v), fmt.Sprintf("%g", v)})
	}
	return all
}

// Places are the values along the axis.
func (c *chart) Places() []label {
	var all []label
	for i, t := range c.Ticks {
		all = append(all, label{c.x(i), frame.TicksAt, t})
	}
	return all
}

// Band is the outline of one deviation about a series, "" if there is none.
func (c *chart) Band(s series) string {
	var there, back []string
	for _, p := range s.Points {
		if p.Std == 0 {
			return ""
		}
		there = append(there, fmt.Sprintf("%g,%g", c.x(p.At), c.y(p.Mean+p.Std)))
		back = append(back, fmt.Sprintf("%g,%g", c.x(p.At), c.y(p.Mean-p.Std)))
	}
	slices.Reverse(back)
	return strings.Join(append(there, back...), " ")
}

// Dots are the points of a series, each with what it says.
func (c *chart) Dots(s series) []label {
	var all []label
	for _, p := range s.Points {
		text := fmt.Sprintf("%s, %s: %.1f", s.Name, c.Ticks[p.At], p.Mean)
		if !s.Printed {
			text += fmt.Sprintf(" ± %.1f", p.Std)
		}
		all = append(all, label{c.x(p.At), c.y(p.Mean), text})
	}
	return all
}
