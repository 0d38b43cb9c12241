package eval

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// silhouetteRows rows are compared with as many others at a time.
const silhouetteRows = 256

// Silhouette is the mean silhouette of the rows of x (n × d) under a clustering (Rousseeuw 1987),
// −1 to 1: with a the mean Euclidean distance of a row to the others of its cluster and b the
// least, over the other clusters, of its mean distance to their rows,
//
//	(b − a) / max(a, b),
//
// and 0 for a row alone in its cluster. With k clusters it takes O(n²d) operations as products of
// matrices and, for each processor, 512 rows and 256·(256 + k) numbers of memory: never n².
//
// Errors: [coles.ErrShape] unless there is one cluster for each row, [coles.ErrSetting] unless
// there are at least two clusters, and fewer than rows, [coles.ErrIndex], [coles.ErrNotFinite] also
// for distances that overflow, and ctx's.
func Silhouette(ctx context.Context, x mat.Matrix, clusters []int) (float64, error) {
	f, _, err := readTame(ctx, x) // silhouettes have no unit
	if err != nil {
		return 0, err
	}
	n := f.Rows()
	if len(clusters) != n {
		return 0, fmt.Errorf("%w: %d clusters for %d rows", coles.ErrShape, len(clusters), n)
	}
	p := partitionOf(clusters)
	if k := len(p.size); k < 2 || k >= n {
		return 0, fmt.Errorf("%w: the silhouette of %d rows in %d clusters", coles.ErrSetting, n, k)
	}
	mean, err := meanSilhouettes(ctx, f, []partition{p})
	if err != nil {
		return 0, err
	}
	return mean[0], nil
}

// ClusterCount chooses how many clusters the rows of x (n × d) fall into: of k = 2 … maxK the one,
// the smallest of equals, whose clusters by [KMeans] have the largest mean [Silhouette]. It also
// returns the silhouettes, of two clusters first. Clusters of means is not read. The rows are taken
// as they are: for clusters by direction, which [Protocol.Cluster] measures, scale them to unit
// length before.
//
// It takes the time of [KMeans.Fit] for every k, O(n²·(d + maxK)) operations for all silhouettes
// together, and besides the memory of both a number for each row and k.
//
// Errors: [coles.ErrSetting] for maxK outside 2 … n − 1 or where all rows are equal, those of
// KMeans.Fit, and [coles.ErrNotFinite] for distances that overflow.
func ClusterCount(ctx context.Context, x mat.Matrix, maxK int, means KMeans) (k int, silhouettes []float64, err error) {
	if means, err = means.withDefaults(); err != nil {
		return 0, nil, err
	}
	f, _, err := readTame(ctx, x)
	if err != nil {
		return 0, nil, err
	}
	if maxK < 2 || maxK >= f.Rows() {
		return 0, nil, fmt.Errorf("%w: up to %d clusters of %d rows", coles.ErrSetting, maxK, f.Rows())
	}
	partitions := make([]partition, maxK-1)
	for q := range partitions {
		means.Clusters = q + 2
		m, err := means.fit(ctx, f)
		if err != nil {
			return 0, nil, err
		}
		if partitions[q] = partitionOf(m.Labels); len(partitions[q].size) < 2 {
			return 0, nil, fmt.Errorf("%w: clusters of %d equal rows", coles.ErrSetting, f.Rows())
		}
	}
	if silhouettes, err = meanSilhouettes(ctx, f, partitions); err != nil {
		return 0, nil, err
	}
	return 2 + floats.MaxIdx(silhouettes), silhouettes, nil
}

// meanSilhouettes returns the mean silhouette of the rows of f under each partition.
func meanSilhouettes(ctx context.Context, f *matrix.Matrix[float64], partitions []partition) ([]float64, error) {
	mean, err := meanRow(ctx, f)
	if err != nil {
		return nil, err
	}
	n := f.Rows()
	blocks := make([][]float64, parallel.Pieces(n, silhouetteRows))
	err = parallel.Ranges(ctx, n, silhouetteRows, func(lo, hi int) {
		blocks[lo/silhouetteRows], _ = silhouettesOf(ctx, f, mean, partitions, lo, hi) // its error is ctx's, which Ranges returns
	})
	if err != nil {
		return nil, err
	}
	total := make([]float64, len(partitions))
	for _, sums := range blocks {
		matrix.AddScaled(total, 1, sums)
	}
	for q, sum := range total {
		if math.IsNaN(sum) {
			return nil, fmt.Errorf("%w: distances between rows overflow", coles.ErrNotFinite)
		}
		total[q] = sum / float64(n)
	}
	return total, nil
}

// silhouettesOf returns, for each partition, the sum of the silhouettes of the rows [lo, hi) of f.
func silhouettesOf(ctx context.Context, f *matrix.Matrix[float64], mean []float64, partitions []partition, lo, hi int) ([]float64, error) {
	a, err := centred(ctx, f, lo, hi, mean)
	if err != nil {
		return nil, err
	}
	squares := squaresOf(a)
	toCluster := make([]kernel.Matrix[float64], len(partitions)) // sums of distances
	for q, p := range partitions {
		toCluster[q] = kernel.Dense[float64](a.Rows, len(p.size))
	}
	products := kernel.Dense[float64](a.Rows, silhouetteRows)
	for first := 0; first < f.Rows(); first += silhouetteRows {
		b, err := centred(ctx, f, first, min(f.Rows(), first+silhouetteRows), mean)
		if err != nil {
			return nil, err
		}
		tile := kernel.View(products, 0, 0, a.Rows, b.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, a, b, 0, tile); err != nil {
			return nil, err
		}
		others := squaresOf(b)
		for i := range a.Rows {
			distances := tile.Row(i)
			for j, product := range distances {
				distances[j] = distance(a.Row(i), b.Row(j), squares[i], others[j], product)
			}
			for q, p := range partitions {
				sums := toCluster[q].Row(i)
				for j, r := range distances {
					sums[p.part[first+j]] += r
				}
			}
		}
	}
	sums := make([]float64, len(partitions))
	for q, p := range partitions {
		for i := range a.Rows {
			sums[q] += p.silhouette(p.part[lo+i], toCluster[q].Row(i))
		}
	}
	return sums, nil
}

// distance is the distance of two rows, given their squared lengths and their product.
func distance(u, v []float64, square, other, product float64) float64 {
	// Where rows are nearer to each other than to the mean, their products cancel: the distance is
	// taken of the differences.
	const near = 1e-2
	r := square + other - 2*product
	if r < near*(square+other) {
		r = 0
		for j, a := range u {
			r += (a - v[j]) * (a - v[j])
		}
	}
	return math.Sqrt(r)
}

// squaresOf returns ‖row‖² of each row.
func squaresOf(m kernel.Matrix[float64]) []float64 {
	squares := make([]float64, m.Rows)
	for i := range squares {
		squares[i] = dot(m.Row(i), m.Row(i))
	}
	return squares
}

// silhouette is the silhouette of a row in cluster own, given the sums of its distances to the rows
// of each cluster.
func (p partition) silhouette(own int, sums []float64) float64 {
	if p.size[own] == 1 {
		return 0
	}
	a, b := sums[own]/float64(p.size[own]-1), math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = min(b, sum/float64(p.size[c]))
		}
	}
	if a == 0 && b == 0 {
		return 0 // all are in one place
	}
	return (b - a) / max(a, b)
}
