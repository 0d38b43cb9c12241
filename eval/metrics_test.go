package eval

import (
	"fmt"
	"math"
	"testing"

	"coles"

	"coles/internal/testkit"
)

func TestMeanStdByHand(t *testing.T) {
	testkit.WantSame(t, "1 and 3", *testkit.Must(measure([]float64{1, 3})), Measurements{[]float64{1, 3}, 2, 1})
}

func TestResultsPrintPercent(t *testing.T) {
	m := Measurements{Each: []float64{0.8, 0.9}, Mean: 0.8286, Std: 0.0099}
	for _, c := range []struct {
		result fmt.Stringer
		want   string
	}{
		{m, "82.9 ± 1.0 %"},
		{Clustering{m, Measurements{Mean: 0.575}, m}, "accuracy 82.9 ± 1.0 %, NMI 57.5 ± 0.0 %, F1 82.9 ± 1.0 %"},
	} {
		testkit.WantSame(t, "what is printed", c.result.String(), c.want)
	}
}

func TestMeanStdRefuses(t *testing.T) {
	of := func(values ...float64) error { return testkit.Err(measure(values)) }
	testkit.WantRefusals(t, map[string][2]error{
		"nothing":          {of(), coles.ErrShape},
		"NaN":              {of(1, math.NaN()), coles.ErrNotFinite},
		"infinity":         {of(math.Inf(1), 1), coles.ErrNotFinite},
		"squares overflow": {of(1e200, -1e200), coles.ErrNotFinite},
	})
}
