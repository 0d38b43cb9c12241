package eval

import "sync"

// Protocol says how embeddings are measured. Its zero value is the protocol of the paper's tables
// (section 6 there).
type Protocol struct {
	// Regression is the classifier: another C, or candidates among which each split chooses by
	// cross-validation in its training rows. Zero C means 1, scikit-learn's default and the paper's.
	Regression LogisticRegression

	// KMeans is how a run clusters. Zero Clusters means as many as there are distinct labels; each
	// run has another seed, derived from Seed.
	KMeans KMeans
	// Runs of k-means; zero means 10.
	Runs int
	// RawRows clusters the rows as they are, not scaled to unit length: for raw features, and for
	// the output of [SpectralGraph] and [SpectralFeatures].
	RawRows bool

	// Progress, if set, is called at the start and after each split or run, one call at a time but
	// not always from the same goroutine. The stage is "classify" with the number of splits as the
	// total, or "cluster" with the number of runs.
	Progress func(stage string, done, total int)
}

// A counter counts how much of a stage is done, and reports it.
type counter struct {
	report      func(stage string, done, total int) // may be nil
	stage       string
	mu          sync.Mutex
	done, total int
}

// start reports that nothing is done yet.
func (p Protocol) start(stage string, total int) *counter {
	c := &counter{report: p.Progress, stage: stage, total: total, done: -1}
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
