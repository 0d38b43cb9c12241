package picture

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Series is one curve.
type Series struct {
	Name  string    // in the legend; "" for no entry
	X     []float64 // nil: 1, 2, …, or the categories
	Y     []float64
	Error []float64 // half the height of the band around Y, such as a standard deviation; nil for none
}

// Curves draws one or more series, point by point in their order, each with its own
// colour, dashes and glyph, and the band Y ± Error where there is one. With
// a.Categories the points stand above these names, series side by side, and errors are
// bars.
//
// It is the picture of accuracy by labels per class, of the sensitivity to κ or d′ (x
// logarithmic, or with categories), and of a training by epoch; [Grid] puts loss above
// accuracy.
//
// Errors: [ErrEmpty], [ErrLength], [ErrNotFinite], and [ErrNotPositive] for an
// error below zero or a band that leaves a logarithmic axis.
func Curves(a Axes, series ...Series) (*Picture, error) {
	p, _, err := a.curves(series)
	if err != nil {
		return nil, err
	}
	return single(p), nil
}

// Eigenvalues draws spectra in the order given, λᵢ over i, on logarithmic axes if a
// says so. Labels of the axes that are empty in a are those of a spectrum.
//
// Errors: those of [Curves].
func Eigenvalues(a Axes, spectra ...Series) (*Picture, error) {
	if a.X == "" {
		a.X = "index i"
	}
	if a.Y == "" {
		a.Y = "eigenvalue λᵢ"
	}
	return Curves(a, spectra...)
}

// A curve is a series that was checked.
type curve struct {
	name   string
	points plotter.XYs
	errors []float64
}

// curves draws the series and also returns their points.
func (a Axes) curves(series []Series) (*panel, []curve, error) {
	if len(series) == 0 {
		return nil, nil, fmt.Errorf("%w: no series", ErrEmpty)
	}
	checked := make([]curve, len(series))
	b := emptyBox()
	for i, s := range series {
		c, err := a.curve(s, i, len(series))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: series %d, %q", err, i, s.Name)
		}
		checked[i] = c
		b.include(c.points...)
		b.include(c.band()...)
	}
	if n := len(a.Categories); n > 0 {
		b.x = span{-0.5, float64(n) - 0.5}
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, nil, err
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
		dots := &plotter.Scatter{XYs: c.points, GlyphStyle: glyph(i, 3)}
		if many := len(c.points)/40 + 1; many > 1 {
			dots.XYs = nil
			for k := 0; k < len(c.points); k += many {
				dots.XYs = append(dots.XYs, c.points[k])
			}
		}
		p.plot.Add(line, dots)
		p.describe(c.name, lineSpace, line, dots)
	}
	return p, checked, nil
}

// curve checks series i of n and gives its points their places.
func (a Axes) curve(s Series, i, n int) (curve, error) {
	c := curve{name: s.Name, errors: s.Error, points: make(plotter.XYs, len(s.Y))}
	switch {
	case len(s.Y) == 0:
		return c, fmt.Errorf("%w: no points", ErrEmpty)
	case s.X != nil && len(a.Categories) > 0:
		return c, fmt.Errorf("%w: X beside %d categories", ErrLength, len(a.Categories))
	case s.X != nil && len(s.X) != len(s.Y), s.Error != nil && len(s.Error) != len(s.Y):
		return c, fmt.Errorf("%w: %d X, %d Y, %d errors", ErrLength, len(s.X), len(s.Y), len(s.Error))
	case len(a.Categories) > 0 && len(s.Y) != len(a.Categories):
		return c, fmt.Errorf("%w: %d Y, %d categories", ErrLength, len(s.Y), len(a.Categories))
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
		if err := checkPoint(at); err != nil {
			return c, fmt.Errorf("%w: point %d", err, k)
		}
		if s.Error == nil {
			continue
		}
		if s.Error[k] < 0 {
			return c, fmt.Errorf("%w: error %g of point %d", ErrNotPositive, s.Error[k], k)
		}
		for _, edge := range []float64{y - s.Error[k], y + s.Error[k]} {
			if err := checkPoint(plotter.XY{Y: edge}); err != nil {
				return c, fmt.Errorf("%w: error %g of point %d", ErrNotFinite, s.Error[k], k)
			}
		}
	}
	return c, nil
}

// band is the outline of Y ± Error.
func (c curve) band() plotter.XYs {
	if c.errors == nil {
		return nil
	}
	upper, lower := slices.Clone(c.points), slices.Clone(c.points)
	for k, e := range c.errors {
		upper[k].Y += e
		lower[k].Y -= e
	}
	slices.Reverse(lower)
	return append(upper, lower...)
}

func (c curve) bars(i int) *plotter.YErrorBars {
	bars := &plotter.YErrorBars{XYs: c.points, LineStyle: draw.LineStyle{Color: colour(i), Width: vg.Points(1)}, CapWidth: vg.Points(5)}
	for _, e := range c.errors {
		bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{e, e})
	}
	return bars
}

// xTicks are the categories, or on a logarithmic axis the numbers themselves.
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
