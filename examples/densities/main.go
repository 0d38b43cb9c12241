// Command densities draws why COLES trains better than SampledNCE: the scores u·v of
// pairs that are joined and of pairs that are not, under either objective, or what
// the one gains over the other against the homophily of the graph.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
)

const usage = `Usage: densities [flags]

Trains the same network, a GCN of two layers, by COLES and by SampledNCE, and draws
one of two figures of the COLES paper:

  scores  densities of u·v, rows of unit length, over joined and other pairs in
          two minibatches, with the Jensen-Shannon divergence and the 1-Wasserstein
          distance between the two densities (figure 1)
  gain    what COLES gains over SampledNCE in accuracy, 20 labels per class, against
          ΔH, the homophily of the graph less that of random pairs (figure 2)

With -data DIR it reads DIR/npz/NAME.npz; without, it generates graphs.

  densities
  densities -data data -datasets cora
  densities -figure gain -data data -datasets cora,citeseer,pubmed -o gain.svg

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "densities: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "densities:", err)
		os.Exit(1)
	}
}

// options are the command line, checked.
type options struct {
	data     string
	datasets []string
	nodes    int
	pairs    int
	epochs   int
	seed     uint64
	out      string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("densities", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var o options
	figure := flags.String("figure", "scores", "which figure: scores or gain")
	datasets := flags.String("datasets", "", "comma-separated `names` of data sets in DIR")
	flags.StringVar(&o.data, "data", "", "`folder` that holds npz/NAME.npz")
	flags.IntVar(&o.nodes, "nodes", 1500, "number of nodes of a generated graph")
	flags.IntVar(&o.pairs, "pairs", 2000, "joined pairs, and as many others, in a minibatch")
	flags.IntVar(&o.epochs, "epochs", 20, "number of epochs")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of everything drawn")
	flags.StringVar(&o.out, "o", "densities.png", "picture to write, .png, .svg or .pdf")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}
	if o.nodes < 1 || o.pairs < 2 || o.epochs < 1 {
		return fmt.Errorf("-nodes %d, -pairs %d, -epochs %d: at least 1, 2 and 1 are needed", o.nodes, o.pairs, o.epochs)
	}
	if *datasets != "" {
		o.datasets = strings.Split(*datasets, ",")
	}
	if (o.data == "") != (len(o.datasets) == 0) {
		return errors.New("-data and -datasets go together")
	}
	progress := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	switch *figure {
	case "scores":
		return scores(ctx, o, stdout, progress)
	case "gain":
		return gain(ctx, o, stdout, progress)
	}
	return fmt.Errorf("-figure %q: there are scores and gain", *figure)
}

// A problem is a labelled graph.
type problem struct {
	*dataset.Dataset
	graph *coles.Graph
}

// homophilies are those of the graphs that are generated.
var homophilies = []float64{0.2, 0.35, 0.5, 0.65, 0.8, 0.95}

// problems are the data sets asked for, or generated ones from random to homophilous.
func (o options) problems(ctx context.Context) ([]problem, error) {
	var found []problem
	add := func(d *dataset.Dataset, name string) error {
		g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		d.Name = name
		found = append(found, problem{d, g})
		return nil
	}
	for _, name := range o.datasets {
		d, err := dataset.OpenNPZ(filepath.Join(o.data, "npz", name+".npz"))
		if err != nil {
			return nil, err
		}
		if d.Labels == nil || d.Features == nil {
			return nil, fmt.Errorf("%s has no labels or no features", name)
		}
		if err := add(d, name); err != nil {
			return nil, err
		}
	}
	if len(o.datasets) > 0 {
		return found, nil
	}
	for _, h := range homophilies {
		d, err := dataset.Communities{Nodes: o.nodes, Homophily: h, Seed: o.seed}.Generate(ctx)
		if err != nil {
			return nil, err
		}
		if err := add(d, fmt.Sprintf("generated, %g", h)); err != nil {
			return nil, err
		}
	}
	return found, nil
}
