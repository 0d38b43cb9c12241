package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
	"coles/learn"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// A state is a fit and its data. It never changes.
type state struct {
	*task.Data // what was fitted
	vectors
	cells
	ids      []string
	similar  *task.Similar
	rounding float64                     // the norm of a vector that is 0 but for rounding, near to nothing
	learnt   *learnt                     // from labels; nil without
	links    func() (*task.Links, error) // learns when it is asked for the first time
	notes    []string                    // for the log
	since    time.Time
}

// Vectors are the vectors of the nodes, and the model that makes more.
type vectors struct {
	model  *coles.Model
	rows   mat.Matrix
	placer *task.Placer
}

// What is learnt from labels, by the vectors that they choose.
type learnt struct {
	*task.Predictor
	vectors
	target  task.Target
	answers func() ([]learn.Answer, error) // of all nodes; predicts when it is asked for the first time
}

// note keeps notes for the log.
func (s *state) note(notes []task.Note) {
	for _, note := range notes {
		s.notes = append(s.notes, note.Text)
	}
}

// newState fits data and learns from their labels, unless a file has the model and the learnt part.
func newState(ctx context.Context, d *task.Data, f *task.File) (*state, error) {
	s := &state{Data: d, cells: cellsOf(d), ids: d.Graph.IDs(), since: time.Now()}
	how := task.Fitting{How: learn.Options{Seed: 1}}
	target, err := task.TargetOf(d.Dataset, len(s.ids), "")
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	if d.Labels != nil {
		how.Labels = &target
	}
	by, chosen, err := s.fit(ctx, f.Model, how)
	if err != nil {
		return nil, err
	}
	if s.vectors = by; chosen { // which says nothing of other questions
		if s.vectors, _, err = s.fit(ctx, nil, task.Fitting{}); err != nil {
			return nil, err
		}
		if s.model.Hash() == by.model.Hash() {
			by = s.vectors
		}
	}
	p := f.Predictor
	if p != nil {
		var said []task.Note
		if p, said, err = p.For(by.model, target); err != nil {
			return nil, fmt.Errorf("-model %w", err)
		}
		s.note(said)
	} else if d.Labels != nil {
		if p, err = task.FitPredictor(ctx, d.Graph, by.rows, by.model, target, how.How); err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
	}
	if p != nil {
		answers := func() ([]learn.Answer, error) { return p.Answers(context.Background(), d.Graph, by.rows, target, nil) }
		s.learnt = &learnt{p, by, target, sync.OnceValues(answers)}
	}
	// What one client begins is there for all.
	s.links = sync.OnceValues(func() (*task.Links, error) { return d.Links(context.Background(), task.Linking{Seed: 1}) })
	s.rounding = 1e-6 * mat.Norm(s.rows, math.Inf(1)) // more than the rounding of a frozen graph in float32
	if s.similar, err = task.NewSimilar(ctx, d, s.rows, nil); err == nil {
		s.similar.Index().Prepare()
	}
	return s, err
}

// fit makes vectors by a model or, for nil, fits one, and reports whether labels chose it.
func (s *state) fit(ctx context.Context, m task.Model, how task.Fitting) (v vectors, chosen bool, err error) {
	if m == nil {
		f, err := s.Fit(ctx, how)
		if err != nil {
			return v, false, err
		}
		s.note(f.Notes)
		if chosen = f.Choice != nil; chosen {
			s.notes = append(s.notes, f.Choice.String())
		} else if said := f.Notice(); said != "" {
			s.notes = append(s.notes, said)
		}
		v.model, v.rows = f.Model, f.Rows
	} else {
		var ok bool
		if v.model, ok = m.(*coles.Model); !ok {
			return v, false, errors.New("the model is a network, which cannot place newcomers")
		}
		y, err := m.Embed(ctx, s.Graph, s.Features)
		if err != nil {
			return v, false, err
		}
		v.rows = task.Narrowed(m, y)
	}
	v.placer, err = task.NewPlacer(ctx, v.model, s.Data)
	return v, chosen, err
}

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

// files reads the files, or generates data without them.
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

// data are the data of the files, or of the rows in a model's file, or generated.
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

// read reads the graph, the features and the labels as the file of a model wants them.
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
