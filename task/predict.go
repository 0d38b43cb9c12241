package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"coles"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A Predictor has learnt from the labels of nodes, by vectors of a model or, where these alone do better, by the features.
type Predictor struct {
	*learn.Predictor
	byVectors *learn.Predictor // for nodes without features, too

	// The rows that it learnt from; nil for a predictor that was read, and for another kind.
	vectors, features mat.Matrix
	labels            []int
}

// FitPredictor learns from labels by the vectors y (n × d) of the nodes of g, made by a model; m is nil for vectors of a
// file. For nil g neighbours have no share. Features that [TargetOf] has seen are tried alone, too.
// Errors: [ErrNoLabels], [learn.ErrSplit] for labels of one class, and as [learn.Fit].
func FitPredictor(ctx context.Context, g *coles.Graph, y mat.Matrix, m Model, t Target, how learn.Options) (*Predictor, error) {
	if !t.Any() {
		return nil, ErrNoLabels
	}
	p, err := &Predictor{}, error(nil)
	if t.Kind() == OneClass {
		last := slices.Max(t.Classes)
		if !slices.ContainsFunc(t.Classes, func(l int) bool { return 0 <= l && l < last }) {
			return nil, fmt.Errorf("%w: all labels are of one class, %q", learn.ErrSplit, className(t.Names, last))
		}
		p.vectors, p.features, p.labels = y, t.features, t.Classes
	}
	how.Columns = t.features
	if p.byVectors, err = learn.Fit(ctx, g, y, t.Labels, how); err != nil {
		return nil, err
	}
	p.choose()
	for _, of := range []*learn.Predictor{p.byVectors, p.Predictor} {
		if of.Names, of.Origin = t.Names, originOf(m); of.Confusion != nil {
			of.Confusion.Names = t.Names
		}
	}
	return p, nil
}

// choose takes the predictor by features, if there is one.
func (p *Predictor) choose() { p.Predictor = cmp.Or(p.byVectors.Columns, p.byVectors) }

// byFeatures reports whether nodes are predicted by their features alone, and not by vectors.
func (p *Predictor) byFeatures() bool { return p.Predictor != p.byVectors }

// Kind is the kind of the predicted labels.
func (p *Predictor) Kind() Kind {
	switch {
	case p.Ridge != nil:
		return Number
	case p.Several:
		return SeveralClasses
	}
	return OneClass
}

// Reads is the input of its predictions: vectors, or columns of the features.
func (p *Predictor) Reads() string {
	if p.byFeatures() {
		return "columns"
	}
	return "vectors"
}

// Model is the source of its input, in words: a kind of model, or the columns.
func (p *Predictor) Model() string {
	if p.byFeatures() {
		return "columns of the features"
	}
	return kindOf(p.Origin)
}

// For is the predictor for vectors of m. Where the model of either is not known it notes that, and predicts by vectors, since
// features may be encoded otherwise. Errors: for another model, and [ErrOtherLabels].
func (p *Predictor) For(m Model, t Target) (*Predictor, []Note, error) {
	learnt, vectors := p.Origin, originOf(m)
	said := fmt.Sprintf("learnt from %v, and these vectors are from %v", learnt.Name(), vectors.Name())
	switch {
	case t.Any() && (t.Kind() == Number) != (p.Kind() == Number):
		return nil, nil, fmt.Errorf("predicts %v, and %w", p.Kind(), ErrOtherLabels)
	case learnt.Hash != "" && vectors.Hash != "" && learnt != vectors, learnt.Kind != "" && vectors.Kind != "" && learnt.Kind != vectors.Kind:
		return nil, nil, errors.New(said)
	case learnt.Hash == "" || vectors.Hash == "":
		by := *p
		by.Predictor = p.byVectors
		return &by, []Note{{Text: said + ": whether one model made both cannot be checked"}}, nil
	}
	return p, nil, nil
}

// Answers predicts the nodes of these rows of y, nil for all, by their vectors and by the labels t of the nodes around
// them in g. For nil g, as of newcomers, the vectors alone speak. Without the features that it reads it answers by vectors.
// Errors: as [learn.Predictor.Predict].
func (p *Predictor) Answers(ctx context.Context, g *coles.Graph, y mat.Matrix, t Target, rows []int) ([]learn.Answer, error) {
	known := t.Labels
	if p.Kind() != t.Kind() {
		known = learn.Labels{}
	}
	known.Classes = p.numbered(known.Classes, t.Names)
	if known.Sets != nil {
		known.Sets = make([][]int, len(t.Sets))
		for i, set := range t.Sets {
			known.Sets[i] = p.numbered(set, t.Names)
		}
	}
	by, y := p.reading(y, t)
	return by.Predict(ctx, g, y, known, rows)
}

// Newcomers predicts nodes outside the graph by vectors y and features x, nil for none. Errors: as
// [learn.Predictor.Predict].
func (p *Predictor) Newcomers(ctx context.Context, y, x mat.Matrix) ([]learn.Answer, error) {
	return p.Answers(ctx, nil, y, Target{features: x}, nil)
}

// reading is the predictor for these nodes, and its input.
func (p *Predictor) reading(y mat.Matrix, t Target) (*learn.Predictor, mat.Matrix) {
	if p.byFeatures() && t.features != nil {
		return p.Predictor, t.features
	}
	return p.byVectors, y
}

// numbered translates labels with names into this predictor's classes; −1 for a class that it lacks.
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

// Likeliest are the most likeliest classes of an answer, best first.
func (p *Predictor) Likeliest(a learn.Answer, most int) []Chance {
	all := make([]Chance, min(most, len(a.Classes)))
	for k := range all {
		all[k] = Chance{p.Class(a.Classes[k].Class), a.Classes[k].Probability}
	}
	return all
}

// Having are the classes that the node of an answer has, in their order.
func (p *Predictor) Having(a learn.Answer) []Chance {
	has := slices.Clone(a.Classes[:a.Has])
	slices.SortFunc(has, func(a, b learn.Chance) int { return cmp.Compare(a.Class, b.Class) })
	return p.Likeliest(learn.Answer{Classes: has}, len(has))
}

// Class is the name of a class.
func (p *Predictor) Class(label int) string { return className(p.Names, label) }
