package picture

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"coles/dataset"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture is a drawing in one panel or, by [Grid], several. It may be written any
// number of times, and from several goroutines.
type Picture struct {
	// Width and Height are in inches, at most 40. A PNG has 150 pixels to the inch.
	Width, Height float64

	panels [][]*panel // rows of the same length; nil where nothing stands
}

const (
	maxInches = 40
	pngDPI    = 150
)

func single(p *panel) *Picture {
	return &Picture{Width: 7, Height: 5, panels: [][]*panel{{p}}}
}

// A Format is a file format of pictures, by the ending of its file names.
type Format string

// The formats there are.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
)

// FormatOf returns the format that the ending of a file name stands for, in capitals
// or not.
//
// Errors: [ErrFormat].
func FormatOf(path string) (Format, error) {
	switch f := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))); f {
	case SVG, PNG, PDF:
		return f, nil
	}
	return "", fmt.Errorf("%w: %s ends in none of .svg, .png and .pdf", ErrFormat, path)
}

// Write writes the picture to w. An SVG is a single element without a prologue, so
// that it can stand in an HTML page as it is.
//
// Nothing is written before the whole picture is drawn. Errors: [ErrFormat],
// [ErrSize], [ErrEmpty] for a Picture that is none of this package's or a nil writer, and
// those of w.
func (p *Picture) Write(w io.Writer, format Format) error {
	drawn, err := p.bytes(format)
	if err != nil {
		return err
	}
	if w == nil {
		return fmt.Errorf("%w: the writer is nil", ErrEmpty)
	}
	_, err = w.Write(drawn)
	return err
}

// WriteFile writes the picture to a file, in the format its ending names. What stood
// there is replaced only when the picture is complete ([dataset.WriteFile]).
//
// Errors: those of [Picture.Write] and of the file system.
func (p *Picture) WriteFile(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	drawn, err := p.bytes(format)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(drawn)
		return err
	})
}

func (p *Picture) bytes(format Format) ([]byte, error) {
	if p == nil || len(p.panels) == 0 {
		return nil, fmt.Errorf("%w: a picture that no function of this package made", ErrEmpty)
	}
	for _, inches := range []float64{p.Width, p.Height} {
		if !(inches > 0 && inches <= maxInches) {
			return nil, fmt.Errorf("%w: %g × %g inches, want more than 0 and at most %d", ErrSize, p.Width, p.Height, maxInches)
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
		return nil, fmt.Errorf("%w: %q is none of svg, png and pdf", ErrFormat, format)
	}
	if err := p.draw(draw.NewCanvas(canvas, width, height)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	drawn := b.Bytes()
	if format == SVG {
		drawn = drawn[max(0, bytes.Index(drawn, []byte("<svg"))):]
		// Browsers without the font of the measurements take one of its widths. Quotes in
		// labels are escaped, so that no label is meant.
		drawn = bytes.ReplaceAll(drawn, []byte(`"font-family:Liberation Sans;`), []byte(`"font-family:Liberation Sans,Arial,Helvetica,sans-serif;`))
	}
	return drawn, nil
}

// Grid puts pictures of one panel each into rows of the same length, with their data
// areas aligned. nil leaves a place empty. The pictures stay as they are; their sizes
// do not count.
//
// Errors: [ErrEmpty] without a picture, [ErrLength] for rows that differ or a picture
// of several panels.
func Grid(rows ...[]*Picture) (*Picture, error) {
	g := &Picture{}
	some := false
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("%w: row %d has %d pictures, row 0 has %d", ErrLength, i, len(row), len(rows[0]))
		}
		panels := make([]*panel, len(row))
		for j, p := range row {
			if p == nil {
				continue
			}
			if len(p.panels) != 1 || len(p.panels[0]) != 1 {
				return nil, fmt.Errorf("%w: row %d, picture %d is not of one panel", ErrLength, i, j)
			}
			panels[j], some = p.panels[0][0], true
		}
		g.panels = append(g.panels, panels)
	}
	if !some {
		return nil, fmt.Errorf("%w: no picture", ErrEmpty)
	}
	g.Width, g.Height = 5.2*float64(len(rows[0])), 3.6*float64(len(rows))
	if len(rows[0]) == 1 {
		g.Width = 7
	}
	g.Width, g.Height = math.Min(g.Width, maxInches), math.Min(g.Height, maxInches)
	return g, nil
}
