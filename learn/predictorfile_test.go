package learn

import (
	"bytes"
	"io"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// wantModel compares models bit by bit.
func wantModel(t *testing.T, got, want *LinearModel) {
	t.Helper()
	testkit.WantSame(t, "classes", got.Classes, want.Classes)
	testkit.WantSame(t, "coefficients", testkit.Bits(got.Coef), testkit.Bits(want.Coef))
	testkit.WantSame(t, "intercepts and C", append(got.Intercept, got.C), append(want.Intercept, want.C))
}

func TestWriteToRefusesWhatIsNoModel(t *testing.T) {
	for name, m := range map[string]LinearModel{
		"zero":               {},
		"one class":          {Classes: []int{1}, Coef: mat.NewDense(1, 1, nil), Intercept: []float64{0}},
		"two rows for three": {Classes: []int{1, 2, 3}, Coef: mat.NewDense(2, 1, nil), Intercept: []float64{0, 0}},
	} {
		var b bytes.Buffer
		_, err := m.write(&b)
		testkit.WantError(t, err, coles.ErrShape)
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes are written", name, b.Len())
		}
	}
	infinite := LinearModel{Classes: []int{1, 2}, Coef: mat.NewDense(1, 1, nil), Intercept: []float64{0}, C: math.Inf(1)}
	testkit.WantError(t, testkit.Err(infinite.write(io.Discard)), coles.ErrNotFinite)
}

func TestDamagedClassifiersAreRefused(t *testing.T) {
	for name, h := range map[string]any{
		"no JSON object":       7,
		"no classes":           linearHeader{Columns: 2},
		"classes out of order": linearHeader{Classes: []int{2, 1}, Columns: 2},
		"a class twice":        linearHeader{Classes: []int{1, 1, 2}, Columns: 2},
		"no features":          linearHeader{Classes: []int{1, 2}},
		"features past all":    linearHeader{Classes: []int{1, 2}, Columns: math.MaxInt},
	} {
		var b bytes.Buffer
		testkit.Must(linearFormat.Write(&b, h))
		_, err := readLinearModel(&b)
		t.Run(name, func(t *testing.T) { testkit.WantError(t, err, coles.ErrFormat) })
	}
}
