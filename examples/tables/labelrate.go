package main

import (
	"context"

	"coles/dataset"
)

// labelRates are the numbers of labelled nodes per class along the curves.
var labelRates = []int{1, 2, 5, 10, 20, 50}

// inCurves are the methods of the curves, where -methods names none: all would
// lie on top of each other.
var inCurves = []string{"Raw", "SGC", "S2GC", "PCA-S2GC", "RP-S2GC", "COLES-S2GC"}

// Accuracy over the number of labels.
func labelRateTable() table {
	return table{
		name: "labelrate", title: "Label rate",
		about: accuracyAbout + " The splits are drawn, the same for every method, with at most a third of a class.",
		plot:  "per_class", axis: "labelled nodes per class",
		methods: allMethods(), standard: embedders(inCurves...), rows: methodRows(labelRate),
	}
}

func labelRate(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	drawn := func(per int) ([]dataset.Split, error) { return p.RandomSplits(per, o.splits, splitSeed) }
	return accuracies(ctx, o, p, m, protocol{perClass: labelRates, splits: drawn}, cell{})
}
