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

// Fit learns from the rows of y (n × d) that have a label: a regression of all, then the [Weights] of opinions by the rows
// of each of five parts, ten of numbers, which the others predict. One class a row and several have C chosen as
// [LogisticRegression] does. Numbers are smoothed by the α of the smallest squared error. Without a graph, or for more than
// 2²⁷ opinions, surroundings count nothing. Of more than 2²⁷/c labelled rows of one of c classes so many are held out,
// drawn by the seed. It takes a [LogisticRegression.Fit] with its search and one for each part, or a [Ridge] for each, and in
// each 25 passes over the edges with c + 1 columns, of numbers up to 175. Columns take as much again at most, or are not tried.
//
// Errors: [coles.ErrShape] unless there are a label and a node for each row, and for fewer than three numbers or all alike,
// as LogisticRegression.Fit, [ErrSplit] also for a class given twice, and [coles.ErrSetting] for Balanced with other labels
// than one class.
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

// judged cross-validates the regression of a predictor, and sets its weights and what is found.
func (p *Predictor) judged(ctx context.Context, t target, of parts, said kernel.Matrix[float64], f *matrix.Matrix[float64]) (*trial, error) {
	found, err := try(ctx, t, of, said, f, p.linear().C)
	if err != nil {
		return nil, err
	}
	p.Weights = found.all
	return found, t.measure(p, found)
}

// near is the graph whose neighbours have a say, nil for none, as of more opinions than 2²⁷.
func (o Options) near(g *coles.Graph, rows, columns int) (*coles.Graph, error) {
	if g == nil {
		return nil, nil
	}
	if err := checkGraph(g, rows); err != nil || o.Alone || columns > mostSpread/rows {
		return nil, err
	}
	return g, nil
}

// Predict answers for the given rows of y (n × d), or for all where rows is nil. known are the labels that are known, none
// if it is zero; classes that the predictor lacks are not. Without a graph the vectors alone speak, and known is not read: so
// newcomers are predicted, whose vectors hold what their neighbours say.
//
// It takes the scores of the rows, and 25 passes over the edges with c + 1 columns, of numbers up to 75.
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

// known are labels of n rows as this model sees them.
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
	m, err := l.fit(ctx, f, t, rows, 0)
	if err != nil {
		return nil, err
	}
	return &Predictor{Linear: m, Several: true, Weights: Weights{Vectors: 1}}, nil
}
