package main

import (
	"net/http"

	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// find is the row of a node in the last fit or, with row −1, a newcomer.
func (v *view) find(id string) (row int, n newNode, err error) {
	if at, ok := v.newcomers.place[id]; ok {
		return -1, v.newcomers.all[at], nil
	}
	row, ok := v.row(id)
	if !ok {
		err = noNode(id)
	}
	return row, newNode{id: id}, err
}

// similar answers for a node of the last fit or a newcomer. Where neighbours are compared, newcomers are like newcomers alone.
func (s *service) similar(_ http.ResponseWriter, r *http.Request) (any, error) {
	count, err := wanted(r)
	if err != nil {
		return nil, err
	}
	v, done := s.look()
	defer done()
	row, a, err := v.find(r.FormValue("id"))
	if err != nil {
		return nil, err
	}
	found := []match{}
	switch {
	case row < 0 && a.unit != nil:
		found, err = v.nearest(r.Context(), a.unit, count, a.id)
	case row >= 0:
		var all [][]near.Match
		if all, err = v.similar.Rows(r.Context(), []int{row}, count+len(v.hidden)); err != nil {
			return nil, err
		}
		found = v.named(all[0])
		y := mat.Row(nil, row, v.rows)
		if v.similar.ByVectors() && floats.Norm(y, 2) > v.rounding {
			found, err = v.newcomers.nearest(r.Context(), y, found, count, a.id)
		}
		found = found[:min(count, len(found))]
	}
	return map[string]any{"id": a.id, "nearest": found}, err
}

// links are, of a node of the last fit, those of the recommender that there may be now and, of a newcomer, the nearest
// nodes that no edge joins to it.
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
	row, a, err := v.find(r.FormValue("id"))
	if err != nil {
		return nil, err
	}
	links := []edge{}
	if row < 0 {
		var found []match
		if a.unit != nil {
			found, err = v.nearest(r.Context(), a.unit, count+len(v.book.weights[a.id]), a.id)
		}
		for _, m := range found {
			if !v.joined(a.id, m.ID) && len(links) < count {
				links = append(links, edge{m, v.common(a.id, m.ID)})
			}
		}
		return map[string]any{"id": a.id, "links": links}, err
	}
	recommender, err := v.links()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	may := func(_, other int) bool { return !v.hidden[v.ids[other]] && !v.joined(a.id, v.ids[other]) }
	found, err := recommender.Recommend(r.Context(), []int{row}, count, may)
	if err != nil {
		return nil, err
	}
	for _, m := range found[0] {
		links = append(links, edge{match{v.ids[m.Row], m.Score}, v.common(a.id, v.ids[m.Row])})
	}
	return map[string]any{"id": a.id, "links": links}, nil
}

// An edge is one that there may be, and who speaks for it.
type edge struct {
	match
	Common []string `json:"common"` // neighbours of both
}
