package main

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"coles/dataset"
	"coles/gnn"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours are two of Okabe and Ito's (2008), which readers with any colour vision
// can tell apart; the curves have panels of their own anyway.
var (
	blue       = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	vermillion = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
)

// curves are a training, epoch by epoch.
type curves struct{ loss, score plotter.XYs }

func (c *curves) add(p gnn.Progress) {
	epoch := float64(p.Epoch)
	c.loss = append(c.loss, plotter.XY{X: epoch, Y: p.Loss})
	c.score = append(c.score, plotter.XY{X: epoch, Y: 100 * p.Score})
}

// draw writes a picture of both curves, one above the other.
func (c *curves) draw(path string) error {
	loss, err := panel("COLES-GCN: −Tr(HᵀΔWH)/n + β‖HᵀH/n − I‖²/d′", "loss", c.loss, blue)
	if err != nil {
		return err
	}
	score, err := panel("", "validation accuracy, %", c.score, vermillion)
	if err != nil {
		return err
	}
	score.X.Label.Text = "epoch"
	format := strings.TrimPrefix(filepath.Ext(path), ".")
	canvas, err := draw.NewFormattedCanvas(7*vg.Inch, 7*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	panels := [][]*plot.Plot{{loss}, {score}}
	tiles := draw.Tiles{Rows: 2, Cols: 1, PadY: vg.Points(12), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12)}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		panels[i][0].Draw(row[0])
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		_, err := canvas.WriteTo(w)
		return err
	})
}

func panel(title, label string, points plotter.XYs, c color.Color) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = title, label
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, err
	}
	line.Color, dots.Color, dots.Shape, dots.Radius = c, c, draw.CircleGlyph{}, vg.Points(2)
	p.Add(plotter.NewGrid(), line, dots)
	return p, nil
}
