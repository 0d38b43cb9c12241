package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// embeddingFlags are the options that say where an embedding comes from.
func embeddingFlags() []cli.Flag {
	return append([]cli.Flag{
		fileFlag("embedding", "`FILE` of vectors, in the order of the nodes"),
		fileFlag("with", "embed GRAPH with the model in `FILE`"),
		directedFlag(),
	}, append(graphFlags(), settingsFlags()...)...)
}

// directedFlag is the option that keeps the direction of edges.
func directedFlag() cli.Flag {
	return &cli.BoolFlag{Name: "directed", Usage: "edges lead from the first node to the second: vectors tell tails from heads, and links lead to heads"}
}

// checkEmbeddingFlags refuses options for making an embedding where there is one. A seed is for
// more than that.
func checkEmbeddingFlags(c *cli.Command) error {
	for _, f := range append(settingsFlags(), fileFlag("with", ""), directedFlag()) {
		if name := f.Names()[0]; c.IsSet("embedding") && c.IsSet(name) && name != "seed" {
			return usagef("-%s cannot be used with -embedding", name)
		}
	}
	return changesNoFit(c, "seed")
}

// changesNoFit refuses settings, but those allowed, next to a model.
func changesNoFit(c *cli.Command, allowed ...string) error {
	for _, f := range settingsFlags() {
		if name := f.Names()[0]; c.IsSet("with") && c.IsSet(name) && !slices.Contains(allowed, name) {
			return usagef("-%s changes a fit, and -with has a model already", name)
		}
	}
	return nil
}

// An embedding has a row for every node. Where it was read there is no model, and without a graph
// the dataset holds ids and labels only.
type embedding struct {
	data  *dataset.Dataset
	graph *coles.Graph
	model model
	rows  mat.Matrix
}

// embedded reads an embedding, and the graph if there is one, or reads the graph and embeds it as
// adapt says.
func embedded(ctx context.Context, c *cli.Command, in *inputs, adapt func(*embedder, *dataset.Dataset)) (*embedding, error) {
	if c.IsSet("embedding") {
		return readEmbedding(ctx, c, in)
	}
	e, err := newEmbedder(ctx, c, in)
	if err != nil {
		return nil, err
	}
	in.arcs = c.Bool("directed")
	d, g, err := readArgument(ctx, c, in)
	if err != nil {
		return nil, err
	}
	adapt(e, d)
	m, y, err := e.embed(ctx, g, d.Features)
	return &embedding{d, g, m, y}, err
}

// readEmbedding reads -embedding, and the graph if there is one.
func readEmbedding(ctx context.Context, c *cli.Command, in *inputs) (*embedding, error) {
	path := c.String("embedding")
	args, err := arguments(c, 1)
	if err != nil {
		return nil, err
	}
	vectors, err := readEmbeddingFile(ctx, in, "", path)
	if err != nil {
		return nil, err
	}
	e := &embedding{data: vectors, rows: vectors.Features}
	if len(args) == 0 {
		vectors.Features = nil
		n, _ := e.rows.Dims()
		return e, giveLabels(ctx, c, in, vectors, n)
	}
	if e.data, err = readGraph(ctx, c, in, args[0]); err != nil {
		return nil, err
	}
	if vectors.IDs == nil && !areNumbers(e.data.IDs) {
		in.text.Warn(fmt.Errorf("%s names no nodes, and %s does: rows are taken in its order; -ids names them", nameOf(path), nameOf(args[0])))
	}
	x := e.data.Features
	err = giveFeatures(e.data, vectors, path)
	e.data.Features = x
	return e, err
}

// usually embeds for a purpose whatever the graph is.
func usually(p purpose) func(*embedder, *dataset.Dataset) {
	return func(e *embedder, _ *dataset.Dataset) { e.usual = p }
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

// resultOutput is the file of -o, or standard output, for what is made of an embedding.
func resultOutput(c *cli.Command, s streams, binary bool) (sink, error) {
	if err := checkEmbeddingFlags(c); err != nil {
		return sink{}, err
	}
	return newOutput(c, c.Args().Slice(), "-o", cmp.Or(c.String("o"), standard), binary, s)
}

// resultFlags are the options of [sink.writeResult] and the file that it writes to.
func resultFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("o", "write to `FILE`"),
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		&cli.BoolFlag{Name: "no-header", Usage: "leave out the line of column names at the head of a .csv file"},
	}
}

// writeResult writes a result as JSON, or its lines: fields separated by tabs, or, into a file that
// ends in .csv or .csv.gz, by commas under the names of the columns. A field that holds the separator comes in
// double quotes.
func (s sink) writeResult(ctx context.Context, c *cli.Command, result any, columns []string, lines iter.Seq[[]string]) error {
	return s.write(ctx, func(w io.Writer) error {
		if c.Bool("json") {
			return printJSON(w, result)
		}
		to := csv.NewWriter(w)
		if extensionOf(s.path) != ".csv" {
			to.Comma = '\t'
		} else if !c.Bool("no-header") {
			to.Write(columns)
		}
		for line := range lines {
			to.Write(line) // Error has what fails
		}
		to.Flush()
		return to.Error()
	})
}

// someRows is a copy of rows of y, sparse where y is.
func someRows(ctx context.Context, y mat.Matrix, rows []int) (mat.Matrix, error) {
	s, err := matrix.Read(ctx, y)
	if err != nil {
		return nil, err
	}
	all, err := matrix.As[float64](ctx, s)
	if err != nil {
		return nil, err
	}
	some, err := all.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	return matrix.Export(ctx, some)
}

// picked are the elements of these rows.
func picked[T any](all []T, rows []int) []T {
	some := make([]T, len(rows))
	for k, i := range rows {
		some[k] = all[i]
	}
	return some
}
