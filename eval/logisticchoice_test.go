package eval

import (
	"coles/internal/testkit"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// scikit-learn takes the first of those that predict most rows rightly.
func TestCrossValidationChoosesAsScikitLearnWould(t *testing.T) {
	cases := openCases[struct {
		Unit  float64
		Folds []struct {
			X       [][]float64
			Y, Fold []int
			K       int
			Cs      []float64
			OVR     float64
		}
	}](t, "classifiers")
	if len(cases.Folds) != 100 {
		t.Fatalf("%d cases, want 100", len(cases.Folds))
	}
	ties := 0
	for n, c := range cases.Folds {
		rows := upTo(len(c.Y))
		fold, _, err := stratify(rows, c.Y, c.K)
		if err != nil || !slices.Equal(fold, c.Fold) {
			t.Errorf("case %d: folds %v, want %v, error %v", n, fold, c.Fold, err)
		}
		x := matrixOf(c.X, cases.Unit)
		right, loss := make([]int, len(c.Cs)), make([]float64, len(c.Cs))
		first, best := 0, 0 // of the most right predictions; of these, of the least loss
		for q := range c.Cs {
			right[q], loss[q] = heldOutBy(t, LogisticRegression{C: c.Cs[q]}, x, c.Y, fold, c.K)
			if right[q] > right[first] {
				first = q
			}
			if right[q] > right[best] || right[q] == right[best] && loss[q] < loss[best] {
				best = q
			}
		}
		if c.Cs[first] != c.OVR {
			t.Errorf("case %d: %v of %v is right most often, scikit-learn says %v", n, c.Cs[first], c.Cs, c.OVR)
		}
		m, err := LogisticRegression{Cs: c.Cs, Folds: c.K}.Fit(background, x, rows, c.Y)
		if err != nil || m.C != c.Cs[best] {
			t.Errorf("case %d: chose %+v of %v, want %v, error %v", n, m, c.Cs, c.Cs[best], err)
		}
		if best != first {
			ties++
		}
	}
	if ties < 5 {
		t.Errorf("the loss decides %d cases only", ties)
	}
}

// Of more columns than rows the parts are predicted in the span of the rows, which decides as the
// columns themselves do.
func TestCrossValidationOfMoreColumnsThanRows(t *testing.T) {
	cs := DefaultCs()
	chosen := make(map[float64]bool)
	for seed := range uint64(6) {
		x, labels := blobs(24, 60, 3, 70+seed)
		x.Scale(0.5+float64(seed), x)
		for i := 0; i < 24; i += 4 {
			labels[i] = int(seed) % 3 // noise, which wants a small C
		}
		rows := upTo(24)
		fold, k, err := stratify(rows, labels, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, most, least := 0, -1, 0.0
		for q, c := range cs {
			right, loss := heldOutBy(t, LogisticRegression{C: c}, x, labels, fold, k)
			if right > most || right == most && loss < least {
				best, most, least = q, right, loss
			}
		}
		m := testkit.Must(LogisticRegression{Cs: cs}.Fit(background, x, rows, labels))
		if m.C != cs[best] {
			t.Errorf("seed %d: chose %v, want %v", seed, m.C, cs[best])
		}
		chosen[m.C] = true
	}
	if len(chosen) < 2 {
		t.Errorf("all chose %v", chosen)
	}
}

// heldOutBy predicts each of k parts by the others: how many are right, and the log loss.
func heldOutBy(t *testing.T, l LogisticRegression, x *mat.Dense, labels, fold []int, k int) (right int, loss float64) {
	t.Helper()
	for part := range k {
		var train, held []int
		for i, f := range fold {
			if f == part {
				held = append(held, i)
			} else {
				train = append(train, i)
			}
		}
		m := testkit.Must(l.Fit(background, x, train, labels))
		predicted, p := testkit.Must(m.Predict(background, x, held)), testkit.Must(m.Probabilities(background, x, held))
		for q, i := range held {
			if predicted[q] == labels[i] {
				right++
			}
			if class := slices.Index(m.Classes, labels[i]); class >= 0 {
				loss -= math.Log(p.At(q, class))
			}
		}
	}
	return right, loss
}

// The scale of an embedding and C are one knob: r = 4·√C from 0.7 to 11.3 in half octaves.
func TestDefaultCsAreHalfOctavesOfTheNorm(t *testing.T) {
	cs := DefaultCs()
	for q, c := range cs {
		if r, want := 4*math.Sqrt(c), 0.7*math.Exp2(float64(q)/2); math.Abs(r-want) > 0.02*want {
			t.Errorf("C = %v is for r = %v, want %v", c, r, want)
		}
	}
	if r := 4 * math.Sqrt(cs[len(cs)-1]); math.Abs(r-11.3) > 0.02 {
		t.Errorf("the last is for r = %v", r)
	}
}

// Three labels of a class are three parts, where five are not asked for.
func TestFewLabelsMakeFewParts(t *testing.T) {
	x, labels := blobs(40, 4, 2, 52)
	rows := append(labelledRows(labels, 0)[:3], labelledRows(labels, 1)[:2]...)
	got := testkit.Must(LogisticRegression{Cs: DefaultCs()}.Fit(background, x, rows, labels))
	want := testkit.Must(LogisticRegression{Cs: DefaultCs(), Folds: 3}.Fit(background, x, rows, labels))
	wantModel(t, got, want)
}

// labelledRows are the rows of a label.
func labelledRows(labels []int, label int) (rows []int) {
	for i, l := range labels {
		if l == label {
			rows = append(rows, i)
		}
	}
	return rows
}
