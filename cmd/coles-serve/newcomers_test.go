package main

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The newcomers that are found are the best of all scores, beside nodes of the fit.
func TestNewcomersNearest(t *testing.T) {
	const width, count = 5, 8
	rng := testkit.Random(1)
	all, fitted := newcomers{"unknown": nil}, []match{{"fitted 1", 0.5}, {"fitted 2", -0.5}}
	for i := range 60 {
		y := testkit.RandomDense(rng, 1, width)
		want := slices.Clone(fitted)
		for id, unit := range all {
			if unit != nil && id != "3" {
				want = append(want, match{id, floats.Dot(unit, y.RawRowView(0)) / mat.Norm(y, 2)})
			}
		}
		slices.SortFunc(want, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
		wantMatches(t, all.nearest(y.RawRowView(0), slices.Clone(fitted), count, "3"), want[:min(count, len(want))])
		unit := testkit.RandomDense(rng, 1, width).RawRowView(0)
		floats.Scale(1/floats.Norm(unit, 2), unit)
		all[fmt.Sprint(i)] = unit
	}
}
