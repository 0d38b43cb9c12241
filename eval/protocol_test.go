package eval_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"
	"coles/learn"
	"coles/near"
	"coles/plane"
)

// Every split or run is reported once, in order, after a report that nothing is done.
func TestProgressCountsSplitsAndRuns(t *testing.T) {
	x, labels := testkit.Blobs(90, 4, 3, 76)
	splits := testkit.Must(dataset.RandomSplits(labels, 3, 6, 1))
	var got []string
	p := eval.Protocol{Runs: 3, Progress: func(stage string, done, total int) { got = append(got, fmt.Sprint(stage, done, total)) }}
	for _, c := range []struct {
		stage string
		total int
		call  func() error
	}{
		{"classify", 6, func() error { return testkit.Err(p.Classify(context.Background(), x, labels, splits)) }},
		{"cluster", 3, func() error { return testkit.Err(p.Cluster(context.Background(), x, labels)) }},
	} {
		got = nil
		testkit.Check(t, c.call())
		var want []string
		for done := range c.total + 1 {
			want = append(want, fmt.Sprint(c.stage, done, c.total))
		}
		testkit.WantSame(t, c.stage, got, want)
	}
}

// Every stage counts up to its total, and one within another is silent.
func TestStagesAreReported(t *testing.T) {
	x, labels := testkit.Blobs(90, 4, 3, 76)
	splits := testkit.Must(dataset.RandomSplits(labels, 3, 6, 1))
	g := testkit.RandomGraph(1, 90, 0.1)
	index := func(f coles.Progress) *near.Index {
		index := testkit.Must(near.NewIndex(context.Background(), x, near.Cosine))
		index.Progress = f
		return index
	}
	for want, call := range map[string]func(f coles.Progress) error{
		"choose C 5, learn 1": func(f coles.Progress) error {
			return testkit.Err(learn.LogisticRegression{Cs: learn.DefaultCs(), Progress: f}.Fit(context.Background(), x, testkit.UpTo(90), labels))
		},
		"choose C 5, learn 1, cross-validate 5": func(f coles.Progress) error {
			return testkit.Err(learn.Fit(context.Background(), nil, x, learn.Labels{Classes: labels}, learn.Options{Progress: f}))
		},
		"classify 6": func(f coles.Progress) error {
			p := eval.Protocol{Regression: learn.LogisticRegression{Cs: learn.DefaultCs(), Progress: f}, Progress: f}
			return testkit.Err(p.Classify(context.Background(), x, labels, splits))
		},
		"cluster 10": func(f coles.Progress) error {
			return testkit.Err(cluster.KMeans{Clusters: 3, Progress: f}.Fit(context.Background(), x))
		},
		"cluster 2": func(f coles.Progress) error {
			return testkit.Err(eval.Protocol{Runs: 2, KMeans: cluster.KMeans{Progress: f}, Progress: f}.Cluster(context.Background(), x, labels))
		},
		"cluster 6, measure silhouettes 1": func(f coles.Progress) error {
			_, _, err := cluster.Count(context.Background(), x, 4, cluster.KMeans{Starts: 2, Progress: f})
			return err
		},
		"compare rows 1, t-SNE 1000": func(f coles.Progress) error {
			return testkit.Err(plane.TSNE{Progress: f}.Places(context.Background(), x))
		},
		"compare rows 1, compare rows 1": func(f coles.Progress) error {
			x := index(f)
			return errors.Join(testkit.Err(x.Rows(context.Background(), []int{4}, 3)), testkit.Err(x.RecommendLinks(context.Background(), g, nil, 3, nil)))
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
