package picture

import (
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is one curve.
type Series struct {
	Name  string    // in the legend; "" for no entry
	X     []float64 // nil: 1, 2, …, or the categories
	Y     []float64 // one for each X
	Error []float64 // half the height of the band around Y, such as a standard deviation; nil for none
}

// Curves draws one or more series, each with its colour, dashes and glyph, and the band Y ± Error:
// accuracy by labels per class, sensitivity to κ or d′ (x logarithmic, or with categories), a
// training by epoch, time or memory by size on two logarithmic axes; [Grid] puts loss above accuracy. With a.Categories the points stand above
// these names, series side by side, and errors are bars.
//
// Errors: [coles.ErrShape] for no series, no points, and lengths that differ; [coles.ErrNotFinite];
// [coles.ErrNegative] for an error below zero; [coles.ErrSetting] for a point or a band that is not
// positive on a logarithmic axis.
func Curves(a Axes, series ...Series) (*Picture, error) {
	if len(series) == 0 {
		return nil, fmt.Errorf("%w: no series", coles.ErrShape)
	}
	checked := make([]curve, len(series))
	b := box{emptySpan, emptySpan}
	for i, s := range series {
		c, err := a.curve(s, i, len(series))
		if err != nil {
			return nil, fmt.Errorf("%w: series %d, %q", err, i, s.Name)
		}
		checked[i] = c
		b.include(append(c.band(), c.points...)...)
	}
	if n := len(a.Categories); n > 0 {
		b.x = span{-0.5, float64(n) - 0.5}
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	for _, name := range a.Categories {
		p.categories = append(p.categories, clean(name))
	}
	p.plot.X.Tick.Marker = a.xTicks(p, checked)
	for i, c := range checked { // beneath all lines
		if c.errors != nil && len(a.Categories) == 0 {
			p.plot.Add(&plotter.Polygon{XYs: []plotter.XYs{c.band()}, Color: tint(i)})
		}
	}
	for i, c := range checked {
		if c.errors != nil && len(a.Categories) > 0 {
			p.plot.Add(c.bars(i))
		}
		line := &plotter.Line{XYs: c.points, LineStyle: stroke(i)}
		dots := &plotter.Scatter{GlyphStyle: glyph(i, 3)}
		for k := 0; k < len(c.points); k += len(c.points)/40 + 1 { // 40 at most
			dots.XYs = append(dots.XYs, c.points[k])
		}
		p.plot.Add(line, dots)
		p.describe(series[i].Name, lineSpace, line, dots)
	}
	return single(p), nil
}

// A curve is a checked series.
type curve struct {
	points plotter.XYs
	errors []float64
}

// curve checks series i of n and places its points.
func (a Axes) curve(s Series, i, n int) (curve, error) {
	c := curve{errors: s.Error, points: make(plotter.XYs, len(s.Y))}
	switch {
	case len(s.Y) == 0:
		return c, fmt.Errorf("%w: no points", coles.ErrShape)
	case s.X != nil && len(a.Categories) > 0:
		return c, fmt.Errorf("%w: X with %d categories", coles.ErrShape, len(a.Categories))
	case s.X != nil && len(s.X) != len(s.Y), s.Error != nil && len(s.Error) != len(s.Y):
		return c, fmt.Errorf("%w: %d X, %d Y, %d errors", coles.ErrShape, len(s.X), len(s.Y), len(s.Error))
	case len(a.Categories) > 0 && len(s.Y) != len(a.Categories):
		return c, fmt.Errorf("%w: %d Y, %d categories", coles.ErrShape, len(s.Y), len(a.Categories))
	}
	for k, y := range s.Y {
		at := plotter.XY{X: float64(k + 1), Y: y}
		switch {
		case s.X != nil:
			at.X = s.X[k]
		case len(a.Categories) > 0: // side by side within half a step
			at.X = float64(k) + 0.5*(float64(i)+0.5)/float64(n) - 0.25
		}
		c.points[k] = at
		e := 0.0
		if s.Error != nil {
			e = s.Error[k]
		}
		switch {
		case !matrix.Finite(at.X), !matrix.Finite(y - e), !matrix.Finite(y + e):
			return c, fmt.Errorf("%w: point %d, (%g, %g ± %g)", coles.ErrNotFinite, k, at.X, y, e)
		case e < 0:
			return c, fmt.Errorf("%w: error %g of point %d", coles.ErrNegative, e, k)
		}
	}
	return c, nil
}

// band is the outline of Y ± Error.
func (c curve) band() plotter.XYs {
	n := len(c.errors)
	outline := make(plotter.XYs, 2*n)
	for k, e := range c.errors {
		p := c.points[k]
		outline[k], outline[2*n-1-k] = plotter.XY{X: p.X, Y: p.Y + e}, plotter.XY{X: p.X, Y: p.Y - e}
	}
	return outline
}

func (c curve) bars(i int) *plotter.YErrorBars {
	bars := &plotter.YErrorBars{XYs: c.points, LineStyle: draw.LineStyle{Color: colour(i), Width: vg.Points(1)}, CapWidth: vg.Points(5)}
	for _, e := range c.errors {
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{e, e})
	}
	return bars
}

// xTicks are at the categories, or on a logarithmic axis at the points.
func (a Axes) xTicks(p *panel, series []curve) plot.Ticker {
	if len(p.categories) > 0 {
		var ticks plot.ConstantTicks
		for i, name := range p.categories {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
		}
		return ticks
	}
	var values []float64
	whole := true
	for _, c := range series {
		for _, p := range c.points {
			values = append(values, p.X)
			whole = whole && p.X == math.Trunc(p.X)
		}
	}
	switch {
	case !a.LogX && whole: // there is no epoch 1.5
		return plot.TickerFunc(wholeTicks)
	case !a.LogX:
		return p.plot.X.Tick.Marker
	}
	return logTicksAt(slices.Compact(slices.Sorted(slices.Values(values))))
}
