package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// slowLinks scores every pair that no edge joins and sorts, which is the definition.
func slowLinks(g *coles.Graph, x *mat.Dense, k int, by Similarity) [][]Match {
	if by == Cosine {
		x = unitRows(x)
	}
	a, scores, best := testkit.DenseOf(g.CSR()), testkit.Product(x, x.T()), make([][]Match, g.Nodes())
	for u := range best {
		for v, s := range scores.RawRowView(u) {
			if v != u && a.At(u, v) == 0 && s > 0 {
				best[u] = append(best[u], Match{v, s})
			}
		}
		slices.SortStableFunc(best[u], func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
		best[u] = best[u][:min(k, len(best[u]))]
	}
	return best
}

func TestRecommendLinksEqualsItsDefinition(t *testing.T) {
	complete := testkit.Must(coles.NewGraph(30, testkit.RandomEdges(testkit.Random(1), 30, 1)))
	for name, g := range map[string]*coles.Graph{
		"weights, a loop, isolated nodes": twins(150, 0.05, 121),
		"nearly all joined":               drawnGraph(60, 0.95, 122),
		"all joined":                      complete,
		"no edges":                        testkit.Must(coles.NewGraph(270, nil)),
		"one node":                        testkit.Must(coles.NewGraph(1, nil)),
	} {
		n := g.Nodes()
		x := normal(n, 5, 1, 123)
		x.SetRow(n-1, make([]float64, 5))
		for _, by := range []Similarity{Cosine, DotProduct} {
			for _, k := range []int{1, 6, math.MaxInt} {
				want := slowLinks(g, x, k, by)
				for kind, y := range forms(x) {
					some := []int{n - 1, 0, n / 2, 0}
					all := testkit.Must(recommended(background, g, y, nil, by, k))
					few := testkit.Must(recommended(background, g, y, some, by, k))
					for u, want := range want {
						at := fmt.Sprintf("%s, %s, by %v, the %d best of node %d", name, kind, by, k, u)
						if len(all[u]) != len(want) {
							t.Fatalf("%s: %d, want %d", at, len(all[u]), len(want))
						}
						for r, w := range want {
							if m := all[u][r]; m.Row != w.Row || math.Abs(m.Score-w.Score) > 1e-12*w.Score {
								t.Fatalf("%s: %+v, want %+v", at, m, w)
							}
						}
					}
					for q, u := range some {
						testkit.WantSame(t, "one of some nodes", few[q], all[u])
					}
				}
			}
		}
	}
}

// The best pairs of all are the best that all nodes get, from either end.
func TestTheBestPairsOfAll(t *testing.T) {
	g, k := drawnGraph(90, 0.1, 124), 12
	x := normal(90, 4, 1, 125)
	var want, got []float64
	for _, matches := range slowLinks(g, x, 90, DotProduct) {
		for _, m := range matches {
			want = append(want, m.Score)
		}
	}
	for _, matches := range testkit.Must(recommended(background, g, x, nil, DotProduct, k)) {
		for _, m := range matches {
			got = append(got, m.Score)
		}
	}
	for _, scores := range [][]float64{want, got} {
		slices.Sort(scores)
		slices.Reverse(scores)
	}
	for r := range 2 * k {
		if math.Abs(got[r]-want[r]) > 1e-12 {
			t.Errorf("score %d is %v, want %v", r, got[r], want[r])
		}
	}
}

// Six points on a line of directions, at angles of 0, 10, 25, 45, 70 and 100 degrees; 0–2 and 1–3
// are left, 0–1, 0–3 and 4–5 are held out. The nearest by angle, without those joined:
//
//	0: 1, 3, 4, 5      1: 0, 2, 4, 5      3: 2, 4, 0, 5      4: 3, 5, 2, 1, 0      5: 4, 3, 2, 1, 0
//
// where 0 and 5 are 100 degrees apart, of a score below zero. So 1 and 3 are at ranks 1 and 2 of 0,
// 0 at rank 1 of 1 and 3 of 3, 5 at rank 2 of 4, and 4 at rank 1 of 5.
func TestRankLinksByHand(t *testing.T) {
	x := mat.NewDense(6, 2, nil)
	for i, angle := range []float64{0, 10, 25, 45, 70, 100} {
		x.SetRow(i, []float64{math.Cos(angle * math.Pi / 180), math.Sin(angle * math.Pi / 180)})
	}
	links := &HeldOutLinks{
		Train: testkit.Must(coles.NewGraph(6, []coles.Edge{{U: 0, V: 2}, {U: 1, V: 3}, {U: 1, V: 1}}, coles.WithSelfLoopsKept())),
		Edges: []coles.Edge{{U: 0, V: 1}, {U: 0, V: 3}, {U: 4, V: 5}},
	}
	for k, want := range map[int]LinkRanking{
		1: {Recall: 3. / 6, ReciprocalRank: 3. / 6, Chance: (4*1./4 + 2*1./5) / 6},
		2: {Recall: 5. / 6, ReciprocalRank: (3 + 2*1./2) / 6, Chance: (4*2./4 + 2*2./5) / 6},
		3: {Recall: 1, ReciprocalRank: (3 + 2*1./2 + 1./3) / 6, Chance: (4*3./4 + 2*3./5) / 6},
		5: {Recall: 1, ReciprocalRank: (3 + 2*1./2 + 1./3) / 6, Chance: 1},
	} {
		got := testkit.Must(ranked(background, x, links, Cosine, k))
		for name, v := range map[string][2]float64{
			"recall": {got.Recall, want.Recall}, "reciprocal rank": {got.ReciprocalRank, want.ReciprocalRank},
			"chance": {got.Chance, want.Chance},
		} {
			if math.Abs(v[0]-v[1]) > 1e-12 {
				t.Errorf("k = %d: %s %v, want %v", k, name, v[0], v[1])
			}
		}
	}
	// Rows of zeros recommend nothing.
	got := testkit.Must(ranked(background, mat.NewDense(6, 2, nil), links, Cosine, 5))
	testkit.WantSame(t, "of zero rows", *got, LinkRanking{Chance: 1})
}

// Random rows find as many as by chance: of 2·4,000 ends, each found with a chance near k/n.
func TestRankLinksOfRandomRowsIsChance(t *testing.T) {
	links := testkit.Must(HoldOutLinks(background, drawnGraph(400, 0.1, 126), 0.5, 1))
	r := testkit.Must(ranked(background, normal(400, 30, 1, 127), links, Cosine, 40))
	ends := float64(2 * len(links.Edges))
	if deviation := math.Sqrt(r.Chance * (1 - r.Chance) / ends); math.Abs(r.Recall-r.Chance) > 5*deviation {
		t.Errorf("recall %.4f, by chance %.4f ± %.4f", r.Recall, r.Chance, deviation)
	}
}
