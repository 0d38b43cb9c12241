package main

import (
	"context"

	"coles"
	"coles/examples/internal/tsne"

	"gonum.org/v1/gonum/mat"
)

// A cloud is a sample of the nodes of a data set in two dimensions, for the page.
type cloud struct {
	Title string
	Dots  []dot
}

// A dot is a node; its style is its class.
type dot struct {
	X, Y  float64
	Style int
}

// drawClouds places the nodes of a data set by their features and by the default embedding.
func drawClouds(ctx context.Context, p *problem) ([]cloud, error) {
	m, err := coles.Fit(ctx, p.graph, p.Features)
	if err != nil {
		return nil, err
	}
	rows := tsne.Sample(p.Nodes(), splitSeed)
	var both []cloud
	for _, side := range []struct {
		name string
		x    mat.Matrix
	}{{"raw features", p.Features}, {"COLES-S2GC", m.Embedding()}} {
		xy, err := tsne.Places(ctx, side.x, rows, splitSeed)
		if err != nil {
			return nil, err
		}
		c := cloud{Title: p.Name + ", " + side.name}
		scale := min(frame.Width, frame.Height) / 2 / (1.05 * mat.Max(absolute(xy)))
		for k, i := range rows {
			x, y := frame.Width/2+scale*xy.At(k, 0), frame.Height/2-scale*xy.At(k, 1)
			c.Dots = append(c.Dots, dot{round(x, 1), round(y, 1), max(0, p.Labels[i]) % len(marks)})
		}
		both = append(both, c)
	}
	return both, nil
}

func absolute(x *mat.Dense) *mat.Dense {
	var a mat.Dense
	a.Apply(func(_, _ int, v float64) float64 { return max(v, -v) }, x)
	return &a
}
