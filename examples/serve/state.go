package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/live"
)

// A state is all that a request reads. It never changes: a request that has begun with one ends
// with it, whatever is loaded meanwhile.
type state struct {
	graph   *coles.Graph
	ids     []string
	columns map[string]int // of the features
	frozen  *live.Frozen
	index   *eval.Index
	since   time.Time
}

// A source says what a state is made of: files, their names empty where there are none.
type source struct{ graph, features, model string }

// load reads the files, or makes what stands for them.
func (from source) load(ctx context.Context) (*state, error) {
	open := dataset.Communities{}.Generate
	if from.graph != "" {
		open = func(context.Context) (*dataset.Dataset, error) {
			return dataset.OpenEdgeList(from.graph, from.features, "")
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
	s.index, err = eval.NewIndex(ctx, y, eval.Cosine)
	return s, err
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
}

// reload makes a new state, for who holds s.one. Requests go on with the old one until it is there, and
// after an error.
func (s *service) reload(ctx context.Context) error {
	next, err := s.load(ctx)
	if err == nil {
		s.now.Store(next)
	}
	return err
}

// reloadAt reloads at every signal until ctx is done. One that comes during a reload, which may have
// read the files already, has another follow.
func (s *service) reloadAt(ctx context.Context, signals <-chan os.Signal, stderr io.Writer) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			s.one.Lock()
			err := s.reload(ctx)
			s.one.Unlock()
			if err != nil {
				fmt.Fprintf(stderr, "reload: %v\n", err)
			}
		}
	}
}
