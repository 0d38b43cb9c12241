package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"coles"
	"coles/eval"
	"coles/eval/picture"

	"gonum.org/v1/gonum/mat"
)

// minibatches is how many are drawn, as in the paper's figure.
const minibatches = 2

// points is the number of those at which the divergence takes the densities.
const points = 300

// scores draws the densities of the first problem, a row of panels for each objective.
func scores(ctx context.Context, o options, stdout io.Writer, progress func(string, ...any)) error {
	problems, err := o.problems(ctx)
	if err != nil {
		return err
	}
	p := problems[len(problems)-1] // of generated graphs the most homophilous
	fmt.Fprintf(stdout, "%s: %v\n\n| objective | minibatch | Jensen-Shannon divergence, nats | 1-Wasserstein distance |\n|---|--:|--:|--:|\n", p.Name, p.graph.Report())
	var panels [][]*picture.Picture
	for _, r := range rivals {
		progress("%s: training by %s", p.Name, r.name)
		y, err := r.embed(ctx, o, p)
		if err != nil {
			return err
		}
		unit, err := unitRows(ctx, y)
		if err != nil {
			return err
		}
		var row []*picture.Picture
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
	drawn, err := picture.Grid(panels...)
	if err != nil {
		return err
	}
	return write(drawn, o.out, stdout)
}

func unitRows(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	prepare, err := coles.FitPreparation(ctx, y, coles.PrepareRowL2)
	if err != nil {
		return nil, err
	}
	return prepare.Apply(ctx, y)
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
func (b *minibatch) panel(ctx context.Context, title string) (*picture.Picture, error) {
	return picture.Densities(ctx, picture.Axes{Title: title, X: "u·v, rows of unit length"},
		picture.Sample{Name: "joined pairs", Values: b.joined}, picture.Sample{Name: "other pairs", Values: b.others})
}

// write writes a picture and says where.
func write(drawn *picture.Picture, path string, stdout io.Writer) error {
	if err := drawn.WriteFile(path); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "\n%s\n", path)
	return err
}
