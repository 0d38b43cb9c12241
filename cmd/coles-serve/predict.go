package main

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"coles/learn"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

var (
	errNoLabels = failure{http.StatusNotFound, errors.New("no labels: the service was started without -labels")}
	errUnknown  = failure{http.StatusNotFound, errors.New("nothing is known of this node yet: it wants a feature, or an edge to a node of the last fit")}
)

// taught is what has been learnt from labels.
func (s *state) taught() (*learnt, error) {
	switch {
	case s.unlearnt != nil:
		return nil, failure{http.StatusNotFound, s.unlearnt}
	case s.learnt == nil:
		return nil, errNoLabels
	}
	return s.learnt, nil
}

// predict answers for a newcomer, by its vector alone: to smooth the whole graph takes longer than a request.
func (s *service) predict(_ http.ResponseWriter, r *http.Request) (any, error) {
	who, err := readNewcomer(r)
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	of, err := v.taught()
	var y *mat.Dense
	var unknown []string
	if err == nil {
		y, unknown, err = v.welcome(r.Context(), of.placer, who)
	}
	ids, hidden := v.ids, v.hidden
	done()
	if err != nil {
		return nil, err
	}
	found, err := of.predict(r.Context(), y, who.K, ids, hidden)
	if err == nil {
		found["unknown"] = unknown
	}
	return found, err
}

// predict answers by a vector, nil for none.
func (l *learnt) predict(ctx context.Context, y *mat.Dense, k int, ids []string, hidden map[string]bool) (map[string]any, error) {
	if y == nil {
		return nil, errUnknown
	}
	answers, err := l.Answers(ctx, nil, y, task.Target{}, nil)
	if err != nil {
		return nil, err
	}
	why, err := l.WhyNewcomer(ctx, y, ids)
	return l.words(answers[0], k, why, hidden), err
}

// predictNode answers for a node of the last fit or, by its vector alone, for a newcomer.
func (s *service) predictNode(_ http.ResponseWriter, r *http.Request) (any, error) {
	k, err := wanted(r)
	if err != nil {
		return nil, err
	}
	v, done := s.prepared(func(of *state) {
		if of.learnt != nil {
			of.learnt.answers()
		}
	})
	of, st, hidden := v.learnt, v.state, v.hidden
	a, err := v.subject(r.FormValue("id"))
	if err == nil {
		_, err = v.taught()
	}
	var y *mat.Dense
	if err == nil && a.row < 0 {
		y, _, err = v.place(r.Context(), of.placer, stranger{v.book.added[a.id], v.book.weights[a.id]})
	}
	done()
	if err != nil {
		return nil, err
	}
	var found map[string]any
	if a.row < 0 {
		found, err = of.predict(r.Context(), y, k, st.ids, hidden)
	} else {
		found, err = of.node(r.Context(), st, a.row, k, hidden)
	}
	if err == nil {
		found["id"] = a.id
	}
	return found, err
}

// node answers for a node of the last fit.
func (l *learnt) node(ctx context.Context, of *state, row, k int, hidden map[string]bool) (map[string]any, error) {
	answers, err := l.answers()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	answer, why := answers[row], []*task.Why{nil}
	if l.Kind() == task.OneClass {
		if why, err = l.Why(ctx, of.Data, l.model, l.rows, l.target, []int{row}, []learn.Answer{answer}); err != nil {
			return nil, err
		}
	}
	return l.words(answer, k, why[0], hidden), nil
}

// words are an answer in JSON. Nodes that are gone are not named.
func (l *learnt) words(a learn.Answer, k int, why *task.Why, hidden map[string]bool) map[string]any {
	switch l.Kind() {
	case task.Number:
		return map[string]any{"value": a.Value, "low": a.Low, "high": a.High}
	case task.SeveralClasses:
		return map[string]any{"classes": l.Likeliest(a, k), "threshold": l.Threshold}
	}
	if why != nil {
		why.Nodes = slices.DeleteFunc(why.Nodes, func(p task.NodePart) bool { return hidden[p.ID] })
	}
	return map[string]any{"classes": l.Likeliest(a, k), "why": why}
}
