package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strings"

	"coles/dataset"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colours are Okabe and Ito's (2008), which readers with any colour vision
// can tell apart.
var (
	blue = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	grey = color.RGBA{0x80, 0x80, 0x80, 0xff}
)

// picture writes a drawing of the time of Fit over the edges, both on
// logarithmic axes, beside the line of linear growth.
func picture(rows []row, path string) error {
	measured := make(plotter.XYs, len(rows))
	for i, r := range rows {
		measured[i] = plotter.XY{X: float64(r.Edges), Y: r.fit()}
		if r.Edges == 0 || r.fit() <= 0 {
			return fmt.Errorf("cannot draw %s: %d nodes with %d edges have no place on logarithmic axes", path, r.Nodes, r.Edges)
		}
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("coles.Fit: %d features, %d columns, %d hops", rows[0].Features, rows[0].Dim, rows[0].Hops)
	p.X.Label.Text, p.Y.Label.Text = "edges", "seconds"
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.TickerFunc(ticks)
	}
	p.Legend.Top, p.Legend.Left = true, true
	linear, err := plotter.NewLine(proportional(measured))
	if err != nil {
		return err
	}
	linear.Color, linear.Dashes = grey, []vg.Length{vg.Points(4), vg.Points(3)}
	line, points, err := plotter.NewLinePoints(measured)
	if err != nil {
		return err
	}
	line.Color, points.Color, points.Shape = blue, blue, draw.CircleGlyph{}
	p.Add(linear, line, points)
	p.Legend.Add("measured", line, points)
	p.Legend.Add("proportional to the edges", linear)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} { // room around the points
		axis.Min, axis.Max = axis.Min/1.2, axis.Max*1.2
	}
	drawing, err := p.WriterTo(7*vg.Inch, 5*vg.Inch, strings.TrimPrefix(filepath.Ext(path), "."))
	if err != nil {
		return fmt.Errorf("cannot draw %s: %w", path, err)
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		_, err := drawing.WriteTo(w)
		return err
	})
}

// proportional is the line y = c·x through the middle of the points, from the
// first x to the last.
func proportional(points plotter.XYs) plotter.XYs {
	c, lo, hi := 0.0, math.Inf(1), math.Inf(-1)
	for _, p := range points {
		c += math.Log(p.Y/p.X) / float64(len(points))
		lo, hi = min(lo, p.X), max(hi, p.X)
	}
	return plotter.XYs{{X: lo, Y: lo * math.Exp(c)}, {X: hi, Y: hi * math.Exp(c)}}
}

// ticks are at 1, 2 and 5 times the powers of ten.
func ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
		for _, v := range []float64{power, 2 * power, 5 * power} {
			if lo <= v && v <= hi {
				out = append(out, plot.Tick{Value: v, Label: number(v)})
			}
		}
	}
	return out
}

// number spells 2,000,000 as 2 M.
func number(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.4g M", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.4g k", v/1e3)
	}
	return fmt.Sprintf("%.4g", v)
}
