package picture

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Axes say what a picture is about.
type Axes struct {
	Title      string   // above the picture; "" for none
	X, Y       string   // labels, with the unit: "time, s"
	LogX, LogY bool     // logarithmic axes
	FromZero   bool     // the y axis includes zero
	Categories []string // for [Curves]: names along the x axis, in place of numbers
}

// A box is the range of what is drawn.
type box struct{ x, y span }

// A span is the range of some numbers.
type span struct{ lo, hi float64 }

func emptyBox() box {
	nothing := span{math.Inf(1), math.Inf(-1)}
	return box{nothing, nothing}
}

func (s *span) include(v float64) { s.lo, s.hi = min(s.lo, v), max(s.hi, v) }

func (b *box) include(points ...plotter.XY) {
	for _, p := range points {
		b.x.include(p.X)
		b.y.include(p.Y)
	}
}

// panel returns a plot of the range with its axes and no data.
func (a Axes) panel(b box) (*panel, error) {
	if a.FromZero {
		b.y.include(0)
	}
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []struct {
		name, label string
		span        span
		log         bool
		to          *plot.Axis
	}{{"x", a.X, b.x, a.LogX, &p.X}, {"y", a.Y, b.y, a.LogY, &p.Y}} {
		s, err := axis.span.widened(axis.log)
		if err != nil {
			return nil, fmt.Errorf("%w on the %s axis", err, axis.name)
		}
		axis.to.Min, axis.to.Max = s.lo, s.hi
		axis.to.Label.Text, axis.to.Label.Padding = clean(axis.label), vg.Points(4)
		axis.to.Tick.Length = vg.Points(5)
		axis.to.Tick.Marker = plot.TickerFunc(linearTicks)
		if axis.log {
			axis.to.Scale, axis.to.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		}
		for style, size := range map[*text.Style]vg.Length{&axis.to.Label.TextStyle: 11, &axis.to.Tick.Label: 10} {
			style.Font = writing(size, style.XAlign).Font
		}
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = lightGrey, lightGrey
	p.Add(grid)
	return &panel{plot: p, title: clean(a.Title)}, nil
}

// widened gives a range some extent, and room around the points of a logarithmic one.
func (s span) widened(log bool) (span, error) {
	switch reach := max(math.Abs(s.lo), math.Abs(s.hi)); {
	case log && s.lo <= 0:
		return s, fmt.Errorf("%w: %g has no place on a logarithmic scale", ErrNotPositive, s.lo)
	case log:
		s = span{s.lo / 1.2, s.hi * 1.2}
	case reach < 1e-290: // and its reciprocal still a number
		s = span{s.lo - 1, s.hi + 1}
	case s.hi-s.lo < 1e-9*reach:
		s = span{s.lo - reach/10, s.hi + reach/10}
	}
	if math.IsInf(s.hi-s.lo, 0) || log && s.lo < 1e-300 {
		return s, fmt.Errorf("%w: a range of %g to %g", ErrNotFinite, s.lo, s.hi)
	}
	return s, nil
}

// clean makes text fit for any format: SVG knows no control characters, and a label
// has one line.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
