package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
	"coles/task"
)

// A source names the files of a state; empty names stand for none.
type source struct {
	graph, features, labels, model string
	knn                            int // neighbours of each row of features without a graph, 0 for the usual number
}

// load is the state of the files.
func (from source) load(ctx context.Context) (*state, error) {
	d, f, err := from.files(ctx)
	if err != nil {
		return nil, err
	}
	return newState(ctx, d, f)
}

// files reads the files, or makes what stands for them.
func (from source) files(ctx context.Context) (d *task.Data, f *task.File, err error) {
	f = &task.File{}
	if from.model != "" {
		if f, err = dataset.Open(from.model, task.ReadFile); err != nil {
			return nil, nil, err
		}
	}
	d, err = from.data(ctx, f)
	return d, f, err
}

// alone reports whether there are features and no edges.
func (from source) alone() bool { return from.graph == "" && from.features != "" }

// data are those of the files, of the rows that a model's file has, or generated.
func (from source) data(ctx context.Context, f *task.File) (*task.Data, error) {
	if f.ByKinds {
		return nil, fmt.Errorf("%s takes edges by their kinds, for links, which changes would not say", from.model)
	}
	if from.graph == "" && from.features == "" {
		if f.Rows != nil {
			return f.Known()
		}
		d, err := synthetic.Communities{}.Generate(ctx)
		if err != nil {
			return nil, err
		}
		d.Labels = nil // of all nodes
		return task.New(d)
	}
	d, err := from.read(f)
	if err != nil {
		return nil, err
	}
	if f.Model != nil && f.Encoder == nil && d.Table != nil {
		return nil, fmt.Errorf("%s has columns of text, and the features of %s had none", from.features, from.model)
	}
	if from.alone() {
		return task.Join(ctx, d, from.knn)
	}
	task.LeaveOutAlike(d)
	return task.New(d)
}

// read reads the graph, the features and the labels, as the file of a model wants them.
func (from source) read(f *task.File) (*dataset.Dataset, error) {
	readers := [3]io.Reader{strings.NewReader("")} // nil for another file that there is not
	for k, path := range []string{from.graph, from.features, from.labels} {
		if path == "" {
			continue
		}
		text, err := dataset.Open(path, func(r io.Reader) ([]byte, error) { return io.ReadAll(r) })
		if err != nil {
			return nil, err
		}
		readers[k] = bytes.NewReader(text)
	}
	opts := parse.Options{Encoder: f.Encoder, Only: f.Only, Labels: readers[2], EdgesName: from.graph, FeaturesName: from.features, LabelsName: from.labels}
	return dataset.ReadEdgeList(readers[0], readers[1], opts)
}
