package main

import (
	"slices"
	"testing"

	"coles/internal/testkit"
)

// Of many nodes a sample is drawn, those with a label first.
func TestPlotDrawsASample(t *testing.T) {
	labels := slices.Repeat([]int{-1, -1, 2, -1, 0}, 20) // 40 of 100 have one
	for most, want := range map[int]string{
		30: "30 of 100 nodes drawn",
		40: "40 of 100 nodes drawn, all 40 labelled among them",
		70: "70 of 100 nodes drawn, all 40 labelled among them",
	} {
		rows, said := sampled(labels, most, 1)
		testkit.WantSame(t, "what is said", said, want)
		labelled := 0
		for _, i := range rows {
			if labels[i] >= 0 {
				labelled++
			}
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(rows))); len(rows) != most || len(distinct) != most || labelled != min(most, 40) {
			t.Errorf("of %d nodes drawn %d differ, and %d have a label", len(rows), len(distinct), labelled)
		}
		again, _ := sampled(labels, most, 1)
		other, _ := sampled(labels, most, 2)
		if !slices.Equal(rows, again) || slices.Equal(rows, other) {
			t.Errorf("%d nodes: the same by one seed %v, by another %v", most, slices.Equal(rows, again), slices.Equal(rows, other))
		}
	}
	_, said := sampled(slices.Repeat([]int{-1}, 5), 3, 1)
	testkit.WantSame(t, "said without labels", said, "3 of 5 nodes drawn")
}
