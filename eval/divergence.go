package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// JensenShannon is the Jensen-Shannon divergence, in nats, of two discrete
// distributions over the same outcomes,
//
//	JS = ½·Σ p log(p/m) + ½·Σ q log(q/m),  m = (p + q)/2,
//
// from 0 for equal ones to log 2 for disjoint ones (Lin 1991). p and q are
// weights that need not add up to one. SciPy's jensenshannon is its square root.
//
// Errors: [ErrShape] for different lengths, [ErrEmpty], [ErrNotFinite], and
// [ErrDistribution] for a negative weight or none above zero.
func JensenShannon(p, q []float64) (float64, error) {
	if len(p) != len(q) {
		return 0, fmt.Errorf("%w: %d and %d outcomes", ErrShape, len(p), len(q))
	}
	p, err := shares(p)
	if err != nil {
		return 0, fmt.Errorf("first distribution: %w", err)
	}
	q, err = shares(q)
	if err != nil {
		return 0, fmt.Errorf("second distribution: %w", err)
	}
	return min(max(stat.JensenShannon(p, q), 0), math.Ln2), nil // but for rounding
}

// shares is weights divided by their sum.
func shares(weights []float64) ([]float64, error) {
	if err := checkSample(weights); err != nil {
		return nil, err
	}
	largest := 0.0
	for i, w := range weights {
		if w < 0 {
			return nil, fmt.Errorf("%w: weight %d is %v", ErrDistribution, i, w)
		}
		largest = max(largest, w)
	}
	if largest == 0 {
		return nil, fmt.Errorf("%w: all %d weights are zero", ErrDistribution, len(weights))
	}
	share, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		share[i] = w / largest // so that the sum does not overflow
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
		// Tails of densities end in numbers whose half is zero, of which
		// gonum would take the logarithm.
		if share[i] < 0x1p-1022 {
			share[i] = 0
		}
	}
	return share, nil
}

// JensenShannonOfSamples is [JensenShannon] between the densities that
// [ParzenDensity] finds for two samples, on one [DensityGrid] of the given
// number of points: how well the scores of positive and negative pairs are
// told apart. 2·JS − 2·log 2 is the most that E log D(x) + E log(1 − D(y)) can
// reach (Goodfellow et al. 2014): losses of that kind have nothing more to learn
// once the two are disjoint, when [Wasserstein] still tells how far apart. h is the bandwidth for both, or 0 for
// each its own [SilvermanBandwidth]. 512 points suit scores of embeddings.
//
// Errors: [ErrBandwidth] also for a grid whose points are further apart than a
// bandwidth, so that it could miss numbers altogether; those of [DensityGrid]; ctx.Err().
func JensenShannonOfSamples(ctx context.Context, x, y []float64, points int, h float64) (float64, error) {
	grid, err := DensityGrid(points, h, x, y)
	if err != nil {
		return 0, err
	}
	step := (grid[len(grid)-1] - grid[0]) / float64(points-1)
	var density [2][]float64
	for s, sample := range [][]float64{x, y} {
		width, err := bandwidth(sample, h)
		if err != nil {
			return 0, err
		}
		if step > width {
			return 0, fmt.Errorf("%w: %.3g of sample %d, with %d points %.3g apart", ErrBandwidth, width, s, points, step)
		}
		if density[s], err = ParzenDensity(ctx, sample, grid, width); err != nil {
			return 0, err
		}
	}
	return JensenShannon(density[0], density[1])
}

// Wasserstein is the 1-Wasserstein (earth mover's) distance of two samples, the
// area between their distribution functions F and G:
//
//	W₁ = ∫ |F(t) − G(t)| dt.
//
// The samples may differ in size. It is exact: they are sorted and compared
// step by step. It takes O(N log N) time for N numbers in both, and a copy of them.
//
// Errors: [ErrEmpty], and [ErrNotFinite] also for a distance that overflows.
func Wasserstein(x, y []float64) (float64, error) {
	// gonum's takes a pass over both samples for every number.
	for s, sample := range [][]float64{x, y} {
		if err := checkSample(sample); err != nil {
			return 0, fmt.Errorf("sample %d: %w", s, err)
		}
	}
	x, y = slices.Clone(x), slices.Clone(y)
	slices.Sort(x)
	slices.Sort(y)
	distance, at := 0.0, min(x[0], y[0])
	for p, q := 0, 0; p < len(x) || q < len(y); {
		next := 0.0
		if q == len(y) || p < len(x) && x[p] <= y[q] {
			next = x[p]
		} else {
			next = y[q]
		}
		if next > at { // before it, p numbers of x and q of y
			distance += math.Abs(float64(p)/float64(len(x))-float64(q)/float64(len(y))) * (next - at)
			at = next
		}
		if p < len(x) && x[p] == next {
			p++
		} else {
			q++
		}
	}
	if math.IsInf(distance, 0) || math.IsNaN(distance) {
		return 0, fmt.Errorf("%w: the distance overflows", ErrNotFinite)
	}
	return distance, nil
}
