package main

import (
	"cmp"
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
	how, by := learn.Smoothing{Alphas: []float64{0}, Seed: 1}, learn.LogisticRegression{}
	if sets, names, found := d.LabelSets(); found {
		m, err := by.LearnSets(ctx, g, y, sets, how)
		return func(ctx context.Context, y *mat.Dense, k int) (map[string]any, error) {
			p, err := m.Probabilities(ctx, nil, y, nil, nil)
			if err != nil {
				return nil, err
			}
			return map[string]any{"classes": likeliest(p, m.Linear.Classes, names, k), "threshold": m.Threshold}, nil
		}, err
	}
	if values, odd, found := d.LabelNumbers(); found {
		if odd >= 0 {
			return nil, fmt.Errorf("%w: %q among numbers", coles.ErrFormat, d.Classes[d.Labels[odd]])
		}
		m, err := learn.LearnSmoothedRidge(ctx, g, y, values, how)
		return func(ctx context.Context, y *mat.Dense, _ int) (map[string]any, error) {
			v, low, high, err := m.Predict(ctx, y, nil)
			if err != nil {
				return nil, err
			}
			return map[string]any{"value": v[0], "low": low[0], "high": high[0]}, nil
		}, err
	}
	m, err := by.LearnSmoothed(ctx, g, y, d.Labels, how)
	speaks := reasons(g, y, d.Labels)
	return func(ctx context.Context, y *mat.Dense, k int) (map[string]any, error) {
		p, err := m.Smooth(ctx, nil, y, nil, nil)
		if err != nil {
			return nil, err
		}
		why, err := speaks(ctx, m.LinearModel, y)
		return map[string]any{"classes": likeliest(p, m.Classes, d.Classes, k), "why": why}, err
	}, err
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
func likeliest(p *mat.Dense, classes []int, names []string, k int) (chances []chance) {
	for j, class := range classes {
		chances = append(chances, chance{names[class], p.At(0, j)})
	}
	slices.SortStableFunc(chances, func(a, b chance) int { return cmp.Compare(b.Probability, a.Probability) })
	return chances[:min(k, len(chances))]
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
