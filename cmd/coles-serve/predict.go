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
	errNoLabels = failure{http.StatusNotFound, errors.New("no labels: the service was started without -labels or a classifier, or those that are left cannot be learnt from")}
	errUnknown  = failure{http.StatusNotFound, errors.New("nothing is known of this node yet: it wants a feature, or an edge to a node of the last fit")}
)

// predict answers for a node that there is, by GET, or for a newcomer: like all that the last fit has not seen by its vector alone,
// as to spread labels over the whole graph takes longer than a request.
func (s *service) predict(_ http.ResponseWriter, r *http.Request) (any, error) {
	var who newcomer
	var err error
	given := r.Method == http.MethodPost
	if given {
		who, err = readNewcomer(r)
	} else {
		who.K, err = wanted(r)
	}
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	of, now, hidden := v.learnt, v.state, v.hidden
	id, row, y, unknown, x := r.FormValue("id"), -1, (*mat.Dense)(nil), []string(nil), mat.Matrix(nil)
	switch {
	case of == nil:
		err = errNoLabels
	case given:
		y, unknown, err = v.welcome(r.Context(), of.placer, who)
	default:
		if row, _, err = v.find(id); err == nil && row < 0 {
			who.Features = v.book.features[id]
			y, _, err = v.place(r.Context(), of.placer, stranger{who.Features, v.book.weights[id]})
		}
	}
	if err == nil && row < 0 && len(who.Features) > 0 {
		x, _, err = v.cells.row(r.Context(), who.Features)
	}
	done()
	if err == nil && row < 0 && y == nil {
		err = errUnknown
	}
	if err != nil {
		return nil, err
	}
	found := map[string]any{"id": id}
	if given {
		found = map[string]any{"unknown": unknown}
	}
	var answer learn.Answer
	var why *task.Why
	if row < 0 {
		answers, err := of.Newcomers(r.Context(), y, x)
		if err != nil {
			return nil, err
		}
		answer = answers[0]
		if why, err = of.WhyNewcomer(r.Context(), y, x, now.ids); err != nil {
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
			if err == nil {
				why = all[0]
			} else if !errors.Is(err, task.ErrNoReasons) {
				return nil, err
			}
		}
	}
	switch of.Kind() {
	case task.Number:
		found["value"], found["low"], found["high"] = answer.Value, answer.Low, answer.High
		return found, nil
	case task.SeveralClasses:
		found["threshold"] = of.Threshold
	default:
		if why != nil {
			why.Nodes = slices.DeleteFunc(why.Nodes, func(p task.NodePart) bool { return hidden[p.ID] })
		}
		found["why"] = why
	}
	found["classes"] = of.Likeliest(answer, who.K)
	return found, nil
}
