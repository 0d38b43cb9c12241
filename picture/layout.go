package picture

import (
	"image/color"
	"math"
	"strings"

	"coles/internal/setting"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panel is a plot with its title and legend, which stand above it.
type panel struct {
	plot       *plot.Plot
	title      string
	legend     []entry
	categories []string // along the x axis, if any
	extent     *box     // of a map, whose axes get the same scale; else nil
	unit       float64  // of that scale, in units of the axes per point
}

// An entry of a legend is a name with a sample of its line or glyph.
type entry struct {
	name   string
	space  vg.Length // of the sample
	sample []plot.Thumbnailer
}

// describe adds an entry, unless it has no name.
func (p *panel) describe(name string, space vg.Length, sample ...plot.Thumbnailer) {
	if name = clean(name); name != "" {
		if letters := []rune(name); len(letters) > maxName {
			name = string(letters[:maxName-1]) + "…"
		}
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
	minData    = vg.Length(36) // least side of the data area, half an inch
	outerPad   = vg.Length(8)  // around everything
	maxName    = 40            // letters of an entry
)

// A head is the text above the data: lines of the title, then of the legend.
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

// broken breaks items into as few lines as possible, each of about as many items: full lines with a
// short last one look like a mistake.
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

func (h head) height() vg.Length {
	return vg.Length(len(h.title))*leading*h.style.FontExtents().Height +
		vg.Length(len(h.legend))*leading*legendStyle.FontExtents().Height + 4
}

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
	row, column int
	panel       *panel
	head        head
	above       vg.Rectangle // for the head
	whole       draw.Canvas  // for the plot with its axes
	data        draw.Canvas  // the part of whole for the data
}

// layout finds the places of all panels. Data areas line up, every row has room for the highest
// head above it, and the titles of a row begin at the same height.
func (p *Picture) layout(c draw.Canvas) ([]*place, error) {
	tiles := draw.Tiles{Rows: len(p.panels), Cols: len(p.panels[0]), PadX: 16, PadTop: outerPad, PadBottom: outerPad, PadLeft: outerPad, PadRight: 14}
	plots, places := make([][]*plot.Plot, tiles.Rows), []*place{}
	for i, row := range p.panels {
		plots[i] = make([]*plot.Plot, tiles.Cols)
		for j, panel := range row {
			if panel != nil {
				panel = panel.copied()
				plots[i][j] = panel.plot
				places = append(places, &place{row: i, column: j, panel: panel})
			}
		}
	}
	// Widths come first: the lines of the heads depend on them.
	flat := plot.Align(plots, tiles, c)
	titleSize, highest, highestOf := vg.Length(12), vg.Length(0), make([]vg.Length, tiles.Rows)
	if tiles.Cols > 1 {
		titleSize = 10
	}
	for _, at := range places {
		at.head = at.panel.head(at.panel.plot.DataCanvas(flat[at.row][at.column]).Size().X, titleSize)
		highestOf[at.row] = max(highestOf[at.row], at.head.height())
		highest = max(highest, highestOf[at.row])
	}
	tiles.PadTop, tiles.PadY = tiles.PadTop+highest, 12+highest
	aligned := plot.Align(plots, tiles, c)
	const rounds = 4 // another range has other labels, and these another width
	for range rounds {
		for _, at := range places {
			at.panel.scaleEqually(at.panel.plot.DataCanvas(aligned[at.row][at.column]).Size())
		}
		aligned = plot.Align(plots, tiles, c)
	}
	tops := make([]vg.Length, tiles.Rows) // labels at the end of an axis stick out of some
	for _, at := range places {
		tops[at.row] = max(tops[at.row], aligned[at.row][at.column].Max.Y+highestOf[at.row])
	}
	for _, at := range places {
		at.whole = aligned[at.row][at.column]
		at.data = at.panel.plot.DataCanvas(at.whole)
		centre, top := at.data.Center().X, tops[at.row]
		at.above = vg.Rectangle{
			Min: vg.Point{X: centre - at.head.width()/2, Y: top - at.head.height()},
			Max: vg.Point{X: centre + at.head.width()/2, Y: top},
		}
		if !at.fits(c) {
			return nil, p.tooSmall()
		}
	}
	return places, nil
}

func (p *Picture) tooSmall() error {
	return setting.Bad("Width, Height", [2]float64{p.Width, p.Height}, "more inches: there is too little room for the labels or the data")
}

// copied is a panel whose ranges may be changed: a picture may be drawn by several goroutines.
func (p *panel) copied() *panel {
	fresh, plot := *p, *p.plot
	fresh.plot = &plot
	return &fresh
}

// scaleEqually widens the ranges of a map, so that both axes have the same scale on a data area of
// a size. The unit never shrinks: labels that come and go with it would not come to rest.
func (p *panel) scaleEqually(size vg.Point) {
	if p.extent == nil || size.X <= 0 || size.Y <= 0 {
		return
	}
	x, y := p.extent.x, p.extent.y
	p.unit = max(p.unit, (x.hi-x.lo)/float64(size.X), (y.hi-y.lo)/float64(size.Y))
	wideX, wideY := x.around(p.unit*float64(size.X)), y.around(p.unit*float64(size.Y))
	if wideX.narrow() || wideY.narrow() || math.IsInf(wideX.hi-wideX.lo, 0) || math.IsInf(wideY.hi-wideY.lo, 0) {
		return // such ranges have no ticks: panel has chosen others
	}
	p.plot.X.Min, p.plot.X.Max, p.plot.Y.Min, p.plot.Y.Max = wideX.lo, wideX.hi, wideY.lo, wideY.hi
}

// fits reports whether data and labels have room in c: a plot without room turns inside out.
func (at *place) fits(c draw.Canvas) bool {
	size, x, y := at.data.Size(), at.panel.plot.X, at.panel.plot.Y
	for _, name := range at.panel.categories {
		if x.Tick.Label.Width(name) > size.X/vg.Length(len(at.panel.categories)) {
			return false
		}
	}
	return size.X >= minData && size.Y >= minData && within(at.data.Rectangle, c.Rectangle) && within(at.above, c.Rectangle) &&
		x.Label.TextStyle.Width(x.Label.Text) <= at.whole.Size().X && y.Label.TextStyle.Width(y.Label.Text) <= at.whole.Size().Y
}

// within reports whether a lies in b, to a hundredth of a point.
func within(a, b vg.Rectangle) bool {
	return a.Min.X > b.Min.X-0.01 && a.Min.Y > b.Min.Y-0.01 && a.Max.X < b.Max.X+0.01 && a.Max.Y < b.Max.Y+0.01
}

func (p *Picture) draw(c draw.Canvas) error {
	shared, below := p.split(c)
	places, err := p.layout(below)
	if err != nil {
		return err
	}
	if shared.head.width() > c.Size().X {
		return p.tooSmall()
	}
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	shared.drawHead(c)
	for _, at := range places {
		at.panel.plot.Draw(at.whole)
		at.drawHead(c)
	}
	return nil
}

// split divides a canvas into what the legend of all panels takes and the rest.
func (p *Picture) split(c draw.Canvas) (shared *place, below draw.Canvas) {
	shared = &place{head: p.head(c.Size().X), above: c.Rectangle}
	shared.above.Max.Y -= outerPad
	if p.legend != nil {
		c = draw.Crop(c, 0, 0, 0, -shared.head.height())
	}
	return shared, c
}

func (at *place) drawHead(c draw.Canvas) {
	centre, y := (at.above.Min.X+at.above.Max.X)/2, at.above.Max.Y
	extents := at.head.style.FontExtents()
	for _, line := range at.head.title {
		y -= leading * extents.Height
		c.FillText(at.head.style, vg.Point{X: centre, Y: y + extents.Descent}, line)
	}
	extents = legendStyle.FontExtents()
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

// palette begins with the palette of Okabe and Ito (2008), for any colour vision; yellow is faint on white.
// Twelve more are for maps, whose glyphs may be too small to distinguish by shape.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0xf0, 0xe4, 0x42, 0xff},
	{0x6a, 0x3d, 0x9a, 0xff}, {0x99, 0x1b, 0x1e, 0xff}, {0x8a, 0xc9, 0x26, 0xff}, {0x7f, 0x4f, 0x24, 0xff},
	{0xff, 0x2e, 0x93, 0xff}, {0x00, 0x4d, 0x2c, 0xff}, {0x1b, 0x2a, 0x8a, 0xff}, {0xc0, 0x00, 0xfc, 0xff},
	{0x00, 0xd0, 0xb0, 0xff}, {0xf0, 0xb4, 0xfc, 0xff}, {0x30, 0x24, 0xfc, 0xff}, {0xc0, 0xb4, 0xa8, 0xff},
}

var (
	grey      = color.NRGBA{0x80, 0x80, 0x80, 0xff}
	edgeGrey  = color.NRGBA{0x80, 0x80, 0x80, 0x60}
	lightGrey = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// glyphs and dashes distinguish series without colour. Twenty colours, seven glyphs and three dashes
// have no common factor: 420 series look different.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{},
}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}}

func colour(i int) color.NRGBA { return palette[i%len(palette)] }

// grade is a colour of a scale, light yellow at 0 and dark blue at 1.
func grade(share float64) color.NRGBA {
	between := func(from, to float64) uint8 { return uint8(from + share*(to-from)) }
	return color.NRGBA{between(0xf0, 0x1b), between(0xd0, 0x2a), between(0x50, 0x8a), 0xff}
}

// tint is the colour of bands and areas.
func tint(i int) color.NRGBA {
	c := colour(i)
	c.A = 0x2a
	return c
}

func glyph(i int, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(i), Shape: glyphs[i%len(glyphs)], Radius: radius}
}

func stroke(i int) draw.LineStyle {
	return draw.LineStyle{Color: colour(i), Width: vg.Points(1.5), Dashes: dashes[i%len(dashes)]}
}

// writing is the style of text above the data.
func writing(size vg.Length, align text.XAlignment) text.Style {
	return text.Style{Color: color.Black, Handler: plot.DefaultTextHandler, XAlign: align, Font: sans(size)}
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}
