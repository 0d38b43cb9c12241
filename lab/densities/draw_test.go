package main

import (
	"context"
	"errors"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/lab/measures"
	"coles/picture"

	"gonum.org/v1/gonum/integrate"
)

// Cosines have no density outside of −1 to 1, and within it all of it.
func TestDensitiesWithinBounds(t *testing.T) {
	rng := testkit.Random(8)
	var near, spread []float64
	for range 400 {
		near, spread = append(near, 1-0.1*rng.Float64()*rng.Float64()), append(spread, 2*rng.Float64()-1)
	}
	for _, values := range [][]float64{near, spread} {
		grid := testkit.Must(measures.DensityGrid(2000, 0, values))
		cut(grid, -1, 1)
		density := testkit.Must(within(t.Context(), -1, 1, values, grid))
		testkit.WantNear(t, "the integral", integrate.Trapezoidal(grid, density), 1, 1e-5)
		if grid[0] < -1 || grid[len(grid)-1] > 1 {
			t.Errorf("a density from %g to %g", grid[0], grid[len(grid)-1])
		}
	}
}

func TestDrawRefuses(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		values []float64
		want   error
	}{
		"cosine of 2": {t.Context(), []float64{0, 1, 2}, coles.ErrSetting},
		"no numbers":  {t.Context(), nil, coles.ErrShape},
		"no spread":   {t.Context(), []float64{1, 1}, coles.ErrSetting},
		"cancelled":   {over, []float64{0, 1}, context.Canceled},
	} {
		if _, err := draw(c.ctx, picture.Axes{}, -1, 1, sample{"a", c.values}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}
