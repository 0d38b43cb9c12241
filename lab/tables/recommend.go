package main

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"coles"
	"coles/link"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// How well each score recommends the edges that are hidden from it.
func recommendTable() table {
	rows := []method{
		{name: "most popular"}, {name: "resource allocation"}, {name: "P3"}, {name: "item-kNN"}, {name: "EASE"},
		{name: "link.Fit"}, {name: "link.Fit (features)"},
	}
	for i := range rows {
		rows[i].graphOnly = true // or says itself that it is not
	}
	return table{
		Name: "recommend", Title: "Recommended links", apart: true,
		about: "A tenth of the edges is hidden, drawn without regard to what falls apart, and up to 400 nodes that lost one rank all nodes that no edge joins to them: " +
			"the share of the lost ends among ten (recall@10), the mean of one over the rank of the first (MRR) and the area under the ROC curve, in percent, mean ± standard deviation over draws (-seeds).",
		rows: rows, methods: rows, measure: recommend,
	}
}

const (
	mostAsked  = 400
	mostOfEASE = 4000 // nodes: it inverts a matrix of as many rows
	easeRidge  = 10
)

// A scorer has a score of every node, for one that asks.
type scorer func(u int) ([]float64, error)

func recommend(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	if m.name == "EASE" && p.Nodes() > mostOfEASE || m.name == "link.Fit (features)" && p.Features == nil {
		return nil, nil
	}
	c := cell{Seeds: o.seeds}
	var recall, mrr, auc, cold []float64
	for seed := range uint64(o.seeds) {
		train, lost := hidden(p.graph, seed+1)
		start := time.Now()
		score, err := scorerOf(ctx, m.name, p, train, seed+1)
		if err != nil {
			return nil, err
		}
		var asked []int
		for u := range p.Nodes() {
			if len(lost[u]) > 0 {
				asked = append(asked, u)
			}
		}
		rand.New(rand.NewPCG(seed+1, 1)).Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		asked = asked[:min(len(asked), mostAsked)]
		found, all, foundCold, allCold, first, area := 0, 0, 0, 0, 0.0, 0.0
		for _, u := range asked {
			scores, err := score(u)
			if err != nil {
				return nil, err
			}
			hits, rank, part := judge(train, u, lost[u], scores)
			if near, _ := train.Neighbors(u); len(near) <= 1 {
				foundCold, allCold = foundCold+hits, allCold+len(lost[u])
			}
			found, all, first, area = found+hits, all+len(lost[u]), first+1/float64(rank), area+part
		}
		c.Seconds += time.Since(start).Seconds() / float64(o.seeds)
		n := float64(len(asked))
		recall, mrr, auc = append(recall, float64(found)/float64(all)), append(mrr, first/n), append(auc, area/n)
		if allCold > 0 {
			cold = append(cold, float64(foundCold)/float64(allCold))
		}
	}
	samples := []sample{{"recall", "recall@10", recall}, {"mrr", "MRR", mrr}, {"auc", "AUC", auc}}
	if len(cold) > 0 {
		samples = append(samples, sample{"cold", "recall@10 at degree 0 or 1", cold})
	}
	err := c.measure(samples...)
	return []cell{c}, err
}

// hidden takes a tenth of the edges out of a graph, and says what each node lost.
func hidden(g *coles.Graph, seed uint64) (*coles.Graph, map[int][]int) {
	var edges []coles.Edge
	for e := range g.Edges() {
		if e.U != e.V {
			edges = append(edges, e)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	out, lost := make(map[coles.Edge]bool), make(map[int][]int)
	for _, e := range edges[:max(1, len(edges)/10)] {
		out[e] = true
		lost[e.U], lost[e.V] = append(lost[e.U], e.V), append(lost[e.V], e.U)
	}
	return g.Without(func(e coles.Edge) bool { return out[e] }), lost
}

// judge ranks the nodes that no edge joins to u, and nodes of equal scores by their numbers. It returns how many lost
// ones are among ten, and the rank of the first. The area is the share of pairs of a lost node and another that are
// in order, equal ones counting half.
func judge(g *coles.Graph, u int, lost []int, scores []float64) (hits, first int, area float64) {
	out := map[int]bool{u: true}
	near, _ := g.Neighbors(u)
	for _, v := range near {
		out[int(v)] = true
	}
	var others []int
	for v := range scores {
		if !out[v] {
			others = append(others, v)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for r, v := range others {
		if slices.Contains(lost, v) {
			if r < 10 {
				hits++
			}
			first = cmp.Or(first, r+1)
		}
	}
	pairs := 0.0
	for _, v := range lost {
		for _, w := range others {
			if !slices.Contains(lost, w) {
				pairs++
				area += [...]float64{0, 0.5, 1}[1+cmp.Compare(scores[v], scores[w])]
			}
		}
	}
	return hits, first, area / pairs
}

func scorerOf(ctx context.Context, name string, p *problem, g *coles.Graph, seed uint64) (scorer, error) {
	n, degree := g.Nodes(), g.Degrees()
	// step passes scores along the edges, of each node divided by its degree to a power.
	step := func(from []float64, power float64) []float64 {
		to := make([]float64, n)
		for i, s := range from {
			if s != 0 {
				near, _ := g.Neighbors(i)
				for _, v := range near {
					to[v] += s / math.Pow(degree[i], power)
				}
			}
		}
		return to
	}
	at := func(u int) []float64 {
		one := make([]float64, n)
		one[u] = 1
		return step(one, 0)
	}
	switch name {
	case "most popular":
		return func(int) ([]float64, error) { return degree, nil }, nil
	case "resource allocation":
		return func(u int) ([]float64, error) { return step(at(u), 1), nil }, nil
	case "P3":
		return func(u int) ([]float64, error) { return step(step(at(u), 1), 1), nil }, nil
	case "item-kNN": // Σ of the cosines of the rows of A of each neighbour
		return func(u int) ([]float64, error) {
			two := step(step(at(u), 0.5), 0)
			for v := range two {
				two[v] /= math.Sqrt(max(1, degree[v]))
			}
			return two, nil
		}, nil
	case "EASE":
		return ease(g)
	}
	opts := link.Options{Seed: seed}
	if name == "link.Fit (features)" {
		opts.Features = p.Features
		opts.Embed = func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
			x := p.Features
			_, columns := x.Dims()
			m, err := coles.Fit(ctx, g, x, coles.WithSettings(coles.LinkSettings(n, columns)))
			if err != nil {
				return nil, err
			}
			return m.Embedding(), nil
		}
	}
	r, err := link.Fit(ctx, g, opts)
	return func(u int) ([]float64, error) {
		pairs := make([]coles.Edge, n)
		for v := range pairs {
			pairs[v] = coles.Edge{U: u, V: v}
		}
		pairs[u].V = (u + 1) % n // a node is no candidate of its own
		return r.Scores(ctx, pairs)
	}, err
}

// ease is the linear autoencoder of Steck (2019): with P = (AᵀA + ridge·I)⁻¹ the score of u and v is that of row u of A
// with column v of B, B = I − P/diag(P).
func ease(g *coles.Graph) (scorer, error) {
	n := g.Nodes()
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		near, _ := g.Neighbors(i)
		for _, u := range near {
			for _, v := range near {
				if u <= v {
					gram.SetSym(int(u), int(v), gram.At(int(u), int(v))+1)
				}
			}
		}
		gram.SetSym(i, i, gram.At(i, i)+easeRidge)
	}
	var factor mat.Cholesky
	var inverse mat.SymDense
	factor.Factorize(gram) // the ridge makes it positive definite
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, err
	}
	return func(u int) ([]float64, error) {
		scores := make([]float64, n)
		near, _ := g.Neighbors(u)
		for _, i := range near {
			floats.AddScaled(scores, -1, mat.Row(nil, int(i), &inverse))
		}
		for v := range scores {
			scores[v] /= inverse.At(v, v)
		}
		return scores, nil
	}, nil
}
