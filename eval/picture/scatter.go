package picture

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Mark is a point with a name.
type Mark struct {
	Name string
	X, Y float64
}

// Scatter draws points with their names beside them, each where it covers the least of
// other points and names.
//
// Errors: [ErrEmpty], [ErrNotFinite], [ErrNotPositive].
func Scatter(a Axes, marks ...Mark) (*Picture, error) {
	if len(marks) == 0 {
		return nil, fmt.Errorf("%w: no marks", ErrEmpty)
	}
	b := emptyBox()
	names := &named{Scatter: plotter.Scatter{GlyphStyle: glyph(0, 3)}}
	for i, m := range marks {
		at := plotter.XY{X: m.X, Y: m.Y}
		if err := checkPoint(at); err != nil {
			return nil, fmt.Errorf("%w: mark %d, %q", err, i, m.Name)
		}
		b.include(at)
		names.XYs, names.names = append(names.XYs, at), append(names.names, clean(m.Name))
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	p.plot.Add(names)
	return single(p), nil
}

// named are points with names.
type named struct {
	plotter.Scatter
	names []string
}

// Plot implements [plot.Plotter].
func (s *named) Plot(c draw.Canvas, p *plot.Plot) {
	s.Scatter.Plot(c, p)
	for i, at := range s.boxes(c, p) {
		c.FillText(legendStyle, at.Min.Add(vg.Point{Y: legendStyle.FontExtents().Descent}), s.names[i])
	}
}

// boxes are where the names go, in their order: of the places around the point that
// with the least overlap.
func (s *named) boxes(c draw.Canvas, p *plot.Plot) []vg.Rectangle {
	x, y := p.Transforms(&c)
	taken := make([]vg.Rectangle, len(s.XYs), 2*len(s.XYs))
	r := s.Radius + 1
	for i, at := range s.XYs {
		taken[i] = vg.Rectangle{Min: vg.Point{X: x(at.X) - r, Y: y(at.Y) - r}, Max: vg.Point{X: x(at.X) + r, Y: y(at.Y) + r}}
	}
	for i, name := range s.names {
		point := taken[i]
		w, h := legendStyle.Width(name), legendStyle.FontExtents().Height
		left, middle, right := point.Min.X-w-1, (point.Min.X+point.Max.X-w)/2, point.Max.X+1
		below, level, above := point.Min.Y-h, (point.Min.Y+point.Max.Y-h)/2, point.Max.Y
		best, least := vg.Rectangle{}, vg.Length(-1)
		for _, corner := range []vg.Point{
			{X: right, Y: level}, {X: right, Y: above}, {X: left, Y: level}, {X: middle, Y: above},
			{X: middle, Y: below}, {X: left, Y: above}, {X: right, Y: below}, {X: left, Y: below},
		} {
			at := vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: w, Y: h})}
			covered := w*h - overlap(at, c.Rectangle) // what sticks out counts as much
			for _, other := range taken {
				covered += overlap(at, other)
			}
			if least < 0 || covered < least-1e-6 {
				best, least = at, covered
			}
		}
		taken = append(taken, best)
	}
	return taken[len(s.XYs):]
}

// overlap is the area that two rectangles share.
func overlap(a, b vg.Rectangle) vg.Length {
	width := min(a.Max.X, b.Max.X) - max(a.Min.X, b.Min.X)
	height := min(a.Max.Y, b.Max.Y) - max(a.Min.Y, b.Min.Y)
	return max(0, width) * max(0, height)
}
