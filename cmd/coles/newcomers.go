package main

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/dataset"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// newcomerOptions name nodes that GRAPH does not have.
type newcomerOptions struct{ features, edges string }

func (o *newcomerOptions) given() bool { return o.features != "" || o.edges != "" }

func (o *newcomerOptions) flags() []cli.Flag {
	return []cli.Flag{
		ofInput.file(&o.features, "new-features", "embed only the nodes in `FILE`, which join GRAPH and change no other's vector; for -with"),
		ofInput.file(&o.edges, "new-edges", "edges of the nodes of -new-features, `FILE` of lines as in GRAPH; alone for a model fitted without features"),
	}
}

// newcomers are nodes that join a graph, to be embedded alone.
type newcomers struct {
	s       *session
	old     *task.Data
	edges   []coles.Edge
	weights []float64
	path    string // of their features
}

// read reads the nodes that join the graph, and their edges.
func (k *newcomers) read(ctx context.Context, o *newcomerOptions) (*task.Data, error) {
	r := k.s
	k.path = o.features
	e := r.files.Options.Encoder
	if (e == nil || e.AsIs() && e.Variables()[0].Fill == nil) && r.files.Options.Missing != "zero" {
		r.files.Options.Missing = "error" // a mean would be one of the newcomers
	}
	fitted, ok := r.files.By.Model.(*coles.Model)
	if !ok {
		return nil, usagef("-new-features and -new-edges are for a model of \"coles embed\", and -with has a network")
	}
	if r.files.By.ByKinds {
		return nil, usagef("-new-edges say no kinds, by which the model takes edges")
	}
	n := k.old.Nodes()
	ids := task.Names(k.old.IDs, n)
	if fitted.Parts()[0].Structure() != nil || o.features == "" {
		if o.features != "" || fitted.Parts()[0].Structure() == nil {
			return nil, usagef("-new-edges alone is for a model fitted without features; -new-features names a file of them for another")
		}
		return k.readJoins(ctx, o.edges, ids)
	}
	from, err := r.source(o.features)
	if err != nil {
		return nil, err
	}
	r.files = task.Files{Features: from, IDs: r.files.IDs, Options: r.files.Options, By: r.files.By}
	more, err := r.files.Load(ctx)
	if err = r.told(err); err != nil {
		return nil, err
	}
	known := make(map[string]bool, n)
	for _, id := range ids {
		known[id] = true
	}
	if more.IDs == nil {
		count, _ := more.Features.Dims()
		more.IDs = task.Names(nil, n+count)[n:]
	}
	if i := slices.IndexFunc(more.IDs, func(id string) bool { return known[id] }); i >= 0 {
		return nil, fmt.Errorf("%s: %w: the graph has a node %q already", nameOf(o.features), coles.ErrIDs, more.IDs[i])
	}
	return more, k.readEdges(ctx, o.edges, slices.Concat(ids, more.IDs), n)
}

// readEdges reads edges of nodes of which the first n are the graph's; an empty path has none.
func (k *newcomers) readEdges(ctx context.Context, path string, ids []string, n int) error {
	if path == "" {
		return nil
	}
	d, err := k.s.readEdgeLines(ctx, path, ids)
	if err != nil {
		return err
	}
	return k.keep(d, nameOf(path), ids, n, func(u int) int { return u })
}

// readJoins reads edges of nodes that come with nothing else: all that the graph does not have.
func (k *newcomers) readJoins(ctx context.Context, path string, ids []string) (*task.Data, error) {
	d, err := k.s.readEdgeLines(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	n, row := len(ids), make(map[string]int, len(ids))
	for i, id := range ids {
		row[id] = i
	}
	names := task.Names(d.IDs, d.Nodes())
	for _, id := range names {
		if _, known := row[id]; !known {
			row[id], ids = len(ids), append(ids, id)
		}
	}
	return &task.Data{Dataset: &dataset.Dataset{IDs: ids[n:]}}, k.keep(d, nameOf(path), ids, n, func(u int) int { return row[names[u]] })
}

// readEdgeLines reads edges of these nodes, or of nodes as they come.
func (s *session) readEdgeLines(ctx context.Context, path string, ids []string) (*dataset.Dataset, error) {
	file, err := s.source(path)
	if err != nil {
		return nil, err
	}
	how := s.opts // of GRAPH
	how.Type, how.Nodes = "", ids
	d, err := (&task.Files{Graph: file, AsItIs: true, Format: "edges", Options: how}).Load(ctx)
	if err != nil {
		return nil, err
	}
	return d.Dataset, nil
}

// keep keeps edges, of nodes whose rows the function gives, and of which the first n are the graph's.
func (k *newcomers) keep(d *dataset.Dataset, name string, ids []string, n int, row func(u int) int) (err error) {
	d.Adjacency.DoNonZero(func(u, v int, w float64) {
		u, v = row(u), row(v)
		if max(u, v) < n && err == nil {
			err = fmt.Errorf("%s: %w: the graph has both %q and %q; an edge here has a new node", name, coles.ErrIDs, ids[u], ids[v])
		}
		k.edges, k.weights = append(k.edges, coles.Edge{U: u, V: v}), append(k.weights, w)
	})
	return err
}

// embed embeds the newcomers into the graph as it is without them.
func (k *newcomers) embed(ctx context.Context, d *task.Data) (*task.Fitted, error) {
	m := k.s.files.By.Model
	p, err := task.NewPlacer(ctx, m, &task.Data{Dataset: k.old.Dataset, Graph: k.old.Graph})
	if err != nil {
		return nil, err
	}
	y, err := p.Embed(ctx, d.Features, k.edges, k.weights)
	return &task.Fitted{Model: m, Rows: y}, overflowing(err, k.path, d.IDs, d.Features)
}
