package eval

import (
	"errors"
	"math"
	"slices"
	"testing"

	"coles/dataset"
)

func TestLabelRatesAreClassifyOnRandomSplits(t *testing.T) {
	x, labels := blobs(300, 6, 3, 131)
	curve, err := LabelRates(background, x, labels, []int{2, 20}, 5, 9, WithC(0.5))
	if err != nil {
		t.Fatal(err)
	}
	for i, per := range []int{2, 20} {
		splits, err := dataset.RandomSplits(labels, per, 5, 9)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Classify(background, x, labels, splits, WithC(0.5))
		if err != nil {
			t.Fatal(err)
		}
		if got := curve[i]; got.PerClass != per || !slices.Equal(got.Accuracy, want.Accuracy) || got.Mean != want.Mean || got.Std != want.Std {
			t.Errorf("%d labels a class: %+v, want %+v", per, got, want)
		}
	}
	if curve[0].Mean >= curve[1].Mean {
		t.Errorf("ten times the labels are worth nothing: %v, %v", curve[0].Mean, curve[1].Mean)
	}
}

// Nodes of label −1 are neither trained nor tested on.
func TestLabelRatesPassOverUnknownLabels(t *testing.T) {
	x, labels := blobs(300, 6, 3, 132)
	for i := 0; i < 300; i += 7 {
		labels[i] = -1
	}
	curve, err := LabelRates(background, x, labels, []int{5}, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, l := range labels {
		if l >= 0 {
			known++
		}
	}
	// Of the accuracy every one of the known rows outside training and validation counts.
	for _, a := range curve[0].Accuracy {
		if right := a / 100 * float64(known-30); right < 0.5 || math.Abs(right-math.Round(right)) > 1e-9 {
			t.Errorf("accuracy %v is no share of %d rows", a, known-30)
		}
	}
}

func TestLabelRatesNameBadInput(t *testing.T) {
	x, labels := blobs(60, 3, 2, 133)
	if _, err := LabelRates(background, x, labels, nil, 3, 1); !errors.Is(err, ErrEmpty) {
		t.Errorf("no numbers: error %v", err)
	}
	for _, c := range []struct{ per, count int }{{0, 3}, {3, 0}} {
		if _, err := LabelRates(background, x, labels, []int{c.per}, c.count, 1); !errors.Is(err, dataset.ErrOption) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
	if _, err := LabelRates(background, x, labels[:50], []int{3}, 3, 1); !errors.Is(err, ErrShape) {
		t.Errorf("labels: error %v", err)
	}
}
