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
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Fit learns from the rows of y (n × d) that have a label. It fits a regression to all of them; for classes it chooses C as
// [LogisticRegression] does. Then each of five parts, or ten of numbers, is predicted by the others, which teaches the
// [Weights] of the opinions. Without a graph, or for more than 2²⁷ opinions, surroundings count nothing. If more than 2²⁷/c
// rows have one of c classes, the seed draws that many to be predicted.
//
// It takes a [LogisticRegression.Fit] with its search and one more for each part, or as many of a [Ridge]. Each part takes 25
// passes over the edges with c + 1 columns, or up to 535 with one of numbers. Columns of features take as much again at most,
// or are not tried.
//
// Errors: [coles.ErrShape] unless there are a label and a node for each row; the errors of LogisticRegression.Fit; [ErrSplit]
// also for a class given twice, and for fewer than three numbers or all alike; [coles.ErrSetting] for Balanced with other
// labels than one class.
func Fit(ctx context.Context, g *coles.Graph, y mat.Matrix, labels Labels, how Options) (*Predictor, error) {
	ctx = parallel.Reporting(ctx, how.Progress)
	if err := (LogisticRegression{Cs: how.Cs}).check(); err != nil {
		return nil, err
	}
	f, err := given.Read(ctx, y)
	if err != nil {
		return nil, err
	}
	if how.Columns != nil {
		if rows, _ := how.Columns.Dims(); rows != f.Rows() {
			return nil, fmt.Errorf("%w: %d rows of features for %d of vectors", coles.ErrShape, rows, f.Rows())
		}
	}
	t, err := labels.target(f.Rows())
	if err != nil {
		return nil, err
	}
	if g, err = how.near(g, f.Rows(), t.columns()); err != nil {
		return nil, err
	}
	var of parts
	if t.enough() == nil {
		if of, err = t.split(how); err != nil {
			return nil, err
		}
	}
	p, err := t.learn(ctx, f, how, of)
	if err != nil {
		return nil, err
	}
	p.Weights = Weights{Vectors: 1}
	if of.count == 0 || g == nil && labels.Values != nil && how.Columns == nil { // whose errors are known
		return p, nil
	}
	said, err := hear(ctx, g, t, of)
	if err != nil {
		return nil, err
	}
	found, err := p.judged(ctx, t, of, said, f)
	if err == nil && how.Columns != nil && !how.Alone {
		p.Columns, err = columns(ctx, t, of, said, how, f.Cols(), found)
	}
	return p, err
}

// judged cross-validates the regression of a predictor, and sets its weights and measures.
func (p *Predictor) judged(ctx context.Context, t target, of parts, said kernel.Matrix[float64], f *matrix.Matrix[float64]) (*trial, error) {
	found, err := try(ctx, t, of, said, f, p.linear().C)
	if err != nil {
		return nil, err
	}
	p.Weights = found.all
	return found, t.measure(p, found)
}

// near is the graph whose neighbours have an opinion. It is nil where they have none, as for more than 2²⁷ opinions.
func (o Options) near(g *coles.Graph, rows, columns int) (*coles.Graph, error) {
	if g == nil {
		return nil, nil
	}
	if err := checkGraph(g, rows); err != nil || o.Alone || columns > mostSpread/rows {
		return nil, err
	}
	return g, nil
}

// Predict answers for the given rows of y (n × d), or for all if rows is nil. known holds the known labels, none if it is
// zero; classes that the predictor lacks are left out. The regression answers alone without a graph, as for newcomers, and
// for a number that no label reaches. It takes the scores of the rows, and as many passes over the edges as a part of [Fit].
//
// Errors: as [LinearModel.Scores], and with a graph [coles.ErrShape] unless there are a node and a label for each row.
func (p *Predictor) Predict(ctx context.Context, g *coles.Graph, y mat.Matrix, known Labels, rows []int) ([]Answer, error) {
	m, by := p.linear(), cmp.Or(p.Weights, Weights{Vectors: 1})
	f, err := m.input(ctx, y, rows)
	if err != nil {
		return nil, err
	}
	var t target
	if g != nil {
		if t, err = p.known(known, f.Rows()); err == nil {
			err = checkGraph(g, f.Rows())
		}
		if err != nil {
			return nil, err
		}
	}
	var of opinions
	of[0], err = m.opinion(ctx, f, rows, p.Several || p.Ridge != nil)
	if err == nil && g != nil && by.Surroundings != 0 {
		of[1], err = t.near(ctx, g, rows)
	}
	if err != nil {
		return nil, err
	}
	answers, z := make([]Answer, of[0].Rows), make([]float64, of[0].Cols)
	for q := range answers {
		if p.Ridge != nil && (of[1].Rows == 0 || of[1].Data[q] == 0) { // which is the regression's alone
			Weights{Vectors: 1}.mix(of, q, z)
		} else {
			by.mix(of, q, z)
		}
		answers[q] = p.answer(z)
	}
	return answers, nil
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

// known translates labels of n rows into the classes of this model.
func (p *Predictor) known(l Labels, n int) (target, error) {
	switch m := l.count(); {
	case m == 0 && p.Ridge == nil:
		l.Classes = slices.Repeat([]int{-1}, n)
	case m == 0:
		l.Values = slices.Repeat([]float64{math.NaN()}, n)
	case m != n:
		return nil, fmt.Errorf("%w: %d labels for %d rows", coles.ErrShape, m, n)
	case (l.Values == nil) != (p.Ridge == nil):
		return nil, fmt.Errorf("%w: classes where numbers are predicted, or numbers where classes are", coles.ErrShape)
	}
	if p.Ridge != nil {
		t := &numbers{values: l.Values}
		t.regressed(p.Ridge.Log)
		return t, nil
	}
	t := &groups{places: placed(l.sets(), p.Linear.Classes), classes: p.Linear.Classes}
	if !p.Several {
		t.labels = []int{}
	}
	return t, nil
}

// FitSets fits a regression for each class to some rows of x (n × d), where each of n rows has several classes. C is chosen
// from Cs by the number of classes predicted rightly in cross-validation; without Cs it is the field C. Weights and the
// threshold are not learnt: FitSets is for rows whose number of classes is known.
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
	m, err := l.fit(ctx, f, t, rows, 0)
	if err != nil {
		return nil, err
	}
	return &Predictor{Linear: m, Several: true, Weights: Weights{Vectors: 1}}, nil
}
