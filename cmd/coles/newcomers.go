package main

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/dataset"
	"coles/live"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// newcomerFlags are the options for nodes that GRAPH does not have.
func newcomerFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("new-features", "embed only the nodes in `FILE`, which join GRAPH and change no other's vector; for -with"),
		fileFlag("new-edges", "edges of the nodes of -new-features, `FILE` of lines as in GRAPH; alone for a model fitted without features"),
	}
}

// newcomers are nodes that join a graph, to be embedded alone.
type newcomers struct {
	model   model
	old     mat.Matrix // features of the graph's nodes
	edges   []coles.Edge
	weights []float64
}

// read reads the nodes that join the graph of d, and their edges.
func (k *newcomers) read(ctx context.Context, c *cli.Command, in *inputs, d *dataset.Dataset) (*dataset.Dataset, error) {
	e := in.text.Encoder
	if (e == nil || e.AsIs() && e.Variables()[0].Fill == nil) && in.text.Missing != "zero" {
		in.text.Missing = "error" // a mean would be one of the newcomers
	}
	path := c.String("new-features")
	fitted, ok := k.model.(*coles.Model)
	if !ok {
		return nil, usagef("-new-features and -new-edges are for a model of \"coles embed\", and -with has a network")
	}
	if fitted.Structure() != nil || path == "" {
		if path != "" || fitted.Structure() == nil {
			return nil, usagef("-new-edges alone is for a model fitted without features; -new-features names a file of them for another")
		}
		return k.readJoins(ctx, in, c.String("new-edges"), rowNames(d.IDs, d.Nodes()))
	}
	more, err := readVectors(ctx, in, "", path)
	if err != nil {
		return nil, err
	}
	n := d.Nodes()
	ids, known := rowNames(d.IDs, n), make(map[string]bool, n)
	for _, id := range ids {
		known[id] = true
	}
	if more.IDs == nil {
		count, _ := more.Features.Dims()
		more.IDs = rowNames(nil, n+count)[n:]
	}
	if i := slices.IndexFunc(more.IDs, func(id string) bool { return known[id] }); i >= 0 {
		return nil, fmt.Errorf("%s: %w: the graph has a node %q already", nameOf(path), coles.ErrIDs, more.IDs[i])
	}
	return more, k.readEdges(ctx, in, c.String("new-edges"), slices.Concat(ids, more.IDs), n)
}

// readEdges reads edges of nodes of which the first n are the graph's; an empty path has none.
func (k *newcomers) readEdges(ctx context.Context, in *inputs, path string, ids []string, n int) error {
	if path == "" {
		return nil
	}
	d, err := readEdgeLines(ctx, in, path, ids)
	if err != nil {
		return err
	}
	return k.keep(d, nameOf(path), ids, n, func(u int) int { return u })
}

// readJoins reads edges of nodes that come with nothing else: all that the graph does not have.
func (k *newcomers) readJoins(ctx context.Context, in *inputs, path string, ids []string) (*dataset.Dataset, error) {
	d, err := readEdgeLines(ctx, in, path, nil)
	if err != nil {
		return nil, err
	}
	n, row := len(ids), make(map[string]int, len(ids))
	for i, id := range ids {
		row[id] = i
	}
	names := rowNames(d.IDs, d.Nodes())
	for _, id := range names {
		if _, known := row[id]; !known {
			row[id], ids = len(ids), append(ids, id)
		}
	}
	return &dataset.Dataset{IDs: ids[n:]}, k.keep(d, nameOf(path), ids, n, func(u int) int { return row[names[u]] })
}

// readEdgeLines reads edges of these nodes, or of nodes as they come.
func readEdgeLines(ctx context.Context, in *inputs, path string, ids []string) (*dataset.Dataset, error) {
	s, err := in.source(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	f, _ := formatNamed(textGraph, isGraph)
	if ids != nil {
		nameNodes(&s.text, ids, len(ids))
	}
	d, err := s.read(ctx, f)
	return d, s.errAt(err)
}

// keep keeps edges, of nodes whose rows the function gives, and of which the first n are the graph's.
func (k *newcomers) keep(d *dataset.Dataset, name string, ids []string, n int, row func(u int) int) (err error) {
	d.Adjacency.DoNonZero(func(u, v int, w float64) {
		u, v = row(u), row(v)
		if max(u, v) < n && err == nil {
			err = fmt.Errorf("%s: %w: the graph has both %q and %q; an edge here has a new node", name, coles.ErrIDs, ids[u], ids[v])
		}
		k.edges, k.weights = append(k.edges, coles.Edge{U: u, V: v}), append(k.weights, w)
	})
	return err
}

// embed embeds the newcomers, which have these features, into the graph as it is without them.
func (k *newcomers) embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (model, mat.Matrix, error) {
	m := k.model.(*coles.Model) // or read has refused it
	if err := wantsFeatures(m, k.old); err != nil {
		return nil, nil, err
	}
	frozen, err := live.Freeze(ctx, m, g, k.old)
	if err != nil {
		return nil, nil, err
	}
	y, err := frozen.Embed(ctx, x, k.edges, k.weights)
	return m, y, err
}
