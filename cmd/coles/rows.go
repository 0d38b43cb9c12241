package main

import (
	"context"
	"fmt"
	"io"

	"coles"
	"coles/dataset"
	"coles/task"
)

// placesRows reports whether rows of features stand in the place of the graph at a path: because of -knn, or because
// no edges come on standard input, of which the source is returned otherwise.
func (r *reader) placesRows(ctx context.Context, path string) (bool, *source, error) {
	switch {
	case r.set("knn") && path != "":
		return false, nil, usagef("-knn makes a graph of -features, and %s is one already", path)
	case r.set("knn") && r.features == "":
		return false, nil, usagef("-knn joins rows: name them by -features FILE")
	case r.set("knn") && r.set("from"):
		return false, nil, usagef("-from is the format of GRAPH, and -knn makes one")
	case r.set("knn"):
		return true, nil, r.atLeast1("knn", r.knn)
	}
	if features := r.features; path == "" && features != "" && features != standard && !r.set("from") {
		if isTerminal(r.stdin) {
			return true, nil, nil
		}
		s, err := r.input(path)
		if err != nil {
			return false, nil, err
		}
		text, err := s.open(ctx)
		if err != nil {
			return false, nil, err
		}
		if _, err := text.Peek(1); err == io.EOF {
			s.close()
			return true, nil, nil
		}
		return false, s, nil
	}
	s, err := r.input(path)
	return false, s, err
}

// readRows reads rows of features in the place of a graph: it is that of their nearest, or has no edges where a model
// places rows by itself.
func (r *reader) readRows(ctx context.Context) (*task.Data, error) {
	if r.arcs {
		return nil, usagef("-directed is for edges that are given")
	}
	of, err := r.readVectors(ctx, "", r.features)
	if err != nil {
		return nil, err
	}
	var d *task.Data
	if r.file != nil && r.file.PlacesRows() && !r.set("knn") {
		d, err = task.Apart(of)
	} else {
		d, err = r.joinRows(ctx, of)
	}
	if err != nil {
		return nil, err
	}
	if r.directed {
		d.Adjacency = d.Graph.CSR()
	}
	return d, r.giveLabels(ctx, of, d.Graph.Nodes())
}

// joinRows makes the graph of the nearest rows of d, which is said where nobody asked for it.
func (r *reader) joinRows(ctx context.Context, d *dataset.Dataset) (*task.Data, error) {
	n, _ := d.Features.Dims()
	k, name := r.knn, nameOf(r.features)
	if !r.set("knn") {
		k = task.UsualNearest(n)
		r.say("no edges are given: each row of %s is joined to the %d nearest, as by -knn %d", name, k, k)
	}
	if k >= n {
		return nil, fmt.Errorf("%s: %w: -knn %d takes %d rows or more, and there are %d", name, coles.ErrShape, k, k+1, n)
	}
	r.progress.show("find the nearest rows", 0, 0)
	defer r.progress.clear()
	of, err := task.Join(ctx, d, k)
	return of, (&source{path: name}).errAt(err)
}
