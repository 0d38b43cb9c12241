package link

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// somewhere are arcs between n nodes, some of both directions.
func somewhere(n int, seed uint64) []coles.Edge {
	edges := testkit.RandomEdges(testkit.Random(seed), n, 0.15)
	var list []coles.Edge
	for q, e := range edges {
		if q%3 > 0 {
			list = append(list, e)
		}
		if q%3 < 2 {
			list = append(list, coles.Edge{U: e.V, V: e.U})
		}
	}
	return list
}

// The scores are those of the dense formulas.
func TestScoresAlongArcs(t *testing.T) {
	n, list := 30, somewhere(30, 211)
	a := mat.NewDense(n, n, nil)
	for _, e := range list {
		a.Set(e.U, e.V, 1)
	}
	shares := func(m mat.Matrix) *mat.Dense { // the rows at sum 1
		to := mat.DenseCopyOf(m)
		for i := range n {
			if sum := mat.Sum(to.RowView(i)); sum > 0 {
				floats.Scale(1/sum, to.RawRowView(i))
			}
		}
		return to
	}
	heads := testkit.Product(a, shares(a.T()))
	middle := mat.DenseCopyOf(heads)
	for i := range n {
		middle.Set(i, i, 0)
	}
	want := map[int]*mat.Dense{
		along: testkit.Product(a, shares(a)), sameHeads: heads, sameTails: testkit.Product(mat.DenseCopyOf(a.T()), shares(a)),
		likewise: testkit.Product(middle, shares(a)), back: mat.DenseCopyOf(a.T()),
	}
	arcs := newArcs(n, append(list, list[0], coles.Edge{U: 4, V: 4}), 1) // one twice, and a loop
	w := arcs.out.walker(arcs)
	for _, u := range []int{3, 0, n - 1, 3} {
		w.from(u)
		for kind, m := range want {
			for v := range n {
				if got := float64(w.scores[kind][v]); math.Abs(got-m.At(u, v)) > 1e-5 { // sums of float32
					t.Fatalf("score %d from %d to %d: %v, want %v", kind, u, v, got, m.At(u, v))
				}
			}
		}
	}
}

// Where arcs go round from group to group, their heads are found, and their direction: walks that know no direction
// cannot tell a tail from a head.
func TestLinksAlongArcs(t *testing.T) {
	n, rng := 200, testkit.Random(212)
	var list []coles.Edge
	for u := range n {
		for v := range n {
			if v%4 == (u+1)%4 && rng.Float64() < 0.15 {
				list = append(list, coles.Edge{U: u, V: v})
			}
		}
	}
	g := testkit.Must(coles.NewGraph(n, list))
	r := testkit.Must(Fit(context.Background(), g, Options{Arcs: list, Seed: 1}))
	found := testkit.Must(r.Recommend(context.Background(), nil, 10, nil))
	right, all := 0, 0
	for u, matches := range found {
		near := 0
		for _, e := range list {
			if e.U == u {
				near++
			}
		}
		score := testkit.Must(r.Scores(context.Background(), []coles.Edge{{U: u, V: matches[0].Row}}))[0]
		testkit.WantNear(t, "the score of a pair, times 1 and the arcs of its tail", score, matches[0].Score*float64(1+near), 1e-12)
		for _, m := range matches {
			if all++; m.Row%4 == (u+1)%4 {
				right++
			}
		}
	}
	if share := float64(right) / float64(all); share < 0.95 {
		t.Errorf("%.2f of the nodes recommended are of the next group", share)
	}
	if again := testkit.Must(Fit(context.Background(), g, Options{Seed: 1})); r.Worth.Recall < again.Worth.Recall {
		t.Errorf("recall %.3f, and without the direction %.3f", r.Worth.Recall, again.Worth.Recall)
	}
	// An arc the other way is one that may be recommended.
	two := []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 0, V: 3}}
	r = testkit.Must(Fit(context.Background(), testkit.Must(coles.NewGraph(4, two)), Options{Arcs: two}))
	for _, m := range testkit.Must(r.Recommend(context.Background(), []int{0}, 3, nil))[0] {
		if m.Row != 2 {
			t.Errorf("0 is recommended %d, to which an arc leads", m.Row)
		}
	}
}
