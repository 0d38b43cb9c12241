package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"coles"
	"coles/internal/given"

	"gonum.org/v1/gonum/mat"
)

// SetScores are measures of predicted sets of classes in cross-validation, each part with the α and the threshold of
// the others: F1 of all pairs of a row and a class, and its mean over the classes.
type SetScores struct {
	Rows  int     `json:"rows"`
	Micro float64 `json:"micro_f1"`
	Macro float64 `json:"macro_f1"`
	// MicroKnown and MacroKnown are of as many classes as each row has.
	MicroKnown float64 `json:"micro_f1_number_known"`
	MacroKnown float64 `json:"macro_f1_number_known"`
}

// FitSets fits a regression for each class to some rows of x (n × d), of n rows with sets of classes. Its model has a row of
// coefficients for each, of two classes as well, whose score says how likely the class is beside others that a row may
// have, too. C is one of Cs, by how many classes each predicts rightly, or the field where there are none.
//
// Errors: as [Fit] of sets, and [coles.ErrIndex].
func (l LogisticRegression) FitSets(ctx context.Context, x mat.Matrix, rows []int, sets [][]int) (*LinearModel, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	if len(sets) != f.Rows() {
		return nil, fmt.Errorf("%w: %d sets of classes for %d rows", coles.ErrShape, len(sets), f.Rows())
	}
	t, err := groupsOf(Labels{Sets: sets})
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(t.enough(), given.CheckRows(rows, f.Rows(), "training")); err != nil {
		return nil, err
	}
	p := penalty{[]float64{cmp.Or(l.C, 1)}, false}
	if len(l.Cs) > 0 {
		c, _, err := t.chooseC(ctx, f, l.Cs, evenly(rows, cmp.Or(l.Folds, 5), 0))
		if err != nil {
			return nil, err
		}
		p = penalty{[]float64{c}, true}
	}
	models, err := t.regress(ctx, f, p, rows)
	if err != nil {
		return nil, err
	}
	return models[0], nil
}

// measureSets takes the threshold, and says what α and it are worth.
func (t *groups) measureSets(p *Predictor, of trial) error {
	p.Threshold = t.threshold(of, of.best(-1), -1)
	n := len(of.rows)
	predicted, known, actual := make([][]int, n), make([][]int, n), make([][]int, n)
	thresholds := make(map[int]float64)
	of.nested(func(q, part, a int) {
		if _, found := thresholds[part]; !found {
			thresholds[part] = t.threshold(of, a, part)
		}
		row := of.held[a].Row(q)
		actual[q] = t.places[of.rows[q]]
		predicted[q], known[q] = reaching(row, thresholds[part]), Likeliest(row, len(actual[q]))
	})
	s := &SetScores{Rows: n}
	var err, err2 error
	s.Micro, s.Macro, err = SetF1(predicted, actual)
	s.MicroKnown, s.MacroKnown, err2 = SetF1(known, actual)
	p.Scores = s
	return cmp.Or(err, err2)
}

// threshold is the probability from which on F1 of all pairs of a class and a row outside a part is largest, half way to
// the next one.
func (t *groups) threshold(of trial, a, part int) (to float64) {
	type pair struct {
		p  float64
		is bool
	}
	var pairs []pair
	size := 0
	for q, i := range of.rows {
		if of.fold[q] == part {
			continue
		}
		size += len(t.places[i])
		for k, v := range of.held[a].Row(q) {
			_, is := slices.BinarySearch(t.places[i], k)
			pairs = append(pairs, pair{v, is})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(b.p, a.p) })
	pairs = append(pairs, pair{})
	right, best := 0, 0.0
	for n, of := range pairs[:len(pairs)-1] {
		if of.is {
			right++
		}
		if f1 := 2 * float64(right) / float64(n+1+size); f1 > best && of.p > pairs[n+1].p {
			best, to = f1, (of.p+pairs[n+1].p)/2
		}
	}
	return to
}

// reaching are the places of the probabilities that reach a threshold, or else of the largest.
func reaching(p []float64, threshold float64) (places []int) {
	for k, v := range p {
		if v >= threshold {
			places = append(places, k)
		}
	}
	if places == nil {
		return Likeliest(p, 1)
	}
	return places
}

// Likeliest are the places of the n largest probabilities of a row, ascending, the first of equal ones.
func Likeliest(p []float64, n int) []int {
	classes := make([]int, len(p))
	for k := range classes {
		classes[k] = k
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	classes = classes[:n]
	slices.Sort(classes)
	return classes
}

// SetF1 compares n predicted sets of classes with the actual ones, each ascending: micro is 2·TP/(2·TP + FP + FN) of all
// pairs of a row and a class, macro the mean of that of each class that occurs.
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
