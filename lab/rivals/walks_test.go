package rivals

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"coles"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// walkGraph has triangles, a node of degree one and a self loop; weights are 1, or up to 2.5.
func walkGraph(weighted bool) *coles.Graph {
	edges := []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 2, V: 5}, {U: 2, V: 6}, {U: 4, V: 4}}
	weights := make([]float64, len(edges))
	for i := range weights {
		weights[i] = 1
		if weighted {
			weights[i] += 1.5 * float64(i%4) / 3
		}
	}
	return testkit.Must(coles.NewGraph(7, edges, coles.WithWeights(weights), coles.WithSelfLoopsKept()))
}

// stepProbability is the probability of v → u → x by the definition of node2vec, from the adjacency matrix.
func stepProbability(a mat.Matrix, p, q float64, v, u, x int) float64 {
	n, _ := a.Dims()
	weight := func(x int) float64 {
		switch {
		case x == v:
			return a.At(u, x) / p
		case a.At(v, x) > 0:
			return a.At(u, x)
		default:
			return a.At(u, x) / q
		}
	}
	total := 0.0
	for y := range n {
		total += weight(y)
	}
	return weight(x) / total
}

// wantLaw compares counts of draws with the probabilities of their numbers.
func wantLaw(t *testing.T, counts []int, probability func(i int) float64) {
	t.Helper()
	drawn, law := map[int]int{}, map[int]float64{}
	for i, k := range counts {
		if law[i] = probability(i); k > 0 {
			drawn[i] = k
		}
	}
	testkit.WantLaw(t, "draws", drawn, law)
}

func TestStepsHaveTheProbabilitiesOfNode2Vec(t *testing.T) {
	const draws = 10_000
	for _, weighted := range []bool{false, true} {
		g := walkGraph(weighted)
		a := g.CSR()
		for _, c := range []struct{ p, q float64 }{
			{1, 1}, {0.25, 4}, {4, 0.25}, {2, 0.7},
			{3000, 3000}, // most proposals are refused: the factors are computed
			{1e300, 1e300}, {1e-300, 1e300},
		} {
			t.Run(fmt.Sprintf("weighted=%v,p=%v,q=%v", weighted, c.p, c.q), func(t *testing.T) {
				w := testkit.Must(newWalker(context.Background(), g, c.p, c.q))
				for v := range 7 {
					neighbours, _ := w.adj.Row(v)
					for _, u := range neighbours {
						rng, counts := stream.New(), make([]int, 7)
						rng.Reseed(1, uint64(v*7+int(u)))
						for range draws {
							counts[w.next(rng, int32(v), u)]++
						}
						wantLaw(t, counts, func(x int) float64 {
							if p := stepProbability(a, c.p, c.q, v, int(u), x); p*draws > 1e-6 {
								return p
							}
							return 0
						})
					}
				}
			})
		}
	}
}

// Three nodes in a row have the probability of their two steps: the first by weight, the second by
// weight and the factors.
func TestWalksAreOfSecondOrder(t *testing.T) {
	const p, q, walks = 0.5, 3, 40_000
	g := walkGraph(true)
	a := g.CSR()
	w := testkit.Must(newWalker(context.Background(), g, p, q))
	rng, path, counts := stream.New(), make([]int32, 4), make([]int, 7*7*7)
	rng.Reseed(1, 1)
	for range walks {
		w.walk(context.Background(), rng, 2, path)
		if path[0] != 2 {
			t.Fatalf("a walk from node 2 begins at %d", path[0])
		}
		counts[(int(path[1])*7+int(path[2]))*7+int(path[3])]++
	}
	strength := mat.Sum(mat.NewDense(1, 7, mat.Row(nil, 2, a)))
	wantLaw(t, counts, func(i int) float64 {
		u, x, y := i/49, i/7%7, i%7
		if a.At(2, u) == 0 || a.At(u, x) == 0 {
			return 0
		}
		return a.At(2, u) / strength * stepProbability(a, p, q, 2, u, x) * stepProbability(a, p, q, u, x, y)
	})
}

// Steps from node 0, which the walk came to from node 1, are right where the weights times the factors
// are no numbers.
func TestWeightsOfAnySizeAreDrawnFrom(t *testing.T) {
	const half = math.MaxFloat64 / 2
	for _, c := range []struct {
		weights []float64 // of the edges to node 1 and to node 2
		p, q    float64
		back    float64 // probability of a step to node 1
	}{
		{[]float64{half, half}, 1, 1, 0.5},
		{[]float64{half, half}, 0.25, 0.5, 2. / 3},
		{[]float64{5e-324, 1e-323}, 2, 2, 1. / 3},
		{[]float64{0x1p1000, 0x1p-1000}, 0x1p1000, 0x1p-1000, 0.5},
		{[]float64{0x1p1000, 0x1p-1000}, 0x1p1000, 0x1p-1001, 1. / 3},
		{[]float64{0x1p1000, 0x1p-1074}, 0x1p1000, 0x1p-1000, 1},
	} {
		g := testkit.Must(coles.NewGraph(3, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}}, coles.WithWeights(c.weights)))
		w := testkit.Must(newWalker(context.Background(), g, c.p, c.q))
		rng, counts := stream.New(), make([]int, 3)
		rng.Reseed(1, 1)
		for range 3000 {
			counts[w.next(rng, 1, 0)]++
		}
		wantLaw(t, counts, func(x int) float64 { return []float64{0, c.back, 1 - c.back}[x] })
	}
}

// Where a hub refuses almost every proposal, a step does not take more draws than an eighth of its
// neighbours: two for each proposal, and one at the end.
func TestStepsAtHubsEnd(t *testing.T) {
	const leaves = 80_000
	edges := make([]coles.Edge, leaves)
	for i := range edges {
		edges[i].V = i + 1
	}
	w := testkit.Must(newWalker(context.Background(), testkit.Must(coles.NewGraph(leaves+1, edges)), 1e-9, 1e9))
	var source counted
	rng := stream.Stream{Rand: rand.New(&source)}
	if at := w.next(rng, 5, 0); at != 5 || source.draws > 2*leaves/8+1 {
		t.Errorf("from 5 to %d by %d draws", at, source.draws)
	}
}

// counted counts draws.
type counted struct {
	rand.PCG
	draws int
}

func (c *counted) Uint64() uint64 {
	c.draws++
	return c.PCG.Uint64()
}

// Skip-gram reports that COLES_KERNEL names missing instructions.
func TestWalksOnAKernelThatIsNotThere(t *testing.T) {
	if os.Getenv("COLES_KERNEL") != "sse9" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "COLES_KERNEL=sse9")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	if _, err := DeepWalk().Fit(ctx, walkGraph(false), nil); !errors.Is(err, coles.ErrSetting) {
		t.Errorf("error %v, want ErrSetting", err)
	}
}
