package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"coles"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// minibatches is how many are drawn, as in the paper's figure.
const minibatches = 2

// points is the number of those at which densities are taken.
const points = 300

// scores draws the densities of the first problem, a row of panels for each objective.
func scores(ctx context.Context, o options, stdout io.Writer, progress func(string, ...any)) error {
	problems, err := o.problems(ctx)
	if err != nil {
		return err
	}
	p := problems[len(problems)-1] // of generated graphs the most homophilous
	fmt.Fprintf(stdout, "%s: %v\n\n| objective | minibatch | Jensen-Shannon divergence, nats | 1-Wasserstein distance |\n|---|--:|--:|--:|\n", p.Name, p.graph.Report())
	var panels [][]*plot.Plot
	for _, r := range rivals {
		progress("%s: training by %s", p.Name, r.name)
		y, err := r.embed(ctx, o, p)
		if err != nil {
			return err
		}
		unit, err := unitRows(y)
		if err != nil {
			return err
		}
		var row []*plot.Plot
		for k := range minibatches {
			b, err := drawMinibatch(ctx, unit, p.graph, o.pairs, o.seed+uint64(k))
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "| %s | %d | %.3f | %.3f |\n", r.name, k+1, b.divergence, b.distance)
			panel, err := b.panel(ctx, fmt.Sprintf("%s, %s, minibatch %d: JS %.2f nats, W₁ %.2f", p.Name, r.name, k+1, b.divergence, b.distance))
			if err != nil {
				return err
			}
			row = append(row, panel)
		}
		panels = append(panels, row)
	}
	return write(panels, o.out, stdout)
}

func unitRows(y mat.Matrix) (mat.Matrix, error) {
	prepare, err := coles.FitPreparation(y, coles.PrepareRowL2)
	if err != nil {
		return nil, err
	}
	return prepare.Apply(y)
}

// A minibatch is the scores of some joined pairs and of as many others.
type minibatch struct {
	joined, others       []float64
	divergence, distance float64
}

func drawMinibatch(ctx context.Context, y mat.Matrix, g *coles.Graph, pairs int, seed uint64) (*minibatch, error) {
	edges, err := eval.PositivePairs(g)
	if err != nil {
		return nil, err
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	edges = edges[:min(pairs, len(edges))]
	others, err := eval.NegativePairs(ctx, g, len(edges), seed)
	if err != nil {
		return nil, err
	}
	var b minibatch
	if b.joined, err = eval.PairScores(ctx, y, edges); err != nil {
		return nil, err
	}
	if b.others, err = eval.PairScores(ctx, y, others); err != nil {
		return nil, err
	}
	if b.divergence, err = eval.JensenShannonOfSamples(ctx, b.joined, b.others, points, 0); err != nil {
		return nil, err
	}
	b.distance, err = eval.Wasserstein(b.joined, b.others)
	return &b, err
}

// panel draws both densities.
func (b *minibatch) panel(ctx context.Context, title string) (*plot.Plot, error) {
	h, err := eval.SilvermanBandwidth(b.joined)
	if err != nil {
		return nil, err
	}
	grid, err := eval.DensityGrid(points, h, b.joined, b.others)
	if err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "u·v, rows of unit length", "density"
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.Legend.Top = true
	for _, c := range []struct {
		name   string
		sample []float64
		style  int
	}{{"joined pairs", b.joined, 0}, {"other pairs", b.others, 1}} {
		density, err := eval.ParzenDensity(ctx, c.sample, grid, 0)
		if err != nil {
			return nil, err
		}
		xy := make(plotter.XYs, len(grid))
		for i := range grid {
			xy[i] = plotter.XY{X: grid[i], Y: density[i]}
		}
		line, err := plotter.NewLine(xy)
		if err != nil {
			return nil, err
		}
		line.LineStyle = styles[c.style]
		p.Add(line)
		p.Legend.Add(c.name, line)
	}
	p.Y.Min, p.Y.Max = 0, 1.3*p.Y.Max // room for the legend above the curves
	return p, nil
}
