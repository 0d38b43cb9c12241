package eval

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
)

// Every split or run is reported once, in order, after a report that nothing is done.
func TestProgressCountsSplitsAndRuns(t *testing.T) {
	x, labels := blobs(90, 4, 3, 76)
	splits := testkit.Must(dataset.RandomSplits(labels, 3, 6, 1))
	var got []string
	p := Protocol{Runs: 3, Progress: func(stage string, done, total int) { got = append(got, fmt.Sprint(stage, done, total)) }}
	for _, c := range []struct {
		stage string
		total int
		call  func() error
	}{
		{"classify", 6, func() error { return testkit.Err(p.Classify(background, x, labels, splits)) }},
		{"cluster", 3, func() error { return testkit.Err(p.Cluster(background, x, labels)) }},
	} {
		got = nil
		if err := c.call(); err != nil {
			t.Fatal(err)
		}
		var want []string
		for done := range c.total + 1 {
			want = append(want, fmt.Sprint(c.stage, done, c.total))
		}
		testkit.WantSame(t, c.stage, got, want)
	}
}

// Every stage counts up to its total, and one within another is silent.
func TestStagesAreReported(t *testing.T) {
	x, labels := blobs(90, 4, 3, 76)
	splits := testkit.Must(dataset.RandomSplits(labels, 3, 6, 1))
	g := testkit.RandomGraph(1, 90, 0.1)
	index := func(f coles.Progress) *Index {
		index := testkit.Must(NewIndex(background, x, Cosine))
		index.Progress = f
		return index
	}
	for want, call := range map[string]func(f coles.Progress) error{
		"choose C 5, learn 1": func(f coles.Progress) error {
			return testkit.Err(LogisticRegression{Cs: DefaultCs(), Progress: f}.Fit(background, x, upTo(90), labels))
		},
		"choose C 5, learn 1, cross-validate 5": func(f coles.Progress) error {
			_, _, err := LogisticRegression{Progress: f}.Learn(background, x, labels, 1)
			return err
		},
		"cross-validate 5": func(f coles.Progress) error {
			return testkit.Err(LogisticRegression{Cs: DefaultCs(), Progress: f}.CrossValidate(background, x, upTo(90), labels, 1))
		},
		"classify 6": func(f coles.Progress) error {
			p := Protocol{Regression: LogisticRegression{Cs: DefaultCs(), Progress: f}, Progress: f}
			return testkit.Err(p.Classify(background, x, labels, splits))
		},
		"cluster 10": func(f coles.Progress) error {
			return testkit.Err(KMeans{Clusters: 3, Progress: f}.Fit(background, x))
		},
		"cluster 2": func(f coles.Progress) error {
			return testkit.Err(Protocol{Runs: 2, KMeans: KMeans{Progress: f}, Progress: f}.Cluster(background, x, labels))
		},
		"cluster 6, measure silhouettes 1": func(f coles.Progress) error {
			_, _, err := ClusterCount(background, x, 4, KMeans{Starts: 2, Progress: f})
			return err
		},
		"compare rows 1, t-SNE 1000": func(f coles.Progress) error { return testkit.Err(TSNE{Progress: f}.Places(background, x)) },
		"compare rows 1, compare rows 1": func(f coles.Progress) error {
			x := index(f)
			return errors.Join(testkit.Err(x.Rows(background, []int{4}, 3)), testkit.Err(x.RecommendLinks(background, g, nil, 3, nil)))
		},
	} {
		var got []string
		last := ""
		testkit.Check(t, call(func(stage string, done, total int) {
			switch now := fmt.Sprint(stage, " ", total); {
			case done == 0:
				got, last = append(got, now), now
			case now != last || done > total:
				t.Errorf("%s: %d of %s", want, done, now)
			}
		}))
		testkit.WantSame(t, "the stages", strings.Join(got, ", "), want)
	}
}
