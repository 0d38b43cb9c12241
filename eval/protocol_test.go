package eval

import (
	"fmt"
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
		{"classify", 8, func() error { return testkit.Err(p.LabelRates(background, x, labels, []int{1, 3}, 4, 1)) }},
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
