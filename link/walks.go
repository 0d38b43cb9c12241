package link

import (
	"math"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/linear"
	"coles/internal/nearest"
	"coles/internal/stream"
)

const (
	hubEdges = 200 // so many of a hub's neighbours, drawn once, stand for all
	middles  = 300 // nodes that a walk of three steps may have as its second
	bestEnds = 50  // of each kind of score
	floor    = 0.01

	leastStep = 1e-6 // so that products of three are numbers of float32
)

// walks are the random walks of two and three steps on a graph. With weights w = log(1 + weight/median), but 1
// where all are equal, and sums d of them,
//
//	two(u, v) = Σᵢ w_ui·w_iv/dᵢ,  three(u, v) = Σⱼ two(u, j)·w_jv/dⱼ,
//
// j over the nodes other than u of the largest two(u, j). The first is resource allocation (Zhou, Lü and Zhang
// 2009), the second P³ (Cooper and others 2014) from the middle node on.
type walks struct {
	ptr   []int   // of node u the edges [ptr[u], ptr[u+1])
	nodes []int32 // where they lead
	steps []float32
	hubs  map[int32]hub
	sums  []float32 // d, of a hub the sum over the neighbours that stand for all
}

// A hub is left by some of its edges.
type hub struct {
	nodes []int32
	steps []float32
}

func newWalks(g *coles.Graph, seed uint64) *walks {
	unit := medianWeight(g)
	return walksOf(g.Nodes(), seed, func(u int, add func(v int32, step float32)) {
		near, weights := inside.Adjacency(g).Row(u)
		for q, v := range near {
			if int(v) != u { // a loop is no step
				add(v, float32(max(linear.Weight(weights[q], unit)/math.Ln2, leastStep)))
			}
		}
	})
}

// walksOf are the walks along the edges that each adds for node u, for one after the other.
func walksOf(n int, seed uint64, each func(u int, add func(v int32, step float32))) *walks {
	w := &walks{ptr: make([]int, n+1), hubs: make(map[int32]hub), sums: make([]float32, n)}
	rng := stream.New()
	for u := range n {
		each(u, func(v int32, step float32) { w.nodes, w.steps = append(w.nodes, v), append(w.steps, step) })
		w.ptr[u+1] = len(w.nodes)
		nodes, steps := w.edges(u)
		if len(nodes) > hubEdges {
			h := hub{slices.Clone(nodes), slices.Clone(steps)}
			rng.Reseed(seed, uint64(u))
			for q := range hubEdges {
				with := q + rng.IntN(len(nodes)-q)
				h.nodes[q], h.nodes[with] = h.nodes[with], h.nodes[q]
				h.steps[q], h.steps[with] = h.steps[with], h.steps[q]
			}
			h = hub{slices.Clone(h.nodes[:hubEdges]), slices.Clone(h.steps[:hubEdges])}
			w.hubs[int32(u)], steps = h, h.steps
		}
		for _, s := range steps {
			w.sums[u] += s
		}
	}
	return w
}

// edges are the neighbours of a node and the weights of the edges to them.
func (w *walks) edges(u int) (nodes []int32, steps []float32) {
	return w.nodes[w.ptr[u]:w.ptr[u+1]], w.steps[w.ptr[u]:w.ptr[u+1]]
}

// onward are the edges that a walk goes on by.
func (w *walks) onward(u int32) (nodes []int32, steps []float32) {
	if w.degree(int(u)) > hubEdges {
		h := w.hubs[u]
		return h.nodes, h.steps
	}
	return w.edges(int(u))
}

// degree is the number of neighbours of a node.
func (w *walks) degree(u int) int { return w.ptr[u+1] - w.ptr[u] }

// medianWeight is the median weight of the edges, of all their ends, 1 for a graph without edges.
func medianWeight(g *coles.Graph) float64 {
	var all []float64
	for e, w := range g.Edges() {
		if e.U != e.V {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// A walker finds the ends of walks from one node at a time.
type walker struct {
	*walks
	arcs             *arcs            // nil for edges without a direction
	scores           [kinds][]float32 // of each node that a walk of a kind ends at, 0 of others
	at               [kinds][]int32   // these nodes
	last             int              // where the walks begin
	joined           []bool           // the node itself and its neighbours
	best, bestMiddle *nearest.Best
}

func (w *walks) walker(a *arcs) *walker {
	n := len(w.sums)
	x := &walker{walks: w, arcs: a, joined: make([]bool, n), best: nearest.NewBest(bestEnds), bestMiddle: nearest.NewBest(middles)}
	for kind := range x.scores {
		if kind <= ofThree || kind >= along && a != nil {
			x.scores[kind] = make([]float32, n)
		}
	}
	return x
}

// from sets the scores of all ends of walks from u, until the next call.
func (w *walker) from(u int) {
	w.clear()
	w.last, w.joined[u] = u, true
	for _, i := range w.heads(u) {
		w.joined[i] = true
	}
	near, steps := w.edges(u)
	for q, i := range near {
		w.pass(ofTwo, w.walks, i, steps[q])
	}
	w.further(ofTwo, ofThree, w.walks)
	if w.arcs != nil {
		w.alongArcs()
	}
}

// heads are the nodes that an edge leads to from u.
func (w *walker) heads(u int) []int32 {
	of := w.walks
	if w.arcs != nil {
		of = w.arcs.out
	}
	near, _ := of.edges(u)
	return near
}

// pass adds a node's score to its neighbours by some walks.
func (w *walker) pass(kind int, by *walks, i int32, score float32) {
	nodes, steps := by.onward(i)
	score /= by.sums[i]
	scores, at := w.scores[kind], w.at[kind]
	for q, v := range nodes {
		if scores[v] == 0 {
			at = append(at, v)
		}
		scores[v] += score * steps[q]
	}
	w.at[kind] = at
}

// further passes on the scores of the best nodes of a kind, but of the node where the walks begin.
func (w *walker) further(kind, to int, by *walks) {
	w.bestMiddle.Clear()
	for _, j := range w.at[kind] {
		if int(j) != w.last {
			w.bestMiddle.Add(nearest.Match{Row: int(j), Score: float64(w.scores[kind][j])})
		}
	}
	for _, m := range w.bestMiddle.Matches() {
		w.pass(to, by, int32(m.Row), float32(m.Score))
	}
}

// clear forgets the walks of the last node.
func (w *walker) clear() {
	for kind, at := range w.at {
		for _, v := range at {
			w.scores[kind][v] = 0
		}
		w.at[kind] = at[:0]
	}
	w.joined[w.last] = false
	for _, i := range w.heads(w.last) {
		w.joined[i] = false
	}
}

// ends are the best ends of walks by each score; most has the best of each score. No edge leads to an end from the node, and
// may allows it.
func (w *walker) ends(may func(v int) bool) (nodes []int, most tops) {
	for kind, at := range w.at {
		w.best.Clear()
		for _, v := range at {
			if !w.joined[v] && may(int(v)) {
				w.best.Add(nearest.Match{Row: int(v), Score: float64(w.scores[kind][v])})
			}
		}
		for r, m := range w.best.Ranked() {
			if r == 0 {
				most[kind] = m.Score
			}
			nodes = append(nodes, m.Row)
		}
	}
	return nodes, most
}
