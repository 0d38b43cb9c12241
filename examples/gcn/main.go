// Command gcn generates a graph whose nodes have words, trains COLES-GCN on it
// without labels, and shows how the loss falls and what the embedding is worth
// meanwhile. It needs no file and no network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: gcn [flags]

Generates a graph with communities and trains a graph convolutional network by
the contrast of COLES, without labels. After every epoch a few labelled nodes say
what the embedding is worth on others (validation); they do not train it. The
curves go to a picture.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "\ngcn: interrupted")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "gcn:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("gcn", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	nodes := flags.Int("nodes", 2000, "number of nodes")
	epochs := flags.Int("epochs", 40, "number of epochs, at most")
	patience := flags.Int("patience", 10, "epochs without a better validation after which it stops")
	seed := flags.Uint64("seed", 1, "seed of the graph and of the training")
	out := flags.String("o", "gcn.png", "picture to write, .png, .svg or .pdf")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q (-h explains the flags)", flags.Arg(0))
	}

	if *nodes < 1 {
		return fmt.Errorf("-nodes %d: at least 1 is needed", *nodes)
	}
	d, err := dataset.Communities{Nodes: *nodes, Seed: *seed}.Generate(ctx)
	if err != nil {
		return err
	}
	g, err := coles.FromCSR(d.Adjacency)
	if err != nil {
		return err
	}
	splits, err := d.RandomSplits(20, 1, *seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%v, %d classes\n", g.Report(), d.NumClasses())

	var c curves
	line := newLiveLine(stderr)
	m, err := gnn.Train(ctx, g, d.Features, gnn.WithSeed(*seed), gnn.WithEpochs(*epochs),
		gnn.WithValidation(func(ctx context.Context, epoch int, y *mat.Dense) (float64, error) {
			return accuracy(ctx, y, d.Labels, splits[0].Train, splits[0].Val)
		}, 1, *patience),
		gnn.WithProgress(func(p gnn.Progress) {
			c.add(p)
			line.print("epoch %2d of %d: loss %8.3f, gradient %6.2f, orthogonality %5.2f, rank %5.1f, validation %.1f %% (best %.1f)",
				p.Epoch, p.Epochs, p.Loss, p.GradientNorm, p.Orthogonality, p.Rank, 100*p.Score, 100*p.Best)
		}))
	if err != nil {
		return err
	}
	line.end()
	fmt.Fprintf(stdout, "\n%v\n\n", m.Report())

	test := splits[0].TestNodes(d.Nodes())
	for _, e := range []struct {
		name string
		x    mat.Matrix
	}{{"raw features", d.Features}, {"COLES-GCN", m.Embedding()}} {
		a, err := accuracy(ctx, e.x, d.Labels, splits[0].Train, test)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "accuracy on %d test nodes, %-12s %.1f %%\n", len(test), e.name, 100*a)
	}
	if err := c.draw(*out); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nloss and validation accuracy by epoch: %s\n", *out)
	return nil
}

// accuracy trains a logistic regression on some rows and asks about others.
func accuracy(ctx context.Context, x mat.Matrix, labels, train, test []int) (float64, error) {
	c, err := eval.LogisticRegression{}.Fit(ctx, x, train, labels)
	if err != nil {
		return 0, err
	}
	predicted, err := c.Predict(ctx, x, test)
	if err != nil {
		return 0, err
	}
	actual := make([]int, len(test))
	for k, i := range test {
		actual[k] = labels[i]
	}
	return eval.Accuracy(predicted, actual)
}
