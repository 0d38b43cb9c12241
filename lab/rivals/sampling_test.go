package rivals

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/stream"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// All subsets are drawn alike.
func TestSubsetsAreUniform(t *testing.T) {
	for _, c := range []struct{ n, size, subsets int }{{5, 2, 10}, {6, 5, 6}, {4, 4, 1}, {3, 0, 1}, {7, 3, 35}} {
		counts := map[string]int{}
		rng := stream.New()
		for k := range 20_000 {
			rng.Reseed(3, uint64(k))
			chosen := make([]int32, c.size)
			drawSubset(rng, chosen, c.n)
			slices.Sort(chosen)
			if len(slices.Compact(slices.Clone(chosen))) != c.size {
				t.Fatalf("%d of %d: %v", c.size, c.n, chosen)
			}
			counts[fmt.Sprint(chosen)]++
		}
		wantLaw(t, slices.Collect(maps.Values(counts)), func(int) float64 { return 1 / float64(c.subsets) })
		if len(counts) != c.subsets {
			t.Errorf("%d subsets of %d of %d, want %d", len(counts), c.size, c.n, c.subsets)
		}
	}
}

// A sample of neighbours has its nodes first, the requested number of different neighbours of each,
// and the means over them without bias.
func TestNeighboursOfSamples(t *testing.T) {
	const draws = 20_000
	for _, weighted := range []bool{false, true} {
		g := walkGraph(weighted)
		f := newFanOut(inside.Adjacency(g), []int{2, 3})
		means := testkit.DenseOf(testkit.Must(sparseMeans(ctx, g)))
		x := testkit.RandomDense(testkit.Random(2), 7, 1)
		exact := testkit.Product(means, x)
		out := []int{2, 4, 2, 0}
		sums, squares := make([]float64, len(out)), make([]float64, len(out))
		for k := range draws {
			s := testkit.Must(f.sample(ctx, out, uint64(k)))
			testkit.WantSame(t, "H", s.Levels[2], out)
			for l, count := range []int{3, 2} {
				from, to := s.Levels[l], s.Levels[l+1]
				testkit.WantSame(t, "first nodes", from[:len(to)], to)
				for i, u := range to {
					degree := int(inside.Adjacency(g).Ptr[u+1] - inside.Adjacency(g).Ptr[u])
					cols, vals := s.Factors[l].Row(i)
					if len(cols) != min(count, degree) || !slices.IsSorted(cols) || len(slices.Compact(slices.Clone(cols))) != len(cols) {
						t.Fatalf("node %d of %d neighbours has %v", u, degree, cols)
					}
					for q, j := range cols {
						if means.At(u, from[j]) == 0 || math.Abs(vals[q]*float64(len(cols))-float64(degree)) > 1e-12 {
							t.Fatalf("node %d sees %d times %v", u, from[j], vals[q])
						}
					}
				}
			}
			for i, u := range out { // the estimate of the mean of x
				cols, vals := s.Factors[1].Row(i)
				y := 0.0
				for q, j := range cols {
					v := s.Levels[1][j]
					y += vals[q] * means.At(u, v) * x.At(v, 0)
				}
				sums[i] += y
				squares[i] += y * y
			}
		}
		wantMeans(t, "mean of neighbours", sums, squares, draws, func(i int) float64 { return exact.At(out[i], 0) })
	}
}

// wantMeans compares means of draws with what they should be, within five standard deviations: the
// seeds are fixed.
func wantMeans(t *testing.T, what string, sums, squares []float64, draws int, want func(i int) float64) {
	t.Helper()
	for i, sum := range sums {
		mean := sum / float64(draws)
		deviation := math.Sqrt(max(0, squares[i]/float64(draws)-mean*mean) / float64(draws))
		if !(math.Abs(mean-want(i)) <= 5*deviation+1e-12) {
			t.Errorf("%s, %d: %v ± %v, want %v", what, i, mean, deviation, want(i))
		}
	}
}

// Every row is in one batch of an epoch, and epochs have other batches.
func TestBatchesGoThroughAllRows(t *testing.T) {
	rows := []int{3, 5, 6, 7, 8, 11, 20}
	var first []int
	for epoch := range 2 {
		var seen []int
		batches := eachBatch(rows, 3, 1, func(_ context.Context, batch []int, e, step int) (*custom.Sample, error) {
			if e != epoch || len(batch) > 3 || step != len(seen)/3 {
				t.Errorf("step %d of epoch %d: %v", step, e, batch)
			}
			seen = append(seen, batch...)
			return &custom.Sample{}, nil
		})
		samplesOf(t, batches, epoch)
		if slices.Equal(seen, first) {
			t.Error("epochs have the same order")
		}
		first = slices.Clone(seen)
		slices.Sort(seen)
		testkit.WantSame(t, "rows", seen, rows)
	}
}

// Pairs are of a node and another that four steps reach, as often as the steps do: from node 6 of
// the graph, whose only neighbour is 2.
func TestPairsOfWalks(t *testing.T) {
	g := walkGraph(true)
	a := g.CSR()
	step := func(u, v int) float64 { return a.At(u, v) / mat.Sum(a.RowView(u)) }
	want := make([]float64, 7)
	for _, path := range paths(7, 5) {
		if path[0] != 6 {
			continue
		}
		p, others := 1.0, 0
		for k := range 4 {
			p *= step(path[k], path[k+1])
			if path[k+1] != 6 {
				others++
			}
		}
		for _, v := range path[1:] {
			if v != 6 {
				want[v] += p / float64(others)
			}
		}
	}
	w := testkit.Must(newWalker(ctx, g, 1, 1))
	counts := make([]int, 7)
	for k := range 20_000 {
		pairs := pairsOf(ctx, w, []int{6}, uint64(k))
		if len(pairs) != 2 || pairs[0] != 6 {
			t.Fatalf("pairs %v", pairs)
		}
		counts[pairs[1]]++
	}
	wantLaw(t, counts, func(v int) float64 { return want[v] })
}

// paths are all sequences of length nodes below n.
func paths(n, length int) [][]int {
	all := [][]int{{}}
	for range length {
		var longer [][]int
		for _, p := range all {
			for v := range n {
				longer = append(longer, append(slices.Clone(p), v))
			}
		}
		all = longer
	}
	return all
}

// A batch of pairs is anchors, others, and negatives in proportion to degree^0.75.
func TestNegativesOfPairs(t *testing.T) {
	g := walkGraph(false)
	samples := testkit.Must(newPairs(ctx, g, 3, []int{1}, 1))
	counts, chances, total := make([]int, 7), make([]float64, 7), 0.0
	for u := range 7 {
		chances[u] = math.Pow(float64(inside.Adjacency(g).Ptr[u+1]-inside.Adjacency(g).Ptr[u]), 0.75)
		total += chances[u]
	}
	for epoch := range 300 {
		for _, s := range samplesOf(t, samples, epoch) {
			out := s.Levels[1]
			pairs := (len(out) - sageNegatives) / 2
			for _, w := range out[2*pairs:] {
				counts[w]++
			}
			for k := range pairs {
				if out[k] == out[pairs+k] && out[k] != 4 { // which has a loop to walk on
					t.Fatalf("the pair of %d and itself", out[k])
				}
			}
		}
	}
	wantLaw(t, counts, func(u int) float64 { return chances[u] / total })
}

// samplesOf are the samples of an epoch.
func samplesOf(t *testing.T, samples custom.Samples, epoch int) (all []*custom.Sample) {
	t.Helper()
	for s, err := range samples(ctx, epoch) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}
