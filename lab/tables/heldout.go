package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/stream"
	"coles/lab/measures"
	"coles/link"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// How well an embedding of a part of the edges finds the others again.
func linksTable() table {
	all := append(slices.Clone(closedMethods),
		method{name: "S2GC(3) (same features)", embed: smoothed(coles.LinkSettings(0, 0).Filter)},
		method{name: "COLES for links", embed: fitFor(coles.LinkSettings)})
	return table{
		Name: "links", Title: "Link prediction",
		about: "A tenth of the edges is held out without breaking the graph up, the rest is embedded, and the cosine of two rows is to tell held-out edges from as many pairs that no edge joins: " +
			"area under the ROC curve, average precision and the share of edges above the 100th pair, in percent, mean ± standard deviation over draws (-seeds).",
		methods: slices.Concat(all, trainedMethods, rivalMethods),
		rows:    pick(all, "Raw", "SGC", "S2GC", "S2GC (same features)", "PCA-S2GC", "RP-S2GC", "S2GC(3) (same features)", "COLES-SGC", "COLES-S2GC", "COLES for links", "Eigenmaps"),
		measure: links,
	}
}

// links measures one method on one data set, which is embedded anew for each draw.
func links(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c := cell{Seeds: o.seeds}
	var auc, precision, hits []float64
	for seed := range uint64(o.seeds) {
		drawn, err := link.HoldOut(ctx, p.graph, 0.1, seed+1)
		if err != nil {
			return nil, err
		}
		part := *p
		part.graph = drawn.Train
		start := time.Now()
		y, err := m.embed(ctx, &part, seed+1)
		if err != nil {
			return nil, err
		}
		c.Seconds += time.Since(start).Seconds() / float64(o.seeds)
		others, err := measures.NegativePairs(ctx, p.graph, len(drawn.Edges), stream.Seed(seed+1, 1))
		if err != nil {
			return nil, err
		}
		found, err := measures.PredictLinks(ctx, y, drawn.Edges, others, near.Cosine, min(100, len(others)))
		if err != nil {
			return nil, err
		}
		auc = append(auc, found.AUC)
		precision = append(precision, found.AveragePrecision)
		hits = append(hits, found.Hits)
	}
	err := c.measure(sample{"auc", "AUC", auc}, sample{"ap", "AP", precision}, sample{"hits", "hits@100", hits})
	return []cell{c}, err
}

// What nodes lose that the model has not seen.
func inductiveTable() table {
	row := func(name, protocol string, embed embedder) method {
		return method{name: name, varied: &setting{Key: "protocol", Value: protocol}, embed: embed}
	}
	return table{
		Name: "inductive", Title: "Unseen nodes",
		about: "Accuracy on a random half of the nodes, in percent, mean ± standard deviation over the splits; the columns are data set and labelled nodes per class, which are of the other half. " +
			"Inductive: the model has learned from the graph of that other half alone and embeds these nodes unseen. Transductive: it has seen all, but no labels.",
		rows: []method{
			row("COLES-SGC", "inductive", fitHalf(coles.WithFilter(sgc))), row("COLES-SGC", "transductive", fit(coles.WithFilter(sgc))),
			row("COLES-S2GC", "inductive", fitHalf()), row("COLES-S2GC", "transductive", fit()),
		},
		measure: inductive,
	}
}

func inductive(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	_, unseen := halves(p.Nodes())
	splits := func(per int) ([]dataset.Split, error) { return splitsAsking(p, unseen, per, o.splits) }
	return accuracies(ctx, o, p, m, perClass, splits)
}

// fitHalf is COLES learned from the seen half.
func fitHalf(opts ...coles.Option) embedder {
	return func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		seen, _ := halves(p.Nodes())
		part, err := eval.Induce(ctx, p.graph, p.Features, seen)
		if err != nil {
			return nil, err
		}
		m, err := coles.Fit(ctx, part.Graph, part.Features, opts...)
		if err != nil {
			return nil, err
		}
		return m.Embed(ctx, p.graph, p.Features)
	}
}

// halves divides n nodes at random, the same for every method.
func halves(n int) (seen, unseen []int) {
	order := orderOf(n)
	return order[:n/2], order[n/2:]
}

// orderOf is a random order of n nodes, always the same.
func orderOf(n int) []int { return rand.New(rand.NewPCG(splitSeed, 0)).Perm(n) }

// splitsAsking are splits whose labelled nodes are not among the nodes to predict. Of these, the
// nodes with a label are tested.
func splitsAsking(p *problem, asked []int, per, count int) ([]dataset.Split, error) {
	labels := slices.Clone(p.Labels)
	for _, i := range asked {
		labels[i] = -1
	}
	splits, err := dataset.RandomSplits(labels, per, count, splitSeed)
	if err != nil {
		return nil, err
	}
	test := slices.DeleteFunc(slices.Clone(asked), func(i int) bool {
		_, silent := slices.BinarySearch(p.Unlabeled, i)
		return silent || p.Labels[i] < 0
	})
	for s := range splits {
		splits[s].Test = test
	}
	return splits, nil
}
