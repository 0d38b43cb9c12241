package main

import (
	"cmp"
	"context"
	"fmt"
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
	s.progress.show("build the graph", 0, 0)
	defer s.progress.clear()
	var opts []coles.GraphOption
	if s.arcs {
		opts = append(opts, coles.WithArcs())
	}
	if err := withGraph(d, path, opts...); err != nil {
		return nil, err
	}
	if s.arcs {
		d.Sides = nil // arcs say more
	}
	if s.arcs && d.Graph.Report().MirrorsAdded == 0 {
		s.warn(fmt.Errorf("%s: -directed: every edge is there in both directions", nameOf(path)))
	}
	if s.file != nil {
		s.note(nameOf(path), task.OtherWeights(s.file.Model, d.Graph)...)
	}
	return d, nil
}

// withGraph makes the graph of what was read from a file, checked and undirected.
func withGraph(d *task.Data, file string, opts ...coles.GraphOption) (err error) {
	if d.Graph == nil {
		d.Graph, err = d.Dataset.Graph(opts...)
	}
	return (&source{path: file}).errAt(err)
}

// readGraph reads the graph at a path with its features and labels; [withGraph] makes it.
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

// readGraphAs reads a graph in a format, of which errors say that it was a guess, because of
// another file's name perhaps, unless it is named by -from.
func (s *session) readGraphAs(ctx context.Context, f dataset.Format, graph *source, because string) (*task.Data, error) {
	defer graph.close()
	graph.text.Undirected = !s.directed
	graph.guessed(s.from, f, because)
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
	if graph.text.LabelColumn != "" && d.Labels != nil { // its own
		s.note("", task.LabelsInFeatures(d)...)
		return &task.Data{Dataset: d}, ctx.Err()
	}
	return &task.Data{Dataset: d}, s.giveLabels(ctx, d, d.Nodes())
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
	if own || (f.Attributes || f.Name == textGraph) && slices.Contains([]string{textVectors, "csv", "jsonl"}, of.Name) {
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
