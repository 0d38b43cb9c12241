package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// A state is all that a request reads. It never changes: a request that has begun with one ends
// with it, whatever is loaded meanwhile.
type state struct {
	graph   *coles.Graph
	ids     []string
	columns map[string]int // of the features
	frozen  *live.Frozen
	index   *eval.Index
	classes *classes // nil without labels
	since   time.Time
}

// classes are those of labels, with a classifier that has learnt them.
type classes struct {
	model *eval.LinearModel
	names []string
}

// A source says what a state is made of: files, their names empty where there are none.
type source struct{ graph, features, labels, model string }

// load reads the files, or makes what stands for them.
func (from source) load(ctx context.Context) (*state, error) {
	open := dataset.Communities{}.Generate
	if from.graph != "" {
		open = func(context.Context) (*dataset.Dataset, error) {
			return dataset.OpenEdgeList(from.graph, from.features, from.labels)
		}
	}
	d, err := open(ctx)
	if err != nil {
		return nil, err
	}
	g, err := d.Graph()
	if err != nil {
		return nil, err
	}
	m, err := from.fitted(ctx, g, d)
	if err != nil {
		return nil, err
	}
	y, err := m.Embed(ctx, g, d.Features)
	if err != nil {
		return nil, err
	}
	s := &state{graph: g, ids: g.IDs(), columns: map[string]int{}, since: time.Now()}
	_, width := d.Features.Dims()
	for j := range width {
		name := strconv.Itoa(j)
		if d.FeatureNames != nil {
			name = d.FeatureNames[j]
		}
		s.columns[name] = j
	}
	if s.frozen, err = live.Freeze(ctx, m, g, d.Features); err != nil {
		return nil, err
	}
	if from.labels != "" {
		if s.classes, err = learn(ctx, y, d); err != nil {
			return nil, err
		}
	}
	s.index, err = eval.NewIndex(ctx, y, eval.Cosine)
	return s, err
}

// learn learns the classes of nodes by the vectors of those that have a label. Kept in a file, a
// classifier would not follow a new fit.
func learn(ctx context.Context, y mat.Matrix, d *dataset.Dataset) (*classes, error) {
	var rows []int
	for i, l := range d.Labels {
		if l >= 0 {
			rows = append(rows, i)
		}
	}
	m, err := eval.LogisticRegression{Cs: eval.DefaultCs()}.Fit(ctx, y, rows, d.Labels)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return &classes{m, d.Classes}, nil
}

// fitted reads the model, or fits one.
func (from source) fitted(ctx context.Context, g *coles.Graph, d *dataset.Dataset) (*coles.Model, error) {
	if from.model == "" {
		return coles.Fit(ctx, g, d.Features)
	}
	return dataset.Open(from.model, coles.ReadModel)
}

// A service has the state of now and makes the next one.
type service struct {
	load func(context.Context) (*state, error)
	now  atomic.Pointer[state]
	one  sync.Mutex // held while a state is made
	log  *log.Logger
}

// reload makes a new state, for who holds s.one. Requests go on with the old one until it is there, and
// after an error.
func (s *service) reload(ctx context.Context, why string) error {
	start := time.Now()
	next, err := s.load(ctx)
	if err != nil {
		s.log.Printf("reload by %s: %v; the files as they were go on", why, err)
		return err
	}
	s.log.Printf("reload by %s: %v, %.1f s", why, next.graph.Report(), time.Since(start).Seconds())
	s.now.Store(next)
	return nil
}

// reloadAt reloads at every signal until ctx is done. One that comes during a reload, which may have
// read the files already, has another follow.
func (s *service) reloadAt(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			s.one.Lock()
			s.reload(ctx, "SIGHUP") // which logs its errors
			s.one.Unlock()
		}
	}
}
