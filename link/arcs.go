package link

import (
	"cmp"
	"slices"

	"coles"
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

// alongArcs sets the scores along arcs from the walker's node.
func (w *walker) alongArcs() {
	heads, _ := w.arcs.out.edges(w.last)
	for _, i := range heads {
		w.pass(along, w.arcs.out, i, 1)
		w.pass(sameHeads, w.arcs.in, i, 1)
	}
	tails, _ := w.arcs.in.edges(w.last)
	for _, i := range tails {
		w.pass(sameTails, w.arcs.out, i, 1)
		w.scores[back][i] = 1
	}
	w.at[back] = append(w.at[back], tails...)
	w.further(sameHeads, likewise, w.arcs.out)
}
