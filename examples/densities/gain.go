package main

import (
	"context"
	"fmt"
	"io"

	"coles/eval"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	perClass = 20
	splits   = 20
)

// gain draws the difference in accuracy between the two objectives against ΔH.
func gain(ctx context.Context, o options, stdout io.Writer, progress func(string, ...any)) error {
	problems, err := o.problems(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, "| graph | ΔH | SampledNCE | COLES-GCN | gain |\n|---|--:|--:|--:|--:|\n")
	var dots plotter.XYs
	var names []string
	for _, p := range problems {
		delta, err := excessHomophily(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		drawn, err := p.RandomSplits(perClass, splits, o.seed)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		var accuracy []float64
		for _, r := range rivals {
			progress("%s: training by %s", p.Name, r.name)
			y, err := r.embed(ctx, o, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			c, err := eval.Classify(ctx, y, p.Labels, drawn)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			accuracy = append(accuracy, c.Mean)
		}
		gained := accuracy[1] - accuracy[0]
		fmt.Fprintf(stdout, "| %s | %.2f | %.1f | %.1f | %+.1f |\n", p.Name, delta, accuracy[0], accuracy[1], gained)
		dots, names = append(dots, plotter.XY{X: delta, Y: gained}), append(names, p.Name)
	}
	p, err := gainPanel(dots, names)
	if err != nil {
		return err
	}
	return write([][]*plot.Plot{{p}}, o.out, stdout)
}

// excessHomophily is ΔH = H(G⁺) − H(G⁻), that of random pairs by its expectation.
func excessHomophily(p problem) (float64, error) {
	h, err := eval.NodeHomophily(p.graph, p.Labels)
	if err != nil {
		return 0, err
	}
	random, err := eval.ExpectedHomophily(p.Labels)
	return h - random, err
}

func gainPanel(dots plotter.XYs, names []string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("COLES-GCN over GCN+SampledNCE, %d labels per class", perClass)
	p.X.Label.Text, p.Y.Label.Text = "ΔH, homophily less that of random pairs", "gain in accuracy, points"
	scatter, err := plotter.NewScatter(dots)
	if err != nil {
		return nil, err
	}
	scatter.Color, scatter.Shape, scatter.Radius = styles[0].Color, draw.CircleGlyph{}, vg.Points(3)
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: dots, Labels: names})
	if err != nil {
		return nil, err
	}
	labels.Offset = vg.Point{X: vg.Points(5), Y: vg.Points(4)}
	p.Add(plotter.NewGrid(), scatter, labels)
	width, height := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	p.X.Min, p.X.Max = p.X.Min-0.05*width-0.01, p.X.Max+0.3*width+0.05 // room for the names
	p.Y.Min, p.Y.Max = min(0, p.Y.Min-0.05*height), max(0, p.Y.Max+0.1*height)
	return p, nil
}
