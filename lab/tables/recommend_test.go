package main

import (
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// On a path 0–1–2–3 with 4 apart, 1 has lost 3 and 4: ranked 4, 3 it has both among ten, the first first.
func TestJudge(t *testing.T) {
	g := testkit.Must(coles.NewGraph(7, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}))
	hits, first, area := judge(g, 1, []int{3, 4}, []float64{9, 9, 9, 2, 5, 2, 3})
	testkit.WantSame(t, "hits", hits, 2)
	testkit.WantSame(t, "first", first, 1)
	testkit.WantNear(t, "area", area, (2+0.5+0)/4, 1e-15) // 4 before 5 and 6; 3 equal to 5, after 6
	hits, first, _ = judge(g, 1, []int{5}, []float64{9, 9, 9, 2, 5, 1, 3})
	testkit.WantSame(t, "the last of four", []int{hits, first}, []int{1, 4})
}

// Each score equals its dense formula.
func TestScorersEqualTheirFormulas(t *testing.T) {
	n := 25
	g := testkit.Must(coles.NewGraph(n, append(testkit.RandomEdges(testkit.Random(5), n, 0.2), testkit.Ring(n, 1)...), coles.WithRepeats("max")))
	a := testkit.DenseOf(g.CSR())
	shares, roots, gram := mat.DenseCopyOf(a), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			shares.Set(i, j, a.At(i, j)/mat.Sum(a.RowView(i)))
		}
	}
	gram.Mul(a, a)
	for i := range n {
		for j := range n {
			roots.Set(i, j, gram.At(i, j)/mat.Norm(a.RowView(i), 2)/mat.Norm(a.RowView(j), 2))
		}
	}
	for i := range n {
		gram.Set(i, i, gram.At(i, i)+easeRidge)
	}
	var b mat.Dense
	testkit.Check(t, b.Inverse(gram))
	diagonal := mat.NewVecDense(n, nil)
	for i := range n {
		diagonal.SetVec(i, b.At(i, i))
	}
	b.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 0
		}
		return -v / diagonal.AtVec(j)
	}, &b)
	for name, want := range map[string]*mat.Dense{
		"resource allocation": testkit.Product(a, shares), "P3": testkit.Product(testkit.Product(a, shares), shares),
		"item-kNN": testkit.Product(a, roots), "EASE": testkit.Product(a, &b),
	} {
		score := testkit.Must(scorerOf(t.Context(), name, nil, g, 1))
		for _, u := range []int{0, 7} {
			for v, s := range testkit.Must(score(u)) {
				near, _ := g.Neighbors(u)
				joined := false
				for _, i := range near {
					joined = joined || int(i) == v
				}
				if w := want.At(u, v); !joined && v != u && (s-w > 1e-9 || w-s > 1e-9) { // only others are ranked
					t.Errorf("%s of %d and %d: %v, want %v", name, u, v, s, w)
				}
			}
		}
	}
}

// Every row finds some links of flights, all but the most popular a fifth; features find some of web pages.
func TestRecommendTable(t *testing.T) {
	testkit.Long(t)
	lines := measured(t, 6, "-table", "recommend", "-datasets", "usa_flights", "-seeds", "1")
	for _, l := range append(lines, measured(t, 1, "-table", "recommend", "-datasets", "texas", "-methods", "link.fit (features)")...) {
		least := map[any]float64{"most popular": 0, "link.Fit (features)": 0}
		bound, ok := least[l["method"]]
		if r := l["recall"].(float64); r <= bound || r > 60 || !ok && r < 20 {
			t.Errorf("%v", l)
		}
	}
}
