package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/lab/baselines"

	"gonum.org/v1/gonum/mat"
)

// Embeddings of graphs alone, of 128 columns.
func structureTable() table {
	return table{
		Name: "structure", Title: "Graphs without features", apart: true, tall: true, ranks: true,
		about: accuracyAbout + " Of graphs with several classes a node F1 of all pairs of a node and a class (micro) and its mean over the classes (macro) where a share of the nodes is known, " +
			"of as many classes as a node has.",
		reference: "COLES without features", datasets: bareGraphs, columns: []string{"best"},
		rows: structureMethods, methods: slices.Concat(structureMethods, madeMethods), measure: structureAccuracy,
	}
}

// bareGraphs are those of the archives whose classes follow edges, and graphs that come without features.
var bareGraphs = []string{"cora", "citeseer", "pubmed", "amazon_photo", "flickr", "coauthor_cs", "lastfm", "usa_flights", "ppi", "wikipedia"}

// mostOfAll are the nodes up to which all pairs of them are gone through, or 128 eigenvectors searched to six digits.
const mostOfAll = 50_000

// structureMethods have the settings of their papers. Only FastRP has other weights, the best of seven on cora,
// lastfm and ppi: its own were tuned to other graphs, and are 7 to 20 points behind.
var structureMethods = append(pick(closedMethods, "COLES without features", "Eigenmaps"),
	bare("SVD", baselines.SVD),
	bare("NetMF (T = 1)", func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
		return baselines.NetMF(ctx, g, 1, k, seed)
	}),
	bare("NetMF (T = 10)", func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
		return baselines.NetMF(ctx, g, 10, k, seed)
	}),
	bare("ProNE", baselines.ProNE),
	bare("FastRP", func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
		return baselines.FastRP(ctx, g, []float64{0, 0, 0, 1, 1, 1, 1, 1}, 0, k, seed)
	}),
	bare("RandNE", func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
		return baselines.RandNE(ctx, g, []float64{1e-5, 1e-3, 0.1, 1}, k, seed)
	}),
	cleora("Cleora (4)", 4, false), cleora("Cleora (16)", 16, false), cleora("Cleora (16 whitened)", 16, true),
)

// madeMethods train COLES-GCN on features that are made of the graph.
var madeMethods = []method{
	onMade("COLES-GCN on the embedding", withoutFeatures()),
	onMade("COLES-GCN on the structure", func(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
		s, err := coles.FitStructure(ctx, p.graph, min(128, p.Nodes()), 1)
		if err != nil {
			return nil, err
		}
		return s.Encode(ctx, p.graph)
	}),
}

func onMade(name string, features embedder) method {
	return method{name: name, graphOnly: true, seeded: true, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		x, err := features(ctx, p, seed)
		if err != nil {
			return nil, err
		}
		return trained(name).embed(ctx, &problem{Dataset: &dataset.Dataset{Features: x}, graph: p.graph}, seed)
	}}
}

// bare is what others embed graphs with.
func bare(name string, embed func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error)) method {
	return method{name: name, graphOnly: true, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		return embed(ctx, p.graph, min(128, p.Nodes()), seed)
	}}
}

func cleora(name string, rounds int, whiten bool) method {
	return bare(name, func(ctx context.Context, g *coles.Graph, k int, seed uint64) (*mat.Dense, error) {
		return baselines.Cleora(ctx, g, rounds, whiten, k, seed)
	})
}

func structureAccuracy(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	if !slices.Contains(severalData, p.Name) {
		return classification(ctx, o, p, m)
	}
	start := time.Now()
	y, err := m.embed(ctx, p, 1)
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	columns := toMeasure(o.columns)
	var found []cell
	for _, s := range columns {
		x, regression, err := s.regression(ctx, y)
		if err != nil {
			return nil, err
		}
		if cs := regression.Cs; len(cs) == 1 { // a scale, of rows that are centred: those of Cleora come to lie all in one direction
			scaled := centred(x)
			scaled.Scale(math.Sqrt(cs[0]), scaled)
			x, regression.Cs = scaled, nil
		}
		samples, err := severalF1(o, p, func(sets [][]int, splits []dataset.Split) (micro, macro []float64, err error) {
			return eachF1(ctx, eval.Protocol{Regression: regression}, x, sets, splits)
		})
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", s.name, err)
		}
		for both := range slices.Chunk(samples, 2) { // micro and macro of a share
			c := cell{Seeds: 1, Seconds: seconds, trials: [][]float64{both[0].values}}
			if err := c.measure(both...); err != nil {
				return nil, err
			}
			found = append(found, c)
		}
	}
	cells := chosen(o.columns, columns, found)
	for i := range cells {
		cells[i].Scaling = &o.columns[i/len(knownShares)]
	}
	return cells, nil
}

// centred is y without the mean of its rows.
func centred(y mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(y)
	n, d := out.Dims()
	for j := range d {
		mean := mat.Sum(out.ColView(j)) / float64(n)
		for i := range n {
			out.Set(i, j, out.At(i, j)-mean)
		}
	}
	return out
}
