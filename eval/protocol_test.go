package eval

import (
	"context"
	"fmt"
	"strings"
	"testing"

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

// Under a context that reports, every stage counts up to its total, and one within another is silent.
func TestStagesAreReported(t *testing.T) {
	x, labels := blobs(90, 4, 3, 76)
	index := testkit.Must(NewIndex(background, x, Cosine))
	splits := testkit.Must(dataset.RandomSplits(labels, 3, 6, 1))
	l := LogisticRegression{Cs: DefaultCs()}
	for want, call := range map[string]func(ctx context.Context) error{
		"choose C 5, learn 1": func(ctx context.Context) error { return testkit.Err(l.Fit(ctx, x, upTo(90), labels)) },
		"cross-validate 5":    func(ctx context.Context) error { return testkit.Err(l.CrossValidate(ctx, x, upTo(90), labels, 1)) },
		"classify 6": func(ctx context.Context) error {
			return testkit.Err(Protocol{Regression: l}.Classify(ctx, x, labels, splits))
		},
		"cluster 10": func(ctx context.Context) error { return testkit.Err(KMeans{Clusters: 3}.Fit(ctx, x)) },
		"cluster 6, measure silhouettes 1": func(ctx context.Context) error {
			_, _, err := ClusterCount(ctx, x, 4, KMeans{Starts: 2})
			return err
		},
		"compare rows 1, t-SNE 1000": func(ctx context.Context) error { return testkit.Err(TSNE(ctx, x, 1)) },
		"compare rows 1":             func(ctx context.Context) error { return testkit.Err(index.Rows(ctx, []int{4}, 3)) },
	} {
		var got []string
		last := ""
		testkit.Check(t, call(WithProgress(background, func(stage string, done, total int) {
			switch now := fmt.Sprint(stage, " ", total); {
			case done == 0:
				got, last = append(got, now), now
			case now != last || done > total:
				t.Errorf("%s: %d of %s", want, done, now)
			}
		})))
		testkit.WantSame(t, "the stages", strings.Join(got, ", "), want)
	}
}
