package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// A Predictor has learnt from the labels of nodes, by [learn.Fit].
type Predictor struct {
	*learn.Predictor
	Kind    Kind
	Classes []int // that it has learnt, as numbers into Names, ascending; nil for numbers

	vectors mat.Matrix // learnt from, with these labels; nil for a predictor that was read, and for another kind
	labels  []int
}

// ErrNoLabels: no node has a label to learn from.
var ErrNoLabels = errors.New("there are no labels")

// Learn learns from the labels of the nodes of g, of which y (n × d) are vectors by a model, nil for vectors of a file;
// g may be nil, and the neighbours then have no share.
//
// Errors: [ErrNoLabels], [learn.ErrSplit] for labels of one class, and as [learn.Fit].
func Learn(ctx context.Context, g *coles.Graph, y mat.Matrix, m Model, t Target, how learn.Options, progress coles.Progress) (*Predictor, error) {
	if !t.Any() {
		return nil, ErrNoLabels
	}
	if t.Kind() == OneClass {
		last := slices.Max(t.Classes)
		if !slices.ContainsFunc(t.Classes, func(l int) bool { return 0 <= l && l < last }) {
			return nil, fmt.Errorf("%w: all labels are of one class", learn.ErrSplit)
		}
	}
	how.Progress = progress
	of, err := learn.Fit(ctx, g, y, t.Labels, how)
	if err != nil {
		return nil, err
	}
	of.Names, of.Origin = t.Names, learn.Origin(OriginOf(m))
	if of.Confusion != nil {
		of.Confusion.Names = t.Names
	}
	p := predictorOf(of)
	if p.Kind == OneClass {
		p.vectors, p.labels = y, t.Classes
	}
	return p, nil
}

// predictorOf is a predictor that was learnt or read.
func predictorOf(of *learn.Predictor) *Predictor {
	p := &Predictor{Predictor: of}
	switch {
	case of.Ridge != nil:
		p.Kind = Number
		return p
	case of.Several:
		p.Kind = SeveralClasses
	}
	p.Classes = of.Linear.Classes
	return p
}

// An Answer is what is predicted for a node: a number, and the bounds that nine in ten keep, or classes.
type Answer struct {
	Value, Low, High float64
	Probabilities    []float64 // of each of the classes of the [Predictor]
	Has              []int     // the places of the node's classes among them, ascending: one, or of several as many as there are
}

// Best is the place of the likeliest class.
func (a Answer) Best() int { return floats.MaxIdx(a.Probabilities) }

// Answers predicts the nodes of these rows of y, nil for all, smoothed along the edges of g from the nodes whose labels
// t has. For nil g, of newcomers, nothing is smoothed.
//
// Errors: as [learn.Predictor.Predict].
func (p *Predictor) Answers(ctx context.Context, g *coles.Graph, y mat.Matrix, t Target, rows []int) ([]Answer, error) {
	found, err := p.Predict(ctx, g, y, p.known(t), rows)
	if err != nil {
		return nil, err
	}
	all := make([]Answer, len(found))
	for q, of := range found {
		a := Answer{Value: of.Value, Low: of.Low, High: of.High}
		if p.Kind != Number {
			a.Probabilities = make([]float64, len(p.Classes))
		}
		for k, c := range of.Classes {
			place, _ := slices.BinarySearch(p.Classes, c.Class)
			if a.Probabilities[place] = c.Probability; k < of.Has {
				a.Has = append(a.Has, place)
			}
		}
		slices.Sort(a.Has)
		all[q] = a
	}
	return all, nil
}

// known are the labels of this predictor's kind by the names of its classes.
func (p *Predictor) known(t Target) (known learn.Labels) {
	switch p.Kind {
	case Number:
		known.Values = t.Values
	case SeveralClasses:
		for _, set := range t.Sets {
			known.Sets = append(known.Sets, slices.DeleteFunc(slices.Clone(p.numbered(set, t.Names)), func(l int) bool { return l < 0 }))
		}
	default:
		known.Classes = p.numbered(t.Classes, t.Names)
	}
	return known
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
