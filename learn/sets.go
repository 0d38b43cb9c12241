package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"coles"
	"coles/internal/matrix"
)

// SetScores measure predicted sets of classes in cross-validation, each part with the weights and the threshold of the
// others: F1 of all pairs of a row and a class, and the mean of each class's F1.
type SetScores struct {
	Rows  int     `json:"rows"`
	Micro float64 `json:"micro_f1"`
	Macro float64 `json:"macro_f1"`
	// MicroKnown and MacroKnown are for sets of as many classes as each row has.
	MicroKnown float64 `json:"micro_f1_number_known"`
	MacroKnown float64 `json:"macro_f1_number_known"`
}

// reaching are the places of the probabilities that reach a threshold or, if none does, of the largest.
func reaching(p []float64, threshold float64) (places []int) {
	for k, v := range p {
		if v >= threshold {
			places = append(places, k)
		}
	}
	if places == nil && len(p) > 0 {
		return likeliest(p, 1)
	}
	return places
}

// likeliest are the places of the n largest probabilities of a row, ascending, the first of equal ones.
func likeliest(p []float64, n int) []int {
	classes := matrix.UpTo(len(p))
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	classes = classes[:n]
	slices.Sort(classes)
	return classes
}

// SetF1 compares n predicted sets of classes with the actual ones, each ascending. micro is F1 = 2·TP/(2·TP + FP + FN) of all
// pairs of a row and a class, and macro the mean of F1 over the classes that occur.
//
// Errors: [coles.ErrShape] if the lengths differ or are zero.
func SetF1(predicted, actual [][]int) (micro, macro float64, err error) {
	if len(predicted) != len(actual) || len(actual) == 0 {
		return 0, 0, fmt.Errorf("%w: %d predictions for %d sets of classes", coles.ErrShape, len(predicted), len(actual))
	}
	type counts struct{ both, sum int }
	of, all := make(map[int]*counts), counts{}
	count := func(class int) *counts {
		if of[class] == nil {
			of[class] = &counts{}
		}
		return of[class]
	}
	for i, set := range actual {
		for _, class := range set {
			count(class).sum++
			if slices.Contains(predicted[i], class) {
				count(class).both++
			}
		}
		for _, class := range predicted[i] {
			count(class).sum++
		}
	}
	for _, class := range slices.Sorted(maps.Keys(of)) { // in order: sums are the same to the byte
		c := of[class]
		all.both, all.sum = all.both+c.both, all.sum+c.sum
		macro += 2 * float64(c.both) / float64(c.sum) / float64(len(of))
	}
	return 2 * share(all.both, all.sum), macro, nil
}
