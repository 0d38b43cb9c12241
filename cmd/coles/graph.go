package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/dataset"
	"coles/task"
)

// readArgument reads the graph that the one argument, or standard input, is.
func (s *session) readArgument(ctx context.Context) (*task.Data, error) {
	args, err := s.arguments(1)
	if err != nil {
		return nil, err
	}
	path := append(args, "")[0]
	if s.arcs && s.opts.Bipartite {
		return nil, usagef("-directed is for nodes of one kind: -bipartite says the direction")
	}
	s.directed = s.directed || s.arcs
	d, err := s.readGraph(ctx, path)
	if err != nil {
		return nil, err
	}
	if s.file == nil && task.LeaveOutAlike(d.Dataset) {
		s.opts.Encoder = nil
		s.warn(fmt.Errorf("the features are the same for all nodes, and are left out"))
	}
	var opts []coles.GraphOption
	if s.arcs {
		opts = append(opts, coles.WithArcs())
	}
	if err := s.withGraph(d, path, opts...); err != nil {
		return nil, err
	}
	if s.arcs {
		d.Sides = nil // arcs say more
	}
	if s.arcs && d.Graph.Report().MirrorsAdded == 0 {
		s.warn(fmt.Errorf("%s: -directed: every edge is there in both directions", nameOf(path)))
	}
	if s.file != nil {
		notes, err := s.file.Take(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nameOf(path), err)
		}
		s.note(nameOf(path), notes...)
	}
	return d, nil
}

// withGraph makes the graph of what was read from a file, checked and undirected.
func (s *session) withGraph(d *task.Data, file string, opts ...coles.GraphOption) (err error) {
	if d.Graph == nil {
		s.progress.show("build the graph", 0, 0)
		defer s.progress.clear()
		d.Graph, err = d.Dataset.Graph(opts...)
	}
	return (&source{path: file}).errAt(err)
}

// readGraph reads the graph at a path with its features and labels; [session.withGraph] makes it.
func (s *session) readGraph(ctx context.Context, path string) (*task.Data, error) {
	f, err := readingFormat(s.from, path, true)
	if err != nil {
		return nil, err
	}
	rows, graph, err := s.placesRows(ctx, path)
	if err != nil {
		return nil, err
	}
	if rows {
		return s.readRows(ctx)
	}
	return s.readGraphAs(ctx, f, graph, "")
}

// readGraphAs reads a graph in a format. Unless -from names the format, errors say that it was guessed, perhaps because
// of the name of another file.
func (s *session) readGraphAs(ctx context.Context, f dataset.Format, graph *source, because string) (*task.Data, error) {
	defer graph.close()
	graph.text.Undirected = !s.directed
	graph.guessed(s.from, f, because)
	if takesAll(f) && s.labels != "" && graph.text.LabelColumn == "" {
		labels, err := s.source(s.labels)
		if err != nil {
			return nil, err
		}
		defer labels.close()
		text, err := labels.open(ctx)
		if err != nil {
			return nil, labels.errAt(err)
		}
		graph.text.Labels, graph.text.LabelColumn = named{text, labels.name()}, s.labelColumn
	}
	d, err := s.readGraphAndFeatures(ctx, f, graph)
	if err != nil {
		return nil, err
	}
	if s.directed && d.Adjacency == nil {
		d.Adjacency = d.Undirected.CSR()
	}
	if err := s.giveIDs(ctx, d, d.Nodes()); err != nil {
		return nil, err
	}
	s.opts.Bipartite = s.opts.Bipartite || d.Sides != nil
	if d.Labels != nil && (graph.text.LabelColumn != "" || graph.text.Labels != nil) { // its own, or read with it
		s.note("", task.LabelsInFeatures(d)...)
		return &task.Data{Dataset: d}, ctx.Err()
	}
	return &task.Data{Dataset: d}, s.giveLabels(ctx, d, d.Nodes())
}

// takesAll reports whether features and labels in text are read together with a graph of a format, by the ids that all have.
func takesAll(f dataset.Format) bool {
	return f.Attributes || slices.Contains([]string{textGraph, "adjacency", "baskets"}, f.Name)
}

func (s *session) readGraphAndFeatures(ctx context.Context, f dataset.Format, graph *source) (*dataset.Dataset, error) {
	path := s.features
	if path == "" {
		d, err := graph.read(ctx, f)
		if err == nil {
			err = s.take(d, graph.name())
		}
		return d, graph.errAt(err)
	}
	of, file, err := s.vectorsAt(ctx, "", path)
	if err != nil {
		return nil, err
	}
	defer file.close()
	own := f.Attributes && sameFile(path, graph.path)
	if own || takesAll(f) && slices.Contains([]string{textVectors, "csv", "jsonl"}, of.Name) {
		graph.text.Format, graph.text.LabelColumn = f.Name, cmp.Or(graph.text.LabelColumn, file.text.LabelColumn)
		d, err := readEdgesOf(ctx, graph, file)
		if err == nil {
			err = s.take(d, file.name())
		}
		return d, err
	}
	features, err := s.readVectorsAs(ctx, of, file)
	if err != nil {
		return nil, err
	}
	rows, _ := features.Features.Dims()
	nameNodes(&graph.text, features.IDs, rows)
	d, err := graph.read(ctx, f)
	if err != nil {
		return nil, graph.errAt(err)
	}
	return d, giveFeatures(d, features, path)
}

// giveFeatures puts vectors that were read from path into a graph of the same nodes in the same
// order.
func giveFeatures(d, vectors *dataset.Dataset, path string) error {
	if rows, _ := vectors.Features.Dims(); rows != d.Nodes() {
		return fmt.Errorf("%s: %w: %d rows for %d nodes", path, coles.ErrShape, rows, d.Nodes())
	}
	for i, id := range d.IDs {
		if vectors.IDs != nil && vectors.IDs[i] != id {
			return fmt.Errorf("%s: %w: row %d is %q, and node %d of the graph %q", path, coles.ErrIDs, i, vectors.IDs[i], i, id)
		}
	}
	d.Features, d.FeatureNames = vectors.Features, vectors.FeatureNames
	if d.IDs == nil {
		d.IDs = vectors.IDs
	}
	return nil
}

// placesRows reports whether rows of features stand in the place of the graph at a path: because of -knn, or because
// no edges come on standard input, of which the source is returned otherwise.
func (s *session) placesRows(ctx context.Context, path string) (bool, *source, error) {
	switch {
	case s.set("knn") && path != "":
		return false, nil, usagef("-knn makes a graph of -features, and %s is one already", path)
	case s.set("knn") && s.features == "":
		return false, nil, usagef("-knn joins rows: name them by -features FILE")
	case s.set("knn") && s.set("from"):
		return false, nil, usagef("-from is the format of GRAPH, and -knn makes one")
	case s.set("knn"):
		return true, nil, s.atLeast1("knn", s.knn)
	}
	if features := s.features; path == "" && features != "" && features != standard && !s.set("from") {
		if isTerminal(s.stdin) {
			return true, nil, nil
		}
		file, err := s.input(path)
		if err != nil {
			return false, nil, err
		}
		text, err := file.open(ctx)
		if err != nil {
			return false, nil, err
		}
		if _, err := text.Peek(1); err == io.EOF {
			file.close()
			return true, nil, nil
		}
		return false, file, nil
	}
	file, err := s.input(path)
	return false, file, err
}

// readRows reads rows of features in the place of a graph: it is that of their nearest, or has no edges where a model
// places rows by itself.
func (s *session) readRows(ctx context.Context) (*task.Data, error) {
	if s.arcs {
		return nil, usagef("-directed is for edges that are given")
	}
	of, err := s.readVectors(ctx, "", s.features)
	if err != nil {
		return nil, err
	}
	var d *task.Data
	if s.file != nil && s.file.PlacesRows() && !s.set("knn") {
		d, err = task.Apart(of)
	} else {
		d, err = s.joinRows(ctx, of)
	}
	if err != nil {
		return nil, err
	}
	if s.directed {
		d.Adjacency = d.Graph.CSR()
	}
	return d, s.giveLabels(ctx, of, d.Graph.Nodes())
}

// joinRows makes the graph of the nearest rows of d, which is said where nobody asked for it.
func (s *session) joinRows(ctx context.Context, d *dataset.Dataset) (*task.Data, error) {
	n, _ := d.Features.Dims()
	k, name := s.knn, nameOf(s.features)
	if !s.set("knn") {
		k = task.UsualNearest(n)
		s.say("no edges are given: each row of %s is joined to the %d nearest, as by -knn %d", name, k, k)
	}
	if k >= n {
		return nil, fmt.Errorf("%s: %w: -knn %d takes %d rows or more, and there are %d", name, coles.ErrShape, k, k+1, n)
	}
	s.progress.show("find the nearest rows", 0, 0)
	defer s.progress.clear()
	of, err := task.Join(ctx, d, k)
	return of, (&source{path: name}).errAt(err)
}
