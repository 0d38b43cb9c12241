package link

import (
	"cmp"
	"slices"

	"coles"
	"coles/internal/nearest"
)

// Scores along arcs. With A of the arcs u → v, O and I its out- and in-degrees on a diagonal, they are
const (
	along     = iota // A·O⁻¹A, of two steps forward
	sameHeads        // A·I⁻¹Aᵀ, of those that point to the same nodes
	sameTails        // Aᵀ·O⁻¹A, of those that the same nodes point to
	likewise         // sameHeads·O⁻¹A, where those that point to the same nodes point, too
	back             // Aᵀ
	arcScores
)

// arcs are the directed edges of a graph.
type arcs struct {
	out, in *walks
	list    []coles.Edge // ascending, each once
}

// newArcs takes arcs of n nodes. Loops and repeated ones do not count.
func newArcs(n int, list []coles.Edge, seed uint64) *arcs {
	a := &arcs{list: slices.DeleteFunc(slices.Clone(list), func(e coles.Edge) bool { return e.U == e.V })}
	sorted := func(from, to func(coles.Edge) int) *walks {
		slices.SortFunc(a.list, func(e, f coles.Edge) int { return cmp.Or(from(e)-from(f), to(e)-to(f)) })
		a.list = slices.Compact(a.list)
		next := 0
		return walksOf(n, seed, func(u int, add func(v int32, step float32)) {
			for ; next < len(a.list) && from(a.list[next]) == u; next++ {
				add(int32(to(a.list[next])), 1)
			}
		})
	}
	tail, head := func(e coles.Edge) int { return e.U }, func(e coles.Edge) int { return e.V }
	a.in = sorted(head, tail)
	a.out = sorted(tail, head)
	return a
}

// An arcWalker has the scores of one node at a time.
type arcWalker struct {
	*arcs
	scores [arcScores][]float32
	at     [arcScores][]int32 // nodes with a score
	best   *nearest.Best
}

func (a *arcs) walker() *arcWalker {
	w := &arcWalker{arcs: a, best: nearest.NewBest(middles)}
	for kind := range w.scores {
		w.scores[kind] = make([]float32, len(a.out.sums))
	}
	return w
}

// from sets the scores of u, until the next call.
func (w *arcWalker) from(u int) {
	for kind, at := range w.at {
		for _, v := range at {
			w.scores[kind][v] = 0
		}
		w.at[kind] = at[:0]
	}
	pass := func(kind int, by *walks, i int32, score float32) {
		w.at[kind] = by.pass(w.scores[kind], w.at[kind], i, score)
	}
	heads, _ := w.out.edges(u)
	for _, i := range heads {
		pass(along, w.out, i, 1)
		pass(sameHeads, w.in, i, 1)
	}
	tails, _ := w.in.edges(u)
	for _, i := range tails {
		pass(sameTails, w.out, i, 1)
		w.scores[back][i] = 1
	}
	w.at[back] = append(w.at[back], tails...)
	w.best.Clear()
	for _, j := range w.at[sameHeads] {
		if int(j) != u {
			w.best.Add(nearest.Match{Row: int(j), Score: float64(w.scores[sameHeads][j])})
		}
	}
	for _, m := range w.best.Matches() {
		pass(likewise, w.out, int32(m.Row), float32(m.Score))
	}
}
