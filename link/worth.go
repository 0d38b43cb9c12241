package link

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/stream"
	"coles/near"
)

// Worth is the quality of a [Recommender] on edges hidden from it: shares of their ends that it found.
type Worth struct {
	Hidden     int     `json:"hidden"`             // ends of hidden edges that were looked for
	Recall     float64 `json:"recall_at_10"`       // among the ten best of their nodes, learned from the other half of the nodes
	TwoSteps   float64 `json:"two_steps_at_10"`    // by walks of two steps alone, which is resource allocation
	ThreeSteps float64 `json:"three_steps_at_10"`  // by walks of three steps alone
	Vectors    float64 `json:"vectors_at_10"`      // by the cosine of the embedding alone
	Popular    float64 `json:"most_popular_at_10"` // by the degree alone
}

// String gives the shares in percent.
func (w Worth) String() string {
	if w.Hidden == 0 {
		return "no edge to measure by"
	}
	s := fmt.Sprintf("recall@10 of %d ends of hidden edges %.1f %% (two steps alone %.1f, three steps %.1f, ", w.Hidden, 100*w.Recall, 100*w.TwoSteps, 100*w.ThreeSteps)
	if w.Vectors > 0 {
		s += fmt.Sprintf("vectors %.1f, ", 100*w.Vectors)
	}
	return s + fmt.Sprintf("the most popular %.1f)", 100*w.Popular)
}

const (
	hiddenShare = 0.1
	mostTrials  = 600 // of a side
	judged      = 10  // recommendations
)

// hideSome takes some edges of a list out of a graph, or arcs, with the whole edge. It returns the rest of the list and the
// nodes that each node lost, ascending: of an arc the tail lost the head.
func hideSome(g *coles.Graph, list []coles.Edge, arcs bool, seed uint64) (*coles.Graph, []coles.Edge, map[int][]int) {
	kept, hidden := hide(list, seed)
	lost, left := make(map[int][]int), make(map[coles.Edge]bool)
	for _, e := range hidden {
		if lost[e.U] = append(lost[e.U], e.V); !arcs {
			lost[e.V] = append(lost[e.V], e.U)
		}
	}
	for _, nodes := range lost {
		slices.Sort(nodes)
	}
	undirected := func(e coles.Edge) coles.Edge { return coles.Edge{U: min(e.U, e.V), V: max(e.U, e.V)} }
	for _, e := range kept {
		left[undirected(e)] = true
	}
	return g.Without(func(e coles.Edge) bool { return !left[undirected(e)] && (arcs || e.U != e.V) }), kept, lost
}

// hide draws the edges that are hidden.
func hide(edges []coles.Edge, seed uint64) (kept, hidden []coles.Edge) {
	edges = slices.Clone(edges)
	rng := stream.New()
	rng.Reseed(seed, 0)
	rng.Shuffle(len(edges), func(a, b int) { edges[a], edges[b] = edges[b], edges[a] })
	count := max(1, int(math.Round(hiddenShare*float64(len(edges)))))
	return edges[count:], edges[:count]
}

// A trial is a node that lost neighbours, and what was found of them.
type trial struct {
	lost []int
	*candidates
	single [4]int // found among the best ten by two steps, three, cosine and degree alone
}

// newTrials looks for the lost neighbours of nodes, of one side if there are two. It draws some nodes of too many.
func newTrials(ctx context.Context, f *finder, lost map[int][]int, side bool, seed uint64) ([]trial, error) {
	var nodes []int
	for u := range f.walks.sums {
		if len(lost[u]) > 0 && (f.sides == nil || f.sides[u] == side) {
			nodes = append(nodes, u)
		}
	}
	rng := stream.New()
	rng.Reseed(seed, 1)
	rng.Shuffle(len(nodes), func(a, b int) { nodes[a], nodes[b] = nodes[b], nodes[a] })
	nodes = nodes[:min(len(nodes), mostTrials)]
	all := make([]trial, len(nodes))
	return all, f.look(ctx, nodes, nil, func(w *walker, q int, c *candidates) {
		t := trial{lost: lost[nodes[q]], candidates: c}
		singles := []int{twoSteps, threeSteps}
		if f.vectors != nil {
			singles = append(singles, byCosine)
		}
		for kind, column := range singles {
			t.single[kind] = t.found(c.by(column))
		}
		t.single[3] = t.found(f.mostPopular(w, judged, nil))
		all[q] = t
	})
}

// found counts the lost nodes among the best ten.
func (t trial) found(ranked []near.Match) (count int) {
	for _, m := range ranked[:min(judged, len(ranked))] {
		if t.isLost(m.Row) {
			count++
		}
	}
	return count
}

func (t trial) isLost(v int) bool {
	_, ok := slices.BinarySearch(t.lost, v)
	return ok
}

// picksOf are the trials with candidates of both kinds, which weights can be learned from.
func picksOf(trials []trial) []pick {
	var all []pick
	for _, t := range trials {
		c := pick{t.x, make([]bool, len(t.nodes))}
		taken := 0
		for k, v := range t.nodes {
			if c.taken[k] = t.isLost(v); c.taken[k] {
				taken++
			}
		}
		if taken > 0 && taken < len(t.nodes) {
			all = append(all, c)
		}
	}
	return all
}

// count adds what was found: of each half of the trials by weights learned from the other.
func (w *Worth) count(trials []trial, prior []float64) {
	half := len(trials) / 2
	for _, part := range [][2][]trial{{trials[:half], trials[half:]}, {trials[half:], trials[:half]}} {
		weights := conditionalLogit(picksOf(part[0]), prior)
		for _, t := range part[1] {
			w.Hidden += len(t.lost)
			w.Recall += float64(t.found(t.ranked(weights)))
			for kind, share := range []*float64{&w.TwoSteps, &w.ThreeSteps, &w.Vectors, &w.Popular} {
				*share += float64(t.single[kind])
			}
		}
	}
}

// divide makes shares of counts.
func (w *Worth) divide() {
	for _, share := range []*float64{&w.Recall, &w.TwoSteps, &w.ThreeSteps, &w.Vectors, &w.Popular} {
		*share /= float64(max(1, w.Hidden))
	}
}
