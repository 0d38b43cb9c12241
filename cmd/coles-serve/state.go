package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math"
	"sync"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/learn"
	"coles/near"
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
	if f.Model != nil {
		how.By = f
	}
	target, err := task.TargetOf(d.Dataset, len(s.ids), "")
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	if d.Labels != nil {
		how.Labels = &target
	}
	by, chosen, err := s.fit(ctx, how)
	if err != nil {
		return nil, err
	}
	if s.vectors = by; chosen { // which says nothing of other questions
		if s.vectors, _, err = s.fit(ctx, task.Fitting{}); err != nil {
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
	if s.similar, err = task.NewSimilar(ctx, d, s.rows, near.Cosine, nil); err == nil {
		s.similar.Index().Prepare()
	}
	return s, err
}

// fit makes vectors by the model of f or fits one, and reports whether labels chose it.
func (s *state) fit(ctx context.Context, how task.Fitting) (v vectors, chosen bool, err error) {
	f, err := s.Fit(ctx, how)
	if err != nil {
		return v, false, err
	}
	s.note(f.Notes)
	if chosen = f.Choice != nil; chosen {
		s.notes = append(s.notes, f.Choice.String())
	} else if said := f.Notice(); said != "" && how.By == nil {
		s.notes = append(s.notes, said)
	}
	if v.placer, err = task.NewPlacer(ctx, f.Model, s.Data); err == nil {
		v.model, v.rows = f.Model.(*coles.Model), f.Rows
	}
	return v, chosen, err
}

// A source names the files of a state; empty names stand for none.
type source struct {
	graph, features, labels, model string
	knn                            int         // neighbours of each row of features without a graph, 0 for the usual number
	log                            *log.Logger // of what is said about the files
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
	if from.graph == "" && from.features == "" && f.Rows == nil {
		d, err := synthetic.Communities{}.Generate(ctx)
		if err != nil {
			return nil, err
		}
		d.Labels = nil // of all nodes
		return task.New(d)
	}
	files := task.Files{Nearest: cmp.Or(from.knn, -1)}
	if f.Model != nil {
		files.By = f
	}
	for _, of := range []struct {
		path string
		to   **task.Source
	}{{from.graph, &files.Graph}, {from.features, &files.Features}, {from.labels, &files.Labels}} {
		if of.path != "" {
			*of.to = &task.Source{Path: of.path}
		}
	}
	d, err := files.Read(ctx)
	if from.log != nil {
		for _, n := range files.Notes {
			from.log.Print(n)
		}
	}
	return d, err
}
