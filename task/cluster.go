package task

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/cluster"
	"coles/plane"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// At first 2 to fewClusters are tried. Where the last number is the best, twice as many are tried, and so on up to
// mostClusters.
const fewClusters, mostClusters = 20, 160

// Clusters divide n nodes.
type Clusters struct {
	Of    []int // the cluster of each node, from 0
	Count int
	Notes []Note

	unit mat.Matrix // the rows at length 1
}

// Cluster divides the rows of y, vectors for clustering, into k clusters by k-means, after scaling them to length 1. For k =
// 0 it takes the number with the largest mean silhouette, which compares all pairs of rows. It tries 2 to 20 and, where the
// last number is the best, up to 40, 80 or 160. Errors: [coles.ErrShape] for too few rows, and as [cluster.KMeans.Fit] and [cluster.Count].
func Cluster(ctx context.Context, y mat.Matrix, k int, seed uint64, progress coles.Progress) (*Clusters, error) {
	n, _ := y.Dims()
	switch {
	case k > n:
		return nil, fmt.Errorf("%w: %d clusters of %d nodes", coles.ErrShape, k, n)
	case k == 0 && n < 3:
		return nil, fmt.Errorf("%w: %d nodes have no silhouette; say how many clusters there are", coles.ErrShape, n)
	}
	unit, err := plane.UnitRows(ctx, y)
	if err != nil {
		return nil, err
	}
	c := &Clusters{unit: unit}
	means := cluster.KMeans{Clusters: k, Seed: seed, Progress: progress}
	if k == 0 {
		var silhouettes []float64 // of 2 clusters, 3 …
		for most := fewClusters; ; most *= 2 {
			means.Clusters = 2 + len(silhouettes)
			_, more, err := cluster.Count(ctx, unit, min(most, n-1), means)
			if err != nil {
				return nil, err
			}
			silhouettes = append(silhouettes, more...)
			if means.Clusters = 2 + floats.MaxIdx(silhouettes); means.Clusters < most || most >= min(mostClusters, n-1) {
				break
			}
		}
		found := fmt.Sprintf("%d clusters, mean silhouette %.3f", means.Clusters, silhouettes[means.Clusters-2])
		if means.Clusters == mostClusters {
			found += ", the largest number that was tried"
		}
		c.Notes = append(c.Notes, Note{Text: found})
	}
	m, err := means.Fit(ctx, unit)
	if err != nil {
		return nil, err
	}
	c.Of = m.Of
	if c.Count = len(slices.Compact(slices.Sorted(slices.Values(m.Of)))); c.Count < means.Clusters {
		c.Notes = append(c.Notes, Note{Text: fmt.Sprintf("%d clusters, not %d: no more vectors have different directions", c.Count, means.Clusters)})
	}
	return c, nil
}

// Names calls a cluster by its most [plane.Important] node and its size: "around Jon-Snow, 117". Rows stand for nil degrees,
// numbers for nil ids.
func (c *Clusters) Names(ids []string, degrees []float64) []string {
	ids = Names(ids, len(c.Of))
	names, sizes := make([]string, 1+slices.Max(c.Of)), make([]int, 1+slices.Max(c.Of))
	for _, k := range c.Of {
		sizes[k]++
	}
	for _, i := range plane.Important(degrees, c.unit, c.Of) {
		if k := c.Of[i]; names[k] == "" {
			names[k] = fmt.Sprintf("around %s, %d", ids[i], sizes[k])
		}
	}
	return names
}
