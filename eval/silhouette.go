package eval

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// silhouetteRows is how many rows are compared with as many others at a time.
const silhouetteRows = 256

// Silhouette is the mean silhouette of the rows of x (n × d) under a clustering
// (Rousseeuw 1987), −1 to 1: with a the mean Euclidean distance of a row to the
// others of its cluster and b the least, over the other clusters, of its mean
// distance to their rows,
//
//	(b − a) / max(a, b),
//
// and 0 for a row alone in its cluster. With k clusters it takes O(n²d)
// operations as products of matrices and, for each processor, 512 rows and
// 256·(256 + k) numbers of memory: never n².
//
// Errors: [ErrShape] unless there is one cluster for each row, [ErrClusters]
// unless there are at least two, and fewer than rows, [ErrNotFinite], [ErrCorrupt],
// and ctx.Err().
func Silhouette(ctx context.Context, x mat.Matrix, clusters []int) (float64, error) {
	f, err := newFeatures(ctx, x)
	if err != nil {
		return 0, err
	}
	if len(clusters) != f.rows {
		return 0, fmt.Errorf("%w: %d clusters for %d rows", ErrShape, len(clusters), f.rows)
	}
	number := numbersOf(distinct(clusters))
	if k := len(number); k < 2 || k >= f.rows {
		return 0, fmt.Errorf("%w: the silhouette of %d rows in %d", ErrClusters, f.rows, k)
	}
	if f, _, err = f.tame(ctx); err != nil { // silhouettes have no unit
		return 0, err
	}
	s := &silhouettes{f: f, cluster: make([]int, f.rows), size: make([]int, len(number))}
	for i, c := range clusters {
		s.cluster[i] = number[c]
		s.size[number[c]]++
	}
	if s.mean, err = f.mean(ctx); err != nil {
		return 0, err
	}
	sums := make([]float64, (f.rows+silhouetteRows-1)/silhouetteRows)
	errs := make([]error, len(sums))
	err = parallel.For(ctx, len(sums), func(b int) {
		sums[b], errs[b] = s.ofBlock(ctx, b*silhouetteRows)
	})
	if err != nil {
		return 0, err
	}
	total := 0.0
	for b, sum := range sums {
		if errs[b] != nil {
			return 0, errs[b]
		}
		total += sum
	}
	return total / float64(f.rows), nil
}

// silhouettes is a clustering of the rows of f into clusters numbered from 0.
type silhouettes struct {
	f       *features
	mean    []float64
	cluster []int
	size    []int
}

// ofBlock is the sum of the silhouettes of the rows from lo on.
func (s *silhouettes) ofBlock(ctx context.Context, lo int) (float64, error) {
	a, err := s.f.centred(ctx, lo, min(s.f.rows, lo+silhouetteRows), s.mean)
	if err != nil {
		return 0, err
	}
	squares := squaredNorms(a)
	toCluster := kernel.Dense[float64](a.Rows, len(s.size))
	products := kernel.Dense[float64](a.Rows, silhouetteRows)
	for first := 0; first < s.f.rows; first += silhouetteRows {
		b, err := s.f.centred(ctx, first, min(s.f.rows, first+silhouetteRows), s.mean)
		if err != nil {
			return 0, err
		}
		tile := kernel.View(products, 0, 0, a.Rows, b.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, a, b, 0, tile); err != nil {
			return 0, err
		}
		s.addDistances(tile, squares, squaredNorms(b), lo, first, toCluster)
	}
	sum := 0.0
	for i := range a.Rows {
		v := s.of(lo+i, toCluster.Data[i*toCluster.Stride:][:toCluster.Cols])
		if math.IsNaN(v) {
			return 0, fmt.Errorf("%w: distances of row %d overflow", ErrNotFinite, lo+i)
		}
		sum += v
	}
	return sum, nil
}

// addDistances adds those between rows lo + i and first + j, given their
// products, to the sums for the clusters of the latter.
func (s *silhouettes) addDistances(tile kernel.Matrix[float64], squares, norms []float64, lo, first int, toCluster kernel.Matrix[float64]) {
	// Where rows are nearer to each other than to the mean, their products
	// cancel: the distance is taken of the differences.
	const near = 1e-2
	for i := range tile.Rows {
		row, sums := tile.Data[i*tile.Stride:][:tile.Cols], toCluster.Data[i*toCluster.Stride:]
		for j, product := range row {
			scale := squares[i] + norms[j]
			r := scale - 2*product
			if r < near*scale {
				r = s.f.squaredDistance(lo+i, first+j)
			}
			sums[s.cluster[first+j]] += math.Sqrt(r)
		}
	}
}

// of is the silhouette of row i, given the sums of its distances to the rows of
// each cluster.
func (s *silhouettes) of(i int, sums []float64) float64 {
	own := s.cluster[i]
	if s.size[own] == 1 {
		return 0
	}
	a, b := sums[own]/float64(s.size[own]-1), math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = min(b, sum/float64(s.size[c]))
		}
	}
	if a == 0 && b == 0 {
		return 0 // all are in one place
	}
	return (b - a) / max(a, b)
}
