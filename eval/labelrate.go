package eval

import (
	"context"
	"fmt"

	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// LabelRate is one point of a label-rate curve.
type LabelRate struct {
	PerClass       int // labelled nodes a class
	Classification     // over the splits of that many
}

// LabelRates measures x (n × d) by [Classify] with each number of labelled nodes
// a class: the points of a curve of accuracy over labels, in the order of
// perClass. For each, count splits are drawn by [dataset.RandomSplits], which
// takes at most a third of a class for training. They depend on labels and seed
// alone, so that every method is measured on the same, split by split; see
// [Compare]. Nodes of a negative label are neither trained nor tested on.
//
// Errors: [ErrEmpty] for no numbers, those of [dataset.RandomSplits] and [Classify].
func LabelRates(ctx context.Context, x mat.Matrix, labels []int, perClass []int, count int, seed uint64, opts ...ClassifyOption) ([]LabelRate, error) {
	if len(perClass) == 0 {
		return nil, fmt.Errorf("%w: no numbers of labels a class", ErrEmpty)
	}
	curve := make([]LabelRate, len(perClass))
	for i, per := range perClass {
		splits, err := dataset.RandomSplits(labels, per, count, seed)
		if err != nil {
			return nil, err
		}
		for s := range splits {
			splits[s].Test = labelled(splits[s].TestNodes(len(labels)), labels)
		}
		c, err := Classify(ctx, x, labels, splits, opts...)
		if err != nil {
			return nil, fmt.Errorf("%d labels a class: %w", per, err)
		}
		curve[i] = LabelRate{per, *c}
	}
	return curve, nil
}

// labelled is the nodes whose label is known.
func labelled(nodes, labels []int) []int {
	known := make([]int, 0, len(nodes))
	for _, i := range nodes {
		if labels[i] >= 0 {
			known = append(known, i)
		}
	}
	return known
}
