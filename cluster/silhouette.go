package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// silhouetteRows rows are compared with as many others at a time.
	silhouetteRows = 256

	// Where rows are nearer to each other than to the mean, their products cancel: below this share of
	// the squared lengths, a squared distance is taken of the differences.
	near = 1e-2
)

// Silhouette is the mean silhouette of the rows of x (n × d) under a clustering (Rousseeuw 1987), from −1 to 1. Let a be
// the mean Euclidean distance of a row to the others of its cluster, and b its least mean distance to the rows of another
// cluster. The silhouette of the row is
//
//	(b − a) / max(a, b),
//
// and 0 where it is alone in its cluster. With k clusters it takes O(n²d) operations as products of
// matrices and, besides a copy of x, 512·(256 + k) numbers of memory for each processor: never n².
// From 2²¹ entries of a dense x on, distances are computed in float32, as by [KMeans.Fit], and
// summed in float64: the mean is then off by some 10⁻⁶.
//
// Errors: [coles.ErrShape] unless there is one cluster for each row, [coles.ErrSetting] unless
// there are at least two clusters, and fewer than rows, [coles.ErrIndex], [coles.ErrNotFinite] also
// for distances that overflow, and ctx's.
func Silhouette(ctx context.Context, x mat.Matrix, clusters []int) (float64, error) {
	f, _, err := given.ReadTame(ctx, x) // silhouettes have no unit
	if err != nil {
		return 0, err
	}
	n := f.Rows()
	if len(clusters) != n {
		return 0, fmt.Errorf("%w: %d clusters for %d rows", coles.ErrShape, len(clusters), n)
	}
	p := contingency.PartitionOf(clusters)
	if k := len(p.Size); k < 2 || k >= n {
		return 0, setting.Bad("clusters", k, "2 or more, and fewer than the %d rows", n)
	}
	mean, err := meanSilhouettes(ctx, f, []contingency.Partition{p})
	if err != nil {
		return 0, err
	}
	return mean[0], nil
}

// Count chooses how many clusters the rows of x (n × d) fall into: the number from means.Clusters, 2 for 0, to maxK
// whose clusters by [KMeans] have the largest mean [Silhouette], the smallest of equals. It also returns the
// silhouettes of all these numbers. The progress of means covers all clusterings together and, then, "measure
// silhouettes". Rows are taken as they are: for clusters by direction scale them to unit length before.
//
// It takes the time of [KMeans.Fit] for every k, and O(n²·(d + maxK²)) operations as products of matrices for all
// silhouettes together. Its memory is that of both and a number for each row and k.
//
// Errors: [coles.ErrSetting] for maxK outside 2 … n − 1, a least number outside 2 … maxK, or equal rows, as KMeans.Fit,
// and [coles.ErrNotFinite] for distances that overflow.
func Count(ctx context.Context, x mat.Matrix, maxK int, means KMeans) (k int, silhouettes []float64, err error) {
	if means, err = means.withDefaults(); err != nil {
		return 0, nil, err
	}
	ctx = parallel.Reporting(ctx, means.Progress)
	f, _, err := given.ReadTame(ctx, x)
	if err != nil {
		return 0, nil, err
	}
	if maxK < 2 || maxK >= f.Rows() {
		return 0, nil, setting.Bad("maxK", maxK, "2 or more, and fewer than the %d rows", f.Rows())
	}
	if means.Clusters = cmp.Or(means.Clusters, 2); means.Clusters < 2 || means.Clusters > maxK {
		return 0, nil, setting.Bad("Clusters", means.Clusters, "2 to %d", maxK)
	}
	models, err := means.fits(ctx, f, maxK)
	if err != nil {
		return 0, nil, err
	}
	partitions := make([]contingency.Partition, len(models))
	for q, m := range models {
		if partitions[q] = contingency.PartitionOf(m.Of); len(partitions[q].Size) < 2 {
			return 0, nil, setting.Bad("rows", f.Rows(), "some that differ")
		}
	}
	if silhouettes, err = meanSilhouettes(ctx, f, partitions); err != nil {
		return 0, nil, err
	}
	return means.Clusters + floats.MaxIdx(silhouettes), silhouettes, nil
}

// meanSilhouettes returns the mean silhouette of the rows of f under each partition.
func meanSilhouettes(ctx context.Context, f *matrix.Matrix[float64], partitions []contingency.Partition) ([]float64, error) {
	if single(f) {
		return meansOfPairs[float32](ctx, f, partitions)
	}
	return meansOfPairs[float64](ctx, f, partitions)
}

// pairs compares the rows of a matrix with each other under several partitions.
type pairs[T kernel.Float] struct {
	p          *points[T]
	mean       []float64 // of sparse rows, which are centred where they are used
	partitions []contingency.Partition
	parts      int // of all partitions
}

func meansOfPairs[T kernel.Float](ctx context.Context, f *matrix.Matrix[float64], partitions []contingency.Partition) ([]float64, error) {
	p, err := newPoints[T](ctx, f)
	if err != nil {
		return nil, err
	}
	s, n := &pairs[T]{p: p, partitions: partitions}, f.Rows()
	for _, p := range partitions {
		s.parts += len(p.Size)
	}
	if f.Sparse != nil {
		if err := s.centre(ctx, f); err != nil {
			return nil, err
		}
	}
	blocks := make([][]float64, parallel.Pieces(n, silhouetteRows))
	progress := parallel.Counted(ctx, "measure silhouettes", len(blocks))
	err = parallel.Ranges(ctx, n, silhouetteRows, func(lo, hi int) {
		blocks[lo/silhouetteRows], _ = s.silhouettes(ctx, lo, hi) // its error is ctx's, which Ranges returns
		progress.Add()
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

// silhouettes returns, for each partition, the sum of the silhouettes of the rows [lo, hi).
func (s *pairs[T]) silhouettes(ctx context.Context, lo, hi int) ([]float64, error) {
	a, n := s.rows(lo, hi), s.p.Rows()
	toParts := kernel.Dense[float64](s.parts, a.Rows) // sums of distances
	distances, sums := kernel.Dense[T](silhouetteRows, a.Rows), kernel.Dense[T](s.parts, a.Rows)
	most := silhouetteRows * len(s.partitions)
	members := &kernel.CSR[T]{Rows: s.parts, Ptr: make([]int64, s.parts+1), Col: make([]int32, most), Val: slices.Repeat([]T{1}, most)}
	for first := 0; first < n; first += silhouetteRows {
		b := s.rows(first, min(n, first+silhouetteRows))
		tile := kernel.Rows(distances, 0, b.Rows)
		if err := kernel.Gemm(ctx, false, true, 1, b, a, 0, tile); err != nil {
			return nil, err
		}
		for j := range b.Rows {
			row, square := tile.Row(j), s.p.squares[first+j]
			for i, other := range s.p.squares[lo:hi] {
				r := square + other - 2*row[i]
				if r < near*(square+other) {
					r = apartFrom(a.Row(i), b.Row(j))
				}
				row[i] = T(math.Sqrt(float64(r)))
			}
		}
		s.mark(members, first, b.Rows)
		if err := kernel.SpMM(ctx, sums, members, tile); err != nil {
			return nil, err
		}
		for q, v := range sums.Data {
			toParts.Data[q] += float64(v)
		}
	}
	totals, left := make([]float64, len(s.partitions)), 0
	for q, p := range s.partitions {
		to := make([]float64, len(p.Size))
		for i := range a.Rows {
			for c := range to {
				to[c] = toParts.Row(left + c)[i]
			}
			totals[q] += silhouette(p, p.Part[lo+i], to)
		}
		left += len(p.Size)
	}
	return totals, nil
}

// centre takes the squares of sparse rows less their mean.
func (s *pairs[T]) centre(ctx context.Context, f *matrix.Matrix[float64]) (err error) {
	if s.mean, err = given.MeanRow(ctx, f); err != nil {
		return err
	}
	matrix.Scale(s.mean, s.p.scale)
	return parallel.Ranges(ctx, f.Rows(), silhouetteRows, func(lo, hi int) {
		block := s.rows(lo, hi)
		for i := range block.Rows {
			s.p.squares[lo+i] = 0
			for _, v := range block.Row(i) {
				s.p.squares[lo+i] += v * v
			}
		}
	})
}

// rows are the rows [lo, hi), dense and centred.
func (s *pairs[T]) rows(lo, hi int) kernel.Matrix[T] {
	if s.p.Sparse == nil {
		return kernel.Rows(s.p.Dense, lo, hi)
	}
	block := kernel.Dense[T](hi-lo, s.p.Cols())
	for i := range block.Rows {
		row := block.Row(i)
		for j, m := range s.mean {
			row[j] = T(-m)
		}
		s.p.AddRow(row, lo+i, 1)
	}
	return block
}

// mark makes z the members of each part among the rows from first on: a row of ones for each.
func (s *pairs[T]) mark(z *kernel.CSR[T], first, rows int) {
	entries := rows * len(s.partitions)
	z.Cols, z.Col, z.Val = rows, z.Col[:entries], z.Val[:entries]
	clear(z.Ptr)
	left := 0
	for _, p := range s.partitions {
		for _, c := range p.Part[first:][:rows] {
			z.Ptr[left+c]++
		}
		left += len(p.Size)
	}
	for q := range s.parts {
		z.Ptr[q+1] += z.Ptr[q]
	}
	for _, p := range slices.Backward(s.partitions) {
		left -= len(p.Size)
		for j := rows - 1; j >= 0; j-- {
			end := &z.Ptr[left+p.Part[first+j]]
			*end--
			z.Col[*end] = int32(j)
		}
	}
}

// apartFrom is ‖u − v‖².
func apartFrom[T kernel.Float](u, v []T) (sum T) {
	for j, x := range u {
		sum += (x - v[j]) * (x - v[j])
	}
	return sum
}

// Silhouette is the silhouette of a row in cluster own, given the sums of its distances to the rows
// of each cluster.
func silhouette(p contingency.Partition, own int, sums []float64) float64 {
	if p.Size[own] == 1 {
		return 0
	}
	a, b := sums[own]/float64(p.Size[own]-1), math.Inf(1)
	for c, sum := range sums {
		if c != own {
			b = min(b, sum/float64(p.Size[c]))
		}
	}
	if a == 0 && b == 0 {
		return 0 // all are in one place
	}
	return (b - a) / max(a, b)
}
