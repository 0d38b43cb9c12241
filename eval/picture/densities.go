package picture

import (
	"context"
	"fmt"

	"coles/eval"

	"gonum.org/v1/plot/plotter"
)

// A Sample is numbers whose density is drawn.
type Sample struct {
	Name   string // in the legend
	Values []float64
}

// densityPoints is the number of points of the curve of a density.
const densityPoints = 300

// Densities draws the densities of samples by [eval.ParzenDensity], each with its own
// [eval.SilvermanBandwidth], over one grid. Of the scores u·v of joined pairs and of
// others it is the picture of figure 1 of the COLES paper. The label of the y axis is
// "density" where a has none.
//
// Errors: [ErrEmpty], those of package eval, [eval.ErrBandwidth] among them for a
// sample without spread, and ctx.Err().
func Densities(ctx context.Context, a Axes, samples ...Sample) (*Picture, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
	}
	values := make([][]float64, len(samples))
	for i, s := range samples {
		if values[i] = s.Values; len(s.Values) == 0 {
			return nil, fmt.Errorf("%w: sample %d, %q", ErrEmpty, i, s.Name)
		}
	}
	grid, err := eval.DensityGrid(densityPoints, 0, values...)
	if err != nil {
		return nil, fmt.Errorf("picture: densities: %w", err)
	}
	b := emptyBox()
	curves := make([]plotter.XYs, len(samples))
	for i, s := range samples {
		density, err := eval.ParzenDensity(ctx, s.Values, grid, 0)
		if err != nil {
			return nil, fmt.Errorf("picture: densities: %q: %w", s.Name, err)
		}
		for q, x := range grid {
			curves[i] = append(curves[i], plotter.XY{X: x, Y: density[q]})
		}
		b.include(curves[i]...)
	}
	if a.Y == "" {
		a.Y = "density"
	}
	a.FromZero = !a.LogY
	p, err := a.panel(b)
	if err != nil {
		return nil, err
	}
	for i, s := range samples {
		line := &plotter.Line{XYs: curves[i], LineStyle: stroke(i), FillColor: tint(i)}
		p.plot.Add(line)
		p.describe(s.Name, lineSpace, line)
	}
	return single(p), nil
}
