package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is Okabe and Ito's (2008), which readers with any colour vision can tell
// apart; yellow is the last for being faint on white.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0xf0, 0xe4, 0x42, 0xff},
}

var (
	grey      = color.NRGBA{0x80, 0x80, 0x80, 0xff}
	lightGrey = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// glyphs and dashes do without colour. Eight colours, seven glyphs and five dashes
// have no common factor: 280 series look different.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{},
}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}}

func colour(i int) color.NRGBA { return palette[i%len(palette)] }

// tint is the colour of what lies below curves.
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

// writing is the style of all text; where it stands is given with XAlign.
func writing(size vg.Length, align text.XAlignment) text.Style {
	return text.Style{
		Color: color.Black, Handler: plot.DefaultTextHandler, XAlign: align,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
	}
}
