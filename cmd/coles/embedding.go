package main

import (
	"context"
	"encoding/csv"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// embeddingFlags are the options that say where an embedding comes from.
func embeddingFlags() []cli.Flag {
	return append([]cli.Flag{
		fileFlag("embedding", "`FILE` of vectors, in the order of the nodes"),
		fileFlag("with", "embed GRAPH with the model in `FILE`"),
	}, append(graphFlags(), settingsFlags()...)...)
}

// checkEmbeddingFlags refuses options for making an embedding where there is one. A seed is for
// more than that.
func checkEmbeddingFlags(c *cli.Command) error {
	for _, f := range append(settingsFlags(), fileFlag("with", "")) {
		name := f.Names()[0]
		if c.IsSet("embedding") && c.IsSet(name) && name != "seed" {
			return usagef("-%s is for making an embedding, and -embedding is one", name)
		}
		if c.IsSet("with") && c.IsSet(name) && name != "seed" && name != "with" {
			return usagef("-%s changes a fit, and -with has a model already", name)
		}
	}
	return nil
}

// embedded reads the graph, and reads or makes its embedding, for what purpose says of the graph.
// Where there are vectors only the dataset holds ids and labels.
func embedded(ctx context.Context, c *cli.Command, in *inputs, purpose func(*dataset.Dataset) coles.Purpose) (*dataset.Dataset, mat.Matrix, error) {
	if c.IsSet("embedding") {
		return readEmbedding(ctx, c, in)
	}
	e, err := newEmbedder(ctx, c, in)
	if err != nil {
		return nil, nil, err
	}
	d, g, err := readArgument(ctx, c, in)
	if err != nil {
		return nil, nil, err
	}
	e.usual = purpose(d)
	_, y, err := e.embed(ctx, g, d.Features)
	return d, y, err
}

// readEmbedding reads -embedding, and the graph if there is one.
func readEmbedding(ctx context.Context, c *cli.Command, in *inputs) (*dataset.Dataset, mat.Matrix, error) {
	path := c.String("embedding")
	args, err := arguments(c, 1)
	if err != nil {
		return nil, nil, err
	}
	vectors, err := readVectors(ctx, in, "", path)
	if err != nil {
		return nil, nil, err
	}
	y := vectors.Features
	if len(args) == 0 {
		vectors.Features = nil
		if rows, _ := y.Dims(); c.IsSet("labels") {
			err = giveLabels(ctx, in, c.String("labels"), vectors, rows)
		}
		return vectors, y, err
	}
	d, err := readGraph(ctx, c, in, args[0])
	if err != nil {
		return nil, nil, err
	}
	x := d.Features
	err = giveFeatures(d, vectors, path)
	d.Features = x
	return d, y, err
}

// always is a purpose whatever the graph is.
func always(p coles.Purpose) func(*dataset.Dataset) coles.Purpose {
	return func(*dataset.Dataset) coles.Purpose { return p }
}

// knownLabels are the labels of n nodes, −1 for none.
func knownLabels(d *dataset.Dataset, n int) []int {
	if d.Labels == nil {
		return slices.Repeat([]int{-1}, n)
	}
	labels := slices.Clone(d.Labels)
	for _, i := range d.Unlabeled {
		labels[i] = -1
	}
	return labels
}

// resultSink is the file of -o, or standard output, for what is made of an embedding.
func resultSink(c *cli.Command, s streams, binary bool) (sink, error) {
	if err := checkEmbeddingFlags(c); err != nil {
		return sink{}, err
	}
	if err := uncompressed(c.String("o")); err != nil {
		return sink{}, err
	}
	if err := differentFiles(c, inputFiles(c), "-o", c.String("o")); err != nil {
		return sink{}, err
	}
	return newSink(c.String("o"), binary, s.stdout)
}

// inputFiles are the files that a command line names besides those that differentFiles knows.
func inputFiles(c *cli.Command) []string {
	return append(c.Args().Slice(), c.String("embedding"), c.String("use"))
}

// writeLines writes fields separated by tabs, or by commas into a file that ends in .csv. A field
// that holds the separator comes in double quotes.
func writeLines(w io.Writer, path string, lines iter.Seq[[]string]) error {
	to := csv.NewWriter(w)
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		to.Comma = '\t'
	}
	for line := range lines {
		if err := to.Write(line); err != nil {
			return err
		}
	}
	to.Flush()
	return to.Error()
}
