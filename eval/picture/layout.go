package picture

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panel is a plot and what stands above it.
type panel struct {
	plot   *plot.Plot
	title  string
	legend []entry

	categories []string // along the x axis, if any
}

// An entry of a legend is a name beside a sample of its line or glyph.
type entry struct {
	name   string
	space  vg.Length // of the sample
	sample []plot.Thumbnailer
}

// describe adds an entry, unless it has no name.
func (p *panel) describe(name string, space vg.Length, sample ...plot.Thumbnailer) {
	if name = clean(name); name != "" {
		p.legend = append(p.legend, entry{name, space, sample})
	}
}

var legendStyle = writing(10, draw.XLeft)

const (
	lineSpace  = vg.Length(26) // of the sample of a line
	glyphSpace = vg.Length(6)  // of the sample of a glyph
	sampleGap  = vg.Length(5)  // between sample and name
	entryGap   = vg.Length(16) // between entries of a line
	leading    = 1.25          // from line to line, in the height of the font
	minData    = vg.Length(36) // less data area than half an inch shows nothing
)

// A head is the lines above the data: the title's, then the legend's.
type head struct {
	style  text.Style // of the title
	title  []string
	legend [][]entry
}

// head breaks title and legend into lines of a width.
func (p *panel) head(width, titleSize vg.Length) head {
	h := head{style: writing(titleSize, draw.XCenter)}
	for _, line := range broken(strings.Fields(p.title), func(line []string) bool {
		return h.style.Width(strings.Join(line, " ")) <= width
	}) {
		h.title = append(h.title, strings.Join(line, " "))
	}
	h.legend = broken(p.legend, func(line []entry) bool { return lineWidth(line) <= width })
	return h
}

// broken breaks items into as few lines as fit, of about as many items each: lines
// that are all full but for the last look like a mistake.
func broken[T any](items []T, fits func([]T) bool) [][]T {
	fill := func(atMost int) [][]T {
		var lines [][]T
		for from := 0; from < len(items); {
			to := from + 1
			for to < len(items) && to-from < atMost && fits(items[from:to+1]) {
				to++
			}
			lines, from = append(lines, items[from:to]), to
		}
		return lines
	}
	full := fill(len(items))
	if len(full) < 2 {
		return full
	}
	if even := fill((len(items) + len(full) - 1) / len(full)); len(even) == len(full) {
		return even
	}
	return full
}

func (e entry) width() vg.Length { return e.space + sampleGap + legendStyle.Width(e.name) }

func (h head) titleHeight() vg.Length {
	return vg.Length(len(h.title)) * leading * h.style.FontExtents().Height
}

func (h head) legendHeight() vg.Length {
	return vg.Length(len(h.legend)) * leading * legendStyle.FontExtents().Height
}

func (h head) height() vg.Length { return h.titleHeight() + h.legendHeight() + 4 }

func (h head) width() vg.Length {
	widest := vg.Length(0)
	for _, line := range h.title {
		widest = max(widest, h.style.Width(line))
	}
	for _, line := range h.legend {
		widest = max(widest, lineWidth(line))
	}
	return widest
}

func lineWidth(line []entry) vg.Length {
	width := -entryGap
	for _, e := range line {
		width += entryGap + e.width()
	}
	return width
}

// A place is where a panel goes.
type place struct {
	panel *panel
	head  head
	above vg.Rectangle // the head's
	whole draw.Canvas  // for the plot with its axes
	data  draw.Canvas  // the part of whole that has the data
}

// layout finds the places of all panels. Data areas line up, and above each row is
// room for its highest head.
func (p *Picture) layout(c draw.Canvas) ([]place, error) {
	tiles := draw.Tiles{Rows: len(p.panels), Cols: len(p.panels[0]), PadX: 16, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14}
	plots := make([][]*plot.Plot, tiles.Rows)
	for i, row := range p.panels {
		plots[i] = make([]*plot.Plot, tiles.Cols)
		for j, panel := range row {
			if panel != nil {
				plots[i][j] = panel.plot
			}
		}
	}
	// Widths first: they do not depend on the heads, whose lines depend on them.
	flat := plot.Align(plots, tiles, c)
	heads := make([][]head, tiles.Rows)
	titleSize, highest := vg.Length(12), vg.Length(0)
	if tiles.Cols > 1 {
		titleSize = 10
	}
	for i, row := range p.panels {
		heads[i] = make([]head, tiles.Cols)
		for j, panel := range row {
			if panel == nil {
				continue
			}
			data := panel.plot.DataCanvas(flat[i][j])
			heads[i][j] = panel.head(data.Size().X, titleSize)
			highest = max(highest, heads[i][j].height())
		}
	}
	tiles.PadTop, tiles.PadY = tiles.PadTop+highest, 12+highest
	aligned := plot.Align(plots, tiles, c)
	var places []place
	for i, row := range p.panels {
		for j, panel := range row {
			if panel == nil {
				continue
			}
			at := place{panel: panel, head: heads[i][j], whole: aligned[i][j], data: panel.plot.DataCanvas(aligned[i][j])}
			centre, top := at.data.Center().X, at.whole.Max.Y
			at.above = vg.Rectangle{
				Min: vg.Point{X: centre - at.head.width()/2, Y: top},
				Max: vg.Point{X: centre + at.head.width()/2, Y: top + at.head.height()},
			}
			if !at.fits(c) {
				return nil, fmt.Errorf("%w: %g × %g inches leave too little room for the labels, or for the data beside them", ErrSize, p.Width, p.Height)
			}
			places = append(places, at)
		}
	}
	return places, nil
}

// fits tells whether data and labels have room in c. The plot turns inside out where
// its labels leave none.
func (at place) fits(c draw.Canvas) bool {
	size, x, y := at.data.Size(), at.panel.plot.X, at.panel.plot.Y
	for _, name := range at.panel.categories {
		if x.Tick.Label.Width(name) > size.X/vg.Length(len(at.panel.categories)) {
			return false
		}
	}
	return size.X >= minData && size.Y >= minData && within(at.data.Rectangle, c.Rectangle) && within(at.above, c.Rectangle) &&
		x.Label.TextStyle.Width(x.Label.Text) <= at.whole.Size().X && y.Label.TextStyle.Width(y.Label.Text) <= at.whole.Size().Y
}

// within tells whether a lies in b, to a hundredth of a point.
func within(a, b vg.Rectangle) bool {
	return a.Min.X > b.Min.X-0.01 && a.Min.Y > b.Min.Y-0.01 && a.Max.X < b.Max.X+0.01 && a.Max.Y < b.Max.Y+0.01
}

func (p *Picture) draw(c draw.Canvas) error {
	places, err := p.layout(c)
	if err != nil {
		return err
	}
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	for _, at := range places {
		at.panel.plot.Draw(at.whole)
		at.drawHead(c)
	}
	return nil
}

func (at place) drawHead(c draw.Canvas) {
	centre, y := (at.above.Min.X+at.above.Max.X)/2, at.above.Max.Y
	step := leading * at.head.style.FontExtents().Height
	for _, line := range at.head.title {
		y -= step
		c.FillText(at.head.style, vg.Point{X: centre, Y: y + at.head.style.FontExtents().Descent}, line)
	}
	extents := legendStyle.FontExtents()
	for _, line := range at.head.legend {
		y -= leading * extents.Height
		x := centre - lineWidth(line)/2
		for _, e := range line {
			sample := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + e.space, Y: y + extents.Height},
			}}
			for _, s := range e.sample {
				s.Thumbnail(&sample)
			}
			c.FillText(legendStyle, vg.Point{X: x + e.space + sampleGap, Y: y + extents.Descent}, e.name)
			x += e.width() + entryGap
		}
	}
}
