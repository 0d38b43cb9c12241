package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Fit learns from the rows of y (n × d) that have a label. Cross-validation in five parts chooses C as
// [LogisticRegression] does, then α: that of most right predictions, but the first unless they are more than a standard
// error apart, or, for what cross-validation finds, two. Rows that are held out are not held at their labels. Of several
// classes those are right that are among as many of the likeliest as a row has. Numbers count by their squared errors, in ten
// parts, of which Margin and Found of the [Ridge] are, too, unless α is 0. Without a graph, or for more than 2²⁷ opinions, α
// is 0. Of more than 2²⁷/c labelled rows of one of c classes so many are held out, drawn by the seed.
//
// It takes a [LogisticRegression.Fit] with its search and one for each part, or a Ridge for each, and up to 88 passes over
// the edges with c columns for each candidate and part.
//
// Errors: [coles.ErrShape] unless there are a label and a node for each row, and for fewer than three numbers or all alike,
// as LogisticRegression.Fit, [ErrSplit] also for a class given twice, and [coles.ErrSetting] for candidates outside [0, 1),
// or Balanced with other labels than one class.
func Fit(ctx context.Context, g *coles.Graph, y mat.Matrix, labels Labels, how Options) (*Predictor, error) {
	ctx = parallel.Reporting(ctx, how.Progress)
	if err := (LogisticRegression{Cs: how.Cs}).check(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, y)
	if err != nil {
		return nil, err
	}
	t, err := labels.target(f.Rows())
	if err != nil {
		return nil, err
	}
	if how, err = how.candidates(g, f.Rows(), t.columns()); err != nil {
		return nil, err
	}
	p, of, err := t.learn(ctx, f, how)
	if err != nil || of.count == 0 {
		return p, err
	}
	found, err := try(ctx, g, f, t, of, how.Alphas)
	if err != nil {
		return nil, err
	}
	p.Alpha = how.Alphas[found.best(-1)]
	return p, t.measure(p, found)
}

// Predict answers for the given rows of y (n × d), or for all where rows is nil. known are the labels that are known, none
// if it is zero; classes that the predictor lacks are not. Without a graph nothing is smoothed, and known is not read: so
// newcomers are predicted, whose vectors hold what their neighbours say.
//
// It takes the scores of the rows, or of all rows and up to 88 passes over the edges.
//
// Errors: as [LinearModel.Scores], and with a graph [coles.ErrShape] unless there are a node and a label for each row.
func (p *Predictor) Predict(ctx context.Context, g *coles.Graph, y mat.Matrix, known Labels, rows []int) ([]Answer, error) {
	input := p.Linear.input
	if p.Ridge != nil {
		input = p.Ridge.input
	}
	f, err := input(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	alpha, labels := p.Alpha, target(nil)
	if g == nil {
		alpha = 0
	}
	if alpha != 0 {
		if err := checkSmoothing(g, f.Rows(), []float64{alpha}); err != nil {
			return nil, err
		}
		if labels, err = p.known(known, f.Rows()); err != nil {
			return nil, err
		}
	}
	answers := make([]Answer, 0, given.Count(rows, f.Rows()))
	return answers, smooth(ctx, g, p.opinion(f), labels, rows, []float64{alpha}, func(_ int, said kernel.Matrix[float64]) {
		for q := range said.Rows {
			answers = append(answers, p.answer(said.Row(q)))
		}
	})
}

// target checks the labels of n rows.
func (l Labels) target(n int) (target, error) {
	if l.count() != n {
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, l.count(), n)
	}
	if l.Values != nil {
		return numbersOf(l.Values)
	}
	return groupsOf(l)
}

// known are labels of n rows as this model sees them.
func (p *Predictor) known(l Labels, n int) (target, error) {
	switch m := l.count(); {
	case m == 0 && p.Ridge == nil:
		return &groups{places: make(places, n)}, nil
	case m == 0:
		l.Values = slices.Repeat([]float64{math.NaN()}, n)
	case m != n:
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, m, n)
	case (l.Values == nil) != (p.Ridge == nil):
		return nil, fmt.Errorf("%w: classes where numbers are predicted, or numbers where classes are", coles.ErrShape)
	}
	if p.Ridge == nil {
		return &groups{places: placed(l.sets(), p.Linear.Classes)}, nil
	}
	t := &numbers{values: l.Values, centre: p.Ridge.Intercept}
	t.regressed(p.Ridge.Log)
	return t, nil
}

// FitSets fits a regression for each class to some rows of x (n × d), of n rows with several classes each. C is one of Cs,
// by how many classes each predicts rightly in cross-validation, or the field where there are none. α and the threshold are
// not learnt: it is for rows of which the number of classes is known.
//
// Errors: as [Fit], and [coles.ErrIndex].
func (l LogisticRegression) FitSets(ctx context.Context, x mat.Matrix, rows []int, sets [][]int) (*Predictor, error) {
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
	if err := cmp.Or(l.check(), t.enough(), given.CheckRows(rows, f.Rows(), "training")); err != nil {
		return nil, err
	}
	p := penalty{[]float64{cmp.Or(l.C, 1)}, false}
	if len(l.Cs) > 0 {
		c, err := t.choose(ctx, f, l.Cs, evenly(rows, cmp.Or(l.Folds, 5), 0))
		if err != nil {
			return nil, err
		}
		p = penalty{[]float64{c}, true}
	}
	models, err := t.regress(ctx, f, p, rows)
	if err != nil {
		return nil, err
	}
	return &Predictor{Linear: models[0], Several: true}, nil
}
