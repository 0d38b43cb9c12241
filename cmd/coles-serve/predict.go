package main

import (
	"errors"
	"net/http"
	"slices"

	"coles/learn"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

var (
	errNoLabels = failure{http.StatusNotFound, errors.New("no labels: the service was started without -labels, or those that are left cannot be learnt from")}
	errUnknown  = failure{http.StatusNotFound, errors.New("nothing is known of this node yet: it wants a feature, or an edge to a node of the last fit")}
)

// predict answers for a newcomer, by its vector alone: to spread labels over the whole graph takes longer than a request.
func (s *service) predict(_ http.ResponseWriter, r *http.Request) (any, error) {
	who, err := readNewcomer(r)
	if err != nil {
		return nil, err
	}
	var unknown []string
	found, err := s.predicted(r, who.K, func(v *view) (row int, y *mat.Dense, err error) {
		y, unknown, err = v.welcome(r.Context(), v.learnt.placer, who)
		return -1, y, err
	})
	if err == nil {
		found["unknown"] = unknown
	}
	return found, err
}

// predictNode answers for a node that there is.
func (s *service) predictNode(_ http.ResponseWriter, r *http.Request) (any, error) {
	k, err := wanted(r)
	if err != nil {
		return nil, err
	}
	id := r.FormValue("id")
	found, err := s.predicted(r, k, func(v *view) (row int, y *mat.Dense, err error) {
		row, _, err = v.find(id)
		if err == nil && row < 0 {
			y, _, err = v.place(r.Context(), v.learnt.placer, stranger{v.book.features[id], v.book.weights[id]})
		}
		return row, y, err
	})
	if err == nil {
		found["id"] = id
	}
	return found, err
}

// predicted predicts a node of the last fit or, for row −1, another by its vector alone: to smooth the whole graph takes longer than a request.
func (s *service) predicted(r *http.Request, k int, find func(*view) (row int, y *mat.Dense, err error)) (map[string]any, error) {
	v, done := s.look()
	of, now, hidden := v.learnt, v.state, v.hidden
	row, y, err := 0, (*mat.Dense)(nil), error(errNoLabels)
	if of != nil {
		row, y, err = find(v)
	}
	done()
	switch {
	case err != nil:
		return nil, err
	case row < 0 && y == nil:
		return nil, errUnknown
	}
	var answer learn.Answer
	var why *task.Why
	if row < 0 {
		answers, err := of.Answers(r.Context(), nil, y, task.Target{}, nil)
		if err != nil {
			return nil, err
		}
		answer = answers[0]
		if why, err = of.WhyNewcomer(r.Context(), y, now.ids); err != nil {
			return nil, err
		}
	} else {
		answers, err := of.answers()
		if err != nil {
			return nil, failure{http.StatusInternalServerError, err}
		}
		answer = answers[row]
		if of.Kind() == task.OneClass {
			all, err := of.Why(r.Context(), now.Data, of.model, of.rows, of.target, []int{row}, answers[row:row+1])
			if err != nil {
				return nil, err
			}
			why = all[0]
		}
	}
	switch of.Kind() {
	case task.Number:
		return map[string]any{"value": answer.Value, "low": answer.Low, "high": answer.High}, nil
	case task.SeveralClasses:
		return map[string]any{"classes": of.Likeliest(answer, k), "threshold": of.Threshold}, nil
	}
	if why != nil {
		why.Nodes = slices.DeleteFunc(why.Nodes, func(p task.NodePart) bool { return hidden[p.ID] })
	}
	return map[string]any{"classes": of.Likeliest(answer, k), "why": why}, nil
}
