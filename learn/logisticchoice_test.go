package learn

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// The parts and the right predictions equal scikit-learn's, which takes the first C of most;
// ours are counted on √C·x with C = 1.
func TestCrossValidationCountsAsScikitLearnDoes(t *testing.T) {
	cases := testkit.OpenCases[struct {
		Unit  float64
		Folds []struct {
			X       [][]float64
			Y, Fold []int
			K       int
			Cs      []float64
			OVR     float64
		}
	}](t, "testdata/classifiers")
	if len(cases.Folds) != 100 {
		t.Fatalf("%d cases, want 100", len(cases.Folds))
	}
	others := 0
	for n, c := range cases.Folds {
		rows := testkit.UpTo(len(c.Y))
		fold, _, err := stratify(rows, c.Y, c.K)
		if err != nil || !slices.Equal(fold, c.Fold) {
			t.Errorf("case %d: folds %v, want %v, error %v", n, fold, c.Fold, err)
		}
		x := testkit.MatrixOf(c.X, cases.Unit)
		first, most := 0.0, -1
		for _, cost := range c.Cs {
			if right := heldOutBy(t, cost, x, c.Y, fold, c.K); right > most {
				first, most = cost, right
			}
		}
		if first != c.OVR {
			t.Errorf("case %d: %v of %v is right most often, scikit-learn says %v", n, first, c.Cs, c.OVR)
		}
		want, best := choice(t, c.Cs, x, c.Y, fold, c.K)
		m, err := LogisticRegression{Cs: c.Cs, Folds: c.K}.Fit(context.Background(), x, rows, c.Y)
		if err != nil || m.C != want {
			t.Errorf("case %d: chose %+v of %v, want %v, error %v", n, m, c.Cs, want, err)
		}
		if want != best {
			others++
		}
	}
	if others < 20 {
		t.Errorf("in all cases but %d the mean is the first of most right predictions", others)
	}
}

// choice is the candidate nearest to the geometric mean ∏ c^(w/Σw) with w = e^(h/2), and the first
// of those with most right predictions h, which are counted on √c·x.
func choice(t *testing.T, cs []float64, x *mat.Dense, labels, fold []int, k int) (nearest, best float64) {
	t.Helper()
	w := make([]float64, len(cs))
	total := 0.0
	for q, c := range cs {
		var scaled mat.Dense
		scaled.Scale(math.Sqrt(c), x)
		w[q] = math.Exp(float64(heldOutBy(t, 1, &scaled, labels, fold, k)) / 2)
		total += w[q]
	}
	mean := 1.0
	for q, c := range cs {
		mean *= math.Pow(c, w[q]/total)
	}
	nearest, best = cs[0], cs[slices.Index(w, slices.Max(w))]
	for _, c := range cs {
		if max(c/mean, mean/c) < max(nearest/mean, mean/nearest) {
			nearest = c
		}
	}
	return nearest, best
}

// heldOutBy predicts each of k parts by the others, with a given C, and counts what is right.
func heldOutBy(t *testing.T, c float64, x *mat.Dense, labels, fold []int, k int) (right int) {
	t.Helper()
	for i, label := range heldOutRows(LogisticRegression{C: c}, x, testkit.UpTo(len(labels)), labels, parts{fold: fold, count: k}) {
		if label == labels[i] {
			right++
		}
	}
	return right
}

// heldOutRows are the classes of rows in parts, each predicted by what is learnt from the others.
func heldOutRows(l LogisticRegression, x mat.Matrix, rows, labels []int, of parts) []int {
	predicted := make([]int, len(rows))
	for part := range of.count {
		var train, held, at []int
		for q, i := range rows {
			if of.fold[q] == part {
				held, at = append(held, i), append(at, q)
			} else {
				train = append(train, i)
			}
		}
		m := testkit.Must(l.Fit(context.Background(), x, train, labels))
		for q, label := range testkit.Must(m.Predict(context.Background(), x, held)) {
			predicted[at[q]] = label
		}
	}
	return predicted
}

// A candidate minimises the objective in the doc comment of Cs: the gradient there, term by term. It
// scales the features, dense or sparse, and not the intercept.
func TestCandidatesScaleTheFeatures(t *testing.T) {
	x, labels := testkit.Blobs(40, 6, 3, 51)
	x.Apply(func(_, j int, v float64) float64 { return v + float64(j) }, x) // far from zero: the intercept counts
	rows := slices.Concat(labelledRows(labels, 0), labelledRows(labels, 1), labelledRows(labels, 2))
	for form, given := range testkit.Forms(x) {
		for _, c := range []float64{1.0 / 32, 0.3, 8} {
			m := testkit.Must(LogisticRegression{Cs: []float64{c}}.Fit(context.Background(), given, rows, labels))
			if m.C != c {
				t.Errorf("%s: C is %v, want %v", form, m.C, c)
			}
			for k := range m.Intercept {
				g := gradient(m, k, x, rows, labels, 1) // of ½(‖w‖² + b²) and the losses
				for j := range 6 {
					g[j] += (1/c - 1) * m.Coef.At(k, j)
				}
				if norm := mat.Norm(mat.NewVecDense(7, g), 2); !(norm < 1e-8) {
					t.Errorf("%s, C = %v, class %d: gradient %v", form, c, k, norm)
				}
			}
		}
	}
}

// Candidates are scales: r = 4·√C from 0.7 to 11.3 in half octaves.
func TestDefaultCsAreHalfOctavesOfTheNorm(t *testing.T) {
	cs := DefaultCs()
	for q, c := range cs {
		testkit.WantNear(t, "the norm", 4*math.Sqrt(c), 0.7*math.Exp2(float64(q)/2), 0.02)
	}
	testkit.WantNear(t, "the last norm", 4*math.Sqrt(cs[len(cs)-1]), 11.3, 0.0017)
}

// Three labels of a class are three parts, where five are not asked for.
func TestFewLabelsMakeFewParts(t *testing.T) {
	x, labels := testkit.Blobs(40, 4, 2, 52)
	rows := append(labelledRows(labels, 0)[:3], labelledRows(labels, 1)[:2]...)
	got := testkit.Must(LogisticRegression{Cs: DefaultCs()}.Fit(context.Background(), x, rows, labels))
	want := testkit.Must(LogisticRegression{Cs: DefaultCs(), Folds: 3}.Fit(context.Background(), x, rows, labels))
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
