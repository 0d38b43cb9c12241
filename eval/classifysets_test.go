package eval

import (
	"context"
	"testing"

	"coles/dataset"
	"coles/internal/contingency"
	"coles/internal/testkit"
	"coles/learn"
)

// With the number of classes known the likeliest count: F1 is then the share of them that is right.
func TestClassifySets(t *testing.T) {
	x, sets := testkit.Normal(200, 4, 0.05, 173), make([][]int, 200)
	first, second := testkit.RandomLabels(200, 4, 174), testkit.RandomLabels(200, 4, 175)
	for i := range sets {
		sets[i] = contingency.Distinct([]int{first[i], second[i]})
		for _, k := range sets[i] {
			x.Set(i, k, x.At(i, k)+1)
		}
	}
	split := dataset.Split{Train: testkit.UpTo(100)}
	for _, l := range []learn.LogisticRegression{{C: 100}, {Cs: []float64{0.01, 8}}} {
		micro, macro, err := Protocol{Regression: l}.ClassifySets(context.Background(), x, sets, []dataset.Split{split, split})
		testkit.Check(t, err)
		testkit.WantSame(t, "two of the same split", micro.Std+macro.Std, 0.)
		if micro.Mean < 0.99 || macro.Mean < 0.99 {
			t.Errorf("C %v %v: %v, %v where features say all", l.C, l.Cs, micro, macro)
		}
	}
}
