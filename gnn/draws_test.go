package gnn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// wantShare compares the share of so many independent draws with their probability,
// to five standard deviations.
func wantShare(t *testing.T, what string, hits, draws int, probability float64) {
	t.Helper()
	share := float64(hits) / float64(draws)
	if bound := 5 * math.Sqrt(probability*(1-probability)/float64(draws)); math.Abs(share-probability) > bound {
		t.Errorf("%s: a share of %.4f, want %.4f ± %.4f", what, share, probability, bound)
	}
}

// featuresOf is both forms of the same features, without a zero among them.
func featuresOf(rows, cols int) map[string]features[float64] {
	x := randomMatrix[float64](70, rows, cols)
	c := must(readFeatures[float64](ctx, sparseOf(dense(x)), 1))
	return map[string]features[float64]{"dense": {dense: x}, "sparse": c}
}

// sparseOf is every entry of x in a sparse matrix.
func sparseOf(x *mat.Dense) *sparse.CSR {
	r, c := x.Dims()
	m := sparse.NewDOK(r, c)
	for i := range r {
		for j := range c {
			m.Set(i, j, x.At(i, j))
		}
	}
	return m.ToCSR()
}

// entries are the features as a matrix.
func entries(f features[float64]) *mat.Dense {
	if f.sparse == nil {
		return dense(f.dense)
	}
	m := mat.NewDense(f.rows(), f.cols(), nil)
	for i := range f.sparse.Rows {
		cols, vals := f.sparse.Row(i)
		for q, j := range cols {
			m.Set(i, int(j), vals[q])
		}
	}
	return m
}

func TestDropoutOfFeatures(t *testing.T) {
	const rate = 0.3
	for name, f := range featuresOf(200, 30) {
		before := entries(f)
		after := entries(must(f.dropped(ctx, rate, newRand(1))))
		zeros := 0
		after.Apply(func(i, j int, v float64) float64 {
			if v == 0 {
				zeros++
			} else if want := before.At(i, j) / (1 - rate); math.Abs(v-want) > 1e-15*math.Abs(want) {
				t.Errorf("%s: entry %d, %d is %v, want %v", name, i, j, v, want)
			}
			return v
		}, after)
		wantShare(t, name, zeros, 200*30, rate)
		if !mat.Equal(entries(f), before) {
			t.Errorf("%s: the features themselves have changed", name)
		}
	}
}

// A masked column is masked for all nodes, the others are as they were.
func TestMaskedFeatures(t *testing.T) {
	const rate = 0.3
	for name, f := range featuresOf(10, 2000) {
		before, after := entries(f), entries(must(f.masked(ctx, rate, newRand(2))))
		masked := 0
		for j := range 2000 {
			column := mat.Col(nil, j, after)
			switch {
			case slices.Equal(column, make([]float64, 10)):
				masked++
			case !slices.Equal(column, mat.Col(nil, j, before)):
				t.Fatalf("%s: column %d is changed in part", name, j)
			}
		}
		wantShare(t, name, masked, 2000, rate)
	}
}

// Edges that stay keep their weights, and the two views are drawn apart, each with its rate.
func TestDroppedEdges(t *testing.T) {
	g, a := weighted(71, 120)
	rnd := newRand(3)
	var kept [2]*coles.Graph
	for v, rate := range []float64{0.2, 0.6} {
		kept[v] = must(withoutEdges(g, rate, rnd))
		edges, weights := edgesOf(kept[v].CSR())
		for q, e := range edges {
			if weights[q] != a.At(e.U, e.V) {
				t.Errorf("edge %v weighs %v, %v before", e, weights[q], a.At(e.U, e.V))
			}
		}
		wantShare(t, fmt.Sprint("kept at ", rate), len(edges), g.Report().Edges, 1-rate)
	}
	both := 0
	second := kept[1].CSR()
	edges, _ := edgesOf(kept[0].CSR())
	for _, e := range edges {
		if second.At(e.U, e.V) != 0 {
			both++
		}
	}
	wantShare(t, "kept in both", both, g.Report().Edges, 0.8*0.4)
}

// Nodes beside edges are drawn uniformly: Pearson's statistic over 25 nodes is below
// the 99.99th percentile of χ² with 24 degrees of freedom, 59.
func TestNodesBesideEdgesAreUniform(t *testing.T) {
	b := &batch[float64]{n: 25, us: make([]int, 4000), seed: 9}
	us, ws := drawnBeside(b, 5)
	if len(us) != 20_000 || len(ws) != 20_000 {
		t.Fatalf("%d and %d nodes drawn", len(us), len(ws))
	}
	counts := make([]float64, 25)
	for _, w := range ws {
		counts[w]++
	}
	statistic := 0.0
	for _, c := range counts {
		statistic += (c - 800) * (c - 800) / 800
	}
	if statistic > 59 {
		t.Errorf("χ² = %.1f", statistic)
	}
}

// Glorot's rule: uniform within ±√(6/(k+l)), of variance 2/(k+l); biases are zero.
func TestWeightsAreGlorots(t *testing.T) {
	params := must(newParameters[float64](ctx, Network{GCN(100), PReLU(), SAGE(60)}, 80, 1))
	for _, p := range params {
		sum, squares, largest := 0.0, 0.0, 0.0
		for _, v := range p.value.Data {
			sum += v
			squares += v * v
			largest = max(largest, math.Abs(v))
		}
		n, ends := float64(len(p.value.Data)), float64(p.value.Rows+p.value.Cols)
		switch p.name {
		case "0.bias", "2.bias":
			if largest != 0 {
				t.Errorf("%s is not zero", p.name)
			}
		case "1.slope":
			if p.value.Data[0] != 0.25 {
				t.Errorf("slope %v", p.value.Data[0])
			}
		default:
			bound := math.Sqrt(6 / ends)
			// The largest of 6,000 and more is within 1‰ of the bound, the mean and the
			// variance are within five standard deviations: √(2/ends/n) and variance·√(0.8/n).
			if largest > bound || largest < 0.999*bound {
				t.Errorf("%s: the largest entry is %v, the bound %v", p.name, largest, bound)
			}
			if math.Abs(sum/n) > 5*math.Sqrt(2/ends/n) || math.Abs(squares/n*ends/2-1) > 5*math.Sqrt(0.8/n) {
				t.Errorf("%s: mean %v, variance %v, want 0 and %v", p.name, sum/n, squares/n, 2/ends)
			}
		}
	}
}

// Fresh negatives are others in every epoch, fixed ones the same.
func TestNegativesAreFreshOrFixed(t *testing.T) {
	g, x := small(72)
	for name, opts := range map[string][]Option{
		"ΔW":    {WithNegatives(coles.UniformNegatives(2))},
		"pairs": {WithObjective(SampledNCE(2, 1))},
	} {
		for _, fresh := range []bool{false, true} {
			// Losses of epochs in which next to nothing is learned differ by the draws alone.
			var losses []float64
			must(Train(ctx, g, x, smallOptions(append(opts, WithFreshNegatives(fresh), WithOptimizer(SGD(1e-300, 0)),
				WithProgress(func(p Progress) { losses = append(losses, p.Loss) }))...)...))
			slices.Sort(losses)
			want := 1
			if fresh {
				want = 6
			}
			if got := len(slices.Compact(losses)); got != want {
				t.Errorf("%s, fresh %v: %d losses in 6 epochs, want %d", name, fresh, got, want)
			}
		}
	}
}

// Dropout and views are drawn anew in every epoch: losses of epochs in which next to
// nothing is learned differ.
func TestDropoutAndViewsAreOthersInEveryEpoch(t *testing.T) {
	g, x := small(75)
	for name, opts := range map[string][]Option{
		"dropout":             {WithNetwork(GCN(8), Dropout(0.4), GCN(5))},
		"dropout of features": {WithNetwork(Dropout(0.4), GCN(5))},
		"edges":               {WithAugmentation(Augmentation{DropEdges: [2]float64{0.3, 0.3}})},
		"features":            {WithAugmentation(Augmentation{MaskFeatures: [2]float64{0.3, 0.3}})},
	} {
		var losses []float64
		must(Train(ctx, g, x, smallOptions(append(opts, WithOptimizer(SGD(1e-300, 0)), WithProgress(func(p Progress) { losses = append(losses, p.Loss) }))...)...))
		slices.Sort(losses)
		if got := len(slices.Compact(losses)); got != 6 {
			t.Errorf("%s: %d losses in 6 epochs", name, got)
		}
	}
}

// Blocks are shared out anew in every epoch.
func TestBlocksAreOthersInEveryEpoch(t *testing.T) {
	g, x := small(73)
	r := must(newRun[float64](ctx, must(newConfig(DefaultSettings(), smallOptions(WithBatchSize(10)))), g, x, 0))
	steps := map[string]int{}
	for epoch := range 3 {
		nodes := 0
		if err := r.eachBatch(ctx, epoch, func(_ int, b *batch[float64]) error {
			nodes += b.n
			steps[fmt.Sprint(b.views[0].x.sparse.Val, b.views[0].x.sparse.Col)]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if nodes != 40 {
			t.Errorf("epoch %d goes through %d of 40 nodes", epoch, nodes)
		}
	}
	for _, times := range steps {
		if times == 3 {
			t.Error("a block is the same in all epochs")
		}
	}
}

// The smallest blocks train: most have no edge within, and a loss of pairs is 0 there.
func TestSmallestBlocks(t *testing.T) {
	g, x := small(74)
	for _, c := range cases {
		if c.name == "augmentation" {
			continue // there is none in batches
		}
		for _, size := range []int{1, 2} {
			m, err := Train(ctx, g, x, smallOptions(append(c.opts, WithOptimizer(Adam(1e-3)), WithBatchSize(size))...)...)
			if c.name == "sampled negatives" && size == 1 {
				wantError(t, err, coles.ErrDense) // a block of one node has no other to draw
				continue
			}
			if err != nil {
				t.Errorf("%s in blocks of %d: %v", c.name, size, err)
			} else if !finiteEntries(m.Embedding()) {
				t.Errorf("%s in blocks of %d: the embedding is not finite", c.name, size)
			}
		}
	}
}

func finiteEntries(m *mat.Dense) bool {
	for _, v := range m.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Every edge once, from its lower node, and every loop.
func TestEdgesOfAGraphWithLoops(t *testing.T) {
	loops := []coles.Edge{{U: 2, V: 0}, {U: 1, V: 1}, {U: 1, V: 2}}
	g := must(coles.NewGraph(3, loops, coles.WithSelfLoopsKept(), coles.WithEdgeWeights([]float64{3, 5, 7})))
	edges, weights := edgesOf(g.CSR())
	if !slices.Equal(edges, []coles.Edge{{U: 0, V: 2}, {U: 1, V: 1}, {U: 1, V: 2}}) || !slices.Equal(weights, []float64{3, 5, 7}) {
		t.Errorf("edges %v of weights %v", edges, weights)
	}
}

// Self loops that a graph has kept are no edges to be dropped, and no pairs.
func TestSelfLoopsStayAndAreNoPairs(t *testing.T) {
	edges := []coles.Edge{{U: 0, V: 0}, {U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 2}}
	g := must(coles.NewGraph(3, edges, coles.WithSelfLoopsKept()))
	a := must(withoutEdges(g, 0.999, newRand(1))).CSR()
	if a.At(0, 0) != 1 || a.At(2, 2) != 1 || a.At(1, 1) != 0 {
		t.Errorf("loops of weight %v, %v, %v, want 1, 0, 1", a.At(0, 0), a.At(1, 1), a.At(2, 2))
	}
	r := &run[float64]{config: must(newConfig(DefaultSettings(), []Option{WithObjective(SampledNCE(1, 1))}))}
	var b batch[float64]
	if err := r.pairs(ctx, &b, g, 1); err != nil {
		t.Fatal(err)
	}
	if len(b.us) != 2 {
		t.Errorf("%d pairs, want the 2 edges", len(b.us))
	}
}
