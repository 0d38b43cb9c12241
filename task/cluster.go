package task

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/cluster"

	"gonum.org/v1/gonum/mat"
)

// mostClusters is how many clusters are tried at most.
const mostClusters = 20

// Clusters divide n nodes.
type Clusters struct {
	Of    []int // the cluster of each node, from 0
	Count int
	Notes []Note
}

// Cluster divides the rows of y, vectors for clustering, at length 1 into k clusters by k-means or, for k = 0, into as
// many from 2 to 20 as have the largest mean silhouette, for which all pairs of rows are compared. Errors:
// [coles.ErrShape] for more clusters than rows, or fewer than three rows for k = 0, and as [cluster.KMeans.Fit] and
// [cluster.Count].
func Cluster(ctx context.Context, y mat.Matrix, k int, seed uint64, progress coles.Progress) (*Clusters, error) {
	n, _ := y.Dims()
	switch {
	case k > n:
		return nil, fmt.Errorf("%w: %d clusters of %d nodes", coles.ErrShape, k, n)
	case k == 0 && n < 3:
		return nil, fmt.Errorf("%w: %d nodes have no silhouette; say how many clusters there are", coles.ErrShape, n)
	}
	unit, err := UnitRows(ctx, y)
	if err != nil {
		return nil, err
	}
	c := &Clusters{}
	means := cluster.KMeans{Clusters: k, Seed: seed, Progress: progress}
	if k == 0 {
		var silhouettes []float64
		if means.Clusters, silhouettes, err = cluster.Count(ctx, unit, min(mostClusters, n-1), means); err != nil {
			return nil, err
		}
		c.Notes = append(c.Notes, Note{Text: fmt.Sprintf("%d clusters, mean silhouette %.3f", means.Clusters, silhouettes[means.Clusters-2])})
	}
	m, err := means.Fit(ctx, unit)
	if err != nil {
		return nil, err
	}
	c.Of = m.Labels
	if c.Count = len(slices.Compact(slices.Sorted(slices.Values(m.Labels)))); c.Count < means.Clusters {
		c.Notes = append(c.Notes, Note{Text: fmt.Sprintf("%d clusters, not %d: no more vectors have different directions", c.Count, means.Clusters)})
	}
	return c, nil
}

// UnitRows scales the rows of y to length 1; zero rows stay zero.
func UnitRows(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	p, err := coles.PrepareRowL2.Fit(ctx, y)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, y)
}
