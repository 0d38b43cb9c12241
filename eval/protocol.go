package eval

import (
	"coles"
	"coles/cluster"
	"coles/learn"
)

// Protocol is the way embeddings are measured. Its zero value is the protocol of the paper's tables
// (section 6 there).
type Protocol struct {
	// Regression is the classifier: another C, or candidates among which each split chooses by
	// cross-validation in its training rows. Zero C means 1, scikit-learn's default and the paper's.
	Regression learn.LogisticRegression

	// KMeans is how a run clusters. Zero Clusters means as many as there are distinct labels; each
	// run has another seed, derived from Seed.
	KMeans cluster.KMeans
	// Runs of k-means; zero means 10.
	Runs int
	// RawRows clusters the rows as they are, not scaled to unit length: for raw features, and for
	// spectral embeddings.
	RawRows bool

	// Progress, if set, is called at the start and after each split or run, one call at a time but not always
	// from the same goroutine. The stage is "classify" with the number of splits as the total, or "cluster" with
	// the number of runs; what Regression and KMeans would report is not.
	Progress coles.Progress
}
