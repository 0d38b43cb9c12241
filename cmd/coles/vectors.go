package main

import (
	"context"
	"slices"

	"coles/task"

	"github.com/urfave/cli/v3"
)

// vectorOptions say where an embedding comes from.
type vectorOptions struct {
	inputOptions
	fit             fitOptions
	embedding, with string
	directed        bool
}

func (o *vectorOptions) flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		ofInput.file(&o.embedding, "embedding", "`FILE` of vectors, in the order of the nodes"),
		ofModel.file(&o.with, "with", "embed GRAPH with the model in `FILE`"),
		directedFlag(&o.directed),
	}, o.graphFlags(), o.fit.flags())
}

// directedFlag is the option that keeps the direction of edges.
func directedFlag(to *bool) cli.Flag {
	return ofInput.yes(to, "directed", "edges lead from the first node to the second: vectors tell tails from heads, and links lead to heads")
}

// check refuses options for making an embedding where there is one. A seed is for more than that.
func (o *vectorOptions) check(s *session) error {
	for _, name := range append(fittingNames, "with", "directed") {
		if o.embedding != "" && s.set(name) && name != "seed" {
			return usagef("-%s cannot be used with -embedding", name)
		}
	}
	return changesNoFit(s, "seed")
}

// changesNoFit refuses settings, but those allowed, next to a model.
func changesNoFit(s *session, allowed ...string) error {
	for _, name := range fittingNames {
		if s.set("with") && s.set(name) && !slices.Contains(allowed, name) {
			return usagef("-%s changes a fit, and -with has a model already", name)
		}
	}
	return nil
}

// degrees of the nodes, nil without a graph.
func (v *vectors) degrees() ([]float64, error) {
	if v.Graph == nil && v.Adjacency != nil {
		var err error
		if v.Graph, err = v.Dataset.Graph(); err != nil {
			return nil, err
		}
	}
	if v.Graph == nil {
		return nil, nil
	}
	return v.Graph.Degrees(), nil
}

// Vectors have a row for every node. Where they were read there is no model, and without a graph the data are ids and
// labels only.
type vectors struct {
	*task.Data
	*task.Fitted
}

// read reads an embedding, and the graph if there is one. Without -embedding it reads the graph and embeds it for a
// purpose; adapt may change how.
func (o *vectorOptions) read(ctx context.Context, s *session, usual task.Purpose, adapt func(*task.Fitting, *task.Data) error) (*vectors, error) {
	if o.embedding != "" {
		return o.readVectors(ctx, s)
	}
	how, err := o.fit.how(ctx, s, o.with, usual)
	if err != nil {
		return nil, err
	}
	s.files.Arcs = o.directed
	d, err := s.read(ctx)
	if err == nil && adapt != nil {
		err = adapt(&how, d)
	}
	if err != nil {
		return nil, err
	}
	f, err := s.embed(ctx, d, how)
	return &vectors{d, f}, err
}

// readVectors reads -embedding, and the graph if there is one.
func (o *vectorOptions) readVectors(ctx context.Context, s *session) (*vectors, error) {
	args, err := s.arguments(1)
	if err != nil {
		return nil, err
	}
	from, err := s.source(o.embedding)
	if err == nil && len(args) > 0 {
		err = s.find(ctx, args[0])
	} else if err == nil {
		err = s.beside()
	}
	if err != nil {
		return nil, err
	}
	d, y, err := s.files.Embedding(ctx, from)
	return &vectors{d, &task.Fitted{Rows: y}}, s.told(err)
}

// output is the sink of -o for what is made of an embedding.
func (o *vectorOptions) output(s *session, to *resultOptions) (sink, error) {
	if err := o.check(s); err != nil {
		return sink{}, err
	}
	return to.output(s, s.args)
}
