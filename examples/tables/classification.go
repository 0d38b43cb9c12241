package main

import "context"

// perClass are the numbers of labelled nodes per class the paper reports.
var perClass = []int{5, 20}

const accuracyAbout = "Accuracy in percent, mean ± standard deviation over the splits (and seeds, of what is trained); the columns are data set and labelled nodes per class."

// The paper's table of node classification.
func classificationTable() table {
	return table{
		name: "classification", title: "Node classification", about: accuracyAbout,
		methods: allMethods(), standard: closedMethods, rows: methodRows(classification),
	}
}

// The paper's ablation of the generalised means: the linear encoder with each, and
// COLES itself.
func meansTable() table {
	return table{
		name: "means", title: "Generalised means", about: accuracyAbout,
		networks: true, standard: meanMethods(), rows: methodRows(classification),
	}
}

func classification(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
	by := protocol{perClass, p.splits, accuracyInPaper[p.Name][m.name]}
	return accuracies(ctx, o, p, m, by, cell{})
}
