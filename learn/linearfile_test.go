package learn

import (
	"bytes"
	"context"
	"io"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

func TestClassifierIsReadAsItWasWritten(t *testing.T) {
	for _, classes := range []int{2, 5} {
		x, labels := testkit.Blobs(80, 6, classes, 54)
		m := testkit.Must(LogisticRegression{C: 0.25}.Fit(context.Background(), x, testkit.UpTo(60), labels))
		// Coefficients that are a part of something larger are written without the rest.
		rows, _ := m.Coef.Dims()
		wide := mat.NewDense(rows, 9, nil)
		wide.Slice(0, rows, 1, 7).(*mat.Dense).Copy(m.Coef)
		part := *m
		part.Coef = wide.Slice(0, rows, 1, 7).(*mat.Dense)
		for _, from := range []*LinearModel{m, &part} {
			var b bytes.Buffer
			if n, err := from.write(&b); err != nil || n != int64(b.Len()) {
				t.Fatalf("%d of %d bytes, error %v", n, b.Len(), err)
			}
			b.WriteString("more")
			got := testkit.Must(ReadLinearModel(&b))
			testkit.WantSame(t, "what is left", b.String(), "more")
			wantModel(t, got, m)
		}
	}
}

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
	m := LinearModel{Classes: []int{1, 2}, Coef: mat.NewDense(1, 1, nil), Intercept: []float64{0}}
	var b bytes.Buffer
	testkit.Must(m.write(&b))
	b.Bytes()[b.Len()-1] ^= 1
	testkit.WantError(t, testkit.Err(ReadLinearModel(&b)), coles.ErrChecksum)
	for name, h := range map[string]any{
		"no JSON object":       7,
		"no classes":           linearHeader{Columns: 2},
		"classes out of order": linearHeader{Classes: []int{2, 1}, Columns: 2},
		"a class twice":        linearHeader{Classes: []int{1, 1, 2}, Columns: 2},
		"no features":          linearHeader{Classes: []int{1, 2}},
		"features past all":    linearHeader{Classes: []int{1, 2}, Columns: math.MaxInt},
	} {
		b.Reset()
		testkit.Must(linearFormat.Write(&b, h))
		_, err := ReadLinearModel(&b)
		t.Run(name, func(t *testing.T) { testkit.WantError(t, err, coles.ErrFormat) })
	}
}
