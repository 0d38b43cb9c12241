package main

import (
	"image/png"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// plotted draws into a file of that ending and returns what is in it.
func plotted(t *testing.T, ending string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "map."+ending)
	prints(t, "", "", append([]string{"plot", "-o", out}, args...)...)
	return read(t, out)
}

func TestPlotFormats(t *testing.T) {
	_, path := community(t)
	drawn := testkit.Must(png.Decode(strings.NewReader(plotted(t, "png", path, "-by", "pca"))))
	if size := drawn.Bounds().Size(); size.X < 1000 || size.Y < 500 {
		t.Errorf("a picture of %v", size)
	}
}

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

// Predicted classes are those of predict, labels stay as they are.
func TestPlotPredicts(t *testing.T) {
	d, path := community(t)
	labels := slices.Clone(d.Labels)
	labels[0] = (labels[0] + 1) % 3 // a wrong one
	some := labelFile(t, labels, every(4, 300))
	for _, p := range predicted(t, path, "-kind", "graph", "-labels", some) {
		labels[testkit.Must(strconv.Atoi(p.ID))] = slices.Index([]string{className(0), className(1), className(2)}, p.Class)
	}
	all := labelFile(t, labels, every(1, 300))
	if plotted(t, "svg", path, "-kind", "graph", "-by", "pca", "-labels", some, "-predicted") != plotted(t, "svg", path, "-kind", "graph", "-by", "pca", "-labels", all) {
		t.Error("the picture of predicted classes is not that of labels that are the predictions")
	}
}
