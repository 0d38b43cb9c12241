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
func (r *reader) readArgument(ctx context.Context) (*task.Data, error) {
	args, err := r.arguments(1)
	if err != nil {
		return nil, err
	}
	path := append(args, "")[0]
	if r.arcs && r.bipartite {
		return nil, usagef("-directed is for nodes of one kind: -bipartite says the direction")
	}
	r.directed = r.directed || r.arcs
	d, err := r.readGraph(ctx, path)
	if err != nil {
		return nil, err
	}
	if r.file == nil && task.LeaveOutAlike(d.Dataset) {
		r.opts.Encoder = nil
		r.warn(fmt.Errorf("the features are the same for all nodes, and are left out"))
	}
	r.progress.show("build the graph", 0, 0)
	defer r.progress.clear()
	var opts []coles.GraphOption
	if r.arcs {
		opts = append(opts, coles.WithArcs())
	}
	if err := withGraph(d, path, opts...); err != nil {
		return nil, err
	}
	if r.arcs {
		d.Sides = nil // arcs say more
	}
	if r.arcs && d.Graph.Report().MirrorsAdded == 0 {
		r.warn(fmt.Errorf("%s: -directed: every edge is there in both directions", nameOf(path)))
	}
	if r.file != nil {
		r.note(nameOf(path), task.OtherWeights(r.file.Model, d.Graph)...)
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
func (r *reader) readGraph(ctx context.Context, path string) (*task.Data, error) {
	f, err := readingFormat(r.from, path, true)
	if err != nil {
		return nil, err
	}
	rows, graph, err := r.placesRows(ctx, path)
	if err != nil {
		return nil, err
	}
	if rows {
		return r.readRows(ctx)
	}
	return r.readGraphAs(ctx, f, graph, "")
}

// readGraphAs reads a graph in a format, of which errors say that it was a guess, because of
// another file's name perhaps, unless it is named by -from.
func (r *reader) readGraphAs(ctx context.Context, f dataset.Format, graph *source, because string) (*task.Data, error) {
	defer graph.close()
	graph.text.Undirected = !r.directed
	graph.guessed(r.from, f, because)
	if takesAll(f) && r.labels != "" && graph.text.LabelColumn == "" {
		labels, err := r.source(r.labels)
		if err != nil {
			return nil, err
		}
		defer labels.close()
		text, err := labels.open(ctx)
		if err != nil {
			return nil, labels.errAt(err)
		}
		graph.text.Labels, graph.text.LabelColumn = named{text, labels.name()}, r.labelColumn
	}
	d, err := r.readGraphAndFeatures(ctx, f, graph)
	if err != nil {
		return nil, err
	}
	if r.directed && d.Adjacency == nil {
		d.Adjacency = d.Undirected.CSR()
	}
	if err := r.giveIDs(ctx, d, d.Nodes()); err != nil {
		return nil, err
	}
	r.opts.Bipartite = r.opts.Bipartite || d.Sides != nil
	if d.Labels != nil && (graph.text.LabelColumn != "" || graph.text.Labels != nil) { // its own, or read with it
		r.note("", task.LabelsInFeatures(d)...)
		return &task.Data{Dataset: d}, ctx.Err()
	}
	return &task.Data{Dataset: d}, r.giveLabels(ctx, d, d.Nodes())
}

// takesAll reports whether features and labels in text are read together with a graph of a format, by the ids that all have.
func takesAll(f dataset.Format) bool {
	return f.Attributes || slices.Contains([]string{textGraph, "adjacency", "baskets"}, f.Name)
}

func (r *reader) readGraphAndFeatures(ctx context.Context, f dataset.Format, graph *source) (*dataset.Dataset, error) {
	path := r.features
	if path == "" {
		d, err := graph.read(ctx, f)
		if err == nil {
			err = r.take(d, graph.name())
		}
		return d, graph.errAt(err)
	}
	of, file, err := r.vectorsAt(ctx, "", path)
	if err != nil {
		return nil, err
	}
	defer file.close()
	own := f.Attributes && sameFile(path, graph.path)
	if own || takesAll(f) && slices.Contains([]string{textVectors, "csv", "jsonl"}, of.Name) {
		graph.text.Format, graph.text.LabelColumn = f.Name, cmp.Or(graph.text.LabelColumn, file.text.LabelColumn)
		d, err := readEdgesOf(ctx, graph, file)
		if err == nil {
			err = r.take(d, file.name())
		}
		return d, err
	}
	features, err := r.readVectorsAs(ctx, of, file)
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
