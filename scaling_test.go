package coles_test

import (
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// On a complete graph smoothing makes all rows equal: what rounding leaves of their differences is
// not blown up to the norm that embeddings have.
func TestFitOfEqualRows(t *testing.T) {
	g, x := completeGraph(7), testkit.RandomDense(testkit.Random(9), 7, 4)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize} {
		opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Filter, s.Preparation, s.Dim = coles.SGC(2), how, 3 })}
		m := fitted(g, x, append(opts, coles.WithPrecision(coles.Float64))...)
		if largest := mat.Max(m.Embedding()); largest > 10 { // normal numbers, averaged
			t.Errorf("%v: an entry of %g, factors %v", how, largest, m.Parts()[0].Scaling.Factors)
		}
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)), coles.ErrPrecision)
	}
}
