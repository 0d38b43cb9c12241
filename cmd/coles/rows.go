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
