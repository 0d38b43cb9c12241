package coles_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// roomy is a graph of 12 groups, with features of which a group shares some by chance, and others: a filter leaves few
// directions.
func roomy(n, others int) (*coles.Graph, *mat.Dense) {
	rng := testkit.Random(5)
	group := func(i int) int { return i * 12 / n }
	var list []coles.Edge
	for i := range n {
		for range 10 {
			if j := (i/(n/12))*(n/12) + rng.IntN(n/12); j != i {
				list = append(list, coles.Edge{U: i, V: j})
			}
		}
		if j := rng.IntN(n); rng.IntN(2) == 0 && j != i {
			list = append(list, coles.Edge{U: i, V: j})
		}
	}
	x := mat.NewDense(n, 24, nil)
	for i := range n {
		for range 2 { // two of the columns of its group, of all as often
			x.Set(i, 2*group(i)+rng.IntN(2), 1)
		}
		for range others {
			x.Set(i, rng.IntN(24), 1)
		}
	}
	return testkit.Must(coles.NewGraph(n, list)), x
}

func withStructure(share coles.Share) coles.Option {
	return coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, share })
}

// A vector with a share of structure is the vectors of two models side by side.
func TestStructureIsAnotherModelBeside(t *testing.T) {
	g, x := roomy(600, 6)
	for _, precision := range []coles.Precision{coles.Float64, coles.Float32} {
		m := fitted(g, x, withStructure(0.36), coles.WithPrecision(precision), coles.WithDim(64))
		beside := m.Parts()[1]
		testkit.WantSame(t, "share", beside.Share, 0.36)
		testkit.WantSame(t, "columns", m.Report().Dim, 64)
		testkit.WantSame(t, "filter", beside.Settings.Filter.String(), "s2gcsum:24")
		alone := fitted(g, nil, coles.WithSettings(beside.Settings))
		own := fitted(g, x, withStructure(0), coles.WithPrecision(precision))
		y := m.Embedding()
		first := 64 - len(beside.Scaling.Factors)
		for i := range 600 {
			for j := range 64 {
				want := 0.6 * alone.Embedding().At(i, max(0, j-first))
				if j < first {
					want = 0.8 * own.Embedding().At(i, j)
				}
				if got := y.At(i, j); math.Abs(got-want) > 1e-5*math.Max(1, math.Abs(want)) {
					t.Fatalf("%v: row %d, column %d: %v, want %v", precision, i, j, got, want)
				}
			}
		}
		testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(m.Embed(ctx, g, x))), testkit.Bits(y))
		back := read(m)
		testkit.WantSame(t, "read and embedded", testkit.Bits(testkit.Must(back.Embed(ctx, g, x))), testkit.Bits(y))
		testkit.WantSame(t, "hash", back.Hash(), m.Hash())
		testkit.WantSame(t, "fitted again", testkit.Bits(fitted(g, x, coles.WithSettings(m.Settings())).Embedding()), testkit.Bits(y))
	}
	beside := fitted(g, x, withStructure(0.36), coles.WithDim(64), coles.WithFilter(coles.SGC(2))).Parts()[1]
	testkit.WantSame(t, "another filter", beside.Settings.Filter.String(), "sgc:2")
}

// The share is as coles.Share has it, of what the report has, and said.
func TestShareOfStructure(t *testing.T) {
	words := func(others int) mat.Matrix { _, x := roomy(600, others); return x }
	wide := mat.NewDense(600, 400, nil) // words of a group of which none has more than one
	for i := range 600 {
		wide.Set(i, i*12/600*20+i%20, 1)
		wide.Set(i, 240+i%160, 1)
	}
	even, weak, rng := mat.NewDense(600, 1500, nil), mat.NewDense(600, 240, nil), testkit.Random(6)
	for i := range 600 {
		for k := range 10 {
			if j := rng.IntN(20); k < 1 {
				weak.Set(i, i*12/600*20+j, 1)
			} else {
				weak.Set(i, rng.IntN(240), 1)
			}
		}
		for range 4 {
			even.Set(i, rng.IntN(1500), 1)
		}
	}
	g, _ := roomy(600, 0)
	graph := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
	for name, c := range map[string]struct {
		x      mat.Matrix
		chosen bool
		opts   []coles.Option
	}{
		"two entries":        {words(0), true, []coles.Option{graph}},
		"up to eight":        {words(6), true, []coles.Option{graph}},
		"up to 14":           {words(12), true, []coles.Option{graph}},
		"nothing told":       {wide, true, nil},
		"weak words":         {weak, true, nil},
		"few even words":     {even, true, []coles.Option{graph}},
		"few columns wanted": {words(6), false, []coles.Option{graph, coles.WithDim(8)}},
		"forbidden":          {words(6), false, []coles.Option{withStructure(0)}},
		"links":              {words(0), true, []coles.Option{coles.WithSettings(coles.LinkSettings(600, 24))}},
		"links, up to 14":    {words(12), true, []coles.Option{coles.WithSettings(coles.LinkSettings(600, 24))}},
	} {
		m := fitted(g, c.x, c.opts...)
		r, first := m.Report(), m.Parts()[0]
		entries := float64(testkit.Must(first.Preparer.Apply(ctx, c.x)).(interface{ NNZ() int }).NNZ()) / 600
		want := 0.0
		if a := r.Alignment; c.chosen {
			free := 1 - float64(min(r.Features, 128))/128
			if a != nil && !a.Known && a.Ratio == 0 {
				free = 1
			}
			told := entries / 6
			if scaling := first.Settings.Scaling; scaling.Rank > 0 {
				bound := math.Max(scaling.Floor, scaling.Rank/math.Pow(2, first.Scaling.Power))
				told *= math.Min(1, first.Scaling.EffectiveRank/bound)
			}
			terms, found := []float64{0, 1 - told/(1+free)}, 1.0
			if a != nil && a.Neighbours < 0.8 {
				terms = append(terms, 1-a.Neighbours/math.Max(0.8*free, 3*math.Pow(a.Communities, 2)))
				found = math.Min(1, math.Max(a.Neighbours/0.8, a.Communities/(3*a.CommunitiesSpread)))
			}
			want = found * math.Min(0.5, slices.Max(terms))
		}
		testkit.WantNear(t, name, r.StructureShare, want, 1e-9)
		if strings.Contains(r.Notice(), "who the neighbours are") != (want > 0) {
			t.Errorf("%s: share %v: %q", name, r.StructureShare, r.Notice())
		}
	}
}

// The smaller the share, the more columns of features stay: all of 128 but one, and a quarter at ½ and beyond.
func TestColumnsFallWithTheShare(t *testing.T) {
	g, x := testkit.RandomGraph(19, 300, 0.05), testkit.RandomDense(testkit.Random(20), 300, 200)
	for share, want := range map[coles.Share]int{0.001: 127, 0.125: 128 - 96/4, 0.25: 128 - 96/2, 0.5: 32, 0.9: 32} {
		m := fitted(g, x, withStructure(share), coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph }))
		testkit.WantSame(t, fmt.Sprint(share), len(m.Parts()[0].Scaling.Factors), want)
		testkit.WantSame(t, "columns", m.Report().Dim, 128)
	}
}

// A share that is asked for takes no more columns than there are nodes.
func TestStructureOfASmallGraph(t *testing.T) {
	g, x := testkit.RandomGraph(17, 150, 0.1), testkit.RandomDense(testkit.Random(18), 150, 300)
	m := fitted(g, x, coles.WithSettings(coles.LinkSettings(x.Dims())), withStructure(0.5))
	testkit.WantSame(t, "columns", m.Report().Dim, 64+150) // a quarter of 256, and as many as nodes
	for dim := range 6 {                                   // of γ fixed, too
		m := fitted(g, x, coles.WithDim(dim+1), coles.With(func(s *coles.Settings) {
			s.Kind, s.Structure, s.Scaling = coles.UseGraph, 0.5, coles.ScalingRule{Norm: 4}
		}))
		testkit.WantSame(t, "columns", m.Report().Dim, dim+1)
	}
}

// Features that follow no edge, however many a node has, leave half to a graph that was taken for its communities: the
// rows nearest to a node's are of its group then.
func TestCommunitiesHaveHalf(t *testing.T) {
	const n = 1200
	c := synthetic.Communities{Nodes: n, Classes: 40, Degree: 12, Homophily: 0.6, Features: -1}
	d := testkit.Must(c.Generate(ctx))
	g, x, rng := testkit.Must(d.Graph()), mat.NewDense(n, 100, nil), testkit.Random(8)
	for i := range n {
		for range 20 {
			x.Set(i, rng.IntN(100), 1)
		}
	}
	alike := func(y *mat.Dense) (share float64) {
		for i := range n {
			nearest, best := 0, math.Inf(1)
			for j := range n {
				if apart := floats.Distance(y.RawRowView(i), y.RawRowView(j), 2); j != i && apart < best {
					nearest, best = j, apart
				}
			}
			if d.Labels[nearest] == d.Labels[i] {
				share += 1. / n
			}
		}
		return share
	}
	m := fitted(g, x, coles.WithDim(64))
	r := m.Report()
	testkit.WantSame(t, "share", r.StructureShare, 0.5)
	testkit.WantText(t, r.Notice(), "the graph tells what features do not")
	without := alike(fitted(g, x, coles.WithDim(64), coles.With(func(s *coles.Settings) { s.Structure = 0 })).Embedding())
	with := alike(m.Embedding())
	t.Log(r.Alignment, with, without)
	if with < 0.8 || without > 0.4 {
		t.Errorf("%v: %v of the nearest rows are of the group, %v without", r.Alignment, with, without)
	}
}

// Where few nodes have an edge, columns of the structure make their rows no longer than columns of features do: less long, since
// the lengths are about the mean, and so nodes without an edge have some.
func TestStructureOfFewEdges(t *testing.T) {
	const n = 1000
	x := testkit.RandomDense(testkit.Random(1), n, 4)
	for _, joined := range []int{30, 100, n} {
		g := testkit.Must(coles.NewGraph(n, testkit.RandomEdges(testkit.Random(2), joined, 6/float64(joined))))
		m := fitted(g, x, withStructure(0.5))
		first, y, degrees := len(m.Parts()[0].Scaling.Factors), m.Embedding(), g.Degrees()
		features, structure, nodes := 0.0, 0.0, 0.0
		for i := range n {
			features += floats.Norm(y.RawRowView(i)[:first], 2) / n
			if degrees[i] > 0 {
				structure, nodes = structure+floats.Norm(y.RawRowView(i)[first:], 2), nodes+1
			}
		}
		if ratio := structure / nodes / features; ratio < 0.4 || ratio > 1.25 {
			t.Errorf("%d nodes joined: structure is %.2f times as long as features", joined, ratio)
		}
	}
}

// Of a large graph the columns of the structure are made in float32, as without features, and embedded again so.
func TestStructureOfALargeGraphIsSingle(t *testing.T) {
	skipUnderRace(t)
	d, g := openGraph(t, "pubmed")
	m := fitted(g, d.Features, withStructure(0.5))
	beside := m.Parts()[1]
	testkit.WantSame(t, "precision", beside.Settings.Precision, coles.Float32)
	y := m.Embedding()
	testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(read(m).Embed(ctx, g, d.Features))), testkit.Bits(y))
	first := m.Report().Dim - len(beside.Scaling.Factors)
	wide := fitted(g, nil, coles.WithSettings(beside.Settings), coles.WithPrecision(coles.Float64)).Embedding()
	for i := range 20 {
		for j := range i + 1 {
			got := 2 * floats.Dot(y.RawRowView(100 * i)[first:], y.RawRowView(100 * j)[first:]) // of half of the energy
			testkit.WantNear(t, "product of rows", got, floats.Dot(wide.RawRowView(100*i), wide.RawRowView(100*j)), 1e-3)
		}
	}
}

// More columns than there can be are as many as there are, which the report says.
func TestDimIsAtMost(t *testing.T) {
	g, words, x := small(153)
	scratch := coles.WithScratch(t.TempDir(), 1<<30)
	none := coles.With(func(s *coles.Settings) { s.Structure = 0 })
	for name, c := range map[string]struct {
		x    mat.Matrix
		most int
		says string
		opts []coles.Option
	}{
		"words":       {words, 40, "40 features", []coles.Option{none}},
		"numbers":     {x, 40, "40 features", []coles.Option{none}},
		"a folder":    {x, 40, "40 features", []coles.Option{scratch}},
		"no features": {nil, g.Nodes(), "120 nodes", nil},
	} {
		got, want := fitted(g, c.x, append(c.opts, coles.WithDim(1000))...), fitted(g, c.x, append(c.opts, coles.WithDim(c.most))...)
		testkit.WantSame(t, name, testkit.Bits(got.Embedding()), testkit.Bits(want.Embedding()))
		testkit.WantSame(t, name+", settings", got.Settings().Dim, c.most)
		r := got.Report()
		testkit.WantSame(t, name+", asked", r.Asked, 1000)
		for _, text := range []string{r.String(), r.Notice()} {
			testkit.WantText(t, text, fmt.Sprintf("%d columns, and not 1000 (-dim), for there are %s", c.most, c.says))
		}
		testkit.WantSame(t, name+", as wanted", want.Report().Asked, 0)
		again := testkit.Must(coles.ReadModel(bytes.NewReader(modelBytes(got))))
		testkit.WantSame(t, name+", read", testkit.Bits(testkit.Must(again.Embed(ctx, g, c.x))), testkit.Bits(want.Embedding()))
		most := got.Settings()
		most.Dim = 1000
		testkit.WantSame(t, name+", memory", testkit.Must(most.Estimate(g, c.x)), testkit.Must(got.Settings().Estimate(g, c.x)))
	}
	// Columns of the structure may make as many as were asked for.
	g, few := roomy(600, 0)
	if r := fitted(g, few, coles.WithDim(100)).Report(); r.Dim != 100 || r.Asked != 0 {
		t.Errorf("%d columns of 24 features and the structure, asked for %d", r.Dim, r.Asked)
	}
}
