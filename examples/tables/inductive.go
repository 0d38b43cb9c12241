package main

import (
	"context"
	"math/rand/v2"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// What nodes lose that the model has not seen.
func inductiveTable() table {
	return table{
		name: "inductive", title: "Unseen nodes",
		about: "Accuracy on a random half of the nodes, in percent, mean ± standard deviation over the splits; the columns are data set and labelled nodes per class, which are of the other half. " +
			"Inductive: the model has learned from the graph of that other half alone and embeds these nodes unseen. Transductive: it has seen all, but no labels.",
		rows: func([]method) []row {
			var rows []row
			for _, m := range []struct {
				name string
				opts []coles.Option
			}{{"COLES-SGC", []coles.Option{coles.WithFilter(sgc)}}, {"COLES-S2GC", nil}} {
				rows = append(rows,
					inductiveRow(method{name: m.name, features: true, embed: fitHalf(m.opts...)}, "inductive"),
					inductiveRow(method{name: m.name, features: true, embed: fit(m.opts...)}, "transductive"))
			}
			return rows
		},
	}
}

func inductiveRow(m method, protocolName string) row {
	varied := setting{Key: "protocol", Value: protocolName}
	return row{m.name + ", " + varied.String(), m.features, func(ctx context.Context, o options, p *problem) ([]cell, error) {
		_, unseen := halves(p.Nodes())
		splits := func(per int) ([]dataset.Split, error) { return splitsAsking(p, unseen, per, o.splits) }
		return accuracies(ctx, o, p, m, protocol{perClass: perClass, splits: splits}, cell{Varied: &varied})
	}}
}

// fitHalf is COLES learned from the seen half.
func fitHalf(opts ...coles.Option) func(context.Context, *problem) (mat.Matrix, error) {
	return func(ctx context.Context, p *problem) (mat.Matrix, error) {
		seen, _ := halves(p.Nodes())
		return eval.EmbedInductive(ctx, p.graph, p.Features, seen, opts...)
	}
}

// halves divides n nodes at random, the same for every method.
func halves(n int) (seen, unseen []int) {
	order := rand.New(rand.NewPCG(splitSeed, 0)).Perm(n)
	return order[:n/2], order[n/2:]
}

// splitsAsking are splits whose labelled nodes are none of those to be asked about.
func splitsAsking(p *problem, asked []int, per, count int) ([]dataset.Split, error) {
	labels := append([]int(nil), p.Labels...)
	for _, i := range asked {
		labels[i] = -1
	}
	splits, err := dataset.RandomSplits(labels, per, count, splitSeed)
	if err != nil {
		return nil, err
	}
	for s := range splits {
		splits[s].Test = known(p, asked)
	}
	return splits, nil
}

// known are those of some nodes whose label says something.
func known(p *problem, nodes []int) []int {
	silent := make(map[int]bool)
	for _, i := range p.Unlabeled {
		silent[i] = true
	}
	var kept []int
	for _, i := range nodes {
		if !silent[i] && p.Labels[i] >= 0 {
			kept = append(kept, i)
		}
	}
	return kept
}
