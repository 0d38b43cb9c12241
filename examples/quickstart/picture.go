package main

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is Okabe and Ito's (2008), which readers with any colour vision can tell apart.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0xf0, 0xe4, 0x42, 0xff},
}

// shapes tell classes apart without colour.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{}}

// draw2D writes a picture of an embedding, a glyph per node: the two main
// directions of its rows, brought to unit length because it is the direction of
// a row that tells its class.
func draw2D(ctx context.Context, y mat.Matrix, labels []int, path string) error {
	prepare, err := coles.FitPreparation(y, coles.PrepareRowL2)
	if err != nil {
		return err
	}
	unit, err := prepare.Apply(y)
	if err != nil {
		return err
	}
	xy, err := eval.PCA(ctx, unit, 2)
	if err != nil {
		return err
	}
	byClass := make(map[int]plotter.XYs)
	last := 0
	for i, l := range labels {
		byClass[l] = append(byClass[l], plotter.XY{X: xy.At(i, 0), Y: xy.At(i, 1)})
		last = max(last, l)
	}
	p := plot.New()
	p.Title.Text = "COLES embedding: rows of unit length, main directions"
	p.X.Label.Text, p.Y.Label.Text = "first principal component", "second principal component"
	p.Legend.Top = true
	for l := 0; l <= last; l++ {
		points := byClass[l]
		if len(points) == 0 {
			continue
		}
		s, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		s.Color, s.Shape, s.Radius = palette[l%len(palette)], shapes[l%len(shapes)], vg.Points(2)
		p.Add(s)
		p.Legend.Add(fmt.Sprintf("class %d", l), s)
	}
	// Room on the right for the legend, so that it covers no node.
	p.X.Max += 0.18 * (p.X.Max - p.X.Min)
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	picture, err := p.WriterTo(8*vg.Inch, 6*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}
