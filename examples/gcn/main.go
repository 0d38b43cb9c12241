// Command gcn generates a graph whose nodes have words, trains COLES-GCN on it without labels, and shows how the loss falls
// and how accurate the embedding is meanwhile. It needs no file and no network.
package main

import (
	"context"
	"fmt"
	"io"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/examples/shared/cli"
	"coles/examples/shared/pictures"
	"coles/gnn"
	"coles/picture"

	"gonum.org/v1/gonum/mat"
)

const usage = `Usage: gcn [flags]

Generates a graph with communities and trains a graph convolutional network by
the contrast of COLES, without labels. After every epoch a few labelled nodes say
what the embedding is worth on others (validation); they do not train it. The
curves go to a picture.

Flags:
`

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := cli.Flags(usage, stderr)
	nodes := flags.Int("nodes", 2000, "number of nodes")
	epochs := flags.Int("epochs", 40, "number of epochs, at most")
	patience := flags.Int("patience", 10, "epochs without a better validation after which it stops")
	seed := flags.Uint64("seed", 1, "seed of the graph and of the training")
	out := flags.String("o", "gcn.png", "picture to write, .png, .svg or .pdf")
	if err := cli.Parse(flags, args, cli.Least{"nodes": 1}); err != nil {
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
	splits, err := d.RandomSplits(20, 1, *seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%v, %d classes\n", g.Report(), d.NumClasses())

	var c curves
	line := cli.NewLine(stderr)
	defer line.Clear()
	m, err := gnn.Train(ctx, g, d.Features, gnn.With(func(s *gnn.Settings) { s.Seed, s.Epochs = *seed, *epochs }),
		gnn.WithValidation(1, *patience, func(ctx context.Context, epoch int, y *mat.Dense) (float64, error) {
			return accuracy(ctx, y, d.Labels, splits[0].Train, splits[0].Val)
		}),
		gnn.WithEpochReport(func(p gnn.EpochReport) {
			c.add(p)
			line.Print("epoch %2d of %d: loss %8.3f, gradient %6.2f, orthogonality %5.2f, rank %5.1f, validation %.1f %% (best %.1f)",
				p.Epoch, p.Epochs, p.Loss, p.GradientNorm, p.Orthogonality, p.Rank, p.Score, p.Best)
		}))
	if err != nil {
		return err
	}
	line.Clear()
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
		fmt.Fprintf(stdout, "accuracy on %d test nodes, %-12s %.1f %%\n", len(test), e.name, a)
	}
	if err := c.draw(*out); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nloss and validation accuracy by epoch: %s\n", *out)
	return nil
}

// accuracy trains a logistic regression on some rows and asks about others. It is in percent.
func accuracy(ctx context.Context, x mat.Matrix, labels, train, test []int) (float64, error) {
	a, err := eval.Protocol{}.Classify(ctx, x, labels, []dataset.Split{{Train: train, Test: test}})
	if err != nil {
		return 0, err
	}
	return 100 * a.Mean, nil
}

// curves are a training, epoch by epoch.
type curves struct{ epoch, loss, score []float64 }

func (c *curves) add(p gnn.EpochReport) {
	c.epoch = append(c.epoch, float64(p.Epoch))
	c.loss = append(c.loss, p.Loss)
	c.score = append(c.score, p.Score)
}

// draw writes a picture of both curves, one above the other.
func (c *curves) draw(path string) error {
	loss, err := picture.Curves(picture.Axes{Title: "COLES-GCN: −Tr(HᵀΔWH)/n + β‖HᵀH/n − I‖²/d′", Y: "loss"},
		picture.Series{X: c.epoch, Y: c.loss})
	if err != nil {
		return err
	}
	score, err := picture.Curves(picture.Axes{X: "epoch", Y: "validation accuracy, %"},
		picture.Series{X: c.epoch, Y: c.score})
	if err != nil {
		return err
	}
	both, err := picture.Grid([]*picture.Picture{loss}, []*picture.Picture{score})
	if err != nil {
		return err
	}
	return both.WriteFile(path)
}
