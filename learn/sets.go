package learn

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A SetModel predicts several classes a row, such as the genres of films: one logistic regression a class, whose
// Probabilities σ(w·x + b) are smoothed along the edges as those of a [Smoothed] model.
type SetModel struct {
	// Linear has a row of coefficients for each class, of two classes as well.
	Linear *LinearModel
	Alpha  float64
	// Threshold is the probability from which on a row is of a class: that of the largest F1 in cross-validation.
	Threshold float64
	Found     SetScores
}

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

// LearnSets fits the regression to the rows of x (n × d) that have classes, sets of n rows. It is cross-validated in
// Folds parts [5], which choose by the F1 of as many classes as each row has: C among Cs [1/32, 1/8, ½, 2, 8], then
// α among the candidates, as in [LogisticRegression.LearnSmoothed]. Without a graph, or for n·c above 2²⁷, α is 0.
//
// It takes a [LogisticRegression.Fit] of all C for each part, and memory for the probabilities of all rows.
//
// Errors: as LearnSmoothed, and [ErrSplit] for a class given twice, fewer than two rows or than two classes.
func (l LogisticRegression) LearnSets(ctx context.Context, g *coles.Graph, x mat.Matrix, sets [][]int, how Smoothing) (*SetModel, error) {
	f, s, err := l.readSets(ctx, x, sets)
	if err != nil {
		return nil, err
	}
	if how.Balanced {
		return nil, errBalanced
	}
	alphas, err := how.candidates(g, f.Rows(), len(s.classes))
	if err != nil {
		return nil, err
	}
	parts := splitRows(s.rows(), l.Folds, how.Seed)
	ctx, progress := parallel.Stage(parallel.Reporting(ctx, l.Progress), "cross-validate", 2*parts.count)
	c, models, err := s.chooseC(ctx, f, l.candidates(), parts, progress.Add)
	if err != nil {
		return nil, err
	}
	held, err := s.heldOut(ctx, g, f, models, alphas, parts, progress.Add)
	if err != nil {
		return nil, err
	}
	all, err := s.fit(ctx, f, penalty{[]float64{c}, true}, parts.rows)
	if err != nil {
		return nil, err
	}
	m := &SetModel{Linear: all[0]}
	return m, m.measure(s, alphas, held, parts)
}

// FitSets fits the regression to some rows of x (n × d), of n rows with sets of classes, for predictions of as many classes
// as each row has: C is one of Cs, by the same cross-validation, or the field where there are none. Neither α nor the
// threshold is chosen.
//
// Errors: as [LogisticRegression.LearnSets], and [coles.ErrIndex].
func (l LogisticRegression) FitSets(ctx context.Context, x mat.Matrix, rows []int, sets [][]int) (*SetModel, error) {
	f, s, err := l.readSets(ctx, x, sets)
	if err != nil {
		return nil, err
	}
	if err := given.CheckRows(rows, f.Rows(), "training"); err != nil {
		return nil, err
	}
	c := penalty{[]float64{cmp.Or(l.C, 1)}, false}
	if len(l.Cs) > 0 {
		best, _, err := s.chooseC(ctx, f, l.Cs, splitRows(rows, l.Folds, 0), func() {})
		if err != nil {
			return nil, err
		}
		c = penalty{[]float64{best}, true}
	}
	models, err := s.fit(ctx, f, c, rows)
	if err != nil {
		return nil, err
	}
	return &SetModel{Linear: models[0]}, nil
}

// measure takes α and the threshold, and says what they are worth.
func (m *SetModel) measure(s labelSets, alphas []float64, held []kernel.Matrix[float64], parts setParts) error {
	hits := s.rightOnes(held, parts)
	best := convincing(hits, parts.fold, -1)
	m.Alpha, m.Threshold = alphas[best], s.threshold(held[best], parts, -1)
	predicted, known, actual := make([][]int, len(parts.rows)), make([][]int, len(parts.rows)), make([][]int, len(parts.rows))
	for part := range parts.count {
		a := convincing(hits, parts.fold, part)
		threshold := s.threshold(held[a], parts, part)
		for _, q := range parts.of(part) {
			p := held[a].Row(q)
			actual[q] = s.known[parts.rows[q]]
			predicted[q], known[q] = reaching(p, threshold), Likeliest(p, len(actual[q]))
		}
	}
	m.Found.Rows = len(parts.rows)
	var err, err2 error
	m.Found.Micro, m.Found.Macro, err = SetF1(predicted, actual)
	m.Found.MicroKnown, m.Found.MacroKnown, err2 = SetF1(known, actual)
	return cmp.Or(err, err2)
}

// Probabilities are those of each class in the order of Linear.Classes, for the given rows or all where rows is nil: x
// are the features, and sets the classes that are known. Without a graph they are those of the features alone.
//
// Errors: as [Smoothed.Smooth].
func (m *SetModel) Probabilities(ctx context.Context, g *coles.Graph, x mat.Matrix, sets [][]int, rows []int) (*mat.Dense, error) {
	f, err := m.Linear.input(ctx, x, rows)
	if err != nil {
		return nil, err
	}
	if m.Alpha == 0 || g == nil {
		p, err := m.Linear.marginals(ctx, f, rows)
		return matrix.ToDense(p), err
	}
	if len(sets) != f.Rows() {
		return nil, fmt.Errorf("%w: %d sets of classes for %d rows", coles.ErrShape, len(sets), f.Rows())
	}
	if err := checkSmoothing(g, f.Rows(), []float64{m.Alpha}); err != nil {
		return nil, err
	}
	known := make([][]int, len(sets))
	for i, set := range sets {
		for _, label := range set {
			if k, ok := slices.BinarySearch(m.Linear.Classes, label); ok {
				known[i] = append(known[i], k)
			}
		}
	}
	p, err := m.Linear.marginals(ctx, f, nil)
	if err == nil {
		p, err = alongEdges(ctx, g, p, m.Alpha, holding(known))
	}
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(those(p, rows)), nil
}

// Places are those, in Linear.Classes, of the classes whose probability, of one row, reaches the threshold, or else of
// the likeliest one.
func (m *SetModel) Places(probabilities []float64) []int { return reaching(probabilities, m.Threshold) }

// reaching are the places of the probabilities that reach a threshold, or else of the largest.
func reaching(p []float64, threshold float64) (places []int) {
	for k, v := range p {
		if v >= threshold {
			places = append(places, k)
		}
	}
	if places == nil && len(p) > 0 {
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
