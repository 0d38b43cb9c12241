package eval

import (
	"archive/zip"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

const shared = "../../shared"

// sharedFile returns the path of a file of the shared reference data, or
// skips the test where that folder is absent.
func sharedFile(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{shared}, parts...)...)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there; it comes with the folder ../shared beside the project", path)
	}
	return path
}

// fixture reads arrays of the reference archive, which NumPy, SciPy and
// scikit-learn wrote.
type fixture struct{ *zip.ReadCloser }

func openFixture(t testing.TB) fixture {
	t.Helper()
	r, err := zip.OpenReader(sharedFile(t, "reference", "cora_fixture.npz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return fixture{r}
}

func (f fixture) matrix(t testing.TB, key string) *mat.Dense {
	t.Helper()
	file, err := f.Open(key + ".npy")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := dataset.ReadNPY(file)
	if err != nil {
		t.Fatal(key, err)
	}
	return m
}

func (f fixture) floats(t testing.TB, key string) []float64 {
	return f.matrix(t, key).RawMatrix().Data
}

func (f fixture) ints(t testing.TB, key string) []int {
	values := f.floats(t, key)
	out := make([]int, len(values))
	for i, v := range values {
		out[i] = int(v)
	}
	return out
}

func coraSplits(t testing.TB, file string) []dataset.Split {
	t.Helper()
	splits, err := dataset.OpenSplits(sharedFile(t, "data", "splits", file), 2708)
	if err != nil {
		t.Fatal(err)
	}
	return splits
}

// The reference is scikit-learn's liblinear run to a tolerance of 1e-10.
func TestLogisticRegressionEqualsConvergedScikitLearn(t *testing.T) {
	fx := openFixture(t)
	x, labels := fx.matrix(t, "emb_F1_meannorm8_d32"), fx.ints(t, "labels")
	m, err := LogisticRegression{}.Fit(context.Background(), x, fx.ints(t, "train5_split0"), labels)
	if err != nil {
		t.Fatal(err)
	}
	var diff mat.Dense
	diff.Sub(m.Coef, fx.matrix(t, "lr_split0_5_coef"))
	if worst := math.Max(mat.Max(&diff), -mat.Min(&diff)); worst > 1e-6 {
		t.Errorf("a coefficient is off by %g", worst)
	}
	for k, want := range fx.floats(t, "lr_split0_5_intercept") {
		if math.Abs(m.Intercept[k]-want) > 1e-6 {
			t.Errorf("intercept %d is %v, want %v", k, m.Intercept[k], want)
		}
	}
	predicted, err := m.Predict(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range fx.ints(t, "lr_split0_5_pred") {
		if predicted[i] != want {
			t.Errorf("row %d is predicted %d, want %d", i, predicted[i], want)
		}
	}
}
