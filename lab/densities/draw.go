package main

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/lab/measures"
	"coles/picture"

	"gonum.org/v1/gonum/floats"
)

// A sample is a set of numbers.
type sample struct {
	name   string
	values []float64 // in any order
}

// draw draws the densities of samples of numbers from lo to hi by [measures.ParzenDensity], each with its
// [measures.SilvermanBandwidth]. What the estimate has outside is reflected at the ends (Silverman 1986,
// section 2.10), so that the integral is 1.
func draw(ctx context.Context, a picture.Axes, lo, hi float64, samples ...sample) (*picture.Picture, error) {
	var values [][]float64
	for _, s := range samples {
		values = append(values, s.values)
	}
	grid, err := measures.DensityGrid(points, 0, values...)
	if err != nil {
		return nil, err
	}
	cut(grid, lo, hi)
	var curves []picture.Series
	for _, s := range samples {
		density, err := within(ctx, lo, hi, s.values, grid)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", s.name, err)
		}
		curves = append(curves, picture.Series{Name: s.name, X: grid, Y: density})
	}
	a.Y, a.FromZero = "density", true
	return picture.Curves(a, curves...)
}

// cut puts the points of a grid, evenly spaced, in its range and between lo and hi.
func cut(grid []float64, lo, hi float64) {
	floats.Span(grid, max(lo, grid[0]), min(hi, grid[len(grid)-1]))
}

// within is the density of values at a grid, with that of their mirror images at lo and hi.
func within(ctx context.Context, lo, hi float64, values, grid []float64) ([]float64, error) {
	if slack := 1e-6 * (hi - lo); slices.Min(values) < lo-slack || slices.Max(values) > hi+slack {
		return nil, fmt.Errorf("%w: values of %g to %g, bounds of %g to %g", coles.ErrSetting, slices.Min(values), slices.Max(values), lo, hi)
	}
	density, err := measures.ParzenDensity(ctx, values, grid, 0)
	if err != nil {
		return nil, err
	}
	for _, end := range []float64{lo, hi} {
		mirrored := make([]float64, len(grid))
		for q, x := range grid {
			mirrored[q] = 2*end - x
		}
		more, err := measures.ParzenDensity(ctx, values, mirrored, 0)
		if err != nil {
			return nil, err
		}
		floats.Add(density, more)
	}
	return density, nil
}
