package coles_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"coles"
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

// Halves of an orthogonal matrix have opposite kernels; few columns say little; and without edges
// there is nothing else than the features.
func TestAlignmentThatIsNotKnown(t *testing.T) {
	g, x := testkit.Topics(7, 64, 40, 0.6)
	var qr mat.QR
	qr.Factorize(testkit.RandomDense(testkit.Random(8), 64, 64))
	same := mat.NewDense(64, 40, nil)
	same.Apply(func(i, _ int, _ float64) float64 { return float64(i % 7) }, same)
	var orthogonal mat.Dense
	qr.QTo(&orthogonal)
	for name, c := range map[string]struct {
		g     *coles.Graph
		x     mat.Matrix
		known bool
		want  coles.ModelKind
	}{
		"40 columns":            {g, x, true, coles.GraphModel},
		"39 columns":            {g, x.Slice(0, 64, 0, 39), false, coles.GraphModel},
		"an orthogonal matrix":  {g, &orthogonal, false, coles.GraphModel},
		"columns all alike":     {g, same, false, coles.GraphModel}, // nothing is left of them but rounding
		"no features but zeros": {g, mat.NewDense(64, 40, nil), false, coles.GraphModel},
		"no edges":              {graphOf(64), x, true, coles.FeatureModel},
		"no edges, few columns": {graphOf(64), x.Slice(0, 64, 0, 4), true, coles.FeatureModel},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(10) {
				a := alignment(c.g, c.x, func(s *coles.Settings) { s.Seed, s.Preparation = seed, coles.PrepareNone })
				if a.Known != c.known || a.Model() != c.want || !a.Known && (a.Ratio != 0 || a.Deviation != 0) {
					t.Errorf("seed %d: %+v, model %v", seed, a, a.Model())
				}
				m := fitted(c.g, c.x, coles.WithPreparation(coles.PrepareNone), coles.WithSeed(seed))
				testkit.WantSame(t, "the model that Fit chooses", m.Report().Model, c.want)
			}
		})
	}
}

// Fit measures what the settings measure, says so, and does as it says.
func TestFitFollowsTheAlignment(t *testing.T) {
	chosen := make(map[coles.ModelKind]bool)
	for seed, alike := range []float64{0, 0.3, 0.9} {
		g, x := testkit.Topics(uint64(seed), 90, 60, alike)
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithDim(4), coles.WithPrecision(precision)}
			want := alignment(g, x, func(s *coles.Settings) { s.Precision, s.Dim = precision, 4 })
			m := fitted(g, testkit.SparseOf(x), opts...)
			r := m.Report()
			testkit.WantSame(t, "the report", r.Alignment, &want)
			testkit.WantSame(t, "the file", read(m).Report().Alignment, &want)
			testkit.WantSame(t, "the models", []coles.ModelKind{r.Model, m.Settings().Model}, []coles.ModelKind{want.Model(), want.Model()})
			kind := map[coles.ModelKind]string{coles.GraphModel: "graph model", coles.FeatureModel: "feature model"}[want.Model()]
			for _, says := range []string{fmt.Sprintf("q = %.2g", want.Ratio), kind} {
				if !strings.Contains(want.String(), says) || !strings.Contains(r.String(), says) {
					t.Errorf("%q or\n%v\ndo not say %q", want, r, says)
				}
			}
			// Asked for, the same model is the same embedding, and nothing is measured.
			asked := fitted(g, x, append(opts, coles.WithModel(r.Model))...)
			testkit.WantSame(t, "asked for", testkit.Bits(asked.Embedding()), testkit.Bits(fitted(g, x, opts...).Embedding()))
			if asked.Report().Alignment != nil {
				t.Error("q is measured where nothing depends on it")
			}
			chosen[r.Model] = true
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
	for name, want := range map[string]coles.ModelKind{
		"texas": coles.FeatureModel, "cornell": coles.FeatureModel, "wisconsin": coles.FeatureModel, "actor": coles.FeatureModel,
		"cora": coles.GraphModel, "citeseer": coles.GraphModel, "pubmed": coles.GraphModel, "amazon_photo": coles.GraphModel, "coauthor_cs": coles.GraphModel,
		"flickr": coles.GraphModel, "chameleon": coles.GraphModel, "squirrel": coles.GraphModel, "tolokers": coles.GraphModel,
	} {
		t.Run(name, func(t *testing.T) {
			d, g := openGraph(t, name)
			var logs []float64
			columns := 0
			for seed := range seeds {
				a := alignment(g, d.Features, func(s *coles.Settings) { s.Seed = seed })
				if a.Model() != want {
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
