package main

import (
	"context"
	"time"

	"coles/eval"
)

const (
	heldOut = 0.1 // of the edges
	hitsAt  = 100
)

// How well an embedding of a part of the edges finds the others again.
func linksTable() table {
	return table{
		name: "links", title: "Link prediction",
		about: "A tenth of the edges is held out without breaking the graph up, the rest is embedded, and the cosine of two rows is to tell held-out edges from as many pairs that no edge joins: " +
			"area under the ROC curve, average precision and the share of edges above the 100th pair, in percent, mean ± standard deviation over draws (-seeds).",
		methods: allMethods(), standard: embedders("Raw", "SGC", "S2GC", "PCA-S2GC", "RP-S2GC", "COLES-SGC", "COLES-S2GC", "Eigenmaps"), rows: methodRows(links),
	}
}

// links measures one method on one data set, which is embedded anew for each draw.
func links(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	c := cell{Method: m.name, Seeds: o.seeds}
	var auc, precision, hits []float64
	for seed := range uint64(o.seeds) {
		drawn, err := eval.HoldOutLinks(ctx, p.graph, heldOut, seed+1)
		if err != nil {
			return nil, err
		}
		part := *p
		part.graph = drawn.Train
		start := time.Now()
		y, err := m.embedded(ctx, &part, seed+1)
		if err != nil {
			return nil, err
		}
		c.Seconds += time.Since(start).Seconds() / float64(o.seeds)
		found, err := eval.PredictLinks(ctx, y, drawn, eval.Cosine, min(hitsAt, len(drawn.Negative)))
		if err != nil {
			return nil, err
		}
		auc = append(auc, 100*found.AUC)
		precision = append(precision, 100*found.AveragePrecision)
		hits = append(hits, 100*found.Hits)
	}
	for _, f := range []struct {
		key, label string
		values     []float64
	}{{"auc", "AUC", auc}, {"ap", "AP", precision}, {"hits", "hits@100", hits}} {
		figure, err := newMeasure(f.key, f.label, f.values)
		if err != nil {
			return nil, err
		}
		c.Measures = append(c.Measures, figure)
	}
	return []cell{c}, nil
}
