package main

import (
	"errors"
	"net/http"

	"coles/learn"
	"coles/task"
)

var errNoLabels = failure{http.StatusNotFound, errors.New("no labels: the service was started without -labels")}

// predict answers for a newcomer, by its vector alone: to spread labels over the whole graph takes longer than a request.
func (s *service) predict(_ http.ResponseWriter, r *http.Request) (any, error) {
	now := s.now.Load()
	of := now.learnt
	if of == nil {
		return nil, errNoLabels
	}
	k, y, unknown, err := now.newcomer(r, of.placer)
	if err != nil {
		return nil, err
	}
	answers, err := of.Answers(r.Context(), nil, y, task.Target{}, nil)
	if err != nil {
		return nil, err
	}
	why, err := of.WhyNewcomer(r.Context(), y, now.ids)
	found := of.words(answers[0], k, why)
	found["unknown"] = unknown
	return found, err
}

// predictNode answers for a node of the last fit.
func (s *service) predictNode(_ http.ResponseWriter, r *http.Request) (any, error) {
	a, done, err := s.subject(r)
	if err != nil {
		return nil, err
	}
	done()
	of := a.now.learnt
	switch {
	case of == nil:
		return nil, errNoLabels
	case a.row < 0:
		return nil, failure{http.StatusNotFound, errors.New("the last fit has not seen this node: POST its neighbours and features")}
	}
	answers, err := of.answers()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	answer, why := answers[a.row], []*task.Why{nil}
	if of.Kind() == task.OneClass {
		if why, err = of.Why(r.Context(), a.now.Data, of.model, of.rows, of.target, []int{a.row}, []learn.Answer{answer}); err != nil {
			return nil, err
		}
	}
	found := of.words(answer, a.k, why[0])
	found["id"] = a.id
	return found, nil
}

// words are an answer in JSON.
func (l *learnt) words(a learn.Answer, k int, why *task.Why) map[string]any {
	switch l.Kind() {
	case task.Number:
		return map[string]any{"value": a.Value, "low": a.Low, "high": a.High}
	case task.SeveralClasses:
		return map[string]any{"classes": l.Likeliest(a, k), "threshold": l.Threshold}
	}
	return map[string]any{"classes": l.Likeliest(a, k), "why": why}
}
