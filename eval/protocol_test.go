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

// Every stage counts up to its total, one by one from nothing, and one within another is silent.
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
		last, next, left := "", 0, 0
		testkit.Check(t, call(func(stage string, done, total int) {
			switch now := fmt.Sprint(stage, " ", total); {
			case left == 0 && done == 0:
				got, last, next = append(got, now), now, 0
			case now != last || done != next:
				t.Errorf("%s: %d of %s", want, done, now)
			}
			next, left = next+1, total-done
		}))
		testkit.WantSame(t, "what is left", left, 0)
		testkit.WantSame(t, "the stages", strings.Join(got, ", "), want)
	}
}
