// Package picture draws embeddings and measurements. [Places] shows the rows of an embedding by two coordinates, such as
// those of [coles/plane.TSNE] or [coles/plane.PCA], and [Drawing] adds the edges of a graph. [Curves] show accuracy or loss by
// anything, with bands of error, and [Scatter] points with names.
//
// Each returns a [Picture], which is written as SVG, PNG or PDF; [Grid] puts several side by side.
// Lines differ by dashes and glyphs as well as by colour, for greyscale and any colour vision.
// Title and legend stand above the data and never cover it. The same input gives the same SVG and
// PNG, byte for byte; a PDF names the time it was made.
//
// The drawing is gonum/plot's: programs that do not import this package do not link it. Errors are those of package coles.
package picture

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"coles"
	"coles/dataset"
	"coles/internal/setting"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture is a drawing in one panel or, by [Grid], several, made by a function of this package.
// It may be written any number of times, and by several goroutines.
type Picture struct {
	// Width and Height are in inches, at most 40. A PNG has 150 pixels to the inch.
	Width, Height float64

	panels [][]*panel // rows of the same length; nil for an empty place
	legend []entry    // that all panels have in common
}

const maxInches, pngDPI = 40, 150

func single(p *panel) *Picture {
	return &Picture{Width: 7, Height: 5, panels: [][]*panel{{p}}}
}

// A Format is a file format of pictures, named as the ending of its files.
type Format string

// The formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
)

// FormatOf returns the format that the ending of a file name stands for, in capitals or not.
//
// Errors: [coles.ErrSetting].
func FormatOf(path string) (Format, error) {
	switch f := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))); f {
	case SVG, PNG, PDF:
		return f, nil
	}
	return "", setting.Bad("path", path, "an end of .svg, .png or .pdf")
}

// WriteFile writes the picture to a file, in the format that its ending names. An existing file is
// replaced only when the picture is complete, by [dataset.WriteFile].
//
// Errors: as [Picture.Write], and of the file system.
func (p *Picture) WriteFile(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		if err := p.Write(w, format); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// Write writes the picture to w, once it is drawn as a whole. An SVG is a single element without a
// prologue, as HTML pages take it.
//
// Errors: [coles.ErrSetting] for an unknown format, for a size outside (0, 40] inches and for one
// too small for the labels and the data; and w's.
func (p *Picture) Write(w io.Writer, format Format) error {
	for _, inches := range []float64{p.Width, p.Height} {
		if !(inches > 0 && inches <= maxInches) {
			return setting.Bad("Width, Height", [2]float64{p.Width, p.Height}, "more than 0 and at most %d inches", maxInches)
		}
	}
	width, height := vg.Length(p.Width)*vg.Inch, vg.Length(p.Height)*vg.Inch
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.New(width, height)
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))}
	case PDF:
		canvas = vgpdf.New(width, height)
	default:
		return setting.Bad("format", format, "svg, png or pdf")
	}
	if err := p.draw(draw.NewCanvas(canvas, width, height)); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	drawn := b.Bytes()
	if format == SVG {
		drawn = drawn[max(0, bytes.Index(drawn, []byte("<svg"))):]
		// Browsers without the font take one of the same widths. Labels do not match: their quotes
		// are escaped.
		drawn = bytes.ReplaceAll(drawn, []byte(`"font-family:Liberation Sans;`), []byte(`"font-family:Liberation Sans,Arial,Helvetica,sans-serif;`))
	}
	_, err := w.Write(drawn)
	return err
}

// Grid puts pictures of one panel each into rows of the same length, with their data areas aligned.
// nil leaves a place empty. The sizes of the pictures do not count. Maps of the same classes have
// one legend, above all, which adds to the height.
//
// Errors: [coles.ErrShape] without a picture, for rows that differ in length, and for a picture of
// several panels.
func Grid(rows ...[]*Picture) (*Picture, error) {
	g := &Picture{}
	some := false
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%w: row %d has %d pictures, row 0 has %d", coles.ErrShape, i, len(row), len(rows[0]))
		}
		panels := make([]*panel, len(row))
		for j, p := range row {
			switch {
			case p == nil:
			case len(p.panels) != 1 || len(p.panels[0]) != 1:
				return nil, fmt.Errorf("%w: row %d, picture %d is not of one panel", coles.ErrShape, i, j)
			default:
				panels[j], some = p.panels[0][0], true
			}
		}
		g.panels = append(g.panels, panels)
	}
	if !some {
		return nil, fmt.Errorf("%w: no picture", coles.ErrShape)
	}
	g.Width = min(5.2*float64(len(rows[0])), maxInches)
	if len(rows[0]) == 1 {
		g.Width = 7
	}
	g.shareLegend()
	g.Height = min(3.6*float64(len(rows))+float64(g.head(vg.Length(g.Width)*vg.Inch).height()/vg.Inch), maxInches)
	return g, nil
}

// shareLegend moves a legend that all panels have from these to the picture.
func (p *Picture) shareLegend() {
	all := slices.DeleteFunc(slices.Concat(p.panels...), func(one *panel) bool { return one == nil })
	for _, one := range all {
		if one.extent == nil || !reflect.DeepEqual(one.legend, all[0].legend) {
			return
		}
	}
	p.legend = all[0].legend
	for _, row := range p.panels {
		for j, one := range row {
			if one != nil {
				row[j] = one.copied()
				row[j].legend = nil
			}
		}
	}
}

// head is the legend of all panels as it stands above a picture of a width.
func (p *Picture) head(width vg.Length) head {
	return (&panel{legend: p.legend}).head(width-2*outerPad, 10)
}
