// Command densities draws why COLES trains better than SampledNCE. It draws the scores u·v of pairs that are joined
// and of pairs that are not, under either objective, or the gain of the one over the other against the homophily of
// the graph.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/examples/shared/cli"
	"coles/examples/shared/pictures"
	"coles/gnn"
	"coles/lab/internal/programs"
	"coles/lab/measures"
	"coles/picture"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: densities [flags]

Trains the same network, a GCN of two layers, by COLES and by SampledNCE, and draws
one of two figures of the COLES paper:

  scores  densities of u·v, rows of unit length, over joined and other pairs in
          two minibatches, with the Jensen-Shannon divergence and the 1-Wasserstein
          distance between the two densities (figure 1)
  gain    what COLES gains over SampledNCE in accuracy, 20 labels per class, against
          ΔH, the homophily of the graph less the share of random pairs (figure 2)

With -data DIR it reads DIR/npz/NAME.npz; without, it generates graphs.

  densities
  densities -data data -datasets cora
  densities -figure gain -data data -datasets cora,citeseer,pubmed -o gain.svg

Flags:
`

func main() { cli.Main(run) }

// options are the command line, checked.
type options struct {
	data     string
	datasets []string
	nodes    int
	pairs    int
	epochs   int
	seed     uint64
	out      string
	progress io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	o := options{progress: stderr}
	figure := flags.String("figure", "scores", "which figure: scores or gain")
	datasets := flags.String("datasets", "", "comma-separated `names` of data sets in DIR")
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz/NAME.npz")
	flags.IntVar(&o.nodes, "nodes", 1500, "number of nodes of a generated graph")
	flags.IntVar(&o.pairs, "pairs", 2000, "joined pairs, and as many others, in a minibatch")
	flags.IntVar(&o.epochs, "epochs", 20, "number of epochs")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of everything drawn")
	flags.StringVar(&o.out, "o", "densities.png", "picture to write, .png, .svg or .pdf")
	if err := cli.Parse(flags, args, cli.Least{"nodes": 1, "pairs": 2, "epochs": 1}); err != nil {
		return err
	}
	o.datasets = programs.Fields(*datasets)
	if (o.data == "") != (len(o.datasets) == 0) {
		return errors.New("-data and -datasets go together")
	}
	plot, ok := map[string]func(context.Context, options, []problem, io.Writer) (*picture.Picture, error){"scores": scores, "gain": gain}[*figure]
	if !ok {
		return fmt.Errorf("-figure %q: there are scores and gain", *figure)
	}
	if err := pictures.Check(o.out); err != nil {
		return err
	}
	problems, err := o.problems(ctx)
	if err != nil {
		return err
	}
	drawn, err := plot(ctx, o, problems, stdout)
	if err != nil {
		return err
	}
	if err := drawn.WriteFile(o.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "\n%s\n", o.out)
	return err
}

// A problem is a labelled graph.
type problem struct {
	*dataset.Dataset
	graph *coles.Graph
}

// homophilies has one graph to generate each.
var homophilies = []float64{0.2, 0.35, 0.5, 0.65, 0.8, 0.95}

// problems are the data sets asked for, or generated ones from random to homophilous.
func (o options) problems(ctx context.Context) ([]problem, error) {
	var sets []*dataset.Dataset
	for _, name := range o.datasets {
		d, err := dataset.Open(filepath.Join(o.data, "npz", name+".npz"), dataset.ReadNPZ)
		if err != nil {
			return nil, err
		}
		if d.Labels == nil || d.Features == nil {
			return nil, fmt.Errorf("%s has no labels or no features", name)
		}
		d.Name = name
		sets = append(sets, d)
	}
	if len(sets) == 0 {
		for _, h := range homophilies {
			d, err := synthetic.Communities{Nodes: o.nodes, Homophily: h, Seed: o.seed}.Generate(ctx)
			if err != nil {
				return nil, err
			}
			d.Name = fmt.Sprintf("generated, %g", h)
			sets = append(sets, d)
		}
	}
	var found []problem
	for _, d := range sets {
		g, err := coles.FromCSR(d.Adjacency, coles.WithMirrors())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		found = append(found, problem{d, g})
	}
	return found, nil
}

// A rival is one of the two objectives, with the same network.
type rival struct {
	name string
	opts []gnn.Option
}

var rivals = []rival{
	{"SampledNCE", []gnn.Option{gnn.With(func(s *gnn.Settings) { s.Objective, s.FreshNegatives = gnn.SampledNCE(5, 1), true })}},
	{"COLES-GCN", nil},
}

func (r rival) embed(ctx context.Context, o options, p problem) (*mat.Dense, error) {
	fmt.Fprintf(o.progress, "%s: training by %s\n", p.Name, r.name)
	m, err := gnn.Train(ctx, p.graph, p.Features, append(r.opts[:len(r.opts):len(r.opts)], gnn.With(func(s *gnn.Settings) { s.Seed, s.Epochs = o.seed, o.epochs }))...)
	if err != nil {
		return nil, err
	}
	return m.Embedding(), nil
}

const (
	minibatches = 2   // as in the paper's figure
	points      = 300 // at which densities are taken
	perClass    = 20  // labelled nodes for the gain in accuracy
	splits      = 20
)

// scores draws the densities of the first problem, a row of panels for each objective.
func scores(ctx context.Context, o options, problems []problem, stdout io.Writer) (*picture.Picture, error) {
	p := problems[len(problems)-1] // of generated graphs the most homophilous
	fmt.Fprintf(stdout, "%s: %v\n\n| objective | minibatch | Jensen-Shannon divergence, nats | 1-Wasserstein distance |\n|---|--:|--:|--:|\n", p.Name, p.graph.Report())
	var panels [][]*picture.Picture
	for _, r := range rivals {
		y, err := r.embed(ctx, o, p)
		if err != nil {
			return nil, err
		}
		unit, err := cli.Prepared(ctx, coles.PrepareRowL2, y)
		if err != nil {
			return nil, err
		}
		var row []*picture.Picture
		for k := range minibatches {
			b, err := drawMinibatch(ctx, unit, p.graph, o.pairs, o.seed+uint64(k))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(stdout, "| %s | %d | %.3f | %.3f |\n", r.name, k+1, b.divergence, b.distance)
			title := fmt.Sprintf("%s, %s, minibatch %d: JS %.2f nats, W₁ %.2f", p.Name, r.name, k+1, b.divergence, b.distance)
			panel, err := draw(ctx, picture.Axes{Title: title, X: "u·v, rows of unit length"}, -1, 1,
				sample{"joined pairs", b.joined}, sample{"other pairs", b.others})
			if err != nil {
				return nil, err
			}
			row = append(row, panel)
		}
		panels = append(panels, row)
	}
	return picture.Grid(panels...)
}

// A minibatch is the scores of some joined pairs and of as many others.
type minibatch struct {
	joined, others       []float64
	divergence, distance float64
}

func drawMinibatch(ctx context.Context, y mat.Matrix, g *coles.Graph, pairs int, seed uint64) (*minibatch, error) {
	edges, err := measures.PositivePairs(g)
	if err != nil {
		return nil, err
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	rnd.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	edges = edges[:min(pairs, len(edges))]
	others, err := measures.NegativePairs(ctx, g, len(edges), seed)
	if err != nil {
		return nil, err
	}
	var b minibatch
	if b.joined, err = measures.PairScores(ctx, y, edges); err != nil {
		return nil, err
	}
	if b.others, err = measures.PairScores(ctx, y, others); err != nil {
		return nil, err
	}
	if b.divergence, err = measures.JensenShannonOfSamples(ctx, b.joined, b.others, points, 0); err != nil {
		return nil, err
	}
	b.distance, err = measures.Wasserstein(b.joined, b.others)
	return &b, err
}

// gain draws the difference in accuracy between the two objectives against ΔH.
func gain(ctx context.Context, o options, problems []problem, stdout io.Writer) (*picture.Picture, error) {
	fmt.Fprint(stdout, "| graph | ΔH | SampledNCE | COLES-GCN | gain |\n|---|--:|--:|--:|--:|\n")
	var marks []picture.Mark
	for _, p := range problems {
		delta, err := excessHomophily(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		a, err := accuracies(ctx, o, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Fprintf(stdout, "| %s | %.2f | %.1f | %.1f | %+.1f |\n", p.Name, delta, a[0], a[1], a[1]-a[0])
		marks = append(marks, picture.Mark{Name: p.Name, X: delta, Y: a[1] - a[0]})
	}
	return picture.Scatter(picture.Axes{
		Title: fmt.Sprintf("COLES-GCN over GCN+SampledNCE, %d labels per class", perClass),
		X:     "ΔH, homophily less that of random pairs", Y: "gain in accuracy, points", FromZero: true,
	}, marks...)
}

// accuracies returns the accuracy of each rival in percent.
func accuracies(ctx context.Context, o options, p problem) (all []float64, err error) {
	drawn, err := p.RandomSplits(perClass, splits, o.seed)
	if err != nil {
		return nil, err
	}
	for _, r := range rivals {
		y, err := r.embed(ctx, o, p)
		if err != nil {
			return nil, err
		}
		c, err := eval.Protocol{}.Classify(ctx, y, p.Labels, drawn)
		if err != nil {
			return nil, err
		}
		all = append(all, 100*c.Mean)
	}
	return all, nil
}

// excessHomophily returns ΔH = H(G⁺) − E H(G⁻).
func excessHomophily(p problem) (float64, error) {
	h, err := eval.NodeHomophily(p.graph, p.Labels)
	if err != nil {
		return 0, err
	}
	random, err := eval.ExpectedHomophily(p.Labels)
	return h - random, err
}
