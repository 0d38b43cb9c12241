package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"coles"
	"coles/dataset"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A predictor says what the label of a newcomer is, given its vector y and k.
type predictor func(ctx context.Context, y *mat.Dense, k int) (map[string]any, error)

// A chance is a class by name.
type chance struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
}

// learn learns from labels: numbers, several classes a node, or one. Neighbours have no share: a newcomer's vector has
// theirs already, and to smooth the whole graph takes longer than a request.
func learnt(ctx context.Context, g *coles.Graph, y mat.Matrix, d *dataset.Dataset) (predictor, error) {
	labels, names := learn.Labels{Classes: d.Labels}, d.Classes
	if sets, of, found := d.LabelSets(); found {
		labels, names = learn.Labels{Sets: sets}, of
	} else if values, odd, found := d.LabelNumbers(); found {
		if labels = (learn.Labels{Values: values}); odd >= 0 {
			return nil, fmt.Errorf("%w: %q among numbers", coles.ErrFormat, d.Classes[d.Labels[odd]])
		}
	}
	m, err := learn.Fit(ctx, g, y, labels, learn.Options{Alphas: []float64{0}, Seed: 1})
	if err != nil {
		return nil, err
	}
	speaks := reasons(g, y, d.Labels)
	return func(ctx context.Context, y *mat.Dense, k int) (map[string]any, error) {
		answers, err := m.Predict(ctx, nil, y, learn.Labels{}, nil)
		if err != nil {
			return nil, err
		}
		a := answers[0]
		switch {
		case m.Ridge != nil:
			return map[string]any{"value": a.Value, "low": a.Low, "high": a.High}, nil
		case m.Several:
			return map[string]any{"classes": likeliest(a, names, k), "threshold": m.Threshold}, nil
		}
		why, err := speaks(ctx, m.Linear, y)
		return map[string]any{"classes": likeliest(a, names, k), "why": why}, err
	}, nil
}

// A reason is a labelled node, and what it adds to the score of the class that a newcomer has.
type reason struct {
	ID   string  `json:"id"`
	Part float64 `json:"part"`
}

// reasons returns what finds the labelled nodes that speak most for the class of a newcomer, or against it.
func reasons(g *coles.Graph, y mat.Matrix, labels []int) func(context.Context, *learn.LinearModel, *mat.Dense) ([]reason, error) {
	const most = 3
	ids := g.IDs()
	var known, of []int
	for i, l := range labels {
		if l >= 0 {
			known, of = append(known, i), append(of, l)
		}
	}
	_, columns := y.Dims()
	rows := mat.NewDense(max(len(known), 1), columns, nil)
	for q, i := range known {
		rows.SetRow(q, mat.Row(nil, i, y))
	}
	return func(ctx context.Context, m *learn.LinearModel, newcomer *mat.Dense) (why []reason, err error) {
		var all mat.Dense
		all.Stack(rows, newcomer)
		found, err := m.RowReasons(ctx, &all, append(slices.Clone(of), -1), []int{len(known)}, nil, most)
		if err != nil {
			return nil, err
		}
		for _, p := range found[0].Parts {
			why = append(why, reason{ids[known[p.Of]], p.Part})
		}
		return why, nil
	}
}

// likeliest are the k likeliest classes.
func likeliest(a learn.Answer, names []string, k int) (chances []chance) {
	for _, c := range a.Classes[:min(k, len(a.Classes))] {
		chances = append(chances, chance{names[c.Class], c.Probability})
	}
	return chances
}

func (s *service) predict(_ http.ResponseWriter, r *http.Request) (any, error) {
	now := s.now.Load()
	if now.learnt == nil {
		return nil, failure{http.StatusNotFound, fmt.Errorf("no labels: the service was started without -labels")}
	}
	k, y, unknown, err := now.newcomer(r)
	if err != nil {
		return nil, err
	}
	found, err := now.learnt(r.Context(), y, k)
	if err != nil {
		return nil, err
	}
	found["unknown"] = unknown
	return found, nil
}
