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

// After thousands of newcomers that come, change and go, those found are the best of all scores.
func TestNewcomersNearest(t *testing.T) {
	const width, count = 5, 8
	rng := testkit.Random(1)
	f, units := &newcomers{place: map[string]int{}, width: width}, map[string][]float64{}
	fitted := []match{{"fitted 1", 0.5}, {"fitted 2", -0.5}}
	gathered := 0
	for step := range 12_000 {
		id := fmt.Sprint(rng.IntN(1 + step))
		switch rng.IntN(8) {
		case 0:
			_, is := units[id]
			testkit.WantSame(t, "whether there was one", f.drop(id), is)
			delete(units, id)
		case 1: // nothing is known of it
			f.put(newNode{id: id})
			units[id] = nil
		default:
			unit := testkit.RandomDense(rng, 1, width).RawRowView(0)
			floats.Scale(1/floats.Norm(unit, 2), unit)
			f.put(newNode{id: id, unit: unit})
			units[id] = unit
		}
		before := f.index
		if testkit.Check(t, f.gather(t.Context())); f.index != before {
			gathered++
		}
		if step%300 > 0 {
			continue
		}
		y := testkit.RandomDense(rng, 1, width)
		want := slices.Clone(fitted)
		for other, unit := range units {
			if unit != nil && other != id {
				want = append(want, match{other, floats.Dot(unit, y.RawRowView(0)) / mat.Norm(y, 2)})
			}
		}
		slices.SortFunc(want, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
		wantMatches(t, testkit.Must(f.nearest(t.Context(), y.RawRowView(0), slices.Clone(fitted), count, id)), want[:min(count, len(want))])
		testkit.WantSame(t, "number", len(f.place), len(units))
	}
	if gathered < 3 {
		t.Errorf("gathered %d times", gathered)
	}
}
