package coles

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/parallel"
	"coles/internal/stream"
)

// drawPartners lets every node draw its partners from its own random stream.
func (s NegativeSampler) drawPartners(ctx context.Context, g *Graph, seed uint64, propose func(stream.Stream) int) (Negative, error) {
	n := g.Nodes()
	if int64(n)*int64(s.perNode) > min(math.MaxInt32, math.MaxInt/16) {
		return Negative{}, fmt.Errorf("coles: negatives: %w: %d partners for each of %d nodes", ErrTooLarge, s.perNode, n)
	}
	for u := range n {
		others := n - 1
		if s.exclude {
			others -= g.neighbours(u)
		}
		if others < 1 || s.exclude && others < s.perNode {
			return Negative{}, fmt.Errorf("coles: negatives: %w: node %d has %d nodes to draw %d partners from", ErrDense, u, others, s.perNode)
		}
	}
	pairs := make([]Edge, n*s.perNode)
	dense := make([]int, (n+drawBlock-1)/drawBlock) // a node without admissible partners, plus one
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		for u := lo; u < hi && (u%rowsAtOnce != 0 || ctx.Err() == nil); u++ {
			rng.Reseed(seed, uint64(u))
			if !s.drawRow(g, u, rng, propose, pairs[u*s.perNode:][:s.perNode]) {
				dense[lo/drawBlock] = u + 1
				return
			}
		}
	})
	if err != nil {
		return Negative{}, err
	}
	for _, u := range dense {
		if u > 0 {
			return Negative{}, fmt.Errorf("coles: negatives: %w: node %d has no partner of positive degree", ErrDense, u-1)
		}
	}
	return negativeOf(ctx, n, pairs)
}

// drawBlock is the number of nodes a drawing task takes.
const drawBlock = 4096

// drawRow fills row with partners of u, proposing until one is admissible. Where
// almost none is, it lists the admissible ones once and draws from the list.
func (s NegativeSampler) drawRow(g *Graph, u int, rng stream.Stream, propose func(stream.Stream) int, row []Edge) bool {
	const tries = 64
	admissible := func(v int) bool { return v != u && !(s.exclude && g.adjacent(u, v)) }
	var list *weightedList
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
				list = listNodes(g, s.kind == degreeSampler, admissible)
			}
			if v = list.draw(rng); v < 0 {
				return false
			}
		}
		row[q] = Edge{u, v}
	}
	return true
}

// drawPairs draws every pair u < v with the same probability, jumping from one
// drawn pair of a row to the next by geometric distances.
func (s NegativeSampler) drawPairs(ctx context.Context, g *Graph, seed uint64) (Negative, error) {
	n := g.Nodes()
	if expected := s.prob * float64(n) * float64(n-1) / 2; expected > math.MaxInt32 {
		return Negative{}, fmt.Errorf("coles: negatives: %w: about %.3g pairs", ErrTooLarge, expected)
	}
	if s.prob == 0 {
		return negativeOf(ctx, n, nil)
	}
	parts := make([][]Edge, (n+drawBlock-1)/drawBlock)
	logMiss := math.Log1p(-s.prob) // −∞ at p = 1: every jump is 1
	err := parallel.Ranges(ctx, n, drawBlock, func(lo, hi int) {
		rng := stream.New()
		var pairs []Edge
		for u := lo; u < hi && (u%rowsAtOnce != 0 || ctx.Err() == nil); u++ {
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
		return Negative{}, err
	}
	return negativeOf(ctx, n, slices.Concat(parts...))
}
