package eval

import (
	"math"
	"testing"

	"coles/internal/testkit"
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

func TestRankingsEqualScikitLearn(t *testing.T) {
	cases := openCases[rankingCases](t, "rankings")
	wantCases(t, len(cases.Rankings))
	ties := 0
	for i, c := range cases.Rankings {
		is := comparer{t, i}
		positive, negative := divided(c.Positive, cases.Unit), divided(c.Negative, cases.Unit)
		got, err := AUC(positive, negative)
		is.equal("area", got, c.AUC, 0, err)
		got, err = AveragePrecision(positive, negative)
		is.equal("average precision", got, c.AP, 0, err)
		got, err = HitsAt(positive, negative, c.K)
		is.equal("hits", got, c.Hits, 0, err)
		for _, p := range positive {
			for _, n := range negative {
				if p == n {
					ties++
				}
			}
		}
		testkit.WantSame(t, "the scores given", positive, divided(c.Positive, cases.Unit))
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
		auc, err := AUC(c.positive, c.negative)
		if auc != c.auc || err != nil {
			t.Errorf("%s: area %v, %v, want %v", c.name, auc, err, c.auc)
		}
		ap, err := AveragePrecision(c.positive, c.negative)
		if math.Abs(ap-c.ap) > 1e-15 || err != nil {
			t.Errorf("%s: average precision %v, %v, want %v", c.name, ap, err, c.ap)
		}
		hits, err := HitsAt(c.positive, c.negative, 1)
		if hits != c.hits || err != nil {
			t.Errorf("%s: hits %v, %v, want %v", c.name, hits, err, c.hits)
		}
	}
}
