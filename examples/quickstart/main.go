// Command quickstart generates a graph whose nodes have words, embeds it, measures the embedding
// and draws it next to the words: docs/quickstart.png is its picture. It needs no file and no
// network.
package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"coles"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/examples/shared/cli"
	"coles/examples/shared/pictures"
	"coles/picture"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: quickstart [flags]

Generates a graph with communities, embeds it, measures the embedding on 20
labelled nodes per class, and draws a t-SNE map of at most 600 nodes by their
raw features and one by the embedding.

Flags:
`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	nodes := flags.Int("nodes", 3000, "number of nodes")
	seed := flags.Uint64("seed", 1, "seed of the graph and of the embedding")
	out := flags.String("o", "quickstart.png", "picture to write, .png, .svg or .pdf")
	if err := cli.Parse(flags, args, nil); err != nil {
		return err
	}
	if err := pictures.Check(*out); err != nil {
		return err
	}

	d, err := synthetic.Communities{Nodes: *nodes, Seed: *seed}.Generate(ctx)
	if err != nil {
		return err
	}
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		return err
	}
	m, err := coles.Fit(ctx, g, d.Features, coles.WithSeed(*seed))
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, m.Report())
	fmt.Fprintln(stdout)

	start := time.Now()
	smooth, err := coles.S2GCSum(8).Apply(ctx, coles.Normalize(g), d.Features)
	if err != nil {
		return err
	}
	smoothSeconds := time.Since(start).Seconds()
	s := m.Report().Seconds
	splits, err := d.RandomSplits(20, 20, *seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "accuracy with 20 labelled nodes per class, %d splits, %d classes:\n", len(splits), d.NumClasses())
	for _, c := range []struct {
		name    string
		x       mat.Matrix
		seconds float64
	}{
		{"raw features", d.Features, 0},
		{"S²GC (smoothed features)", smooth, smoothSeconds},
		{"COLES-S²GC", m.Embedding(), s.Prepare + s.Filter + s.Solve + s.Embed},
	} {
		r, err := eval.Protocol{}.Classify(ctx, c.x, d.Labels, splits)
		if err != nil {
			return err
		}
		_, columns := c.x.Dims()
		fmt.Fprintf(stdout, "  %-25s %5.1f ± %.1f %%  %5d columns  %6.2f s\n", c.name, 100*r.Mean, 100*r.Std, columns, c.seconds)
	}
	raw, embedded := pictures.Side{Title: "raw features", X: d.Features}, pictures.Side{Title: "COLES embedding", X: m.Embedding()}
	maps, err := pictures.Maps(ctx, d.Labels, d.Classes, *seed, raw, embedded)
	if err != nil {
		return err
	}
	drawn, err := picture.Grid(maps)
	if err != nil {
		return err
	}
	drawn.Width, drawn.Height = 8.4, 4.2
	if err := drawn.WriteFile(*out); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nthe raw features and the embedding in two dimensions: %s\n", *out)
	return nil
}
