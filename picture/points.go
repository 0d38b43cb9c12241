package picture

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Places draws a glyph at each row of xy (n × 2), coordinates of an embedding such as [coles/plane.TSNE] or
// [coles/plane.PCA] finds. classes[i] is the class of row i, shown by colour and glyph; rows of a negative class are grey
// dots beneath the others. names[c] is the name of class c in the legend, of which it shows 40 letters, or "class c" with
// nil names. Marks are points to name, such as the most important of each class; a name that has no room between the
// others is left out.
//
// Both axes have the same scale, unless one is logarithmic. Without labels they are not drawn: coordinates of t-SNE have
// no meaning of their own. Every row is a glyph of some 120 bytes in an SVG: above ten thousand rows a PNG is smaller.
//
// Errors: [coles.ErrShape] without rows, for other than two columns, classes of another length than
// n, or fewer names than classes; [coles.ErrNotFinite]; [coles.ErrIndex]; [coles.ErrSetting] for a
// coordinate that is not positive on a logarithmic axis.
func Places(a Axes, xy mat.Matrix, classes []int, names []string, marks ...Mark) (*Picture, error) {
	return a.places(xy, classes, names, nil, marks)
}

// Drawing draws a small graph: a glyph at each row of xy (n × 2), as [Places] does, and beneath the glyphs a thin grey
// line for each edge, some 150 bytes in an SVG. Coordinates are, for example,
// [coles/plane.TSNE] of an embedding, and classes the clusters of [coles/cluster.KMeans].
//
// Errors: as [Places], and [coles.ErrShape] for other than one row a node.
func Drawing(a Axes, g *coles.Graph, xy mat.Matrix, classes []int, names []string, marks ...Mark) (*Picture, error) {
	if n, _ := xy.Dims(); n != g.Nodes() {
		return nil, fmt.Errorf("%w: coordinates of %d rows, %d nodes", coles.ErrShape, n, g.Nodes())
	}
	return a.places(xy, classes, names, g, marks)
}

// places draws glyphs, and beneath them the edges of a graph, if there is one.
func (a Axes) places(xy mat.Matrix, classes []int, names []string, g *coles.Graph, marks []Mark) (*Picture, error) {
	n, columns := xy.Dims()
	switch {
	case n <= 0 || columns != 2:
		return nil, fmt.Errorf("%w: coordinates of %d rows and %d columns, want 1 or more and 2", coles.ErrShape, n, columns)
	case len(classes) != n:
		return nil, fmt.Errorf("%w: %d rows, %d classes", coles.ErrShape, n, len(classes))
	}
	classes = slices.Clone(classes)
	for i, c := range classes {
		classes[i] = max(c, -1)
	}
	found := slices.Compact(slices.Sorted(slices.Values(classes)))
	if last := found[len(found)-1]; names != nil && last >= len(names) {
		return nil, fmt.Errorf("%w: class %d, and %d names", coles.ErrShape, last, len(names))
	}
	at, err := matrix.Read(context.Background(), xy)
	if err != nil {
		return nil, err
	}
	points, b := make(plotter.XYs, n), box{emptySpan, emptySpan}
	for i := range points {
		points[i] = plotter.XY{X: at.At(i, 0), Y: at.At(i, 1)}
		b.include(points[i])
	}
	labels, err := namedMarks(&b, marks)
	if err != nil {
		return nil, err
	}
	p, err := a.mapPanel(b)
	if err != nil {
		return nil, err
	}
	largest, spread := 2.2, 110.0 // of glyphs, in points
	if g != nil {
		p.plot.Add(&links{points, g})
		largest, spread = 4, 60
	}
	// In random order, so that the last class does not cover the others, but on top of those without.
	order := rand.New(rand.NewPCG(1, 0)).Perm(n)
	without := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return classes[i] >= 0 })
	with := slices.DeleteFunc(order, func(i int) bool { return classes[i] < 0 })
	for _, rows := range [][]int{without, with} {
		some := make(plotter.XYs, len(rows))
		for k, i := range rows {
			some[k] = points[i]
		}
		p.plot.Add(&plotter.Scatter{XYs: some, GlyphStyleFunc: func(k int) draw.GlyphStyle {
			return a.glyph(classes[rows[k]], found[len(found)-1], glyphRadius(largest, spread, len(rows)))
		}})
	}
	for _, c := range found {
		name := fmt.Sprintf("class %d", c)
		switch {
		case c < 0:
			name = "no class"
		case names != nil:
			name = names[c]
		}
		p.describe(name, glyphSpace, &plotter.Scatter{GlyphStyle: a.glyph(c, found[len(found)-1], max(2.2, glyphRadius(largest, spread, n)))})
	}
	if len(marks) > 0 {
		labels.GlyphStyle, labels.room = draw.GlyphStyle{Color: color.Black, Shape: draw.RingGlyph{}, Radius: 1.5 * glyphRadius(largest, spread, n)}, true
		p.plot.Add(labels)
	}
	return &Picture{Width: 8, Height: 6.5, panels: [][]*panel{{p}}}, nil
}

// glyphRadius is the radius of many glyphs, so that they cover a map in part.
func glyphRadius(largest, spread float64, count int) vg.Length {
	return vg.Length(min(largest, max(0.7, spread/math.Sqrt(float64(count)))))
}

// mapPanel is an empty plot of a range with a margin around it, so that no glyph stands on an axis.
func (a Axes) mapPanel(b box) (*panel, error) {
	const margin = 0.04 // of the range
	if !a.LogX {
		b.x = b.x.wider(margin)
	}
	if !a.LogY {
		b.y = b.y.wider(margin)
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	if !a.LogX && !a.LogY {
		p.extent = &b
		p.plot.X.Tick.Marker, p.plot.Y.Tick.Marker = plot.TickerFunc(innerTicks), plot.TickerFunc(innerTicks)
	}
	if a.X == "" && a.Y == "" {
		p.plot.HideAxes()
		p.plot.X.Tick.Marker, p.plot.Y.Tick.Marker = plot.ConstantTicks(nil), plot.ConstantTicks(nil) // nor a grid
	}
	return p, nil
}

// links are the edges of a graph between points.
type links struct {
	points plotter.XYs
	graph  *coles.Graph
}

// Plot implements [plot.Plotter].
func (l *links) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: edgeGrey, Width: vg.Points(0.5)}
	for e := range l.graph.Edges() {
		if from, to := l.points[e.U], l.points[e.V]; e.U != e.V {
			c.StrokeLine2(style, x(from.X), y(from.Y), x(to.X), y(to.Y))
		}
	}
}

// glyph is that of a class, up to the last one.
func (a Axes) glyph(class, last int, radius vg.Length) draw.GlyphStyle {
	switch {
	case class < 0:
		return draw.GlyphStyle{Color: grey, Shape: draw.CircleGlyph{}, Radius: radius / 2}
	case a.Grades:
		return draw.GlyphStyle{Color: grade(float64(class) / float64(max(last, 1))), Shape: draw.CircleGlyph{}, Radius: radius}
	}
	return glyph(class, radius)
}

// A Mark is a point with a name.
type Mark struct {
	Name string  // next to the point; "" for none
	X, Y float64 // where it is
}

// Scatter draws points with their names, each next to its point where it covers the least of other
// points and names.
//
// Errors: [coles.ErrShape] without marks, [coles.ErrNotFinite], and [coles.ErrSetting] for a
// coordinate that is not positive on a logarithmic axis.
func Scatter(a Axes, marks ...Mark) (*Picture, error) {
	if len(marks) == 0 {
		return nil, fmt.Errorf("%w: no marks", coles.ErrShape)
	}
	b := box{emptySpan, emptySpan}
	names, err := namedMarks(&b, marks)
	if err != nil {
		return nil, err
	}
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	p.plot.Add(names)
	return single(p), nil
}

// namedMarks are marks to draw, which the box then includes.
func namedMarks(b *box, marks []Mark) (*named, error) {
	names := &named{Scatter: plotter.Scatter{GlyphStyle: glyph(0, 3)}}
	for i, m := range marks {
		if !matrix.Finite(m.X) || !matrix.Finite(m.Y) {
			return nil, fmt.Errorf("%w: (%g, %g) of mark %d, %q", coles.ErrNotFinite, m.X, m.Y, i, m.Name)
		}
		at := plotter.XY{X: m.X, Y: m.Y}
		b.include(at)
		names.XYs, names.names = append(names.XYs, at), append(names.names, clean(m.Name))
	}
	return names, nil
}

// named are points with names.
type named struct {
	plotter.Scatter
	names []string
	room  bool // a name is drawn where there is room for it alone, on a light ground
}

// Plot implements [plot.Plotter].
func (s *named) Plot(c draw.Canvas, p *plot.Plot) {
	s.Scatter.Plot(c, p)
	boxes := s.boxes(c, p)
	for i, at := range boxes {
		if s.room {
			if at.Min.X < c.Min.X || at.Max.X > c.Max.X || slices.ContainsFunc(boxes[:i], func(other vg.Rectangle) bool { return overlap(at, other) > 0 }) {
				continue
			}
			c.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xc0})
			c.Fill(at.Path())
		}
		c.FillText(legendStyle, at.Min.Add(vg.Point{Y: legendStyle.FontExtents().Descent}), s.names[i])
	}
}

// boxes are the places of the names: of the eight around a point, the one with the least overlap.
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
			covered := w*h - overlap(at, c.Rectangle) // the part outside counts as overlap
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
