package coles_test

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// alignment is s and r of the default setting and a change.
func alignment(g *coles.Graph, x mat.Matrix, change func(s *coles.Settings)) coles.Alignment {
	s := coles.DefaultSettings()
	change(&s)
	return testkit.Must(s.Alignment(ctx, g, x))
}

// Features that tell nothing (noise, rows all alike, none) leave the graph if it has communities. So do large
// communities where neighbours are not alike. Without edges there are only the features.
func TestAlignmentThatIsNotKnown(t *testing.T) {
	const n = 300
	drawn := func(homophily, degree float64) (*coles.Graph, *mat.Dense) {
		c := synthetic.Communities{Nodes: n, Classes: 4, Degree: degree, Homophily: homophily, Features: 40, Topic: 0.6}
		d := testkit.Must(c.Generate(ctx))
		return testkit.Must(d.Graph()), testkit.DenseOf(d.Features)
	}
	g, x := drawn(0.9, 20)
	random, _ := drawn(0.25, 10) // the same words
	var turned mat.Dense         // by a node
	turned.Stack(x.Slice(1, n, 0, 40), x.Slice(0, 1, 0, 40))
	same := mat.NewDense(n, 40, nil)
	same.Apply(func(i, _ int, _ float64) float64 { return float64(i%7 + 1) }, same)
	for name, c := range map[string]struct {
		x     mat.Matrix
		known bool
	}{
		"words": {x, true}, "words of others": {&turned, true}, "noise": {testkit.RandomDense(testkit.Random(8), n, 40), false},
		"rows all alike": {same, false}, "no features but zeros": {mat.NewDense(n, 40, nil), false},
	} {
		for graph, g := range map[string]*coles.Graph{"communities": g, "any edges": random, "no edges": graphOf(n)} {
			t.Run(name+", "+graph, func(t *testing.T) {
				want := coles.UseFeatures
				if graph == "communities" {
					want = coles.UseGraph
				}
				for seed := range uint64(5) {
					a := alignment(g, c.x, func(s *coles.Settings) { s.Seed, s.Preparation = seed, coles.PrepareNone })
					if a.Known != (c.known || graph == "no edges") || a.Kind() != want {
						t.Errorf("seed %d: %+v, model %v", seed, a, a.Kind())
					}
					testkit.WantText(t, a.String(), ": "+strings.TrimSuffix(want.String(), "s")+" model")
					if mat.Norm(c.x, 1) > 0 {
						m := fitted(g, c.x, coles.With(func(s *coles.Settings) { s.Preparation, s.Seed = coles.PrepareNone, seed }))
						testkit.WantSame(t, "the model that Fit chooses", m.Report().Kind, want)
					}
				}
			})
		}
	}
}

// Features of which none tells of the others, neither a node's own nor its neighbours', leave the choice to any communities.
// Where a node's own do, they are taken, and where the neighbours' do, the graph is.
func TestUntellingFeaturesLeaveTheChoiceToCommunities(t *testing.T) {
	c := synthetic.Communities{Nodes: 600, Classes: 12, Degree: 8, Homophily: 0.5}
	drawn := testkit.Must(c.Generate(ctx))
	small, labels := testkit.Must(drawn.Graph()), drawn.Labels
	rng := testkit.Random(6)
	x := mat.NewDense(600, 30, nil)
	for i := range 600 {
		for k := range 5 {
			x.Set(i, 6*k+rng.IntN(6), 1)
		}
	}
	own, classes := mat.NewDense(600, 30, nil), mat.NewDense(600, 30, nil) // five copies of one, and noisy ones of the class
	for i := range 600 {
		column := rng.IntN(6)
		for k := range 5 {
			own.Set(i, 6*k+column, 1)
			if column := labels[i] % 6; rng.Float64() < 0.25 {
				classes.Set(i, 6*k+column, 1)
			} else {
				classes.Set(i, 6*k+rng.IntN(6), 1)
			}
		}
	}
	for name, c := range map[string]struct {
		x     mat.Matrix
		want  coles.Kind
		share float64
		says  string
	}{
		"communities": {x, coles.UseGraph, 0.5, "the graph has communities"},
		"own":         {own, coles.UseFeatures, 0, "communities are small"},
		"neighbours'": {classes, coles.UseGraph, 0.5, "as well from neighbours'"}, // of five entries in 30 columns: 1 − 5/10.6 is more
	} {
		a := alignment(small, c.x, func(s *coles.Settings) { s.Preparation = coles.PrepareNone })
		r := fitted(small, c.x, coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareNone })).Report()
		if a.Kind() != c.want || r.Kind != c.want || *r.Alignment != a {
			t.Errorf("%s: %v, %+v", name, a, a)
		}
		if testkit.WantNear(t, name, r.StructureShare, c.share, 1e-12); c.share > 0 {
			testkit.WantText(t, r.Notice(), "the graph tells what features do not")
		}
		testkit.WantText(t, a.String(), c.says)
	}
}

// Fit measures what the settings measure, reports it, and follows its report.
func TestFitFollowsTheAlignment(t *testing.T) {
	chosen := make(map[coles.Kind]bool)
	for seed, alike := range []float64{0, 0.3, 0.9} {
		g, x := testkit.Topics(uint64(seed), 90, 60, alike)
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithDim(4), coles.WithPrecision(precision)}
			want := alignment(g, x, func(s *coles.Settings) { s.Precision, s.Dim = precision, 4 })
			m := fitted(g, testkit.SparseOf(x), opts...)
			r := m.Report()
			testkit.WantSame(t, "the report", r.Alignment, &want)
			testkit.WantSame(t, "what is left out is said", strings.HasSuffix(r.Notice(), " would: "+want.String()), r.Kind == coles.UseFeatures)
			testkit.WantSame(t, "the file", read(m).Report().Alignment, &want)
			testkit.WantSame(t, "the models", []coles.Kind{r.Kind, m.Settings().Kind}, []coles.Kind{want.Kind(), want.Kind()})
			kind := map[coles.Kind]string{coles.UseGraph: "graph model", coles.UseFeatures: "feature model"}[want.Kind()]
			for _, says := range []string{fmt.Sprintf("s = %.2f", want.Neighbours), kind} {
				if !strings.Contains(want.String(), says) || !strings.Contains(r.String(), says) {
					t.Errorf("%q or\n%v\ndo not say %q", want, r, says)
				}
			}
			// Asked for, the same model is the same embedding, and nothing is measured.
			asked := fitted(g, x, append(opts, coles.With(func(s *coles.Settings) { s.Kind = r.Kind }))...)
			testkit.WantSame(t, "asked for", testkit.Bits(asked.Embedding()), testkit.Bits(fitted(g, x, opts...).Embedding()))
			if asked.Report().Alignment != nil {
				t.Error("s is measured where nothing depends on it")
			}
			chosen[r.Kind] = true
		}
	}
	if len(chosen) != 2 {
		t.Errorf("only %v was chosen: the cases show nothing", chosen)
	}
}

// The choices on real graphs, whatever the seed. They were made without labels; by labels they are
// right on those with a margin.
func TestModelsOfRealGraphs(t *testing.T) {
	skipUnderRace(t)
	seeds := uint64(testkit.Few(4, 6))
	for name, want := range map[string]coles.Kind{
		"texas": coles.UseFeatures, "cornell": coles.UseFeatures, "wisconsin": coles.UseFeatures, "actor": coles.UseFeatures,
		"cora": coles.UseGraph, "citeseer": coles.UseGraph, "pubmed": coles.UseGraph, "amazon_photo": coles.UseGraph, "coauthor_cs": coles.UseGraph,
		"flickr": coles.UseGraph, "chameleon": coles.UseGraph, "squirrel": coles.UseGraph, "tolokers": coles.UseGraph,
	} {
		t.Run(name, func(t *testing.T) {
			d, g := openGraph(t, name)
			for seed := range seeds {
				a := alignment(g, d.Features, func(s *coles.Settings) { s.Seed = seed })
				if a.Kind() != want {
					t.Errorf("seed %d: %v", seed, a)
				}
				if seed == 0 {
					t.Log(a)
				}
			}
		})
	}
}

// A choice says how near it is to the other.
func TestAlignmentInWords(t *testing.T) {
	for want, a := range map[string]coles.Alignment{
		"neighbours weigh 2 times as much as a node's own features (s = 2.00 ± 0.10): graph model":                                 {Neighbours: 2, Deviation: 0.1, Known: true},
		"(s = 0.90 ± 0.20): graph model, by less than the error":                                                                   {Neighbours: 0.9, Deviation: 0.2, Known: true},
		"neighbours are no more alike than other nodes (s = -0.50 ± 0.10), communities are small (r = 0.10 ± 0.01): feature model": {Neighbours: -0.5, Deviation: 0.1, Known: true, Communities: 0.1, CommunitiesSpread: 0.01},
		"(s = 0.70 ± 0.20), communities are small (r = 0.10 ± 0.01): feature model, by less than the error":                        {Neighbours: 0.7, Deviation: 0.2, Known: true, Communities: 0.1, CommunitiesSpread: 0.01},
		"(s = 0.70 ± 0.20), communities are large (r = 0.40 ± 0.01): graph model":                                                  {Neighbours: 0.7, Deviation: 0.2, Known: true, Communities: 0.4, CommunitiesSpread: 0.01},
		"(s = 0.10 ± 0.20), communities are large (r = 0.27 ± 0.03): graph model, by less than the error":                          {Neighbours: 0.1, Deviation: 0.2, Known: true, Communities: 0.27, CommunitiesSpread: 0.03},
		"features hardly tell anything (s = 0.00 ± 0.00), the graph has communities (r = 0.10 ± 0.02): graph model":                {Communities: 0.1, CommunitiesSpread: 0.02},
		"features hardly tell anything (s = 0.00 ± 0.00), the graph has no communities (r = 0.10 ± 0.05): feature model":           {Communities: 0.1, CommunitiesSpread: 0.05},
	} {
		if got := a.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A category that is there six times, or whose rare values fill it, does not outvote the edges: its values have nothing
// to do with the communities that the graph has.
func TestRepeatedColumnsDoNotOutvoteEdges(t *testing.T) {
	const n = 600
	c := synthetic.Communities{Nodes: n, Classes: 4, Degree: 20, Homophily: 0.9, Features: 40, Topic: 0.6}
	d := testkit.Must(c.Generate(ctx))
	g, rng := testkit.Must(d.Graph()), testkit.Random(4)
	once, often := table.New("town"), table.New("a", "b", "c", "d", "e", "f")
	rare := table.New("town")
	for i := range n {
		town := fmt.Sprint("town", rng.IntN(12))
		once.Add(fmt.Sprint(i), town)
		often.Add(fmt.Sprint(i), town, town, town, town, town, town)
		if rng.IntN(20) > 0 {
			town = fmt.Sprint("alone", i)
		}
		rare.Add(fmt.Sprint(i), town)
	}
	for name, rows := range map[string]*table.Table{"once": once, "six times": often, "rare": rare} {
		x := testkit.Must(testkit.Must(table.Fit(ctx, rows)).Encode(ctx, rows))
		a := alignment(g, x, func(*coles.Settings) {})
		testkit.WantSame(t, fmt.Sprintf("%s: %v", name, a), a.Kind(), coles.UseGraph)
	}
	x, y := testkit.Must(testkit.Must(table.Fit(ctx, once)).Encode(ctx, once)), testkit.Must(testkit.Must(table.Fit(ctx, often)).Encode(ctx, often))
	testkit.WantNear(t, "s", alignment(g, x, func(*coles.Settings) {}).Neighbours, alignment(g, y, func(*coles.Settings) {}).Neighbours, 0.02)
}
