package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
)

// graphFlags are the options that say what a graph is made of.
func graphFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "`FORMAT` of GRAPH: " + formatNames(isGraph) + "; by its name if not given", HideDefault: true},
		fileFlag("features", "features of the nodes, `FILE` of vectors; replaces those of an archive"),
		fileFlag("labels", "`FILE` of lines \"id label\"; replaces the labels of an archive"),
		headerFlag(),
	}
}

// readGraph reads the graph at a path with its features and labels.
func readGraph(ctx context.Context, c *cli.Command, in *inputs, path string) (*dataset.Dataset, error) {
	f, err := readingFormat(c.String("from"), path, true)
	if err != nil {
		return nil, err
	}
	graph, err := in.source(path)
	if err != nil {
		return nil, err
	}
	return readGraphAs(ctx, c, in, f, graph)
}

func readGraphAs(ctx context.Context, c *cli.Command, in *inputs, f format, graph *source) (*dataset.Dataset, error) {
	var features *dataset.Dataset
	var nodes []string
	if path := c.String("features"); path != "" {
		var err error
		if features, err = readVectors(ctx, in, "", path); err != nil {
			return nil, err
		}
		rows, _ := features.Features.Dims()
		nodes = rowNames(features.IDs, rows)
	}
	defer graph.close()
	d, err := f.read(ctx, graph, nodes)
	if err != nil {
		return nil, graph.errAt(err)
	}
	if features != nil {
		if err := giveFeatures(d, features, c.String("features")); err != nil {
			return nil, err
		}
	}
	if path := c.String("labels"); path != "" {
		if err := giveLabels(ctx, in, path, d, d.Nodes()); err != nil {
			return nil, err
		}
	}
	return d, ctx.Err()
}

// readVectors reads a file of vectors.
func readVectors(ctx context.Context, in *inputs, formatName, path string) (*dataset.Dataset, error) {
	f, err := readingFormat(formatName, path, false)
	if err != nil {
		return nil, err
	}
	s, err := in.source(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return readVectorsAs(ctx, f, s, formatName == "")
}

// readVectorsAs reads vectors in a format, which was perhaps guessed from the name of the file.
func readVectorsAs(ctx context.Context, f format, s *source, guessed bool) (*dataset.Dataset, error) {
	if guessed && f.name == "word2vec" && !beginsAsWord2Vec(ctx, s) {
		f, _ = formatNamed(textVectors, isVectors) // .txt is anything
	}
	d, err := f.read(ctx, s, nil)
	if err != nil {
		return nil, s.errAt(err)
	}
	if d.Features == nil {
		return nil, s.errAt(fmt.Errorf("%w: features, to be taken for vectors", dataset.ErrMissing))
	}
	return d, ctx.Err()
}

// beginsAsWord2Vec reports whether the first line is two whole numbers and the second has as many
// values as the latter says, as in word2vec's text. What cannot be read is for the reader to say.
func beginsAsWord2Vec(ctx context.Context, s *source) bool {
	r, err := s.open(ctx)
	if err != nil {
		return true
	}
	head, _ := r.Peek(bufferSize)
	sizes, rest, _ := strings.Cut(string(head), "\n")
	fields := strings.Fields(sizes)
	if len(fields) != 2 {
		return false
	}
	_, err = strconv.ParseUint(fields[0], 10, 63)
	columns, err2 := strconv.ParseUint(fields[1], 10, 31)
	if err != nil || err2 != nil {
		return false
	}
	row, _, ends := strings.Cut(rest, "\n")
	count := len(strings.Fields(row))
	if !ends && len(head) == bufferSize { // it goes on behind what is seen
		return count <= int(columns)+1
	}
	return rest == "" || count == int(columns)+1
}

// giveFeatures puts vectors that were read from path into a graph of the same nodes in the same
// order.
func giveFeatures(d, vectors *dataset.Dataset, path string) error {
	if rows, _ := vectors.Features.Dims(); rows != d.Nodes() {
		return fmt.Errorf("%s: %w: %d rows for %d nodes", path, coles.ErrShape, rows, d.Nodes())
	}
	if err := sameNames(d.IDs, vectors.IDs, path); err != nil {
		return err
	}
	d.Features = vectors.Features
	if d.IDs == nil {
		d.IDs = vectors.IDs
	}
	return nil
}

// sameNames checks that rows which have names on both sides have the same ones.
func sameNames(graph, vectors []string, path string) error {
	if graph == nil || vectors == nil {
		return nil
	}
	for i, id := range graph {
		if vectors[i] != id {
			return fmt.Errorf("%s: %w: row %d is %q, and node %d of the graph %q", path, coles.ErrIDs, i, vectors[i], i, id)
		}
	}
	return nil
}

// giveLabels puts the labels in the file at path on the n rows of d.
func giveLabels(ctx context.Context, in *inputs, path string, d *dataset.Dataset, n int) error {
	s, err := in.source(path)
	if err != nil {
		return err
	}
	defer s.close()
	if err := readLabels(ctx, s, rowNames(d.IDs, n), d); err != nil {
		return s.errAt(err)
	}
	return nil
}

// undirected is the graph of the dataset in a file, checked and made undirected.
func undirected(d *dataset.Dataset, file string) (*coles.Graph, error) {
	var opts []coles.GraphOption
	if d.IDs != nil {
		opts = append(opts, coles.WithIDs(d.IDs))
	}
	g, err := coles.FromDirectedCSR(d.Adjacency, opts...)
	if err != nil {
		return nil, (&source{path: file}).errAt(err)
	}
	return g, nil
}
