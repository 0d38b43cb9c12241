package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/parallel"
	"coles/internal/stream"
)

// drawBlock is the number of nodes a drawing task takes.
const drawBlock = 4096

// degreePower is the exponent of degree-weighted negatives, the one that word2vec found for words
// (Mikolov et al. 2013) and graph methods kept.
const degreePower = 0.75

// drawWeights are what [DegreeNegatives] draws nodes by.
func drawWeights(g *Graph) []float64 {
	weights := make([]float64, g.Nodes())
	for i, d := range g.degree {
		weights[i] = math.Pow(d, degreePower)
	}
	return weights
}

// drawPartners lets every node draw its partners from its own random stream.
func (s NegativeSampler) drawPartners(ctx context.Context, g *Graph, seed uint64, propose func(stream.Stream) int) (*SymCSR, error) {
	n := g.Nodes()
	if int64(n)*int64(s.perNode) > min(math.MaxInt32, math.MaxInt/16) {
		return nil, fmt.Errorf("coles: negatives: %w: %d partners for each of %d nodes", ErrTooLarge, s.perNode, n)
	}
	for u := range n {
		others := n - 1
		if s.exclude {
			others -= g.neighbours(u)
		}
		if others < 1 || s.exclude && others < s.perNode {
			return nil, fmt.Errorf("coles: negatives: %w: node %d has %d nodes to draw %d partners from", ErrDense, u, others, s.perNode)
		}
	}
	pairs := make([]Edge, n*s.perNode)
	dense := make([]int, (n+drawBlock-1)/drawBlock) // a node without admissible partners, plus one
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		for u := lo; u < hi && (u%parallel.RowsAtOnce != 0 || ctx.Err() == nil); u++ {
			rng.Reseed(seed, uint64(u))
			if !s.drawRow(g, u, rng, propose, pairs[u*s.perNode:][:s.perNode]) {
				dense[lo/drawBlock] = u + 1
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, u := range dense {
		if u > 0 {
			return nil, fmt.Errorf("coles: negatives: %w: node %d has no partner of positive degree", ErrDense, u-1)
		}
	}
	return g.negative(ctx, pairs)
}

// drawRow fills row with partners of u, proposing until one is admissible. Where almost none is, it
// lists the admissible ones once and draws from the list.
func (s NegativeSampler) drawRow(g *Graph, u int, rng stream.Stream, propose func(stream.Stream) int, row []Edge) bool {
	const tries = 64
	admissible := func(v int) bool { return v != u && !(s.exclude && g.adjacent(u, v)) }
	var list *stream.List
	for q := range row {
		v := -1
		for range tries {
			if candidate := propose(rng); admissible(candidate) {
				v = candidate
				break
			}
		}
		if v < 0 {
			if list == nil {
				list = s.listNodes(g, admissible)
			}
			if v = list.Draw(rng); v < 0 {
				return false
			}
		}
		row[q] = Edge{u, v}
	}
	return true
}

// listNodes lists the nodes that admissible allows and that have a weight to be drawn by.
func (s NegativeSampler) listNodes(g *Graph, admissible func(v int) bool) *stream.List {
	l := new(stream.List)
	for v, d := range g.degree {
		weight := 1.0
		if s.kind == degreeNegatives {
			weight = math.Pow(d, degreePower)
		}
		if weight > 0 && admissible(v) {
			l.Add(v, weight)
		}
	}
	return l
}

// drawPairs draws every pair u < v with the same probability, jumping from one drawn pair of a row
// to the next by geometric distances.
func (s NegativeSampler) drawPairs(ctx context.Context, g *Graph, seed uint64) (*SymCSR, error) {
	n := g.Nodes()
	if expected := s.prob * float64(n) * float64(n-1) / 2; expected > math.MaxInt32 {
		return nil, fmt.Errorf("coles: negatives: %w: about %.3g pairs", ErrTooLarge, expected)
	}
	if s.prob == 0 {
		return g.negative(ctx, nil)
	}
	parts := make([][]Edge, (n+drawBlock-1)/drawBlock)
	logMiss := math.Log1p(-s.prob) // −∞ at p = 1: every jump is 1
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		var pairs []Edge
		for u := lo; u < hi && (u%parallel.RowsAtOnce != 0 || ctx.Err() == nil); u++ {
			rng.Reseed(seed, uint64(u))
			for v := float64(u); ; {
				v += 1 + math.Floor(math.Log(1-rng.Float64())/logMiss)
				if !(v < float64(n)) {
					break
				}
				if !(s.exclude && g.adjacent(u, int(v))) {
					pairs = append(pairs, Edge{u, int(v)})
				}
			}
		}
		parts[lo/drawBlock] = pairs
	})
	if err != nil {
		return nil, err
	}
	return g.negative(ctx, slices.Concat(parts...))
}
