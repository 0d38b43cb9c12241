package coles_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// alignment is q of the default setting and another seed.
func alignment(g *coles.Graph, x mat.Matrix, change func(s *coles.Settings)) coles.Alignment {
	s := coles.DefaultSettings()
	change(&s)
	return testkit.Must(s.Alignment(ctx, g, x))
}

func TestAlignmentDependsOnTheSeed(t *testing.T) {
	g, words, _ := small(72)
	if alignment(g, words, func(s *coles.Settings) { s.Seed = 2 }) == alignment(g, words, func(*coles.Settings) {}) {
		t.Error("another seed changes nothing")
	}
}

// Halves of an orthogonal matrix have opposite kernels, few columns do not suffice, and a q near 0.8
// does not decide: a graph with communities is taken, and no other. Without edges there are only
// the features.
func TestAlignmentThatIsNotKnown(t *testing.T) {
	const n = 300
	drawn := func(homophily float64) (*coles.Graph, *mat.Dense) {
		c := dataset.Communities{Nodes: n, Classes: 4, Degree: 10, Homophily: homophily, Features: 40, Topic: 0.6}
		d := testkit.Must(c.Generate(ctx))
		return testkit.Must(d.Graph()), testkit.DenseOf(d.Features)
	}
	g, x := drawn(0.8)
	random, _ := drawn(0.25) // the same words
	var qr mat.QR
	qr.Factorize(testkit.RandomDense(testkit.Random(8), n, n))
	same := mat.NewDense(n, 40, nil)
	same.Apply(func(i, _ int, _ float64) float64 { return float64(i % 7) }, same)
	var orthogonal mat.Dense
	qr.QTo(&orthogonal)
	for name, c := range map[string]struct {
		x     mat.Matrix
		known bool
	}{
		"40 columns":            {x, true},
		"39 columns":            {x.Slice(0, n, 0, 39), false},
		"an orthogonal matrix":  {&orthogonal, false},
		"columns all alike":     {same, false}, // nothing is left of them but rounding
		"no features but zeros": {mat.NewDense(n, 40, nil), false},
	} {
		for graph, g := range map[string]*coles.Graph{"communities": g, "any edges": random, "no edges": graphOf(n)} {
			t.Run(name+", "+graph, func(t *testing.T) {
				want := coles.UseFeatures
				if graph == "communities" {
					want = coles.UseGraph
				}
				for seed := range uint64(10) {
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
			testkit.WantSame(t, "the file", read(m).Report().Alignment, &want)
			testkit.WantSame(t, "the models", []coles.Kind{r.Kind, m.Settings().Kind}, []coles.Kind{want.Kind(), want.Kind()})
			kind := map[coles.Kind]string{coles.UseGraph: "graph model", coles.UseFeatures: "feature model"}[want.Kind()]
			for _, says := range []string{fmt.Sprintf("q = %.2g", want.Ratio), kind} {
				if !strings.Contains(want.String(), says) || !strings.Contains(r.String(), says) {
					t.Errorf("%q or\n%v\ndo not say %q", want, r, says)
				}
			}
			// Asked for, the same model is the same embedding, and nothing is measured.
			asked := fitted(g, x, append(opts, coles.With(func(s *coles.Settings) { s.Kind = r.Kind }))...)
			testkit.WantSame(t, "asked for", testkit.Bits(asked.Embedding()), testkit.Bits(fitted(g, x, opts...).Embedding()))
			if asked.Report().Alignment != nil {
				t.Error("q is measured where nothing depends on it")
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
	seeds := uint64(testkit.Few(4, 20))
	for name, want := range map[string]coles.Kind{
		"texas": coles.UseFeatures, "cornell": coles.UseFeatures, "wisconsin": coles.UseFeatures, "actor": coles.UseFeatures,
		"cora": coles.UseGraph, "citeseer": coles.UseGraph, "pubmed": coles.UseGraph, "amazon_photo": coles.UseGraph, "coauthor_cs": coles.UseGraph,
		"flickr": coles.UseGraph, "chameleon": coles.UseGraph, "squirrel": coles.UseGraph, "tolokers": coles.UseGraph,
	} {
		t.Run(name, func(t *testing.T) {
			d, g := openGraph(t, name)
			var logs []float64
			columns := 0
			for seed := range seeds {
				a := alignment(g, d.Features, func(s *coles.Settings) { s.Seed = seed })
				if a.Kind() != want {
					t.Errorf("seed %d: %v", seed, a)
				}
				logs = append(logs, math.Log(max(a.Ratio, 1e-9)))
				columns += a.Columns
			}
			mean, deviation := stat.MeanStdDev(logs, nil)
			t.Logf("q = %.3f, its logarithm deviates by %.3f, %.0f columns", math.Exp(mean), deviation, float64(columns)/float64(seeds))
		})
	}
}

// How often "more" or "less" is never one time.
func TestAlignmentInWords(t *testing.T) {
	for q, want := range map[float64]string{
		0.5: "2 times more than", 0.79: "1.3 times more than", 1: "as much as", 1.04: "as much as",
		1.06: "1.1 times less than", 3: "3 times less than",
	} {
		testkit.WantText(t, coles.Alignment{Ratio: q, Columns: 100, Known: true}.String(), want+" with their neighbours'", "(q = ")
	}
}
