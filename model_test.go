package coles_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"coles/internal/race"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// small is a graph with words that a fit takes milliseconds for.
func small(seed uint64) (*coles.Graph, *sparse.CSR, *mat.Dense) {
	g := randomGraph(seed, 120, 0.04)
	words, dense := randomWords(random(seed), 120, 40)
	return g, words, dense
}

// modelCases are fits by every way through the library.
var modelCases = []struct {
	name string
	opts []coles.Option
	none bool // no features
}{
	{"default", nil, false},
	{"krylov, sampled", []coles.Option{coles.WithSolver(coles.SolverKrylov), coles.WithDim(10), coles.WithNegatives(coles.UniformNegatives(3)), coles.WithKappa(2), coles.WithEta(0.9)}, false},
	{"standardised, share by itself", []coles.Option{coles.WithFeatures(coles.PrepareStandardize), coles.WithAutoCovarianceShare(), coles.WithDim(8)}, false},
	{"unit rows, by degree, γ = ½", []coles.Option{coles.WithFeatures(coles.PrepareRowL2), coles.WithNegatives(coles.DegreeNegatives(2)), coles.WithPower(0.5), coles.WithDim(12)}, false},
	{"as they are, APPNP, truncated", []coles.Option{coles.WithFeatures(coles.PrepareNone), coles.WithFilter(coles.APPNP(6, 0.1)), coles.WithTruncation()}, false},
	{"without features", []coles.Option{coles.WithDim(10)}, true},
}

func fitSmall(t *testing.T, seed uint64, none bool, opts ...coles.Option) *coles.Model {
	t.Helper()
	g, words, _ := small(seed)
	var x mat.Matrix = words
	if none {
		x = nil
	}
	m, err := coles.Fit(ctx, g, x, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFitIsDeterministic(t *testing.T) {
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			first := fitSmall(t, 71, c.none, c.opts...)
			forProcessors(t, func(procs int) {
				again := fitSmall(t, 71, c.none, c.opts...)
				wantSame(t, "embedding", bits(again.Embedding()), bits(first.Embedding()))
				wantSame(t, "λ", again.Lambda(), first.Lambda())
				wantSame(t, "scaling", again.Scaling(), first.Scaling())
			})
			g, words, _ := small(71)
			if !c.none {
				one := must(first.Embed(ctx, g, words))
				forProcessors(t, func(int) {
					wantSame(t, "Embed", bits(must(first.Embed(ctx, g, words))), bits(one))
				})
			}
		})
	}
}

// Large enough that every stage is split into several tasks.
func TestLargerFitIsDeterministic(t *testing.T) {
	n, d := 3000, 400
	if race.Enabled {
		n, d = 1500, 150
	}
	g := randomSparseGraph(72, n, 4*n)
	words, _ := randomWords(random(73), n, d)
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		var first []uint64
		forProcessors(t, func(procs int) {
			m := must(coles.Fit(ctx, g, words, coles.WithSolver(solver), coles.WithDim(20), coles.WithNegatives(coles.UniformNegatives(5))))
			got := bits(m.Embedding())
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%v: another embedding with %d processors", solver, procs)
			}
		})
	}
}

func TestEmbedOfTrainingDataIsTheFit(t *testing.T) {
	g, words, dense := small(74)
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			m := fitSmall(t, 74, c.none, c.opts...)
			y := m.Embedding()
			scale := math.Max(mat.Max(y), -mat.Min(y))
			if c.none {
				wantClose(t, "Embed", must(m.Embed(ctx, g, nil)), y, 0)
				return
			}
			wantClose(t, "Embed of sparse X", must(m.Embed(ctx, g, words)), y, 1e-12*scale)
			wantClose(t, "Embed of dense X", must(m.Embed(ctx, g, dense)), y, 1e-12*scale)
			// By the definition: F(W)·X·Pᵀ, column by column times its factor.
			p := must(coles.FitPreparation(ctx, words, m.Report().Preparation))
			fx := must(m.Settings().Filter.Apply(ctx, coles.Normalize(g, coles.SelfLoops), must(p.Apply(ctx, words))))
			e := product(fx, m.Projection().T())
			s := m.Scaling()
			wantClose(t, "FXPᵀ, scaled", must(s.Apply(ctx, e)), y, 1e-12*scale)
		})
	}
}

// New nodes hang on node 0: only rows within K hops of it may move.
func TestGrownGraphMovesOnlyTheNeighbourhood(t *testing.T) {
	const n, hops = 200, 3
	var ring []coles.Edge
	for i := range n {
		ring = append(ring, coles.Edge{U: i, V: (i + 1) % n})
	}
	words, dense := randomWords(random(75), n, 30)
	g := must(coles.NewGraph(n, ring))
	m := must(coles.Fit(ctx, g, words, coles.WithFilter(coles.S2GC(hops, 0.05)), coles.WithDim(10)))
	before := m.Embedding()

	grown := must(coles.NewGraph(n+2, append(ring, coles.Edge{U: 0, V: n}, coles.Edge{U: n, V: n + 1})))
	more := mat.NewDense(n+2, 30, nil)
	more.Slice(0, n, 0, 30).(*mat.Dense).Copy(dense)
	more.Set(n, 3, 1)
	more.Set(n+1, 4, 2)
	after := must(m.Embed(ctx, grown, sparseOf(more)))
	moved := 0
	for i := range n {
		distance := min(i, n-i)
		diff := 0.0
		for j := range 10 {
			diff = math.Max(diff, math.Abs(after.At(i, j)-before.At(i, j)))
		}
		if distance > hops && diff > 1e-12 {
			t.Errorf("row %d, %d hops away, moved by %g", i, distance, diff)
		}
		if distance <= hops && diff > 1e-9 {
			moved++
		}
	}
	if moved != 2*hops+1 {
		t.Errorf("%d rows near the new nodes moved, want %d", moved, 2*hops+1)
	}
	if mat.Norm(after.RowView(n), 2) == 0 || mat.Norm(after.RowView(n+1), 2) == 0 {
		t.Error("a new node has no embedding")
	}
}

func TestModelEmbedsAnotherGraphOfTheSameFeatures(t *testing.T) {
	g, words, _ := small(76)
	m := must(coles.Fit(ctx, g, words, coles.WithDim(6)))
	other := randomGraph(77, 33, 0.1)
	_, x := randomWords(random(77), 33, 40)
	p := must(coles.FitPreparation(ctx, words, coles.PrepareTFIDF)) // its column weights, not the other graph's
	fx := must(coles.S2GCSum(8).Apply(ctx, coles.Normalize(other, coles.SelfLoops), must(p.Apply(ctx, x))))
	s := m.Scaling()
	wantClose(t, "Embed", must(m.Embed(ctx, other, x)), must(s.Apply(ctx, product(fx, m.Projection().T()))), 1e-12)

	_, err := m.Embed(ctx, other, mat.NewDense(33, 41, nil))
	wantError(t, err, coles.ErrShape)
	_, err = m.Embed(ctx, other, mat.NewDense(32, 40, nil))
	wantError(t, err, coles.ErrShape)
	_, err = m.Embed(ctx, other, nil)
	wantError(t, err, coles.ErrEmpty)
	x.Set(0, 0, -1)
	_, err = m.Embed(ctx, other, x)
	wantError(t, err, coles.ErrPreparation)
}

func TestModelWithoutFeaturesKnowsItsGraphOnly(t *testing.T) {
	g, words, _ := small(78)
	m := must(coles.Fit(ctx, g, nil, coles.WithDim(5)))
	_, err := m.Embed(ctx, randomGraph(79, 120, 0.04), nil)
	wantError(t, err, coles.ErrTransductive)
	_, err = m.Embed(ctx, g, words)
	wantError(t, err, coles.ErrShape)
	if m.Projection() != nil {
		t.Error("it has a projection of features")
	}
	_, components := g.Components()
	if r := m.Report(); r.ComponentVectors == 0 || r.ComponentVectors > components || r.Features != 0 {
		t.Errorf("report says %d component vectors, %d features", r.ComponentVectors, r.Features)
	}
	// The embedding is the eigenmap without component vectors, columns rescaled.
	e := must(coles.Eigenmaps(ctx, must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())), 5, coles.WithoutComponentVectors()))
	s := must(coles.SpectralScaling(ctx, e.Y, e.Lambda))
	wantClose(t, "embedding", m.Embedding(), must(s.Apply(ctx, e.Y)), 1e-12)
}

func TestEmbeddingIsEquivariantUnderPermutation(t *testing.T) {
	g, _, x := small(80)
	const n = 120
	order := random(81).Perm(n) // node i becomes order[i]
	a := g.CSR()
	var list []coles.Edge
	var weights []float64
	a.DoNonZero(func(i, j int, v float64) {
		if i < j {
			list, weights = append(list, coles.Edge{U: order[j], V: order[i]}), append(weights, v)
		}
	})
	turned := must(coles.NewGraph(n, list, coles.WithEdgeWeights(weights)))
	turnedX := mat.NewDense(n, 40, nil)
	for i := range n {
		turnedX.SetRow(order[i], x.RawRowView(i))
	}
	for _, opts := range [][]coles.Option{
		nil,
		{coles.WithDim(7), coles.WithNegatives(coles.ExpectedUniformNegatives())},
		{coles.WithDim(7), coles.WithKappa(0)},
	} {
		y := must(coles.Fit(ctx, g, x, opts...)).Embedding()
		z := must(coles.Fit(ctx, turned, turnedX, opts...)).Embedding()
		gram, turnedGram := product(y, y.T()), product(z, z.T())
		back := mat.NewDense(n, n, nil)
		back.Apply(func(i, j int, _ float64) float64 { return turnedGram.At(order[i], order[j]) }, back)
		wantClose(t, "YYᵀ", back, gram, 1e-10*mat.Norm(gram, 2))
	}
}

func TestFitLeavesItsInputAlone(t *testing.T) {
	g, words, dense := small(82)
	beforeA, beforeX := denseOf(g.CSR()), bits(dense)
	raw := words.RawMatrix()
	values, indices := slices.Clone(raw.Data), slices.Clone(raw.Ind)
	for how := coles.PrepareNone; how <= coles.PrepareStandardize; how++ {
		for _, x := range []mat.Matrix{words, dense} {
			m := must(coles.Fit(ctx, g, x, coles.WithFeatures(how), coles.WithDim(4)))
			must(m.Embed(ctx, g, x))
		}
	}
	wantClose(t, "A", g.CSR(), beforeA, 0)
	wantSame(t, "dense X", bits(dense), beforeX)
	wantSame(t, "sparse X", words.RawMatrix().Data, values)
	wantSame(t, "columns of X", words.RawMatrix().Ind, indices)
}

func TestModelKeepsIDs(t *testing.T) {
	names := []string{"ant", "bee", "cat", "dog"}
	g := must(coles.NewGraph(4, edges(0, 1, 1, 2, 2, 3), coles.WithIDs(names)))
	m := must(coles.Fit(ctx, g, eye(4)))
	wantSame(t, "ids", m.IDs(), names)
	var file bytes.Buffer
	must(m.WriteTo(&file))
	wantSame(t, "ids read", must(coles.ReadModel(&file)).IDs(), names)
	numbered := must(coles.NewGraph(4, edges(0, 1), coles.WithIntIDs([]int64{4, -3, 2, 1})))
	m = must(coles.Fit(ctx, numbered, eye(4)))
	must(m.WriteTo(&file))
	wantSame(t, "ids read", must(coles.ReadModel(&file)).IDs(), []string{"4", "-3", "2", "1"})
}

// The values are those of the doc comment of DefaultSettings, which gives their reasons.
func TestDefaultSettingsAreAsDocumented(t *testing.T) {
	s := coles.DefaultSettings()
	wantSame(t, "filter", s.Filter.String(), "S2GCSum(8)")
	wantSame(t, "negatives", s.Negatives.String(), "expected-degree")
	s.Filter, s.Negatives = coles.Filter{}, coles.NegativeSampler{}
	text := `{"Dim":0,"Seed":1,"Features":0,"Kappa":1,"Eta":1,"Share":0,"AutoShare":false,"Truncate":false,"Solver":0}`
	got := must(json.Marshal(struct {
		Dim       int
		Seed      uint64
		Features  int
		Kappa     int
		Eta       float64
		Share     float64
		AutoShare bool
		Truncate  bool
		Solver    int
	}{s.Dim, s.Seed, int(s.Features), s.Kappa, s.Eta, s.Share, s.AutoShare, s.Truncate, int(s.Solver)}))
	wantSame(t, "settings", string(got), text)
	wantSame(t, "scaling", s.Scaling, coles.ScalingRule{Rank: 20, Floor: 8, Norm: 4})

	g, words, _ := small(83)
	m := must(coles.Fit(ctx, g, words))
	if m.Settings().Dim != 40 {
		t.Errorf("d′ = %d of 40 features, want 40", m.Settings().Dim)
	}
}

func TestSettingsSurviveJSON(t *testing.T) {
	g, words, _ := small(84)
	for _, c := range modelCases {
		if c.none {
			continue
		}
		m := must(coles.Fit(ctx, g, words, c.opts...))
		text := must(json.Marshal(m.Settings()))
		var back coles.Settings
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "second writing", string(must(json.Marshal(back))), string(text))
		again := must(coles.Fit(ctx, g, words, coles.WithSettings(back)))
		wantSame(t, c.name, bits(again.Embedding()), bits(m.Embedding()))
	}
}

func TestProgressCallsStagesInOrder(t *testing.T) {
	for _, c := range modelCases {
		var stages []string
		last := coles.Progress{}
		watch := coles.WithProgress(func(p coles.Progress) {
			if p.Stage != last.Stage {
				stages = append(stages, p.Stage)
			} else if p.Done < last.Done {
				t.Errorf("%s: %s went back from %d to %d", c.name, p.Stage, last.Done, p.Done)
			}
			if p.Done < 0 || p.Total < 1 {
				t.Errorf("%s: %+v", c.name, p)
			}
			last = p
		})
		m := fitSmall(t, 85, c.none, append(slices.Clone(c.opts), watch)...)
		want := []string{"prepare", "solve", "embed"}
		if m.Report().Solver == coles.SolverDirect {
			want = []string{"prepare", "filter", "solve", "embed"}
		}
		wantSame(t, c.name, stages, want)
	}
}
