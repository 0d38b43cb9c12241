package main

import (
	"context"

	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

// A rival is one of the two objectives, with the same network.
type rival struct {
	name string
	opts []gnn.Option
}

var rivals = []rival{
	{"SampledNCE", []gnn.Option{gnn.WithObjective(gnn.SampledNCE(5, 1)), gnn.WithFreshNegatives(true)}},
	{"COLES-GCN", nil},
}

func (r rival) embed(ctx context.Context, o options, p problem) (*mat.Dense, error) {
	m, err := gnn.Train(ctx, p.graph, p.Features, append(r.opts[:len(r.opts):len(r.opts)], gnn.WithSeed(o.seed), gnn.WithEpochs(o.epochs))...)
	if err != nil {
		return nil, err
	}
	return m.Embedding(), nil
}
