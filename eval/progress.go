package eval

import "sync"

// A ClassifyOption changes what [Classify] and [LabelRates] do: [WithRegression] or [WithProgress].
// A nil one changes nothing.
type ClassifyOption interface{ classify(o *classifyOptions) }

// A ClusterOption changes what [Cluster] does: [WithKMeans], [WithRuns], [WithoutUnitRows] or
// [WithProgress]. A nil one changes nothing.
type ClusterOption interface{ cluster(o *clusterOptions) }

// A ProgressOption reports how far [Classify], [LabelRates] or [Cluster] is; see [WithProgress].
type ProgressOption func(stage string, done, total int)

// WithProgress calls f at the start and after each split or run, one call at a time but not always
// from the same goroutine. The stage is "classify" with the number of splits as the total, or
// "cluster" with the number of runs.
func WithProgress(f func(stage string, done, total int)) ProgressOption { return f }

func (f ProgressOption) classify(o *classifyOptions) { o.progress = f }

func (f ProgressOption) cluster(o *clusterOptions) { o.progress = f }

// A counter counts what is done of a stage, and reports it.
type counter struct {
	report      ProgressOption // may be nil
	stage       string
	mu          sync.Mutex
	done, total int
}

// start reports that nothing is done yet.
func (f ProgressOption) start(stage string, total int) *counter {
	c := &counter{report: f, stage: stage, total: total, done: -1}
	c.add()
	return c
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.report != nil {
		c.report(c.stage, c.done, c.total)
	}
}
