package measures

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/internal/stream"
	"coles/internal/testkit"
	"coles/link"
	"coles/near"
)

// rankingCases are written by testdata/rankings.py, whose head explains the fields.
type rankingCases struct {
	Unit     float64
	Rankings []struct {
		Positive, Negative []float64
		K                  int
		AUC, AP, Hits      float64
	}
	Comparisons []comparisonCase
}

// ranked is the ranking of scores in any order.
func ranked(positive, negative []float64) ranking {
	return ranking{slices.Sorted(slices.Values(positive)), slices.Sorted(slices.Values(negative))}
}

func TestRankingsEqualScikitLearn(t *testing.T) {
	cases := testkit.OpenCases[rankingCases](t, "testdata/rankings")
	testkit.WantSame(t, "cases", len(cases.Rankings), 1000)
	ties := 0
	for i, c := range cases.Rankings {
		is := testkit.Comparer{T: t, Index: i}
		positive, negative := testkit.Divided(c.Positive, cases.Unit), testkit.Divided(c.Negative, cases.Unit)
		r := ranked(positive, negative)
		is.Equal("area", r.area(), c.AUC, 0, nil)
		is.Equal("average precision", r.averagePrecision(), c.AP, 0, nil)
		hits, err := r.hitsAt(c.K)
		is.Equal("hits", hits, c.Hits, 0, err)
		for _, p := range positive {
			for _, n := range negative {
				if p == n {
					ties++
				}
			}
		}
	}
	if ties < 1000 {
		t.Errorf("only %d ties", ties)
	}
}

// Values that follow from the definitions.
func TestRankingsOfExtremeScores(t *testing.T) {
	many := make([]float64, 200_000)
	for _, c := range []struct {
		name               string
		positive, negative []float64
		auc, ap, hits      float64
	}{
		{"all above", []float64{3, 4}, []float64{1, 2}, 1, 1, 1},
		{"all below", []float64{1, 2}, []float64{3, 4}, 0, (1./3 + 2./4) / 2, 0},
		{"all equal", []float64{1, 1}, []float64{1, 1}, 0.5, 0.5, 0},
		{"4·10¹⁰ ties", many, many, 0.5, 0.5, 0},
		{"zeros of two signs are equal", []float64{math.Copysign(0, -1)}, []float64{0}, 0.5, 0.5, 0},
		{"the largest numbers", []float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, 1, 1, 1},
	} {
		r := ranked(c.positive, c.negative)
		testkit.WantNear(t, c.name+", area", r.area(), c.auc, 0)
		testkit.WantNear(t, c.name+", average precision", r.averagePrecision(), c.ap, 1e-15)
		hits, err := r.hitsAt(1)
		if hits != c.hits || err != nil {
			t.Errorf("%s: hits %v, %v, want %v", c.name, hits, err, c.hits)
		}
	}
}

// The scores from the entries, one by one.
func TestPredictLinksRanksSimilarities(t *testing.T) {
	x := testkit.Normal(30, 4, 1, 111)
	x.SetRow(3, make([]float64, 4)) // similar to nothing
	links := testkit.Must(link.HoldOut(background, testkit.DrawnGraph(30, 0.3, 112), 0.4, 5))
	others := testkit.Must(NegativePairs(background, testkit.DrawnGraph(30, 0.3, 112), 50, 6))
	for _, by := range []near.Similarity{near.Cosine, near.DotProduct} {
		var scores [2][]float64
		for s, pairs := range [][]coles.Edge{links.Edges, others} {
			for _, e := range pairs {
				u, v, score := x.RawRowView(e.U), x.RawRowView(e.V), 0.0
				for j := range u {
					score += u[j] * v[j]
				}
				if lengths := matrix.Length(u) * matrix.Length(v); by == near.Cosine && lengths > 0 {
					score /= lengths
				}
				scores[s] = append(scores[s], score)
			}
		}
		for _, form := range testkit.Forms(x) {
			got := testkit.Must(PredictLinks(background, form, links.Edges, others, by, 5))
			is := testkit.Comparer{T: t, Index: int(by)}
			r := ranked(scores[0], scores[1])
			is.Equal("area", got.AUC, r.area(), 0, nil)
			is.Equal("average precision", got.AveragePrecision, r.averagePrecision(), 0, nil)
			hits, err := r.hitsAt(5)
			is.Equal("hits", got.Hits, hits, 0, err)
		}
	}
}

// An embedding for links of the graph without them ranks them above the rest better than the
// features do, and than the default does. The bounds are measured, less one point: areas of
// 0.961 and 0.960; of the features 0.806 and 0.778, of the default 0.947 and 0.857.
func TestEmbeddingsPredictLinksOfCora(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cora := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", "cora.npz"), dataset.ReadNPZ))
	g := testkit.Must(coles.FromCSR(cora.Adjacency, coles.WithMirrors()))
	links := testkit.Must(link.HoldOut(context.Background(), g, 0.1, 1))
	others := testkit.Must(NegativePairs(background, g, len(links.Edges), stream.Seed(1, 1)))
	m := testkit.Must(coles.Fit(background, links.Train, cora.Features, coles.WithSettings(coles.LinkSettings(cora.Features.Dims()))))
	classes := testkit.Must(coles.Fit(background, links.Train, cora.Features))
	for by, bound := range []float64{near.Cosine: 0.951, near.DotProduct: 0.950} {
		by := near.Similarity(by)
		got := testkit.Must(PredictLinks(background, m.Embedding(), links.Edges, others, by, 50))
		raw := testkit.Must(PredictLinks(background, cora.Features, links.Edges, others, by, 50))
		other := testkit.Must(PredictLinks(background, classes.Embedding(), links.Edges, others, by, 50))
		t.Logf("%v: AUC %.4f, AP %.4f, hits@50 %.4f; of the features %.4f, %.4f, %.4f", by,
			got.AUC, got.AveragePrecision, got.Hits, raw.AUC, raw.AveragePrecision, raw.Hits)
		if got.AUC < bound || got.AUC < raw.AUC || got.AveragePrecision < raw.AveragePrecision {
			t.Errorf("%v: area %v, want %v and more than of the features", by, got.AUC, bound)
		}
		if got.AUC < other.AUC || got.AveragePrecision < other.AveragePrecision || got.Hits < other.Hits {
			t.Errorf("%v: %+v, the default %+v", by, got, other)
		}
	}
}
