package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"coles"
	"coles/examples/shared/cli"
	"coles/internal/inside"
	"coles/internal/peak"
	"coles/internal/stream"
	"coles/lab/measures"
	"coles/near"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The same embeddings of a part of the edges: the others found again, and what it takes.
func structureLinksTable() table {
	rows := slices.Insert(slices.Clone(structureMethods), 1, method{name: "COLES for links", graphOnly: true, embed: func(ctx context.Context, p *problem, seed uint64) (mat.Matrix, error) {
		return withoutFeatures(coles.WithSettings(coles.LinkSettings(p.Nodes(), 0)))(ctx, p, seed)
	}})
	return table{
		Name: "structure-links", Title: "Links, time and memory without features", apart: true, tall: true,
		about: "A tenth of the edges is hidden, at random. AUC is against as many pairs that no edge joins; MRR is the mean of one over the rank of a hidden edge, of 3,000 at most, among a hundred pairs of one of its ends with others " +
			"that no edge joins to it, drawn by their degrees; both of the dot product or the cosine, whichever is better. Percent, mean ± standard deviation over draws (-seeds); the seconds that all processors together work at an embedding, and the megabytes that it adds.",
		datasets: []string{"cora", "amazon_photo", "usa_flights", "lastfm", "ppi", "wikipedia", bareCommunities},
		rows:     rows, methods: rows, measure: structureLinks,
	}
}

func structureLinks(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	if (m.name == "NetMF (T = 10)" || m.name == "Eigenmaps") && p.Nodes() > mostOfAll {
		return nil, nil
	}
	c := cell{Seeds: o.seeds}
	auc, mrr := make([][]float64, 2), make([][]float64, 2)
	var took, memory []float64
	for seed := range uint64(o.seeds) {
		train, lost := hidden(p.graph, seed+1)
		part := *p
		part.graph = train
		peak.Reset()
		before, start, worked := peak.Bytes(), time.Now(), peak.Time()
		y, err := m.embed(ctx, &part, seed+1)
		if err != nil {
			return nil, err
		}
		c.Seconds += time.Since(start).Seconds() / float64(o.seeds)
		took, memory = append(took, (peak.Time()-worked).Seconds()), append(memory, float64(peak.Bytes()-before)/1e6)
		edges := lostEdges(lost, p.Nodes(), seed+1)
		others, err := measures.NegativePairs(ctx, p.graph, len(edges), stream.Seed(seed+1, 1))
		if err != nil {
			return nil, err
		}
		for k, by := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2} {
			x, err := cli.Prepared(ctx, by, y)
			if err != nil {
				return nil, err
			}
			found, err := measures.PredictLinks(ctx, x, edges, others, near.DotProduct, 1)
			if err != nil {
				return nil, err
			}
			auc[k] = append(auc[k], found.AUC)
			mrr[k] = append(mrr[k], reciprocalRank(p.graph, x, edges, seed+1))
		}
	}
	err := c.measure(sample{"auc", "AUC", better(auc)}, sample{"mrr", "MRR", better(mrr)})
	c.Measures = append(c.Measures, measure{Key: "cpu_seconds", Label: "CPU s", Mean: scalar.Round(stat.Mean(took, nil), 2), Plain: true},
		measure{Key: "megabytes", Label: "MB", Mean: scalar.Round(stat.Mean(memory, nil), 0), Plain: true})
	return []cell{c}, err
}

// better is the sample with the larger mean.
func better(of [][]float64) []float64 {
	if stat.Mean(of[0], nil) > stat.Mean(of[1], nil) {
		return of[0]
	}
	return of[1]
}

// lostEdges are 3,000 of the hidden edges at most, each from one of its ends.
func lostEdges(lost map[int][]int, nodes int, seed uint64) (edges []coles.Edge) {
	for u := range nodes {
		for _, v := range lost[u] {
			if u < v {
				edges = append(edges, coles.Edge{U: u, V: v})
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	edges = edges[:min(3000, len(edges))]
	for k, e := range edges {
		if rng.IntN(2) == 0 {
			edges[k] = coles.Edge{U: e.V, V: e.U}
		}
	}
	return edges
}

// reciprocalRank is the mean of one over the rank of the product of an edge's ends. It is ranked among the products
// of the first end with the other ends of a hundred edges drawn at random. Ends that are joined to the first do not
// count; equal products count half.
func reciprocalRank(g *coles.Graph, x mat.Matrix, edges []coles.Edge, seed uint64) float64 {
	y, ends, rng, sum := mat.DenseCopyOf(x), inside.Adjacency(g).Col, rand.New(rand.NewPCG(seed, 3)), 0.0
	for _, e := range edges {
		from := y.RowView(e.U)
		own, rank := mat.Dot(from, y.RowView(e.V)), 1.0
		near, _ := g.Neighbors(e.U)
		for range 100 {
			v := ends[rng.IntN(len(ends))]
			if _, joined := slices.BinarySearch(near, v); joined || int(v) == e.U {
				continue
			}
			switch other := mat.Dot(from, y.RowView(int(v))); {
			case other > own:
				rank++
			case other == own:
				rank += 0.5
			}
		}
		sum += 1 / rank
	}
	return sum / float64(len(edges))
}
