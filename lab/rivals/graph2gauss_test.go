package rivals

import (
	"math"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/testkit"
)

func TestRankingEqualsTorch(t *testing.T) {
	f := readFixture("gaussian")
	var triplets [][3]int
	f.Decode("triplets", &triplets)
	var r ranks
	for _, ijk := range triplets {
		r.is, r.js = append(r.is, ijk[0], ijk[0]), append(r.js, ijk[1], ijk[2])
		r.nearer, r.farther = append(r.nearer, 0, 1), append(r.farther, 1, 0)
	}
	f.check(t, ranking(ctx, f.Tape, f.variable("mu"), f.variable("sigma"), r))
}

// Variances are ELU + 1 + 1e-14, and above 0 in float32, too.
func TestVariancesArePositive(t *testing.T) {
	xs := []float64{-80, -40, -20, -3, -1e-3, 0, 1e-3, 2, 50}
	single, double := autodiff.New[float32](ctx), autodiff.New[float64](ctx)
	m32, m64 := autodiff.NewMatrix[float32](1, len(xs)), autodiff.NewMatrix[float64](1, len(xs))
	for j, x := range xs {
		m32.Data[j], m64.Data[j] = float32(x), x
	}
	got32, got64 := positive(single, single.Constant(m32)).Data(), positive(double, double.Constant(m64)).Data()
	for j, x := range xs {
		want := x + 1 + 1e-14
		if x <= 0 {
			want = math.Exp(x) + 1e-14
		}
		if !(math.Abs(got64.Data[j]-want) <= 1e-15*want) || !(math.Abs(float64(got32.Data[j])-want) <= 1e-6*want) {
			t.Errorf("x = %v: %v and %v, want %v", x, got64.Data[j], got32.Data[j], want)
		}
	}
}

// Every node draws one of each ring and one from outside, uniformly, by distances that a search
// over all pairs finds (Floyd 1962).
func TestRanksAreDrawnFromTheirRings(t *testing.T) {
	const n, hops, times = 26, 2, 400
	rnd := testkit.Random(11)
	graphs := map[string]*coles.Graph{
		"random, two isolated": testkit.Must(coles.NewGraph(n, testkit.RandomEdges(rnd, n-2, 0.1))),
		"ring":                 testkit.Must(coles.NewGraph(n, testkit.Ring(n, 1))),
		"complete":             testkit.Must(coles.NewGraph(n, testkit.RandomEdges(rnd, n, 1))),
	}
	for name, g := range graphs {
		t.Run(name, func(t *testing.T) {
			distance := distances(g)
			level := func(i, j int) int { return min(distance[i][j], hops+1) }
			counts := map[[2]int]int{}
			for range times {
				r := testkit.Must(drawRanks(ctx, g, hops, rnd))
				drawn := map[[2]int]bool{} // node and level
				for k, i := range r.is {
					at := level(i, r.js[k])
					if at == 0 || drawn[[2]int{i, at}] {
						t.Fatalf("node %d draws %d at %d edges, again or itself", i, r.js[k], at)
					}
					drawn[[2]int{i, at}] = true
					counts[[2]int{i, r.js[k]}]++
				}
				for k, i := range r.is {
					nearer, farther := 0, 0
					for at := 1; at <= hops+1; at++ {
						if drawn[[2]int{i, at}] && at < level(i, r.js[k]) {
							nearer++
						}
						if drawn[[2]int{i, at}] && at > level(i, r.js[k]) {
							farther++
						}
					}
					if r.nearer[k] != nearer || r.farther[k] != farther {
						t.Fatalf("node %d has drawn %d nearer and %d farther than %d, want %d and %d", i, r.nearer[k], r.farther[k], r.js[k], nearer, farther)
					}
				}
			}
			for i := range n {
				for at := 1; at <= hops+1; at++ {
					var ring []int
					for j := range n {
						if level(i, j) == at {
							ring = append(ring, j)
						}
					}
					for _, j := range ring {
						// Five standard deviations: one draw in two million is outside.
						share := 1 / float64(len(ring))
						want, deviation := times*share, math.Sqrt(times*share*(1-share))
						if got := float64(counts[[2]int{i, j}]); math.Abs(got-want) > 5*deviation {
							t.Errorf("node %d draws %d, at %d edges, %v times, want %.0f ± %.0f", i, j, at, got, want, deviation)
						}
					}
				}
			}
		})
	}
}

// distances are the numbers of edges between all nodes, n and more for none.
func distances(g *coles.Graph) [][]int {
	n := g.Nodes()
	a := testkit.DenseOf(g.CSR())
	d := make([][]int, n)
	for i := range n {
		d[i] = make([]int, n)
		for j := range n {
			switch {
			case i == j:
			case a.At(i, j) != 0:
				d[i][j] = 1
			default:
				d[i][j] = n
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	return d
}
