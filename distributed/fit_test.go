package distributed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"gonum.org/v1/gonum/mat"
)

// A sample is a graph with features, as a fit on one machine and a pipeline take it.
type sample struct {
	n       int
	edges   []coles.Edge
	weights []float64 // nil for none
	x       *mat.Dense
}

// graph is the sample as package coles has it.
func (c sample) graph() *coles.Graph {
	return testkit.Must(coles.NewGraph(c.n, c.edges, coles.WithWeights(c.weights), coles.WithRepeats("max")))
}

// input adds the sample to a pipeline: edges in chunks of some, rows in the given heights.
func (c sample) input(s beam.Scope, chunk, height int) (in input) {
	var chunks []edgeChunk
	for lo := 0; lo < len(c.edges); lo += chunk {
		var e edgeChunk
		for q := lo; q < min(lo+chunk, len(c.edges)); q++ {
			e.U, e.V = append(e.U, int64(c.edges[q].U)), append(e.V, int64(c.edges[q].V))
			if c.weights != nil {
				e.Weight = append(e.Weight, c.weights[q])
			}
		}
		chunks = append(chunks, e)
	}
	if len(chunks) > 0 {
		in.edges = beam.CreateList(s, chunks)
	}
	var rows []rowChunk
	d := c.x.RawMatrix().Cols
	for lo := 0; lo < c.n; lo += height {
		hi := min(lo+height, c.n)
		rows = append(rows, rowChunk{int64(lo), d, c.x.RawMatrix().Data[lo*d : hi*d]})
	}
	in.features = beam.CreateList(s, rows)
	return in
}

// collected returns the rows of a pipeline in their order, and the model if there is one.
func collected(t *testing.T, n int) (*mat.Dense, *coles.Model) {
	t.Helper()
	var y *mat.Dense
	for _, r := range rowsSeen.taken() {
		if y == nil {
			y = mat.NewDense(n, r.Columns, nil)
		}
		y.Slice(int(r.First), int(r.First)+r.height(), 0, r.Columns).(*mat.Dense).Copy(mat.NewDense(r.height(), r.Columns, r.Data))
	}
	models := modelsSeen.taken()
	if len(models) == 0 {
		return y, nil
	}
	return y, testkit.Must(coles.ReadModel(bytes.NewReader(models[0])))
}

// plan is the plan of a fit of the sample.
func (c sample) plan(set coles.Settings, grid Grid) plan {
	return testkit.Must(newPlan(int64(c.n), c.x.RawMatrix().Cols, set, grid))
}

// fitted fits a sample in chunks of some edges and rows of some height.
func fitted(t *testing.T, c sample, set coles.Settings, grid Grid, chunk, height int) (*mat.Dense, *coles.Model) {
	t.Helper()
	_, err := runPipeline(t, func(s beam.Scope) {
		embedding, model := c.plan(set, grid).fit(s, c.input(s, chunk, height))
		beam.ParDo0(s, &collectRows{}, beam.DropKey(s, embedding))
		beam.ParDo0(s, &collectModel{}, model)
	})
	if err != nil {
		t.Fatal(err)
	}
	return collected(t, c.n)
}

// communities is a graph of n nodes in five groups that their features tell, with the mean degree of
// eight; what is in the fourth part of the nodes has no edges if holed.
func communities(n, d int, weighted, holed bool) sample {
	rng := testkit.Random(uint64(n + d))
	c := sample{n: n, x: mat.NewDense(n, d, nil)}
	centres := testkit.RandomDense(rng, 5, d)
	for i := range n {
		for j := range d {
			c.x.Set(i, j, centres.At(i%5, j)+1.5*rng.NormFloat64()+0.3)
		}
	}
	for range 4 * n {
		u, v := rng.IntN(n), rng.IntN(n)
		if rng.IntN(10) < 7 {
			v = u%5 + v/5*5
		}
		if hole := func(i int) bool { return holed && i >= n/4 && i < n/2 }; v >= n || hole(u) || hole(v) {
			continue
		}
		c.add(rng, u, v, weighted)
	}
	return c
}

// add adds an edge, now and then twice, the other way round or with a loop.
func (c *sample) add(rng *rand.Rand, u, v int, weighted bool) {
	for range 1 + rng.IntN(10)/9 {
		c.edges = append(c.edges, coles.Edge{U: u, V: v})
		u, v = v, u
		if weighted {
			c.weights = append(c.weights, float64(rng.IntN(6))/2)
		}
	}
}

// few is a sample without the edges of all but the first nodes.
func few(c sample, nodes int) sample {
	c.edges = slices.DeleteFunc(slices.Clone(c.edges), func(e coles.Edge) bool { return e.U >= nodes || e.V >= nodes })
	for v := 1; v < nodes; v++ {
		c.edges = append(c.edges, coles.Edge{U: v / 2, V: v})
	}
	return c
}

// counts makes the features small counts, most of them zero.
func (c sample) counts(share float64) sample {
	x := mat.DenseCopyOf(c.x)
	x.Apply(func(i, j int, v float64) float64 { return math.Round(share*max(0, math.Abs(v)-2.4)) / share }, x)
	c.x = x
	return c
}

// wantLike compares λ, of the first, and rows, of their mean length, with Fit on one machine.
func wantLike(t *testing.T, c sample, set coles.Settings, y *mat.Dense, m *coles.Model, tolerance float64) {
	t.Helper()
	set.Precision, set.Solver = coles.Float64, coles.SolverDirect
	want := testkit.Must(coles.Fit(context.Background(), c.graph(), c.x, coles.WithSettings(set)))
	l, k := want.Parts()[0].Lambda, m.Parts()[0].Lambda
	if len(l) != len(k) {
		t.Fatalf("%d eigenvalues, want %d", len(k), len(l))
	}
	for j := range l {
		if math.Abs(l[j]-k[j]) > tolerance*l[0] {
			t.Errorf("λ_%d = %v, want %v", j, k[j], l[j])
			break
		}
	}
	e := want.Embedding()
	if r, q := e.Dims(); r != y.RawMatrix().Rows || q != y.RawMatrix().Cols {
		t.Fatalf("embedding of %d × %d, want %d × %d", y.RawMatrix().Rows, y.RawMatrix().Cols, r, q)
	}
	if off := testkit.MaxDiff(e, y); off > tolerance*set.Scaling.Norm {
		t.Errorf("rows are off by %.2g", off)
	}
	got, wanted := m.Report(), want.Report()
	if got.Graph != wanted.Graph {
		t.Errorf("graph: %+v, want %+v", got.Graph, wanted.Graph)
	}
	if got.Preparation != wanted.Preparation || got.Kind != wanted.Kind || got.Dim != wanted.Dim || got.Undetermined != wanted.Undetermined ||
		math.Abs(got.Power-wanted.Power) > 1e3*tolerance || math.Abs(got.EffectiveRank-wanted.EffectiveRank) > 1e3*tolerance {
		t.Errorf("report:\n%v\nwant:\n%v", got, wanted)
	}
	again := testkit.Must(m.Embed(context.Background(), c.graph(), c.x))
	if off := testkit.MaxDiff(again, y); off > tolerance*set.Scaling.Norm {
		t.Errorf("the model embeds otherwise, by %.2g", off)
	}
}

// TestFitIsFit compares the pipeline with Fit on one machine, in float64.
func TestFitIsFit(t *testing.T) {
	base := communities(2000, 20, false, false)
	sets := func(change func(*coles.Settings)) coles.Settings {
		s := coles.DefaultSettings()
		s.Dim, s.Kind = 10, coles.UseGraph
		change(&s)
		return s
	}
	type test struct {
		name   string
		c      sample
		set    coles.Settings
		height int64
	}
	tests := []test{
		{"default", base, sets(func(s *coles.Settings) {}), 500},
		{"weighted, with isolated nodes and an empty block", communities(1900, 20, true, true), sets(func(s *coles.Settings) {}), 475},
		{"last block shorter", base, sets(func(s *coles.Settings) {}), 601},
		{"one block", base, sets(func(s *coles.Settings) {}), 0},
		{"features alone", base, sets(func(s *coles.Settings) { s.Kind = coles.UseFeatures }), 500},
		{"uniform negatives, truncated", base, sets(func(s *coles.Settings) {
			s.Negatives, s.Eta, s.Truncate, s.Dim = coles.ExpectedUniformNegatives(), 0.7, true, 20
		}), 500},
		{"few nodes with edges", few(base, 8), sets(func(s *coles.Settings) { s.Dim = 15 }), 500},
		{"no negatives", base, sets(func(s *coles.Settings) { s.Kappa = 0 }), 500},
		{"no edges", sample{n: 300, x: testkit.RandomDense(testkit.Random(1), 300, 6)}, sets(func(s *coles.Settings) { s.Dim, s.Kind = 4, coles.UseFeatures }), 100},
	}
	for k := coles.PrepareAuto; k <= coles.PrepareUndamped; k++ {
		c := base
		if k != coles.PrepareStandardize && k != coles.PrepareNone {
			c = base.counts(1)
		}
		tests = append(tests, test{fmt.Sprintf("prepared by %v", k), c, sets(func(s *coles.Settings) { s.Preparation = k }), 500})
	}
	embedding := communities(6000, 40, false, false) // principal axes beside three numbers, of more rows than all
	embedding.x.Apply(func(_, j int, v float64) float64 {
		if j < 37 {
			return v * math.Pow(float64(j+1), -0.7)
		}
		return v * math.Pow(1000, float64(j-36))
	}, embedding.x)
	tests = append(tests, test{"an embedding beside numbers", embedding, sets(func(s *coles.Settings) {}), 2000})
	words := base // of 90 features 50 are words that one node in fifty has, which balanced features are for
	words.x = mat.NewDense(base.n, 90, nil)
	rng := testkit.Random(5)
	words.x.Apply(func(i, j int, _ float64) float64 {
		if j < 40 {
			return base.x.At(i, j%20)*math.Pow(float64(j+1), -0.7) + 0.3*rng.NormFloat64()
		}
		return math.Floor(rng.Float64() + 0.02)
	}, words.x)
	tests = append(tests, test{"an embedding beside words", words, sets(func(s *coles.Settings) { s.Preparation = coles.PrepareBalanced }), 500})
	for _, f := range []coles.Filter{coles.SGC(0), coles.Polynomial(0.5, -0.2, 1)} { // the others are other coefficients
		tests = append(tests, test{f.String(), base, sets(func(s *coles.Settings) { s.Filter = f }), 500})
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			y, m := fitted(t, c.c, c.set, Grid{Height: c.height, Messages: coles.Float64}, 1000, 700)
			wantLike(t, c.c, c.set, y, m, 1e-9)
		})
	}
}

// TestChoice compares s with the s of one machine, and the whole default. For r nodes have other names.
func TestChoice(t *testing.T) {
	shuffled := communities(1000, 60, false, false)
	testkit.Random(3).Shuffle(1000, func(i, j int) {
		a, b := shuffled.x.RawRowView(i), shuffled.x.RawRowView(j)
		for q := range a {
			a[q], b[q] = b[q], a[q]
		}
	})
	for v := 5; v < 1000; v++ { // r is far above its bound
		shuffled.edges = append(shuffled.edges, coles.Edge{U: v - 5, V: v})
	}
	ones := communities(1000, 60, true, false).counts(1)
	set := coles.DefaultSettings()
	set.Dim, set.Filter = 10, coles.S2GCSum(3)
	for name, c := range map[string]sample{
		"communities": communities(1000, 60, false, true), "other features": shuffled, "counts": ones,
		"few features": communities(500, 20, false, false), "no edges": {n: 300, x: testkit.RandomDense(testkit.Random(1), 300, 50)},
	} {
		t.Run(name, func(t *testing.T) {
			want := testkit.Must(set.Alignment(context.Background(), c.graph(), c.x))
			var got choice
			p := c.plan(set, Grid{Height: 300, Messages: coles.Float64})
			if _, err := runPipeline(t, func(s beam.Scope) {
				state, found := p.prepare(s, c.input(s, 1000, 700))
				beam.ParDo0(s, &collectChoice{}, p.choose(s, state, found))
			}); err != nil {
				t.Fatal(err)
			}
			for _, c := range choicesSeen.taken() {
				got = c
			}
			a := *got.Alignment
			if a.Known != want.Known || got.Kind != want.Kind() || math.Abs(a.Communities-want.Communities) > 4*math.Hypot(a.CommunitiesSpread, want.CommunitiesSpread) ||
				math.Abs(a.Neighbours-want.Neighbours) > 1e-9 || math.Abs(a.Deviation-want.Deviation) > 1e-9 {
				t.Errorf("%+v, want %+v", a, want)
			}
			if set.Kind = 0; name == "other features" || name == "few features" {
				y, m := fitted(t, c, set, Grid{Height: 300, Messages: coles.Float64}, 1000, 700)
				wantLike(t, c, set, y, m, 1e-9)
			}
		})
	}
}

// TestEmbed compares the pipeline with Model.Embed on another graph than that of the fit, which TestRunWithModel has.
func TestEmbed(t *testing.T) {
	fit, c := communities(1500, 20, true, false), communities(1100, 20, true, true)
	for _, kind := range []coles.Kind{coles.UseGraph, coles.UseFeatures} {
		m := testkit.Must(coles.Fit(context.Background(), fit.graph(), fit.x, coles.With(func(s *coles.Settings) { s.Dim, s.Kind = 7, kind })))
		for messages, tolerance := range map[coles.Precision]float64{coles.Float64: 1e-9, coles.Float32: 1e-6} {
			p, file, err := planOf(int64(c.n), 20, m, Grid{Height: 400, Messages: messages})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := runPipeline(t, func(s beam.Scope) {
				beam.ParDo0(s, &collectRows{}, beam.DropKey(s, p.byModel(s, c.input(s, 500, 300), m, file)))
			}); err != nil {
				t.Fatal(err)
			}
			y, _ := collected(t, c.n)
			want := testkit.Must(m.Embed(context.Background(), c.graph(), c.x))
			if off := testkit.MaxDiff(y, want); off > 4*tolerance {
				t.Errorf("%v model, messages in %v: rows are off by %.2g", kind, messages, off)
			}
		}
	}
}

// Rows that are alike but for a spread have one eigenvalue of their mean, and nine of spread². Rounding
// of messages in float32, by 6e-8 of a row, shows in these where they are small.
func TestWeightsThatMessagesRound(t *testing.T) {
	const n, d = 1000, 10
	for spread, want := range map[float64]error{0.1: nil, 1e-3: coles.ErrPrecision} {
		v, energy := solution{Columns: d, Mean: make([]float64, d)}, make([]float64, d)
		for j := range d {
			energy[j] = spread * spread * n / float64(1+j)
			v.Lambda = append(v.Lambda, energy[j])
		}
		v.Mean[0], v.Lambda[0] = 1, n
		for messages, want := range map[coles.Precision]error{coles.Float64: nil, coles.Float32: want} {
			p := testkit.Must(newPlan(n, d, coles.DefaultSettings(), Grid{Messages: messages}))
			_, err := (&weigh{p}).ProcessElement(sums{Add: energy}, v)
			if !errors.Is(err, want) {
				t.Errorf("a spread of %v, messages in %v: %v, want %v", spread, messages, err, want)
			}
		}
	}
}
