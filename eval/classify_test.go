package eval

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// Classify predicts all rows of a split in blocks; here the test rows only are predicted. With
// candidates for C each split chooses its own.
func TestClassifyEqualsFittingEachSplitAlone(t *testing.T) {
	x, labels := testkit.Blobs(1300, 20, 4, 3)
	splits := testkit.Must(dataset.RandomSplits(labels, 5, 6, 1))
	// An explicit test set, out of order.
	splits[2].Test = dataset.Split{Train: splits[2].Train}.TestNodes(1300)[100:150]
	splits[2].Test[0], splits[2].Test[9] = splits[2].Test[9], splits[2].Test[0]
	// One split that lacks a class, one of two classes.
	splits[3].Train = splits[3].Train[:15]
	splits[4].Train = []int{splits[4].Train[0], splits[4].Train[5], splits[4].Train[1], splits[4].Train[6]}
	for form, given := range testkit.Forms(x) {
		for _, l := range []learn.LogisticRegression{{C: 0.5}, {Cs: []float64{0.01, 1, 100}, Folds: 2}} {
			got := testkit.Must(Protocol{Regression: l}.Classify(context.Background(), given, labels, splits))
			for s, split := range splits {
				m := testkit.Must(l.Fit(context.Background(), given, split.Train, labels))
				test := split.TestNodes(1300)
				predicted := testkit.Must(m.Predict(context.Background(), given, test))
				actual := make([]int, len(test))
				for q, i := range test {
					actual[q] = labels[i]
				}
				if want := testkit.Must(Accuracy(predicted, actual)); math.Abs(got.Each[s]-want) > 1e-12 {
					t.Errorf("%s, split %d, %+v: %v, alone %v", form, s, l, got.Each[s], want)
				}
			}
			testkit.WantSame(t, "mean and deviation", got, testkit.Must(measure(got.Each)))
		}
	}
}

func TestClassifyNamesTheBadSplit(t *testing.T) {
	x, labels := testkit.Normal(6, 2, 1, 61), []int{0, 1, 0, 1, 0, -1}
	good := dataset.Split{Train: []int{0, 1}, Val: []int{5}}
	for name, c := range map[string]struct {
		split dataset.Split
		want  error
	}{
		"train and test overlap": {dataset.Split{Train: []int{0, 1}, Test: []int{2, 1}}, learn.ErrSplit},
		"tested twice":           {dataset.Split{Train: []int{0, 1}, Test: []int{2, 3, 2}}, learn.ErrSplit},
		"one class":              {dataset.Split{Train: []int{0, 2}, Val: []int{5}}, learn.ErrSplit},
		"no training rows":       {dataset.Split{Val: []int{5}}, coles.ErrShape},
		"empty test set":         {dataset.Split{Train: []int{0, 1}, Test: []int{}}, coles.ErrShape},
		"nothing left to test":   {dataset.Split{Train: []int{0, 1, 2}, Val: []int{3, 4, 5}}, coles.ErrShape},
		"training row outside":   {dataset.Split{Train: []int{0, 6}, Val: []int{5}}, coles.ErrIndex},
		"validation row outside": {dataset.Split{Train: []int{0, 1}, Val: []int{-1}}, coles.ErrIndex},
		"test row outside":       {dataset.Split{Train: []int{0, 1}, Test: []int{6}}, coles.ErrIndex},
		"unlabelled test rows":   {dataset.Split{Train: []int{0, 1}, Test: []int{5}}, coles.ErrShape},
		"unlabelled in training": {dataset.Split{Train: []int{0, 1, 5}}, coles.ErrIndex},
	} {
		err := testkit.Err(Protocol{}.Classify(context.Background(), x, labels, []dataset.Split{good, c.split}))
		testkit.WantError(t, err, c.want)
		if !strings.Contains(err.Error(), "split 1") {
			t.Errorf("%s: %q does not name split 1", name, err)
		}
	}
}

// partlyLabelled are blobs of which every seventh has no label.
func partlyLabelled(seed uint64) (*mat.Dense, []int) {
	x, labels := testkit.Blobs(300, 6, 3, seed)
	for i := 0; i < 300; i += 7 {
		labels[i] = -1
	}
	return x, labels
}

// A test set that is given, or what a split leaves, is that without the unknown labels.
func TestUnknownLabelsAreNotTestedOn(t *testing.T) {
	x, labels := partlyLabelled(134)
	splits := testkit.Must(dataset.RandomSplits(labels, 5, 3, 1))
	given, known := slices.Clone(splits), slices.Clone(splits)
	for s, split := range splits {
		given[s].Test = split.TestNodes(300)
		known[s].Test = slices.DeleteFunc(split.TestNodes(300), func(i int) bool { return i%7 == 0 })
	}
	want := testkit.Must(Protocol{}.Classify(context.Background(), x, labels, known))
	testkit.WantSame(t, "what a split leaves", testkit.Must(Protocol{}.Classify(context.Background(), x, labels, splits)), want)
	testkit.WantSame(t, "a test set", testkit.Must(Protocol{}.Classify(context.Background(), x, labels, given)), want)
}
