package measures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// SilvermanBandwidth is the bandwidth σ·(4/(3n))^⅕ of a Gaussian kernel for a sample of n numbers,
// σ² their variance with n − 1: the best one for a normal distribution (Silverman 1986, eq. 3.28;
// SciPy's "silverman"), not the smaller rule of thumb.
//
// Errors: [coles.ErrShape], [coles.ErrNotFinite], and [coles.ErrSetting] for a sample without
// spread.
func SilvermanBandwidth(sample []float64) (float64, error) {
	if err := checkSample(sample); err != nil {
		return 0, err
	}
	if slices.Min(sample) == slices.Max(sample) {
		return 0, setting.Bad("sample", sample[0], "more than one value for a bandwidth")
	}
	h := math.Pow(4./3, 0.2) * stat.StdDev(sample, nil) * math.Pow(float64(len(sample)), -0.2)
	return h, checkBandwidth(h)
}

// checkBandwidth wants h and 1/h positive and finite.
func checkBandwidth(h float64) error {
	if !(h > 0) || math.IsInf(h, 0) || math.IsInf(1/h, 0) {
		return setting.Bad("h", h, "a bandwidth more than 0 and finite")
	}
	return nil
}

// bandwidth checks a sample and returns h, or for 0 Silverman's.
func bandwidth(sample []float64, h float64) (float64, error) {
	if h == 0 {
		return SilvermanBandwidth(sample)
	}
	if err := checkSample(sample); err != nil {
		return 0, err
	}
	return h, checkBandwidth(h)
}

// ParzenDensity estimates, at every point of grid, the density of which sample was drawn, by a
// Gaussian window of bandwidth h around each of its n numbers (Parzen 1962):
//
//	f(t) = 1/(n·h·√(2π)) · Σ_i exp(−(t − x_i)²/(2h²)).
//
// h = 0 is the sample's [SilvermanBandwidth]. The points may be any; [DensityGrid] gives some that
// suit. It takes one exponential for each number and point within 39h of each other; beyond, it is
// zero.
//
// Errors: [coles.ErrShape] for no numbers or no points, [coles.ErrNotFinite], [coles.ErrSetting]
// for a bandwidth that is not positive or a sample without spread, and ctx's.
func ParzenDensity(ctx context.Context, sample, grid []float64, h float64) ([]float64, error) {
	h, err := bandwidth(sample, h)
	if err != nil {
		return nil, err
	}
	if err := checkSample(grid); err != nil {
		return nil, fmt.Errorf("grid: %w", err)
	}
	const reach, atOnce = 39, 1 << 14 // exp(−39²/2) is zero in float64
	density := make([]float64, len(grid))
	norm := 1 / (math.Sqrt(2*math.Pi) * h) / float64(len(sample))
	return density, parallel.For(ctx, len(grid), func(q int) {
		sum := 0.0
		for part := range slices.Chunk(sample, atOnce) {
			if ctx.Err() != nil {
				return
			}
			for _, x := range part {
				if z := (grid[q] - x) / h; math.Abs(z) < reach {
					sum += math.Exp(-z * z / 2)
				}
			}
		}
		density[q] = sum * norm
	})
}

// DensityGrid returns points numbers, equally far apart, that reach five bandwidths beyond all samples. Less than
// 3·10⁻⁷ of any density lies outside. h is the bandwidth, or 0 for the largest [SilvermanBandwidth] of a sample.
//
// Errors: [coles.ErrSetting] for points outside 2 … 2³¹−1 (2²⁷−1 on 32 bits) and as for
// [ParzenDensity], [coles.ErrShape] also for no sample, [coles.ErrNotFinite].
func DensityGrid(points int, h float64, samples ...[]float64) ([]float64, error) {
	if points < 2 || points > maxCount {
		return nil, setting.Bad("points", points, "2 to %d", maxCount)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w: no samples", coles.ErrShape)
	}
	lo, hi, widest := math.Inf(1), math.Inf(-1), 0.0
	for s, sample := range samples {
		width, err := bandwidth(sample, h)
		if err != nil {
			return nil, fmt.Errorf("sample %d: %w", s, err)
		}
		lo, hi, widest = min(lo, slices.Min(sample)), max(hi, slices.Max(sample)), max(widest, width)
	}
	const margin = 5
	lo, hi = lo-margin*widest, hi+margin*widest
	if math.IsInf(hi-lo, 0) {
		return nil, fmt.Errorf("%w: the range of the samples overflows", coles.ErrNotFinite)
	}
	return floats.Span(make([]float64, points), lo, hi), nil
}

// JensenShannonOfSamples is the Jensen-Shannon divergence, in nats, between the densities that
// [ParzenDensity] finds for two samples, on one [DensityGrid] of the given number of points,
//
//	JS = ½·Σ p log(p/m) + ½·Σ q log(q/m),  m = (p + q)/2,
//
// from 0 for equal ones to log 2 for disjoint ones (Lin 1991). The largest value of E log D(x) + E log(1 − D(y)) is
// 2·JS − 2·log 2 (Goodfellow et al. 2014). Such losses have nothing more to learn once the two are disjoint;
// [Wasserstein] still measures their distance then. h is the bandwidth for both, or 0 for each its own
// [SilvermanBandwidth]. 512 points suit scores of embeddings.
//
// Errors: as [DensityGrid], [coles.ErrSetting] also for points further apart than a
// bandwidth, so that a grid could miss numbers altogether, and ctx's.
func JensenShannonOfSamples(ctx context.Context, x, y []float64, points int, h float64) (float64, error) {
	grid, err := DensityGrid(points, h, x, y)
	if err != nil {
		return 0, err
	}
	step := (grid[len(grid)-1] - grid[0]) / float64(points-1)
	var share [2][]float64
	for s, sample := range [][]float64{x, y} {
		width, err := bandwidth(sample, h)
		if err != nil {
			return 0, err
		}
		if step > width {
			return 0, setting.Bad("points", points, "more: they are %.3g apart, and the bandwidth of sample %d is %.3g", step, s, width)
		}
		if share[s], err = ParzenDensity(ctx, sample, grid, width); err != nil {
			return 0, err
		}
		floats.Scale(width, share[s]) // so that their sum does not overflow
		floats.Scale(1/floats.Sum(share[s]), share[s])
		for i, v := range share[s] {
			// Tails end in numbers whose half is zero, of which gonum would take the logarithm.
			if v < 0x1p-1022 {
				share[s][i] = 0
			}
		}
	}
	return min(max(stat.JensenShannon(share[0], share[1]), 0), math.Ln2), nil // but for rounding
}

// Wasserstein is the 1-Wasserstein (earth mover's) distance of two samples, of any sizes: the exact
// area between their distribution functions F and G,
//
//	W₁ = ∫ |F(t) − G(t)| dt.
//
// It takes O(N log N) time for N numbers in both, and two copies of them.
//
// Errors: [coles.ErrShape] for an empty sample, [coles.ErrNotFinite] also for a distance that
// overflows.
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
	all := slices.Concat(x, y)
	slices.Sort(all)
	distance, p, q := 0.0, 0, 0
	for i, next := range all[1:] { // up to there, p numbers of x and q of y
		for p < len(x) && x[p] <= all[i] {
			p++
		}
		for q < len(y) && y[q] <= all[i] {
			q++
		}
		distance += math.Abs(float64(p)/float64(len(x))-float64(q)/float64(len(y))) * (next - all[i])
	}
	if !matrix.Finite(distance) {
		return 0, fmt.Errorf("%w: the distance overflows", coles.ErrNotFinite)
	}
	return distance, nil
}
