package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/link"
	"coles/live"
	"coles/near"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// A state is all that a request reads. It never changes: a request that has begun with one ends
// with it, whatever is loaded meanwhile.
type state struct {
	files    *dataset.Dataset // what was fitted
	model    *coles.Model
	rows     mat.Matrix // the embedding
	graph    *coles.Graph
	ids      []string
	columns  map[string]int // of the features, or of the table that encoder makes them of
	encoder  *table.Encoder // nil where they are numbers
	frozen   *live.Frozen
	nearby   *live.Rows // which newcomers join where there are no edges; nil for a graph
	index    *near.Index
	rounding float64                           // the norm of a vector that is 0 but for rounding, near to nothing
	learnt   predictor                         // from labels, whenever files are read: what a file has would not follow a new fit; nil without labels
	links    func() (*link.Recommender, error) // learns when it is asked for the first time
	since    time.Time
}

// A source names the files of a state; empty names stand for none.
type source struct {
	graph, features, labels, model string
	knn                            int // neighbours of each row of features without a graph
}

// load reads the files, or makes what stands for them.
func (from source) load(ctx context.Context) (*state, error) {
	var f fitted
	var err error
	if from.model != "" {
		if f, err = dataset.Open(from.model, readModel); err != nil {
			return nil, err
		}
	}
	open := synthetic.Communities{}.Generate
	if from.graph != "" || from.features != "" {
		open = func(context.Context) (*dataset.Dataset, error) { return from.open(f.encoder) }
	}
	d, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if f.model != nil && f.encoder == nil && d.Table != nil {
		return nil, fmt.Errorf("%s has columns of text, and the features of %s had none", from.features, from.model)
	}
	if from.labels == "" {
		d.Labels = nil
	}
	if from.alone() {
		return from.newRows(ctx, d, f)
	}
	return newState(ctx, d, f)
}

// newState fits a dataset, unless there is a model.
func newState(ctx context.Context, d *dataset.Dataset, f fitted) (*state, error) {
	f.encoder = d.Encoder // nil for numbers as they are
	g, err := d.Graph()
	if err != nil {
		return nil, err
	}
	if f.model == nil {
		if f.model, err = coles.Fit(ctx, g, d.Features); err != nil {
			return nil, err
		}
	}
	y, err := f.model.Embed(ctx, g, d.Features)
	if err != nil {
		return nil, err
	}
	s := &state{files: d, model: f.model, rows: y, graph: g, ids: g.IDs(), encoder: f.encoder, columns: columns(d, f.encoder), since: time.Now()}
	if s.frozen, err = live.Freeze(ctx, f.model, g, d.Features); err != nil {
		return nil, err
	}
	if d.Labels != nil {
		if s.learnt, err = learnt(ctx, g, y, d); err != nil {
			return nil, fmt.Errorf("labels: %w", err)
		}
	}
	s.links = sync.OnceValues(func() (*link.Recommender, error) { return learnLinks(f.model, g, d) })
	s.rounding = 1e-6 * mat.Norm(y, math.Inf(1)) // more than the rounding of a frozen graph in float32
	if s.index, err = near.NewIndex(ctx, y, near.Cosine); err == nil {
		s.index.Group()
	}
	return s, err
}

// alone reports whether there are features and no edges.
func (from source) alone() bool { return from.graph == "" && from.features != "" }

// newRows is newState for rows without a graph.
func (from source) newRows(ctx context.Context, d *dataset.Dataset, f fitted) (s *state, err error) {
	if d.Undirected, err = coles.KNN(ctx, d.Features, from.knn, coles.WithIDs(d.IDs)); err != nil {
		return nil, err
	}
	if f.model == nil {
		share, err := live.RowShare(ctx, d.Features)
		if err != nil {
			return nil, err
		}
		usual := coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, share })
		if f.model, err = coles.Fit(ctx, d.Undirected, d.Features, usual); err != nil {
			return nil, err
		}
	}
	if s, err = newState(ctx, d, f); err == nil {
		s.nearby, err = live.FreezeRows(ctx, f.model, d.Undirected, d.Features)
	}
	return s, err
}

// open reads the graph, the features in the columns of an encoder if there is one, and the labels.
func (from source) open(e *table.Encoder) (*dataset.Dataset, error) {
	opts := dataset.EdgeListOptions{Encoder: e}
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
	opts.Labels, opts.EdgesName, opts.FeaturesName, opts.LabelsName = readers[2], from.graph, from.features, from.labels
	return dataset.ReadEdgeList(readers[0], readers[1], opts)
}

// A fitted model may have an encoder of the columns of a table.
type fitted struct {
	model   *coles.Model
	encoder *table.Encoder
}

// readModel reads the file that "coles embed -model" writes.
func readModel(r io.Reader) (f fitted, err error) {
	b := bufio.NewReader(r)
	f.model, err = coles.ReadModel(b)
	if next, _ := b.Peek(2); err == nil && len(next) > 0 && string(next) != "PK" { // the rows of -knn are read by -features
		f.encoder, err = table.ReadEncoder(b)
	}
	return f, err
}

// learnLinks learns to recommend edges of a graph, with the vectors of a model where it has features.
func learnLinks(m *coles.Model, g *coles.Graph, d *dataset.Dataset) (*link.Recommender, error) {
	options := link.Options{Seed: 1}
	if d.Features != nil {
		options.Embed = func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) { return m.Embed(ctx, g, d.Features) }
		options.Features = d.Features
	} else {
		options.Sides = link.Sides(g)
	}
	return link.Fit(context.Background(), g, options) // what one client begins is there for all
}

// columns numbers the columns of an encoder's table, or of features that are numbers.
func columns(d *dataset.Dataset, e *table.Encoder) map[string]int {
	columns := make(map[string]int)
	if e != nil {
		for j, v := range e.Variables() {
			columns[v.Name] = j
		}
		return columns
	}
	if d.Features == nil {
		return columns
	}
	_, width := d.Features.Dims()
	for j := range width {
		name := strconv.Itoa(j)
		if d.FeatureNames != nil {
			name = d.FeatureNames[j]
		}
		columns[name] = j
	}
	return columns
}

// A service has the state of now and makes the next one.
type service struct {
	load  func(context.Context) (*state, error)
	now   atomic.Pointer[state]
	one   sync.Mutex // held while a state is made
	kept  *kept      // nil if it keeps nothing
	share float64    // of changes that begin a fit; 0 for none
	ctx   context.Context
	log   *log.Logger
}

// reload makes a new state, for who holds s.one. Requests go on with the old one until it is there, and
// after an error.
func (s *service) reload(ctx context.Context, why string) error {
	if s.kept != nil { // the files are where it began
		return s.refit(ctx, why)
	}
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
