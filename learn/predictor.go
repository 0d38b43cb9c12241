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
	"coles/internal/setting"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Options say how [Fit] and [ChooseModel] learn.
type Options struct {
	// Alphas are candidates for the share α of the neighbours, from 0 to less than 1 [0, 0.5, 0.75, 0.9].
	Alphas []float64
	// Cs are candidates for C of a [LogisticRegression]: of one class a row [DefaultCs], of several [1/32, 1/8, ½, 2, 8].
	// ChooseModel takes 1.
	Cs []float64
	// Balanced has rare classes predicted as if all were as frequent. It is for one class a row.
	Balanced bool
	Seed     uint64 // of the parts of cross-validation
	// Progress, if set, is called at the start of "choose C", "learn" and "cross-validate" and after each of their
	// parts, one call at a time but not always from the same goroutine.
	Progress coles.Progress
}

var errBalanced = setting.Bad("Balanced", true, "false: it is for one class a row")

// candidates sets the checked ones for α: without a graph, or for more than 2²⁷ opinions, 0 alone.
func (o Options) candidates(g *coles.Graph, rows, columns int) (Options, error) {
	if len(o.Alphas) == 0 {
		o.Alphas = []float64{0, 0.5, 0.75, 0.9}
	}
	if g != nil {
		if err := checkSmoothing(g, rows, o.Alphas); err != nil {
			return o, err
		}
	}
	if g == nil || columns > mostSmoothed/rows {
		o.Alphas = []float64{0}
	}
	return o, nil
}

// A Predictor says of rows what their labels are: one class, several, or a number. A linear model has a first opinion p₀ of
// each, the probability of each class or a value. On a graph with S = D⁻¹A they are smoothed along the edges to, within
// 10⁻³ of a probability or of the deviation of the values, the limit of
//
//	p ← (1 − α)·p₀ + α·S·p,
//
// where rows with a label are held at it and those without edges at p₀ (Zhou and others 2004, with predictions in the
// place of zeros). The probability of the one class k is then p_k^(1/T)·w_k over the sum of these.
type Predictor struct {
	Linear  *LinearModel // of classes, nil for numbers
	Several bool         // classes a row: Linear has a row of coefficients for each, and p₀ = σ(w·x + b)
	Ridge   *Ridge       // of numbers, nil for classes; its errors are those with neighbours
	Alpha   float64      // the share of the neighbours

	// Temperature is T, 0 for 1. Learnt, it makes the mean of the largest probabilities of the rows that are held out
	// the share of them that is right, (h + 1)/(n + 2) of h among n.
	Temperature float64
	// Weights are w, nil for ones. Balanced, w_k is one over the share of class k among the labels.
	Weights []float64
	// Threshold is the probability from which on a row is of a class, of several: that of the largest F1 in cross-validation.
	Threshold float64

	// Confusion is what cross-validation finds of one class a row, each part with the α that is best for the others, and
	// Alone the share that is right with α = 0. It is nil, and Alone 0, where there are too few labels, which smooth
	// nothing, or more than 4,096 classes. Scores are of several.
	Confusion *Confusion
	Alone     float64
	Scores    *SetScores

	Names  []string // of the classes by label, or nil: the caller's to set, and kept in a file
	Origin Origin   // of the rows that it learnt from: the caller's to set, and kept in a file
}

// An Origin is the model that made the rows, zero where it is not known.
type Origin struct {
	Kind string `json:"kind"`            // such as graph or features
	Hash string `json:"model,omitempty"` // such as [coles.Model.Hash]
}

// An Answer is what a [Predictor] says of a row: the classes, or a value and the bounds that nine in ten keep.
type Answer struct {
	Classes          []Chance // of all classes, the likeliest first
	Has              int      // how many of them it has, the first ones
	Value, Low, High float64
}

// A Chance is the probability of a class.
type Chance struct {
	Class       int
	Probability float64
}

// Fit learns from the rows of y (n × d) that have a label. Cross-validation chooses C of several candidates, as
// [LogisticRegression] does, then α. It takes the α of most right predictions, of the smallest squared error for
// numbers, but the first unless they are more than a standard error apart, or, for what cross-validation finds, two.
// Rows that are held out are not held at their labels. Of several classes a row those predictions count that are among
// as many of the likeliest as it has; numbers have ten parts, and where α is not 0 Margin and Found of the [Ridge] are of
// these. Without a graph, or for more than 2²⁷ opinions, α is 0. Of more than 2²⁷/c labelled rows of one of c classes so
// many are held out, drawn by the seed.
//
// It takes a [LogisticRegression.Fit] with its search and one for each of five parts, or ten of [FitRidge], and up to 50
// passes over the edges with c columns for each candidate and part.
//
// Errors: [coles.ErrShape] unless there are a label and a node for each row, as LogisticRegression.Fit and FitRidge,
// [coles.ErrIndex] for a negative class among several, [ErrSplit] for a class given twice or fewer than two classes, and
// [coles.ErrSetting] for candidates outside [0, 1), or Balanced with other labels than one class.
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
// It takes the scores of the rows, or of all rows and up to 50 passes over the edges.
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

func (p *Predictor) opinion(f *matrix.Matrix[float64]) opinion {
	if p.Ridge != nil {
		return p.Ridge.opinion(f)
	}
	return p.Linear.opinion(f, p.Several)
}

// answer is that of a row by its smoothed opinion.
func (p *Predictor) answer(row []float64) Answer {
	if p.Ridge != nil {
		return p.Ridge.answer(row[0])
	}
	a := Answer{Classes: make([]Chance, len(row)), Has: 1}
	if p.Several {
		a.Has = len(reaching(row, p.Threshold))
	} else {
		p.temper(row)
	}
	for k, v := range row {
		a.Classes[k] = Chance{p.Linear.Classes[k], v}
	}
	slices.SortStableFunc(a.Classes, func(a, b Chance) int { return cmp.Compare(b.Probability, a.Probability) })
	return a
}

// temper changes the smoothed probabilities of a row by temperature and weights.
func (p *Predictor) temper(row []float64) {
	sum, t := 0.0, cmp.Or(p.Temperature, 1)
	for k := range row {
		if row[k] = math.Pow(row[k], 1/t); p.Weights != nil {
			row[k] *= p.Weights[k]
		}
		sum += row[k]
	}
	matrix.Scale(row, 1/sum)
}

// measure takes the temperature or the threshold, and counts what is found.
func (t *groups) measure(p *Predictor, of trial) (err error) {
	if p.Several {
		return t.measureSets(p, of)
	}
	best := of.best(-1)
	p.Temperature = temperature(of.held[best], of.hits[best])
	predict := func(a, q int) int {
		row := slices.Clone(of.held[a].Row(q))
		p.temper(row)
		return t.classes[floats.MaxIdx(row)]
	}
	found, actual, alone := make([]int, len(of.rows)), picked(t.labels, of.rows), 0
	of.nested(func(q, _, a int) {
		if found[q] = predict(a, q); predict(0, q) == actual[q] {
			alone++
		}
	})
	p.Alone = share(alone, len(actual))
	p.Confusion, err = NewConfusion(found, actual)
	return err
}

// temperature is that with which the mean of the largest probabilities is the share of hits, (h + 1)/(n + 2), from 1/64
// to 64: Laplace's rule, so that a few that are all right promise nothing for certain.
func temperature(p kernel.Matrix[float64], hits []float64) float64 {
	right := 1 + floats.Sum(hits)
	low, high := -6.0, 6.0 // log₂ T
	for range 20 {
		middle := (low + high) / 2
		t, sum := math.Exp2(middle), 0.0
		for i := range p.Rows {
			row := p.Row(i)
			largest, all := floats.Max(row), 0.0
			for _, v := range row {
				all += math.Pow(v/largest, 1/t)
			}
			sum += 1 / all
		}
		if sum/float64(p.Rows) > right/float64(len(hits)+2) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp2((low + high) / 2)
}
