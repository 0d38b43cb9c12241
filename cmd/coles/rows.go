package main

import (
	"context"
	"fmt"
	"io"

	"coles"
	"coles/dataset"
	"coles/live"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// usualNeighbours is how many neighbours a row has where nobody says. Cross-validation chose no better of 5, 10 and 20.
const usualNeighbours = 10

// knnFlag is the option for rows that have no graph.
func knnFlag() cli.Flag {
	return &cli.IntFlag{Name: "knn", Usage: "in the place of GRAPH: join each row of -features to the `K` nearest (default: 10, of fewer than 40 rows a quarter, where no GRAPH is given)", HideDefault: true}
}

// placesRows reports whether rows of features stand in the place of the graph at a path: because of -knn, or because
// no edges come on standard input, of which the source is returned otherwise.
func (in *inputs) placesRows(ctx context.Context, c *cli.Command, path string) (bool, *source, error) {
	switch {
	case c.IsSet("knn") && path != "":
		return false, nil, usagef("-knn makes a graph of -features, and %s is one already", path)
	case c.IsSet("knn") && c.String("features") == "":
		return false, nil, usagef("-knn joins rows: name them by -features FILE")
	case c.IsSet("knn") && c.IsSet("from"):
		return false, nil, usagef("-from is the format of GRAPH, and -knn makes one")
	case c.IsSet("knn"):
		return true, nil, atLeast1(c, "knn")
	}
	if features := c.String("features"); path == "" && features != "" && features != standard && !c.IsSet("from") {
		if isTerminal(in.stdin) {
			return true, nil, nil
		}
		s, err := in.source(path)
		if err != nil {
			return false, nil, err
		}
		r, err := s.open(ctx)
		if err != nil {
			return false, nil, err
		}
		if _, err := r.Peek(1); err == io.EOF {
			s.close()
			return true, nil, nil
		}
		return false, s, nil
	}
	s, err := in.source(path)
	return false, s, err
}

// readRows reads rows of features in the place of a graph: it is that of their nearest, or has no edges where a model
// places rows by itself.
func readRows(ctx context.Context, c *cli.Command, in *inputs) (*dataset.Dataset, error) {
	if in.arcs {
		return nil, usagef("-directed is for edges that are given")
	}
	path := c.String("features")
	d, err := readVectors(ctx, in, "", path)
	if err != nil {
		return nil, err
	}
	n, _ := d.Features.Dims()
	var ids []coles.GraphOption
	if d.IDs != nil {
		ids = []coles.GraphOption{coles.WithIDs(d.IDs)}
	}
	fitted, _ := in.model.(*coles.Model)
	if alone := fitted != nil && !usesEdges(fitted); !c.IsSet("knn") && (alone || in.known != nil) {
		in.place = in.known
		d.Undirected, err = coles.NewGraph(n, nil, ids...)
	} else {
		err = in.joinRows(ctx, c, d, ids)
	}
	if err != nil {
		return nil, err
	}
	if in.directed {
		d.Adjacency = d.Undirected.CSR()
	}
	if err := giveLabels(ctx, c, in, d, n); err != nil {
		return nil, err
	}
	in.warnOfLabels(d)
	return d, ctx.Err()
}

// joinRows makes the graph of the nearest rows of d, which is said where nobody asked for it.
func (in *inputs) joinRows(ctx context.Context, c *cli.Command, d *dataset.Dataset, opts []coles.GraphOption) (err error) {
	n, _ := d.Features.Dims()
	k, name := c.Int("knn"), nameOf(c.String("features"))
	if !c.IsSet("knn") {
		k = min(usualNeighbours, (n+3)/4) // few rows would all be joined
		in.progress.clear()
		fmt.Fprintf(c.Root().ErrWriter, "coles: no edges are given: each row of %s is joined to the %d nearest, as by -knn %d\n", name, k, k)
	}
	if k >= n {
		return fmt.Errorf("%s: %w: -knn %d takes %d rows or more, and there are %d", name, coles.ErrShape, k, k+1, n)
	}
	in.progress.show("find the nearest rows", 0, 0)
	defer in.progress.clear()
	if d.Undirected, err = coles.KNN(ctx, d.Features, k, opts...); err != nil {
		return (&source{path: name}).errAt(err)
	}
	if d.Undirected.Report().Edges == 0 {
		return fmt.Errorf("%s: %w: no row is near to another: they are all alike, or share nothing", name, coles.ErrShape)
	}
	in.rows = &dataset.Dataset{Undirected: d.Undirected, Features: d.Features}
	return nil
}

// shareRows has a fit of rows tell who the neighbours are, as [live.RowShare] says, unless settings do.
func (in *inputs) shareRows(ctx context.Context, s *coles.Settings, x mat.Matrix) (err error) {
	if in.rows != nil && s.Kind != coles.UseFeatures && s.Structure == coles.AutoShare {
		s.Structure, err = live.RowShare(ctx, x)
	}
	return err
}

// rowsBehind are the rows that go behind a model, by which it places others, nil for none.
func (in *inputs) rowsBehind(m model) *dataset.Dataset {
	if fitted, ok := m.(*coles.Model); !ok || !usesEdges(fitted) || in.rows == nil {
		return nil
	}
	rows := &dataset.Dataset{Adjacency: in.rows.Undirected.CSR(), Features: in.rows.Features}
	if in.rows.Undirected.Named() {
		rows.IDs = in.rows.Undirected.IDs()
	}
	return rows
}

// usesEdges reports whether a model embeds nodes by their edges.
func usesEdges(m *coles.Model) bool {
	r := m.Report()
	return r.Kind == coles.UseGraph || r.StructureShare > 0
}

// placed are the vectors of rows that join the known ones nearest to them.
func placed(ctx context.Context, m *coles.Model, known *dataset.Dataset, x mat.Matrix) (*mat.Dense, error) {
	g, err := known.Graph()
	if err != nil {
		return nil, err
	}
	rows, err := live.FreezeRows(ctx, m, g, known.Features)
	if err != nil {
		return nil, err
	}
	return rows.Embed(ctx, x)
}
