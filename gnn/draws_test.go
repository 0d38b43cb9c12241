package gnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// wantShare compares the share of so many independent draws with their probability, to five
// standard deviations.
func wantShare(t *testing.T, what string, hits, draws int, probability float64) {
	t.Helper()
	share := float64(hits) / float64(draws)
	if bound := 5 * math.Sqrt(probability*(1-probability)/float64(draws)); math.Abs(share-probability) > bound {
		t.Errorf("%s: a share of %.4f, want %.4f ± %.4f", what, share, probability, bound)
	}
}

// featuresOf is both forms of the same features, without a zero among them.
func featuresOf(rows, cols int) map[string]features[float64] {
	x := testkit.RandomDense(testkit.Random(70), rows, cols)
	form := func(x mat.Matrix) features[float64] {
		source := testkit.Must(matrix.Read(ctx, x))
		return newFeatures(testkit.Must(matrix.As[float64](ctx, source)))
	}
	return map[string]features[float64]{"dense": form(x), "sparse": form(testkit.SparseOf(x))}
}

// entries are a copy of the features as a dense matrix.
func entries(f features[float64]) *mat.Dense { return dense(testkit.Must(f.Panel(ctx))) }

func TestDropoutOfFeatures(t *testing.T) {
	const rate = 0.3
	for name, f := range featuresOf(200, 30) {
		before := entries(f)
		record := autodiff.New[float64](ctx)
		eye := mat.NewDiagDense(30, slices.Repeat([]float64{1}, 30))
		dropped := record.Dropout(f.value(record), rate, newRand(1))
		after := dense(record.MatMul(dropped, record.Constant(kernel.Matrix[float64](testkit.DenseOf(eye).RawMatrix()))).Data())
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
		before, after := entries(f), entries(testkit.Must(f.changed(ctx, &View{Columns: hiddenColumns(2000, rate, newRand(2))})))
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
		kept[v] = withoutEdges(g, rate, rnd)
		for e, weight := range kept[v].Edges() {
			if weight != a.At(e.U, e.V) {
				t.Errorf("edge %v weighs %v, %v before", e, weight, a.At(e.U, e.V))
			}
		}
		wantShare(t, fmt.Sprint("kept at ", rate), kept[v].Report().Edges, g.Report().Edges, 1-rate)
	}
	both := 0
	second := kept[1].CSR()
	for e := range kept[0].Edges() {
		if second.At(e.U, e.V) != 0 {
			both++
		}
	}
	wantShare(t, "kept in both", both, g.Report().Edges, 0.8*0.4)
}

// Self loops that a graph has kept are no edges to be dropped, and no pairs.
func TestSelfLoopsStayAndAreNoPairs(t *testing.T) {
	edges := []coles.Edge{{U: 0, V: 0}, {U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 2}}
	g := testkit.Must(coles.NewWeightedGraph(3, edges, []float64{3, 5, 7, 11}, coles.WithSelfLoopsKept()))
	a := withoutEdges(g, 0.999, newRand(1)).CSR()
	if a.At(0, 0) != 3 || a.At(2, 2) != 11 || a.At(1, 1) != 0 {
		t.Errorf("loops of weight %v, %v, %v, want 3, 0, 11", a.At(0, 0), a.At(1, 1), a.At(2, 2))
	}
	s := Step[float64]{batch: &batch[float64]{graph: g}}
	if us, vs, _ := s.Edges(); !slices.Equal(us, []int{0, 1}) || !slices.Equal(vs, []int{1, 2}) {
		t.Errorf("edges from %v to %v, want the 2", us, vs)
	}
}

// Nodes drawn for edges are uniform: Pearson's statistic over 25 nodes is below the 99.99th
// percentile of χ² with 24 degrees of freedom, 59.
func TestNodesDrawnForEdgesAreUniform(t *testing.T) {
	s := Step[float64]{batch: &batch[float64]{graph: testkit.Must(coles.NewGraph(25, nil)), us: make([]int, 4000), seed: 9}}
	us, ws := s.Negatives(5)
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
	n := Network{GCN(100), PReLU(), SAGE(60)}
	e := testkit.Must(newEncoder[float64](ctx, n, testkit.Must(n.shapes(1, 80)), 1))
	for _, p := range e.params {
		sum, squares, largest := 0.0, 0.0, 0.0
		for _, v := range p.value.Data {
			sum += v
			squares += v * v
			largest = max(largest, math.Abs(v))
		}
		entries, ends := float64(len(p.value.Data)), float64(p.value.Rows+p.value.Cols)
		switch s := p.shape; s.Name {
		case "bias":
			if largest != 0 {
				t.Errorf("%v is not zero", s)
			}
		case "slope":
			if p.value.Data[0] != 0.25 {
				t.Errorf("slope %v", p.value.Data[0])
			}
		default:
			bound := math.Sqrt(6 / ends)
			// The largest of 6,000 and more is within 1‰ of the bound, the mean and the variance
			// are within five standard deviations: √(2/ends/n) and variance·√(0.8/n).
			if largest > bound || largest < 0.999*bound {
				t.Errorf("%v: the largest entry is %v, the bound %v", s, largest, bound)
			}
			if math.Abs(sum/entries) > 5*math.Sqrt(2/ends/entries) || math.Abs(squares/entries*ends/2-1) > 5*math.Sqrt(0.8/entries) {
				t.Errorf("%v: mean %v, variance %v, want 0 and %v", s, sum/entries, squares/entries, 2/ends)
			}
		}
	}
}

// Losses of epochs in which next to nothing is learned differ by the draws alone: these are the
// same in every epoch, or others.
func TestWhatIsDrawnAnewInEveryEpoch(t *testing.T) {
	g, x := small(72)
	drawn := WithContrast(coles.UniformNegatives(2), 1, 1)
	for name, c := range map[string]struct {
		opts  []Option
		fresh bool
	}{
		"fixed ΔW":            {[]Option{drawn}, false},
		"fresh ΔW":            {[]Option{drawn, WithFreshNegatives(true)}, true},
		"fixed pairs":         {[]Option{WithObjective(SampledNCE(2, 1))}, false},
		"fresh pairs":         {[]Option{WithObjective(SampledNCE(2, 1)), WithFreshNegatives(true)}, true},
		"dropout":             {[]Option{WithNetwork(GCN(8), Dropout(0.4), GCN(5))}, true},
		"dropout of features": {[]Option{WithNetwork(Dropout(0.4), GCN(5))}, true},
		"edges":               {[]Option{withAugmentation(Drop([2]float64{0.3, 0.3}, [2]float64{}))}, true},
		"features":            {[]Option{withAugmentation(Drop([2]float64{}, [2]float64{0.3, 0.3}))}, true},
	} {
		var losses []float64
		for _, p := range progressOf(t, g, x, append(c.opts, withOptimizer(SGD(1e-300, 0)))...) {
			losses = append(losses, p.Loss)
		}
		slices.Sort(losses)
		want := 1
		if c.fresh {
			want = 6
		}
		if got := len(slices.Compact(losses)); got != want {
			t.Errorf("%s: %d losses in 6 epochs, want %d", name, got, want)
		}
	}
}

// Whatever is dropped is dropped independently: columns, edges, entries side by side, two of which
// share a draw, and one above the other, whose streams are neighbours.
func TestDropsAreIndependent(t *testing.T) {
	const rate = 0.3
	edges := []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 2, V: 3}, {U: 3, V: 4}}
	g := testkit.Must(coles.NewGraph(5, edges))
	full := &autodiff.CSR[float64]{Rows: 2, Cols: 3, Ptr: []int64{0, 3, 6}, Col: []int32{0, 1, 2, 0, 1, 2}, Val: []float64{1, 1, 1, 1, 1, 1}}
	constant := func(tape *autodiff.Tape[float64], rows, cols int, values ...float64) *autodiff.Value[float64] {
		return tape.Constant(autodiff.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols, Data: values})
	}
	eye := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	law := map[string]float64{}
	for set := range 1 << 6 {
		p, kept := 1.0, make([]bool, 6)
		for k := range kept {
			if kept[k] = set>>k&1 == 1; kept[k] {
				p *= 1 - rate
			} else {
				p *= rate
			}
		}
		law[fmt.Sprint(kept)] = p
	}
	for name, drop := range map[string]func(tape *autodiff.Tape[float64], rnd *rand.Rand) []float64{
		"columns": func(_ *autodiff.Tape[float64], rnd *rand.Rand) []float64 { return hiddenColumns(6, rate, rnd) },
		"edges": func(_ *autodiff.Tape[float64], rnd *rand.Rand) (kept []float64) {
			a := withoutEdges(g, rate, rnd).CSR()
			for _, e := range edges {
				kept = append(kept, a.At(e.U, e.V))
			}
			return kept
		},
		"entries": func(tape *autodiff.Tape[float64], rnd *rand.Rand) []float64 {
			return tape.Dropout(constant(tape, 2, 3, 1, 1, 1, 1, 1, 1), rate, rnd).Data().Data
		},
		"stored entries": func(tape *autodiff.Tape[float64], rnd *rand.Rand) []float64 {
			x := tape.SparseConstant(autodiff.NewSparse(full, false))
			return tape.MatMul(tape.Dropout(x, rate, rnd), constant(tape, 3, 3, eye...)).Data().Data
		},
		"attention": func(tape *autodiff.Tape[float64], rnd *rand.Rand) []float64 {
			target, source := constant(tape, 2, 1, 0, 0), constant(tape, 3, 1, 0, 0, 0)
			return tape.Attention(autodiff.NewSparse(full, false), constant(tape, 3, 3, eye...), target, source, 0.2, rate, rnd).Data().Data
		},
	} {
		counts := map[string]int{}
		for seed := range uint64(testkit.Draws(6000)) {
			kept := make([]bool, 6)
			for k, v := range drop(autodiff.New[float64](ctx), newRand(seed)) {
				kept[k] = v != 0
			}
			counts[fmt.Sprint(kept)]++
		}
		testkit.WantLaw(t, name, counts, law)
	}
}

// Blocks of a path of three nodes and one alone: a root is drawn among all nodes, its neighbours come in
// any order, and then the next root.
func TestBlocksHaveTheirLaw(t *testing.T) {
	a := testkit.Must(coles.NewGraph(4, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}})).Raw()
	const quarter, eighth = 1. / 4, 1. / 8
	law := map[string]float64{ // the lone node 3 is the first root with probability 1/4, and then any other
		"[[0 1] [2 3]]": quarter, "[[2 1] [0 3]]": quarter, "[[1 0] [2 3]]": eighth, "[[1 2] [0 3]]": eighth,
		"[[3 0] [1 2]]": quarter / 3, "[[3 2] [1 0]]": quarter / 3, "[[3 1] [0 2]]": quarter / 6, "[[3 1] [2 0]]": quarter / 6,
	}
	counts := map[string]int{}
	for seed := range uint64(testkit.Draws(6000)) {
		counts[fmt.Sprint(blocks(a, 2, newRand(seed)))]++
	}
	testkit.WantLaw(t, "blocks", counts, law)
}
