package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"coles"
	"coles/learn"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Kind is what labels are.
type Kind int

// The kinds of labels.
const (
	OneClass Kind = iota
	SeveralClasses
	Number
)

// String is the kind in words.
func (k Kind) String() string {
	return []string{"one class a node", "several classes a node", "numbers"}[k]
}

// A Predictor has learnt from the labels of nodes.
type Predictor struct {
	Kind    Kind
	Of      Origin   // of the vectors that it learnt from
	Columns int      // of these
	Classes []int    // that it has learnt, as numbers into Names, ascending; nil for numbers
	Names   []string // nil for numbers, and where classes have none
	C       float64  // of the regression of classes
	Alpha   float64  // the share of the neighbours

	Threshold   float64 // the probability from which on a node has one of several classes
	Temperature float64 // of one class, as in [learn.Smoothed]
	Logarithms  bool    // of numbers are predicted

	// What cross-validation has found of labels of the kind, nil where nothing was cross-validated. Alone is the share
	// of one class that is right without neighbours.
	Found   *learn.Confusion
	Sets    *learn.SetScores
	Numbers *learn.RidgeErrors
	Alone   float64

	one     *learn.Smoothed
	several *learn.SetModel
	number  *learn.Ridge
	vectors mat.Matrix // learnt from, with these labels; nil for a predictor that was read, and for another kind
	labels  []int
}

// ErrNoLabels: no node has a label to learn from.
var ErrNoLabels = errors.New("there are no labels")

// Learn learns from the labels of the nodes of g, of which y (n × d) are vectors by a model, nil for vectors of a file;
// g may be nil, and the neighbours then have no share.
//
// Errors: [ErrNoLabels], [learn.ErrSplit] for labels of one class, and as [learn.LogisticRegression.LearnSmoothed],
// [learn.LogisticRegression.LearnSets] and [learn.LearnSmoothedRidge].
func Learn(ctx context.Context, g *coles.Graph, y mat.Matrix, m Model, t Target, how learn.Smoothing, progress coles.Progress) (*Predictor, error) {
	if !t.Any() {
		return nil, ErrNoLabels
	}
	p, by := &Predictor{Names: t.Names, Of: OriginOf(m)}, learn.LogisticRegression{Progress: progress}
	var err error
	switch {
	case t.Values != nil:
		p.number, err = learn.LearnSmoothedRidge(ctx, g, y, t.Values, how)
	case t.Sets != nil:
		p.several, err = by.LearnSets(ctx, g, y, t.Sets, how)
	default:
		last := slices.Max(t.Classes)
		if !slices.ContainsFunc(t.Classes, func(l int) bool { return 0 <= l && l < last }) {
			return nil, fmt.Errorf("%w: all labels are of one class", learn.ErrSplit)
		}
		p.vectors, p.labels = y, t.Classes
		p.one, err = by.LearnSmoothed(ctx, g, y, t.Classes, how)
	}
	if err != nil {
		return nil, err
	}
	p.take()
	return p, nil
}

// take takes what the model behind it tells.
func (p *Predictor) take() {
	m := (*learn.LinearModel)(nil)
	switch {
	case p.number != nil:
		r := p.number
		p.Kind, p.Alpha, p.Logarithms, p.Columns = Number, r.Alpha, r.Log, len(r.Coef)
		if r.Found.Rows > 0 {
			p.Numbers = &r.Found
		}
		return
	case p.several != nil:
		m, p.Kind, p.Alpha, p.Threshold = p.several.Linear, SeveralClasses, p.several.Alpha, p.several.Threshold
		if p.several.Found.Rows > 0 {
			p.Sets = &p.several.Found
		}
	default:
		m, p.Alpha, p.Temperature, p.Found, p.Alone = p.one.LinearModel, p.one.Alpha, p.one.Temperature, p.one.Found, p.one.Alone
		if p.Found != nil {
			p.Found.Names = p.Names
		}
	}
	p.Classes, p.C = m.Classes, m.C
	_, p.Columns = m.Coef.Dims()
}

// An Answer is what is predicted for a node: a number, and the bounds that nine in ten keep, or classes.
type Answer struct {
	Value, Low, High float64
	Probabilities    []float64 // of each of the classes of the [Predictor]
	Has              []int     // the places of the node's classes among them: one, or of several as many as there are
}

// Best is the place of the likeliest class.
func (a Answer) Best() int { return floats.MaxIdx(a.Probabilities) }

// Answers predicts the nodes of these rows of y, nil for all, smoothed along the edges of g from the nodes whose labels
// t has. For nil g, of newcomers, nothing is smoothed.
//
// Errors: [coles.ErrShape] unless y has the columns that were learnt from, and ctx's.
func (p *Predictor) Answers(ctx context.Context, g *coles.Graph, y mat.Matrix, t Target, rows []int) (all []Answer, err error) {
	n, _ := y.Dims()
	if g == nil {
		t = Target{}
	}
	if p.number != nil {
		if g != nil && t.Values == nil {
			t.Values = slices.Repeat([]float64{math.NaN()}, n)
		}
		v, low, high, err := p.number.Smooth(ctx, g, y, t.Values, rows)
		for q := range v {
			all = append(all, Answer{Value: v[q], Low: low[q], High: high[q]})
		}
		return all, err
	}
	var of *mat.Dense
	if p.several != nil {
		of, err = p.several.Probabilities(ctx, g, y, p.knownSets(t, g, n), rows)
	} else {
		of, err = p.one.Smooth(ctx, g, y, p.numbered(t.Classes, t.Names), rows)
	}
	if err != nil {
		return nil, err
	}
	count, _ := of.Dims()
	for q := range count {
		a := Answer{Probabilities: of.RawRowView(q)}
		if a.Has = []int{a.Best()}; p.several != nil {
			a.Has = p.several.Places(a.Probabilities)
		}
		all = append(all, a)
	}
	return all, nil
}

// numbered are labels by the names of this predictor's classes, of others by other names; −1 for a class that it lacks.
func (p *Predictor) numbered(labels []int, names []string) []int {
	if p.Names == nil || names == nil {
		return labels
	}
	to := make([]int, len(labels))
	for i, l := range labels {
		if to[i] = -1; l >= 0 {
			to[i] = slices.Index(p.Names, names[l])
		}
	}
	return to
}

// knownSets are the sets of n nodes by the names of this predictor's classes, nil without a graph.
func (p *Predictor) knownSets(t Target, g *coles.Graph, n int) [][]int {
	if g == nil {
		return nil
	}
	known := make([][]int, n)
	for i, set := range t.Sets {
		for _, l := range p.numbered(set, t.Names) {
			if l >= 0 {
				known[i] = append(known[i], l)
			}
		}
	}
	return known
}

// A Chance is a class and its probability.
type Chance struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

// Likeliest are the most likeliest classes of an answer, the likeliest first.
func (p *Predictor) Likeliest(a Answer, most int) []Chance {
	all := make([]Chance, len(a.Probabilities))
	for k, of := range a.Probabilities {
		all[k] = Chance{p.Class(k), of}
	}
	slices.SortStableFunc(all, func(a, b Chance) int { return cmp.Compare(b.Probability, a.Probability) })
	return all[:min(most, len(all))]
}

// Class is the name of the class in a place of Classes.
func (p *Predictor) Class(place int) string {
	if p.Names == nil {
		return strconv.Itoa(p.Classes[place])
	}
	return p.Names[p.Classes[place]]
}

// linear is the model of classes.
func (p *Predictor) linear() *learn.LinearModel {
	if p.several != nil {
		return p.several.Linear
	}
	return p.one.LinearModel
}
