package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"coles/internal/parallel"

	"gonum.org/v1/gonum/stat"
)

// SilvermanBandwidth is the bandwidth σ·(4/(3n))^⅕ of a Gaussian kernel for a
// sample of n numbers, σ² their variance with n − 1: the best one for a normal
// distribution (Silverman 1986, eq. 3.28; SciPy's "silverman"). It is not the
// smaller rule of thumb with 0.9 and the range between quartiles.
//
// Errors: [ErrEmpty], [ErrNotFinite], and [ErrBandwidth] for a sample without
// spread.
func SilvermanBandwidth(sample []float64) (float64, error) {
	return ruleBandwidth(sample, math.Pow(4./3, 0.2))
}

// ScottBandwidth is the bandwidth σ·n^(−⅕), 6 % below [SilvermanBandwidth]
// (Scott 1992; SciPy's "scott").
//
// Errors: those of [SilvermanBandwidth].
func ScottBandwidth(sample []float64) (float64, error) {
	return ruleBandwidth(sample, 1)
}

// ruleBandwidth is factor·σ·n^(−⅕).
func ruleBandwidth(sample []float64, factor float64) (float64, error) {
	if err := checkSample(sample); err != nil {
		return 0, err
	}
	if slices.Min(sample) == slices.Max(sample) {
		return 0, fmt.Errorf("%w: all %d numbers of the sample are %v", ErrBandwidth, len(sample), sample[0])
	}
	h := factor * stat.StdDev(sample, nil) * math.Pow(float64(len(sample)), -0.2)
	return h, checkBandwidth(h)
}

// ParzenDensity estimates, at every point of grid, the density of which sample
// was drawn, by a Gaussian window of bandwidth h around each of its n numbers
// (Parzen 1962):
//
//	f(t) = 1/(n·h·√(2π)) · Σ_i exp(−(t − x_i)²/(2h²)).
//
// With h = 0 it is [SilvermanBandwidth] of the sample. The points may be any, in
// any order; [DensityGrid] gives some that suit. The cost is one exponential for
// each number and point that are within 39h of each other; beyond, it is zero.
//
// Errors: [ErrEmpty] for no numbers or no points, [ErrNotFinite],
// [ErrBandwidth], and ctx.Err().
func ParzenDensity(ctx context.Context, sample, grid []float64, h float64) ([]float64, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	h, err := bandwidth(sample, h)
	if err != nil {
		return nil, err
	}
	if err := checkSample(grid); err != nil {
		return nil, fmt.Errorf("grid: %w", err)
	}
	const reach = 39 // exp(−39²/2) is zero in float64
	const between = 1 << 14
	density := make([]float64, len(grid))
	norm := 1 / (math.Sqrt(2*math.Pi) * h) / float64(len(sample))
	err = parallel.For(ctx, len(grid), func(q int) {
		sum := 0.0
		for part := range slices.Chunk(sample, between) {
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
	return density, err
}

// DensityGrid returns points numbers, equally far apart, that reach five
// bandwidths beyond all samples: what lies outside is less than 3·10⁻⁷ of any
// density. h is the bandwidth, or 0 for the largest [SilvermanBandwidth] of a
// sample.
//
// Errors: [ErrParameter] for points outside 2 … 2³¹−1, [ErrEmpty] also for no
// sample, [ErrNotFinite], [ErrBandwidth].
func DensityGrid(points int, h float64, samples ...[]float64) ([]float64, error) {
	if points < 2 || points > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a grid of %d points", ErrParameter, points)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%w: no samples", ErrEmpty)
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
	step := (hi - lo) / float64(points-1)
	if math.IsInf(hi-lo, 0) {
		return nil, fmt.Errorf("%w: the range of the samples overflows", ErrNotFinite)
	}
	grid := make([]float64, points)
	for q := range grid {
		grid[q] = min(lo+float64(q)*step, hi)
	}
	return grid, nil
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

// checkBandwidth wants h and 1/h positive and finite.
func checkBandwidth(h float64) error {
	if !(h > 0) || math.IsInf(h, 0) || math.IsInf(1/h, 0) {
		return fmt.Errorf("%w: %v", ErrBandwidth, h)
	}
	return nil
}

// checkSample wants at least one number, and all of them finite.
func checkSample(sample []float64) error {
	if len(sample) == 0 {
		return fmt.Errorf("%w: no numbers", ErrEmpty)
	}
	for i, x := range sample {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: number %d is %v", ErrNotFinite, i, x)
		}
	}
	return nil
}
