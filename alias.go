package coles

import (
	"coles/internal/stream"
	"fmt"
	"math"
	"sort"
)

// An aliasTable draws nodes in proportion to degree^0.75 in O(1) a draw, by
// the alias method of Walker (1977) as Vose (1991) builds it.
type aliasTable struct {
	keep  []float64 // probability to stay at the slot drawn
	other []int32   // where to go else
}

func newAliasTable(g *Graph) (*aliasTable, error) {
	n := g.Nodes()
	weight, total := make([]float64, n), 0.0
	for i, d := range g.degree {
		weight[i] = math.Pow(d, degreePower)
		total += weight[i]
	}
	if total == 0 {
		return nil, fmt.Errorf("coles: negatives: %w: no node has a positive degree to be drawn by", ErrDense)
	}
	t := &aliasTable{weight, make([]int32, n)}
	var small, large []int32
	for i := range t.keep {
		t.keep[i] *= float64(n) / total
		t.other[i] = int32(i)
		if t.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.other[s] = l
		t.keep[l] -= 1 - t.keep[s]
		if t.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	// What remains is 1 but for rounding. A node of weight zero never remains
	// in large, and in small only where large ran out: send it to a real node.
	for _, l := range large {
		t.keep[l] = 1
	}
	for _, s := range small {
		if g.degree[s] > 0 {
			t.keep[s] = 1
		} else {
			t.keep[s], t.other[s] = 0, heaviest(g)
		}
	}
	return t, nil
}

// heaviest is the first node of the largest degree.
func heaviest(g *Graph) int32 {
	best := 0
	for i, d := range g.degree {
		if d > g.degree[best] {
			best = i
		}
	}
	return int32(best)
}

func (t *aliasTable) draw(rng stream.Stream) int {
	i := rng.IntN(len(t.keep))
	if rng.Float64() < t.keep[i] {
		return i
	}
	return int(t.other[i])
}

// A weightedList draws from a few nodes by their cumulative weights.
type weightedList struct {
	nodes []int
	upTo  []float64
}

// listNodes lists the nodes that admissible allows and that have a positive
// weight: degree^0.75, or 1 each.
func listNodes(g *Graph, byDegree bool, admissible func(v int) bool) *weightedList {
	var l weightedList
	total := 0.0
	for v, d := range g.degree {
		weight := 1.0
		if byDegree {
			weight = math.Pow(d, degreePower)
		}
		if weight > 0 && admissible(v) {
			total += weight
			l.nodes, l.upTo = append(l.nodes, v), append(l.upTo, total)
		}
	}
	return &l
}

// draw returns −1 when the list is empty.
func (l *weightedList) draw(rng stream.Stream) int {
	if len(l.nodes) == 0 {
		return -1
	}
	x := rng.Float64() * l.upTo[len(l.upTo)-1]
	at := sort.Search(len(l.upTo), func(i int) bool { return l.upTo[i] > x })
	return l.nodes[min(at, len(l.nodes)-1)]
}
