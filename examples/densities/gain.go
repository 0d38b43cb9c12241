package main

import (
	"context"
	"fmt"
	"io"

	"coles/eval"
	"coles/eval/picture"
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
	var marks []picture.Mark
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
		marks = append(marks, picture.Mark{Name: p.Name, X: delta, Y: gained})
	}
	drawn, err := picture.Scatter(picture.Axes{
		Title: fmt.Sprintf("COLES-GCN over GCN+SampledNCE, %d labels per class", perClass),
		X:     "ΔH, homophily less that of random pairs", Y: "gain in accuracy, points", FromZero: true,
	}, marks...)
	if err != nil {
		return err
	}
	return write(drawn, o.out, stdout)
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
