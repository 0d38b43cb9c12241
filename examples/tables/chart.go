package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A chart is accuracy over what a table varies, on one data set. Positions along
// the axis are evenly spaced, as are the values: each is about double the last.
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

// charts are the plots of a table, one a data set, in which a series of the same
// name has the same style. Cells are those of the table.
func charts(t table, cells []cell) []*chart {
	if t.plot == "" {
		return nil
	}
	var all []*chart
	var names []string
	style := func(name string) int {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return slices.Index(names, name)
	}
	for _, c := range cells {
		at := slices.IndexFunc(all, func(have *chart) bool { return have.Title == c.Dataset })
		if at < 0 {
			at = len(all)
			all = append(all, &chart{Title: c.Dataset, Axis: t.axis})
		}
		tick := all[at].tick(c.along(t.plot))
		for _, m := range c.Measures {
			name := c.seriesName(t.plot)
			all[at].add(name, style(name), false, point{tick, m.Mean, m.Std})
			if m.Paper != nil {
				all[at].add(name+", the paper", style(name), true, point{tick, *m.Paper, 0})
			}
		}
	}
	return all
}

// along is where a cell is on the axis of its plot.
func (c cell) along(key string) string {
	for _, f := range c.fields() {
		if f.key == key {
			return fmt.Sprint(f.value)
		}
	}
	return ""
}

// seriesName is what tells a cell from those elsewhere at its place on the axis.
func (c cell) seriesName(axis string) string {
	if axis == "per_class" {
		return c.rowName()
	}
	return fmt.Sprintf("%s, %d labels a class", c.Method, c.PerClass)
}

func (c *chart) tick(text string) int {
	if at := slices.Index(c.Ticks, text); at >= 0 {
		return at
	}
	c.Ticks = append(c.Ticks, text)
	return len(c.Ticks) - 1
}

func (c *chart) add(name string, style int, printed bool, p point) {
	at := slices.IndexFunc(c.Series, func(s series) bool { return s.Name == name })
	if at < 0 {
		at = len(c.Series)
		c.Series = append(c.Series, series{Name: name, Style: style % styles, Printed: printed})
	}
	c.Series[at].Points = append(c.Series[at].Points, p)
}

// legend is each series of charts once.
func legend(charts []*chart) []series {
	var all []series
	for _, c := range charts {
		for _, s := range c.Series {
			if !slices.ContainsFunc(all, func(have series) bool { return have.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	return all
}

// The drawing, in units of its view box.
const (
	chartWidth, chartHeight   = 340.0, 240.0
	chartLeft, chartRight     = 38.0, 330.0
	chartTop, chartBottom     = 12.0, 198.0
	chartTickAt, chartAxisAt  = 214.0, 234.0
	chartInset, chartLabelGap = 16.0, 6.0
)

// marks are the shapes of points around the origin, one for each style: lines are
// told apart without colour.
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

// styles is how many ways there are to draw a series.
var styles = len(marks)

// Mark is the shape of a point of the series.
func (s series) Mark() string { return marks[s.Style] }

func (c *chart) x(at int) float64 {
	if len(c.Ticks) == 1 {
		return (chartLeft + chartRight) / 2
	}
	return chartLeft + chartInset + (chartRight-chartLeft-2*chartInset)*float64(at)/float64(len(c.Ticks)-1)
}

// span is the range of the other axis: all means, with some room, and between
// whole steps.
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
	return chartBottom - (chartBottom-chartTop)*(v-low)/(high-low)
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
		all = append(all, label{chartLeft - chartLabelGap, coordinate(c.y(v)), fmt.Sprintf("%g", v)})
	}
	return all
}

// Places are the values along the axis.
func (c *chart) Places() []label {
	var all []label
	for i, t := range c.Ticks {
		all = append(all, label{coordinate(c.x(i)), chartTickAt, t})
	}
	return all
}

// Line is the points of a series, as a polyline has them.
func (c *chart) Line(s series) string {
	var b strings.Builder
	for _, p := range s.Points {
		fmt.Fprintf(&b, "%g,%g ", coordinate(c.x(p.At)), coordinate(c.y(p.Mean)))
	}
	return strings.TrimSpace(b.String())
}

// Band is the outline of one deviation about a series, "" if there is none.
func (c *chart) Band(s series) string {
	var there, back []string
	for _, p := range s.Points {
		if p.Std == 0 {
			return ""
		}
		x := coordinate(c.x(p.At))
		there = append(there, fmt.Sprintf("%g,%g", x, coordinate(c.y(p.Mean+p.Std))))
		back = append(back, fmt.Sprintf("%g,%g", x, coordinate(c.y(p.Mean-p.Std))))
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
		all = append(all, label{coordinate(c.x(p.At)), coordinate(c.y(p.Mean)), text})
	}
	return all
}

// coordinate keeps a tenth of a unit, which is enough to draw by.
func coordinate(v float64) float64 { return round(v, 1) }

// Size and frame of the drawing, for the template.
func (c *chart) Width() float64  { return chartWidth }
func (c *chart) Height() float64 { return chartHeight }
func (c *chart) Left() float64   { return chartLeft }
func (c *chart) Right() float64  { return chartRight }
func (c *chart) Middle() float64 { return (chartLeft + chartRight) / 2 }
func (c *chart) AxisAt() float64 { return chartAxisAt }
