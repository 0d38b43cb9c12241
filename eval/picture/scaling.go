package picture

import (
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scaling draws measurements over sizes, both logarithmic whatever a says, beside the
// line y = c·x of proportional growth through the middle of the first series: c is the
// geometric mean of its y/x.
//
// Errors: those of [Curves], [ErrNotPositive] for any number that is not.
func Scaling(a Axes, measured ...Series) (*Picture, error) {
	a.LogX, a.LogY, a.Categories = true, true, nil
	p, series, err := a.curves(measured)
	if err != nil {
		return nil, err
	}
	// Sizes that double or rise tenfold by themselves make poor ticks beside times.
	p.plot.X.Tick.Marker = p.plot.Y.Tick.Marker
	line := &plotter.Line{
		XYs:       proportional(series[0].points, p.plot.X.Min, p.plot.X.Max),
		LineStyle: draw.LineStyle{Color: grey, Width: vg.Points(1), Dashes: []vg.Length{4, 3}},
	}
	p.plot.Add(line)
	p.describe("proportional growth", lineSpace, line)
	return single(p), nil
}

// proportional is the line y = c·x through the middle of the points, on logarithmic
// axes, from one x to another.
func proportional(points plotter.XYs, from, to float64) plotter.XYs {
	c := 0.0
	for _, p := range points {
		c += (math.Log(p.Y) - math.Log(p.X)) / float64(len(points))
	}
	at := func(x float64) plotter.XY { // within what has a logarithm
		return plotter.XY{X: x, Y: min(1e300, max(1e-300, math.Exp(math.Log(x)+c)))}
	}
	return plotter.XYs{at(from), at(to)}
}
