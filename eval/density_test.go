package eval

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate"
)

func TestDensityIntegratesToOne(t *testing.T) {
	sample := normal(1, 700, 2, 91).RawRowView(0)
	for _, h := range []float64{0, 0.05, 1, 40} {
		grid, err := DensityGrid(4000, h, sample)
		if err != nil {
			t.Fatal(err)
		}
		density, err := ParzenDensity(background, sample, grid, h)
		if err != nil {
			t.Fatal(err)
		}
		// What the grid leaves out is at most 2·Φ(−5) = 5.7e-7.
		if area := integrate.Trapezoidal(grid, density); math.Abs(area-1) > 6e-7 {
			t.Errorf("h = %v: the area is %v", h, area)
		}
	}
}

func TestDensityGridCoversAllSamples(t *testing.T) {
	grid, err := DensityGrid(9, 0.5, []float64{1, 2}, []float64{-3})
	if err != nil {
		t.Fatal(err)
	}
	for q, want := range []float64{-5.5, -4.25, -3, -1.75, -0.5, 0.75, 2, 3.25, 4.5} {
		if grid[q] != want {
			t.Errorf("point %d is %v, want %v", q, grid[q], want)
		}
	}
}

func TestDensityNamesBadInput(t *testing.T) {
	good := []float64{0, 1, 3}
	ended, cancel := context.WithCancel(background)
	cancel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name         string
		ctx          context.Context
		sample, grid []float64
		h            float64
		want         error
	}{
		{"no sample", background, nil, good, 0, ErrEmpty},
		{"no sample, h given", background, nil, good, 1, ErrEmpty},
		{"no grid", background, good, nil, 0, ErrEmpty},
		{"NaN in the sample", background, []float64{0, nan}, good, 1, ErrNotFinite},
		{"infinite point", background, good, []float64{inf}, 1, ErrNotFinite},
		{"one number, no bandwidth", background, []float64{4}, good, 0, ErrBandwidth},
		{"equal numbers, no bandwidth", background, []float64{0.1, 0.1, 0.1}, good, 0, ErrBandwidth},
		{"deviation overflows", background, []float64{-1e308, 1e308}, good, 0, ErrBandwidth},
		{"negative bandwidth", background, good, good, -1, ErrBandwidth},
		{"NaN as bandwidth", background, good, good, nan, ErrBandwidth},
		{"infinite bandwidth", background, good, good, inf, ErrBandwidth},
		{"subnormal bandwidth", background, good, good, 5e-324, ErrBandwidth},
		{"cancelled", ended, good, good, 0, context.Canceled},
	} {
		if _, err := ParzenDensity(c.ctx, c.sample, c.grid, c.h); !errors.Is(err, c.want) {
			t.Errorf("ParzenDensity, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	for _, points := range []int{-1, 0, 1, math.MaxInt} {
		if _, err := DensityGrid(points, 1, good); !errors.Is(err, ErrParameter) {
			t.Errorf("%d points: error %v", points, err)
		}
	}
	if _, err := DensityGrid(9, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("grid of no sample: error %v", err)
	}
	if _, err := DensityGrid(9, 1, []float64{-1e308, 1e308}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("grid beyond all numbers: error %v", err)
	}
	// One point of a density may be a single number's, far from any other.
	if f, err := ParzenDensity(background, []float64{-1e308}, []float64{1e308}, 1); err != nil || f[0] != 0 {
		t.Errorf("far away: %v, %v", f, err)
	}
}
