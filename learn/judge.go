package learn

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/contingency"
	"coles/internal/given"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Labels are what is known of n nodes, of one of three kinds.
type Labels struct {
	Classes []int     // one class a node, negative where it is unknown
	Sets    [][]int   // several classes a node, none where they are unknown
	Values  []float64 // a number a node, NaN where it is unknown
}

// A judge cross-validates embeddings with every α on the same parts.
type judge struct {
	parts  setParts
	alphas []float64
	hits   [][][]float64 // what is right, by embedding, α and row: for numbers less the squared error
	// A score is start + Σ hits/total.
	start, total float64
	// held are the hits of an embedding with these α.
	held func(ctx context.Context, f *matrix.Matrix[float64], alphas []float64) ([][]float64, error)
}

// judge returns a judge by the labels, nil where they are too few.
func (l Labels) judge(g *coles.Graph, how Smoothing) (*judge, error) {
	n := g.Nodes()
	switch {
	case l.Values != nil && len(l.Values) == n:
		return judgeValues(g, l.Values, how)
	case l.Values == nil && l.Sets != nil && len(l.Sets) == n:
		return judgeSets(g, l.Sets, how)
	case l.Values == nil && l.Sets == nil && len(l.Classes) == n:
		return judgeClasses(g, l.Classes, how)
	}
	return nil, fmt.Errorf("%w: %d labels for %d nodes", coles.ErrShape, max(len(l.Classes), len(l.Sets), len(l.Values)), n)
}

func judgeClasses(g *coles.Graph, labels []int, how Smoothing) (*judge, error) {
	rows := repeated(labels)
	if rows == nil {
		return nil, nil
	}
	classes := contingency.Distinct(picked(labels, rows))
	alphas, err := how.candidates(g, g.Nodes(), len(classes))
	if err != nil {
		return nil, err
	}
	some := slices.Repeat([]int{-1}, len(labels)) // without the classes of one row
	for _, i := range rows {
		some[i] = labels[i]
	}
	parts, err := stratified(rows, labels, 0, how.Seed, mostSmoothed/len(classes)/len(alphas))
	return &judge{parts: parts, alphas: alphas, total: float64(len(parts.rows)),
		held: func(ctx context.Context, f *matrix.Matrix[float64], alphas []float64) ([][]float64, error) {
			held, err := LogisticRegression{}.heldOut(ctx, g, f, some, classes, parts, alphas)
			return rightOnes(held, classes, picked(labels, parts.rows)), err
		}}, err
}

func judgeSets(g *coles.Graph, sets [][]int, how Smoothing) (*judge, error) {
	s, err := setsOf(sets)
	if rows := s.rows(); err != nil || len(s.classes) < 2 || len(rows) < 2 {
		return nil, err
	}
	alphas, err := how.candidates(g, g.Nodes(), len(s.classes))
	if err != nil {
		return nil, err
	}
	j := &judge{parts: splitRows(s.rows(), 0, how.Seed), alphas: alphas}
	for _, i := range j.parts.rows {
		j.total += float64(len(s.known[i]))
	}
	j.held = func(ctx context.Context, f *matrix.Matrix[float64], alphas []float64) ([][]float64, error) {
		_, models, err := s.chooseC(ctx, f, []float64{1}, j.parts, func() {})
		if err != nil {
			return nil, err
		}
		held, err := s.heldOut(ctx, g, f, models, alphas, j.parts, func() {})
		return s.rightOnes(held, j.parts), err
	}
	return j, nil
}

func judgeValues(g *coles.Graph, values []float64, how Smoothing) (*judge, error) {
	r, labelled, y, err := ridgeOf(values)
	if err != nil || len(labelled) < 3 || slices.Min(y) == slices.Max(y) {
		return nil, err
	}
	_, t := r.targets(values, labelled)
	alphas, err := how.candidates(g, g.Nodes(), 1)
	if err != nil {
		return nil, err
	}
	j := &judge{parts: splitRows(labelled, valueParts, how.Seed), alphas: alphas, start: 1, total: stat.PopVariance(t, nil) * float64(len(t))}
	j.held = func(ctx context.Context, f *matrix.Matrix[float64], alphas []float64) ([][]float64, error) {
		_, hits, err := r.heldOut(ctx, g, f, values, alphas, j.parts)
		return hits, err
	}
	return j, nil
}

// repeated are the rows of the classes that have two labels at least, nil where there is one such
// class or none.
func repeated(labels []int) (rows []int) {
	count := make(map[int]int)
	for _, l := range labels {
		count[l]++
	}
	for i, l := range labels {
		if l >= 0 && count[l] > 1 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 || checkClasses(rows, labels) != nil {
		return nil
	}
	return rows
}

// try measures the embedding of a model, a later one with every α only if it is not behind the first without neighbours.
func (j *judge) try(ctx context.Context, m *coles.Model) error {
	var y mat.Matrix = m.Embedding32()
	if m.Embedding32() == nil {
		y = m.Embedding()
	}
	f, err := given.Read(ctx, y)
	if err != nil {
		return err
	}
	alphas := j.alphas
	if len(j.hits) > 0 {
		alphas = alphas[:1]
	}
	hits, err := j.held(ctx, f, alphas)
	if err != nil {
		return err
	}
	if more := j.alphas[len(alphas):]; len(more) > 0 && floats.Sum(hits[0]) >= floats.Sum(j.hits[0][0]) {
		smoothed, err := j.held(ctx, f, more)
		if err != nil {
			return err
		}
		hits = append(hits, smoothed...)
	}
	j.hits = append(j.hits, hits)
	return nil
}

// taken is the embedding that the rows outside a part choose: the first unless a later one is enough standard errors
// better.
func (j *judge) taken(part int) (best int) {
	for k := range j.hits {
		if lead, deviation := j.lead(k, best, part); lead > enough*deviation {
			best = k
		}
	}
	return best
}

// lead is how much more one embedding has right than another outside a part, each with its α, and the standard error of
// that.
func (j *judge) lead(one, other, part int) (lead, deviation float64) {
	return gain(j.best(one, part), j.best(other, part), j.parts.fold, part)
}

// best are the hits of an embedding with the α that the rows outside a part choose.
func (j *judge) best(k, part int) []float64 {
	return j.hits[k][convincing(j.hits[k], j.parts.fold, part)]
}

func (j *judge) score(hits []float64) float64 { return j.start + floats.Sum(hits)/j.total }
