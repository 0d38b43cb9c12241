package near

import (
	"cmp"
	"context"
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
		x = testkit.UnitRows(x)
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
		"weights, a loop, isolated nodes": testkit.Twins(150, 0.05, 121),
		"nearly all joined":               testkit.DrawnGraph(60, 0.95, 122),
		"all joined":                      complete,
		"no edges":                        testkit.Must(coles.NewGraph(270, nil)),
		"one node":                        testkit.Must(coles.NewGraph(1, nil)),
	} {
		n := g.Nodes()
		x := testkit.Normal(n, 5, 1, 123)
		x.SetRow(n-1, make([]float64, 5))
		for _, by := range []Similarity{Cosine, DotProduct} {
			for _, k := range []int{1, 6, math.MaxInt} {
				want := slowLinks(g, x, k, by)
				for kind, y := range testkit.Forms(x) {
					some := []int{n - 1, 0, n / 2, 0}
					all := testkit.Must(recommended(context.Background(), g, y, nil, by, k))
					few := testkit.Must(recommended(context.Background(), g, y, some, by, k))
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
	g, k := testkit.DrawnGraph(90, 0.1, 124), 12
	x := testkit.Normal(90, 4, 1, 125)
	var want, got []float64
	for _, matches := range slowLinks(g, x, 90, DotProduct) {
		for _, m := range matches {
			want = append(want, m.Score)
		}
	}
	for _, matches := range testkit.Must(recommended(context.Background(), g, x, nil, DotProduct, k)) {
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
