package eval

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"coles/dataset"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

// Classify stacks splits and scores blocks of rows; here every split is fitted
// and every test row predicted by itself.
func TestClassifyEqualsFittingEachSplitAlone(t *testing.T) {
	x, labels := blobs(1300, 20, 4, 3)
	splits, err := dataset.RandomSplits(labels, 5, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	// An explicit test set, out of order.
	splits[2].Test = dataset.Split{Train: splits[2].Train}.TestNodes(1300)[100:150]
	splits[2].Test[0], splits[2].Test[9] = splits[2].Test[9], splits[2].Test[0]
	// One split that lacks a class, one of two classes.
	splits[3].Train = splits[3].Train[:15]
	splits[4].Train = []int{splits[4].Train[0], splits[4].Train[5], splits[4].Train[6]}
	for _, form := range []mat.Matrix{x, toCSR(x)} {
		got, err := Classify(background, form, labels, splits, WithC(0.5))
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		for s, split := range splits {
			m, err := LogisticRegression{C: 0.5}.Fit(background, form, split.Train, labels)
			if err != nil {
				t.Fatal(err)
			}
			test := split.TestNodes(1300)
			predicted, err := m.Predict(background, form, test)
			if err != nil {
				t.Fatal(err)
			}
			actual := make([]int, len(test))
			for q, i := range test {
				actual[q] = labels[i]
			}
			share, err := Accuracy(predicted, actual)
			if err != nil {
				t.Fatal(err)
			}
			if want := 100 * share; math.Abs(got.Accuracy[s]-want) > 1e-10 {
				t.Errorf("%T, split %d: %v %%, alone %v", form, s, got.Accuracy[s], want)
			}
			sum += got.Accuracy[s]
		}
		mean := sum / 6
		for _, a := range got.Accuracy {
			squares += (a - mean) * (a - mean)
		}
		if math.Abs(got.Mean-mean) > 1e-10 || math.Abs(got.Std-math.Sqrt(squares/6)) > 1e-10 {
			t.Errorf("mean %v, std %v, want %v and %v", got.Mean, got.Std, mean, math.Sqrt(squares/6))
		}
	}
}

// Ninety classes and 25 splits are more problems than one product scores.
func TestManySplitsOfManyClassesAreScoredInBatches(t *testing.T) {
	x, labels := blobs(800, 8, 90, 4)
	splits, err := dataset.RandomSplits(labels, 2, 25, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := batch(splits, labels); n < 1 || n >= len(splits) {
		t.Fatalf("%d of %d splits in the first batch: the test does not test batches", n, len(splits))
	}
	all, err := Classify(background, x, labels, splits)
	if err != nil {
		t.Fatal(err)
	}
	for s := range splits {
		one, err := Classify(background, x, labels, splits[s:s+1])
		if err != nil {
			t.Fatal(err)
		}
		if one.Accuracy[0] != all.Accuracy[s] {
			t.Errorf("split %d: %v alone, %v among others", s, one.Accuracy[0], all.Accuracy[s])
		}
	}
}

func TestResultsAreTheSameForEveryGOMAXPROCS(t *testing.T) {
	x, labels := blobs(1500, 150, 5, 5)
	splits, err := dataset.RandomSplits(labels, 20, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		Classes   *Classification
		Coef      []float64
		Sparse    []float64
		PCA       []float64
		Random    []float64
		Scores    []float64
		Intercept []float64
	}
	run := func() (o outcome) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		var err error
		o.Classes, err = Classify(background, x, labels, splits)
		must(err)
		m, err := LogisticRegression{}.Fit(background, x, splits[0].Train, labels)
		must(err)
		o.Coef, o.Intercept = m.Coef.RawMatrix().Data, m.Intercept
		scores, err := m.Scores(background, x, nil)
		must(err)
		o.Scores = scores.RawMatrix().Data
		m, err = LogisticRegression{}.Fit(background, toCSR(x), splits[0].Train, labels)
		must(err)
		o.Sparse = m.Coef.RawMatrix().Data
		p, err := PCA(background, x, 10)
		must(err)
		o.PCA = p.RawMatrix().Data
		r, err := RandomProjection(background, x, 10, 1)
		must(err)
		o.Random = r.RawMatrix().Data
		return o
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := run()
	for _, procs := range []int{2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		if diff := cmp.Diff(want, run()); diff != "" {
			t.Errorf("GOMAXPROCS=%d against 1: %s", procs, diff)
		}
	}
}

func TestClassifyNamesTheBadSplit(t *testing.T) {
	x, labels := normal(6, 2, 1, 61), []int{0, 1, 0, 1, 0, -1}
	good := dataset.Split{Train: []int{0, 1}, Val: []int{5}}
	for _, c := range []struct {
		name  string
		split dataset.Split
		opts  []ClassifyOption
		want  error
	}{
		{"train and test overlap", dataset.Split{Train: []int{0, 1}, Test: []int{2, 1}}, nil, ErrSplit},
		{"tested twice", dataset.Split{Train: []int{0, 1}, Test: []int{2, 3, 2}}, nil, ErrSplit},
		{"no training rows", dataset.Split{Val: []int{5}}, nil, ErrEmpty},
		{"empty test set", dataset.Split{Train: []int{0, 1}, Test: []int{}}, nil, ErrEmpty},
		{"nothing left to test", dataset.Split{Train: []int{0, 1, 2}, Val: []int{3, 4, 5}}, nil, ErrEmpty},
		{"one class", dataset.Split{Train: []int{0, 2}, Val: []int{5}}, nil, ErrOneClass},
		{"training row outside", dataset.Split{Train: []int{0, 6}, Val: []int{5}}, nil, ErrRow},
		{"validation row outside", dataset.Split{Train: []int{0, 1}, Val: []int{-1}}, nil, ErrRow},
		{"test row outside", dataset.Split{Train: []int{0, 1}, Test: []int{6}}, nil, ErrRow},
		{"unlabelled test row", dataset.Split{Train: []int{0, 1}}, nil, ErrLabel},
		{"unlabelled training row", dataset.Split{Train: []int{0, 1, 5}}, nil, ErrLabel},
		{"zero C", good, []ClassifyOption{WithC(0)}, ErrPenalty},
		{"NaN as C", good, []ClassifyOption{WithC(math.NaN())}, ErrPenalty},
	} {
		_, err := Classify(background, x, labels, []dataset.Split{good, c.split}, c.opts...)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if c.opts == nil && !strings.Contains(err.Error(), "split 1") {
			t.Errorf("%s: %q does not name split 1", c.name, err)
		}
	}
	if _, err := Classify(background, x, labels, nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("no splits: %v", err)
	}
	if _, err := Classify(background, x, labels[:5], []dataset.Split{good}); !errors.Is(err, ErrShape) {
		t.Errorf("too few labels: %v", err)
	}
	if _, err := Classify(background, x, labels, []dataset.Split{good}); err != nil {
		t.Errorf("good split: %v", err)
	}
}

func TestClassifyStopsWhenCancelled(t *testing.T) {
	x, labels := blobs(20000, 200, 20, 6)
	splits, err := dataset.RandomSplits(labels, 20, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{0, 30 * time.Millisecond, 200 * time.Millisecond} {
		late := cancelled(t, wait, func(ctx context.Context) error {
			_, err := Classify(ctx, x, labels, splits)
			return err
		})
		if late > promptly {
			t.Errorf("after %v: returned %v after the cancellation", wait, late)
		}
	}
}

func TestMetricsRefuseWhatTheyCannotMeasure(t *testing.T) {
	if _, err := Accuracy([]int{1}, []int{1, 2}); !errors.Is(err, ErrShape) {
		t.Errorf("lengths 1 and 2: %v", err)
	}
	if _, err := Accuracy(nil, nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("nothing: %v", err)
	}
	if _, _, err := MeanStd(nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("no values: %v", err)
	}
}
