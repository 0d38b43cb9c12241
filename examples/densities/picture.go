package main

import (
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"coles/dataset"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// styles are told apart by dashes as well as by colour (Okabe and Ito's, 2008).
var styles = []draw.LineStyle{
	{Color: color.RGBA{0x00, 0x72, 0xb2, 0xff}, Width: vg.Points(1.5)},
	{Color: color.RGBA{0xd5, 0x5e, 0x00, 0xff}, Width: vg.Points(1.5), Dashes: []vg.Length{vg.Points(5), vg.Points(3)}},
}

// write draws panels in rows and says where.
func write(panels [][]*plot.Plot, path string, stdout io.Writer) error {
	rows, cols := len(panels), len(panels[0])
	width, height := vg.Length(cols)*4.6*vg.Inch, vg.Length(rows)*3.2*vg.Inch
	if rows*cols == 1 {
		width, height = 7*vg.Inch, 5*vg.Inch
	}
	canvas, err := draw.NewFormattedCanvas(width, height, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	tiles := draw.Tiles{Rows: rows, Cols: cols, PadX: vg.Points(12), PadY: vg.Points(12), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12)}
	for i, row := range plot.Align(panels, tiles, draw.New(canvas)) {
		for j, tile := range row {
			panels[i][j].Draw(tile)
		}
	}
	if err := dataset.WriteFile(path, func(w io.Writer) error {
		_, err := canvas.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\n%s\n", path)
	return err
}
