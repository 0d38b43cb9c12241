package eval

import (
	"context"
	"fmt"

	"coles"
	"coles/cluster"
	"coles/dataset"
	"coles/internal/parallel"
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

// overSplits takes two measures of each split, in parallel. An error names its split.
func (p Protocol) overSplits(ctx context.Context, stage string, splits []dataset.Split, of func(ctx context.Context, split dataset.Split) (one, other float64, err error)) (one, other *Measurements, err error) {
	ones, others := make([]float64, len(splits)), make([]float64, len(splits))
	ctx, progress := parallel.Stage(parallel.Reporting(ctx, p.Progress), stage, len(splits))
	err = parallel.Try(ctx, len(splits), func(s int) (err error) {
		if ones[s], others[s], err = of(ctx, splits[s]); err != nil {
			return fmt.Errorf("split %d: %w", s, err)
		}
		progress.Add()
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if one, err = measure(ones); err == nil {
		other, err = measure(others)
	}
	return one, other, err
}
