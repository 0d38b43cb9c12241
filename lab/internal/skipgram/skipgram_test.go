package skipgram

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
)

var ctx = context.Background()

// small are settings of which tests change some.
func small() Settings {
	return Settings{Window: 10, Dim: 20, Negatives: 5, Rate: 0.025, Parts: 8, Seed: 1}
}

// trainerOf is one on walks whose steps are to a neighbour, any with the same probability.
func trainerOf(s Settings, g *coles.Graph, passes, length int) *trainer {
	w := Walks{Nodes: g.Nodes(), Passes: passes, Length: length}
	for u, d := range g.Degrees() {
		if d > 0 {
			w.Starts = append(w.Starts, int32(u))
		}
	}
	w.Draw = func(_ context.Context, rng stream.Stream, from int32, walk []int32) {
		for k := range walk {
			walk[k] = from
			cols, _ := inside.Adjacency(g).Row(int(from))
			from = cols[rng.IntN(len(cols))]
		}
	}
	return testkit.Must(newTrainer(ctx, w, s))
}

// ring is a graph of n nodes, some of them on a ring.
func ring(n, on, side int) *coles.Graph {
	return testkit.Must(coles.NewGraph(n, testkit.Ring(on, side)))
}

// plainLogistic is σ in float64.
func plainLogistic(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

func TestLogisticIsNearItsFormula(t *testing.T) {
	for v := -12.0; v <= 12; v += 1.0 / 1024 {
		want, allowed := plainLogistic(v), 3e-6
		if math.Abs(v) > logisticRange {
			allowed = plainLogistic(-logisticRange)
		}
		if got := float64(logistic(float32(v))); !(math.Abs(got-want) <= allowed) {
			t.Fatalf("σ(%v) = %v, want %v", v, got, want)
		}
	}
}

// A whole training gives what plain loops in float64 give which draw the same numbers: one part, so that
// the steps are in the order of the walks.
func TestTrainingIsThePlainLoop(t *testing.T) {
	const passes, length = 3, 9
	s := Settings{Window: 4, Dim: 5, Negatives: 2, Rate: 0.3, Parts: 4, Seed: 7}
	m := trainerOf(s, testkit.RandomGraph(1, 60, 0.1), passes, length)
	x, y := map[int32][]float64{}, map[int32][]float64{}
	for _, u := range m.walks.Starts {
		x[u], y[u] = make([]float64, s.Dim), make([]float64, s.Dim)
		for j := range s.Dim {
			if x[u][j] = float64(m.x.Row(int(u))[j]); math.Abs(x[u][j]) > 0.5/5 || x[u][j] == 0 {
				t.Errorf("x[%d, %d] starts at %v", u, j, x[u][j])
			}
		}
	}
	// The graph has under two times 64 nodes, so one part, and under 8192/9 walks in a pass, so
	// one chunk and one share for each pass.
	steps, noise, path := stream.New(), stream.New(), make([]int32, length)
	for pass := range passes {
		rate := 0.3 + (1e-4-0.3)*float64(pass)/3
		noise.Reseed(stream.Seed(s.Seed, seedNoise), uint64(pass))
		order := slices.Clone(m.walks.Starts)
		if err := m.eachChunk(ctx, func(_ context.Context, p int, from []int32, _ int) error {
			if p == pass {
				copy(order, from)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, u := range order {
			m.walk(ctx, steps, pass, u, path)
			for k, c := range path {
				b := 1 + steps.IntN(s.Window)
				for l, o := range path {
					if l == k || l < k-b || l > k+b {
						continue
					}
					targets, slopes := []int32{c}, []float64{1}
					for range s.Negatives {
						if node := m.noise[0].draw(noise); node != c {
							targets, slopes = append(targets, node), append(slopes, 0)
						}
					}
					for i, node := range targets {
						slopes[i] -= plainLogistic(floats.Dot(x[o], y[node]))
					}
					change := make([]float64, s.Dim)
					for i, node := range targets {
						floats.AddScaled(change, rate*slopes[i], y[node])
					}
					for i, node := range targets {
						floats.AddScaled(y[node], rate*slopes[i], x[o])
					}
					floats.Add(x[o], change)
				}
			}
		}
	}
	if err := m.train(ctx, nil); err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for _, u := range m.walks.Starts {
		for j := range s.Dim {
			largest = max(largest, math.Abs(x[u][j]))
			// Some 10⁴ steps, each within 1e-6 of the plain one.
			if got := float64(m.x.Row(int(u))[j]); math.Abs(got-x[u][j]) > 1e-3 {
				t.Errorf("x[%d, %d] = %v, want %v", u, j, got, x[u][j])
			}
		}
		for _, rest := range [][]float32{m.x.Row(int(u))[s.Dim:], m.y.Row(int(u))[s.Dim:]} {
			if slices.ContainsFunc(rest, func(v float32) bool { return v != 0 }) {
				t.Errorf("the columns behind the vectors of node %d hold %v", u, rest)
			}
		}
	}
	if largest < 0.3 {
		t.Errorf("the largest entry is %v: nothing was learnt", largest)
	}
}

// Every node starts one walk in a pass, in another order and by other steps than in the last.
func TestPassesAreOtherWalks(t *testing.T) {
	m := trainerOf(small(), ring(50, 40, 2), 3, 5000) // a share of one walk, a chunk of 16
	passes, walks := make([][]int32, 3), 0
	if err := m.eachChunk(ctx, func(_ context.Context, pass int, from []int32, before int) error {
		if before != walks || len(from) > 16 {
			t.Errorf("%d walks after %d are said to come after %d", len(from), walks, before)
		}
		walks += len(from)
		passes[pass] = append(passes[pass], from...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	rng, path, paths := stream.New(), make([]int32, 20), map[string]bool{}
	for pass, order := range passes {
		for _, u := range order {
			m.walk(ctx, rng, pass, u, path)
			paths[fmt.Sprint(path)] = true
		}
		if pass > 0 && slices.Equal(order, passes[pass-1]) {
			t.Errorf("pass %d has the order of the last", pass)
		}
		if order = slices.Sorted(slices.Values(order)); !slices.Equal(order, m.walks.Starts) || len(order) != 40 {
			t.Errorf("pass %d starts from %v", pass, order)
		}
	}
	if len(paths) != 120 { // of 4¹⁹ for each node
		t.Errorf("%d different walks, want 120", len(paths))
	}
}

// Every pair of a walk is in the bucket of its parts, and the pairs of a bucket are in order.
func TestPairsAreSortedIntoBuckets(t *testing.T) {
	s := small()
	s.Window, s.Parts = 4, 3
	m := trainerOf(s, ring(400, 400, 2), 1, 80)
	if m.parts != 3 {
		t.Fatalf("%d parts", m.parts)
	}
	share := &share{path: make([]int32, 80)}
	m.fill(ctx, share, 0, m.walks.Starts)
	seen := 0
	for i := range m.parts {
		for j := range m.parts {
			var want []pair
			for _, p := range share.drawn {
				if int(m.part[p.x]) == i && int(m.part[p.y]) == j {
					want = append(want, p)
				}
			}
			b := i*m.parts + j
			if got := share.pairs[share.start[b]:share.start[b+1]]; !slices.Equal(got, want) {
				t.Errorf("bucket (%d, %d) holds %d pairs, want %d others", i, j, len(got), len(want))
			}
			seen += len(want)
		}
	}
	// A pair at distance d is drawn with probability (5 − d)/4: 2·Σ (80 − d)·(5 − d)/4 of a walk.
	want := 0.0
	for d := 1; d <= 4; d++ {
		want += 400 * 2 * float64(80-d) * float64(5-d) / 4
	}
	// The variance of a window is (4² − 1)/12, and it counts on both sides.
	if deviation := 2 * math.Sqrt(400*80*15.0/12); math.Abs(float64(seen)-want) > 5*deviation {
		t.Errorf("%d pairs, want %.0f ± %.0f", seen, want, deviation)
	}
}

// Negatives follow the counts of the walks, here counted one by one, to the power of 0.75.
func TestNegativesFollowTheCounts(t *testing.T) {
	const passes, length, n = 2, 20, 300
	s := small()
	s.Parts = 2
	edges := testkit.Ring(n-1, 1) // the last node is on no walk
	for u := range n / 10 {       // node 0 is a hub
		edges = append(edges, coles.Edge{U: 0, V: 10*u + 5})
	}
	m := trainerOf(s, testkit.Must(coles.NewGraph(n, edges)), passes, length)
	counts, rng, path := make([]float64, n), stream.New(), make([]int32, length)
	for pass := range passes {
		for u := range int32(n - 1) {
			m.walk(ctx, rng, pass, u, path)
			for _, v := range path {
				counts[v]++
			}
		}
	}
	for i := range m.parts {
		total, law, drawn := 0.0, map[int32]float64{}, map[int32]int{}
		for u, c := range counts {
			if c > 0 && int(m.part[u]) == i {
				law[int32(u)] = math.Pow(c, 0.75)
				total += law[int32(u)]
			}
		}
		if len(law) < 120 {
			t.Errorf("part %d has %d of 299 nodes", i, len(law))
		}
		for u := range law {
			law[u] /= total
		}
		rng.Reseed(1, uint64(i))
		for range 100_000 {
			drawn[m.noise[i].draw(rng)]++
		}
		testkit.WantLaw(t, fmt.Sprint("negatives of part ", i), drawn, law)
	}
}

// A step divided by its rate is the gradient of log σ(x·y₀) + Σ log σ(−x·y_k), here by central
// differences in float64, whose error is of the order of 1e-10.
func TestStepGoesUpTheGradient(t *testing.T) {
	s := small() // of 20 columns: not a multiple of the width
	m := trainerOf(s, ring(7, 7, 1), 10, 80)
	rng, width := testkit.Random(1), m.x.Stride
	for _, vectors := range [][]float32{m.x.Data, m.y.Data} {
		for i := range vectors {
			if i%width < s.Dim {
				vectors[i] = float32(rng.NormFloat64()) / 2
			}
		}
	}
	x, y := slices.Clone(m.x.Data), slices.Clone(m.y.Data)
	const o, rate = 3, 0.5
	targets := []int32{2, 5, 2, 0, 6, 5} // node 2 is no negative of itself, node 5 is one twice
	m.step(&step{[]int32{o}, targets, rate}, make([]float32, len(targets)))

	value := func(x, y []float64) float64 {
		sum := 0.0
		for k, node := range []int{2, 5, 0, 6, 5} {
			dot := 0.0
			for j := range width {
				dot += x[o*width+j] * y[node*width+j]
			}
			if k > 0 {
				dot = -dot
			}
			sum += math.Log(plainLogistic(dot))
		}
		return sum
	}
	wide := func(v []float32) []float64 {
		w := make([]float64, len(v))
		for i := range v {
			w[i] = float64(v[i])
		}
		return w
	}
	x64, y64 := wide(x), wide(y)
	check := func(what string, at []float64, before, after []float32) {
		const h = 1e-5
		for i := range at {
			v := at[i]
			at[i] = v + h
			up := value(x64, y64)
			at[i] = v - h
			slope := (up - value(x64, y64)) / (2 * h)
			at[i] = v
			if i%width >= s.Dim {
				slope = 0 // not part of a vector
			}
			// The table is within 3e-6 for each of five targets, numbers up to 2.
			if got := float64(after[i]-before[i]) / rate; math.Abs(got-slope) > 2e-5 {
				t.Errorf("%s[%d, %d] moves by %v, the gradient is %v", what, i/width, i%width, got, slope)
			}
		}
	}
	check("x", x64, x, m.x.Data)
	check("y", y64, y, m.y.Data)
}
