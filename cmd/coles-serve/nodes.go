package main

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"coles/learn"
	"coles/near"
	"coles/task"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// find is the row of a node in the last fit or, with row −1, the vector of a newcomer.
func (v *view) find(id string) (row int, unit []float64, err error) {
	if unit, ok := v.newcomers[id]; ok {
		return -1, unit, nil
	}
	row, ok := v.row(id)
	if !ok {
		err = noNode(id)
	}
	return row, nil, err
}

// similar answers for a node of the last fit or a newcomer. Where neighbours are compared, newcomers meet newcomers alone.
func (s *service) similar(_ http.ResponseWriter, r *http.Request) (any, error) {
	count, err := wanted(r)
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	defer done()
	id := r.FormValue("id")
	row, unit, err := v.find(id)
	if err != nil {
		return nil, err
	}
	found := []match{}
	switch {
	case row < 0 && unit != nil:
		found, err = v.nearest(r.Context(), unit, count, id)
	case row >= 0:
		var all [][]near.Match
		if all, err = v.similar.Rows(r.Context(), []int{row}, count+len(v.hidden)); err != nil {
			return nil, err
		}
		found = v.named(all[0])
		y := mat.Row(nil, row, v.rows)
		if v.similar.ByVectors() && floats.Norm(y, 2) > v.rounding {
			found = v.newcomers.nearest(y, found, count, id)
		}
		found = found[:min(count, len(found))]
	}
	return map[string]any{"id": id, "nearest": found}, err
}

// links recommends nodes that no edge joins to one now: to one of the last fit by the recommender, to a newcomer the nearest.
func (s *service) links(_ http.ResponseWriter, r *http.Request) (any, error) {
	count, err := wanted(r)
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	for of := (*state)(nil); of != v.state; v, done = s.look() { // until no fit comes while it learns for seconds, for which nobody should wait
		of = v.state
		done()
		of.links()
	}
	defer done()
	id := r.FormValue("id")
	row, unit, err := v.find(id)
	if err != nil {
		return nil, err
	}
	links := []edge{}
	if row < 0 {
		var found []match
		if unit != nil {
			found, err = v.nearest(r.Context(), unit, count+len(v.book.weights[id]), id)
		}
		for _, m := range found {
			if !v.joined(id, m.ID) && len(links) < count {
				links = append(links, edge{m, v.common(id, m.ID)})
			}
		}
		return map[string]any{"id": id, "links": links}, err
	}
	recommender, err := v.links()
	if err != nil { // there is no edge to learn from
		return nil, failure{http.StatusNotFound, err}
	}
	may := func(_, other int) bool { return !v.hidden[v.ids[other]] && !v.joined(id, v.ids[other]) }
	found, err := recommender.Recommend(r.Context(), []int{row}, count, may)
	if err != nil {
		return nil, err
	}
	for _, m := range found[0] {
		links = append(links, edge{match{v.ids[m.Row], m.Score}, v.common(id, v.ids[m.Row])})
	}
	return map[string]any{"id": id, "links": links}, nil
}

// An edge is a likely one, with the common neighbours that speak for it.
type edge struct {
	match
	Common []string `json:"common"` // neighbours of both
}

var (
	errNoLabels = failure{http.StatusNotFound, errors.New("no labels: the service was started without -labels or a classifier, or those that are left cannot be learnt from")}
	errUnknown  = failure{http.StatusNotFound, errors.New("nothing is known of this node yet: it wants a feature, or an edge to a node of the last fit")}
)

// newcomer answers by the vector y of a node that the last fit has not seen, and by its features x, nil for none.
func (of *learnt) newcomer(ctx context.Context, y, x mat.Matrix, ids []string) (answer learn.Answer, why *task.Why, err error) {
	answers, err := of.Newcomers(ctx, y, x)
	if err == nil {
		why, err = of.WhyNewcomer(ctx, y, x, ids)
	}
	if err != nil {
		return answer, nil, err
	}
	return answers[0], why, nil
}

// known answers for a node of the last fit. There are reasons for a single class, unless the model has none.
func (of *learnt) known(ctx context.Context, d *task.Data, row int) (answer learn.Answer, why *task.Why, err error) {
	answers, err := of.answers()
	if err != nil {
		return answer, nil, failure{http.StatusInternalServerError, err}
	}
	answer = answers[row]
	if of.Kind() != task.OneClass {
		return answer, nil, nil
	}
	all, err := of.Why(ctx, d, of.model, of.rows, of.target, []int{row}, answers[row:row+1])
	if errors.Is(err, task.ErrNoReasons) {
		return answer, nil, nil
	} else if err != nil {
		return answer, nil, err
	}
	return answer, all[0], nil
}

// predict answers for a node by GET, and for a newcomer by POST. Nodes that the last fit has not seen are predicted by
// their vectors alone: to spread labels over the whole graph takes longer than a request.
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
		answer, why, err = of.newcomer(r.Context(), y, x, now.ids)
	} else {
		answer, why, err = of.known(r.Context(), now.Data, row)
	}
	if err != nil {
		return nil, err
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
