package main

import (
	"net/http"
	"slices"

	"coles/link"
	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A subject is the node that a request is about, and how many others it wants.
type subject struct {
	now *state
	newNode
	row int // in the last fit, −1 for a newcomer
	k   int
}

// subject reads what a request is about. What is told waits until done is called, and nothing else may be read of kept.
func (s *service) subject(r *http.Request) (a subject, done func(), err error) {
	if a.k, err = wanted(r); err != nil {
		return a, nil, err
	}
	k, id := &s.kept, r.FormValue("id")
	k.reading.RLock()
	a.now = s.now.Load()
	if at, ok := k.newcomers.place[id]; ok {
		a.newNode, a.row = k.newcomers.all[at], -1
		return a, k.reading.RUnlock, nil
	}
	row, ok := a.now.Graph.Row(id)
	if !ok || k.hidden[id] {
		k.reading.RUnlock()
		return a, nil, noNode(id)
	}
	a.id, a.row = id, row
	return a, k.reading.RUnlock, nil
}

// similar answers for a node of the last fit or a newcomer. Where neighbours are compared, newcomers are like newcomers alone.
func (s *service) similar(_ http.ResponseWriter, r *http.Request) (any, error) {
	a, done, err := s.subject(r)
	if err != nil {
		return nil, err
	}
	defer done()
	k, found := &s.kept, []match{}
	switch {
	case a.row < 0 && a.unit != nil:
		found, err = k.nearest(r.Context(), a, a.k)
	case a.row >= 0:
		var all [][]near.Match
		if all, err = a.now.similar.Rows(r.Context(), []int{a.row}, a.k+len(k.hidden)); err != nil {
			return nil, err
		}
		found = a.now.named(all[0], k.hidden)
		y := mat.Row(nil, a.row, a.now.rows)
		if a.now.similar.ByVectors() && floats.Norm(y, 2) > a.now.rounding {
			found, err = k.newcomers.nearest(r.Context(), y, found, a.k, a.id)
		}
		found = found[:min(a.k, len(found))]
	}
	return map[string]any{"id": a.id, "nearest": found}, err
}

// links are, of a node of the last fit, those of the recommender without the nodes that are gone and, of a newcomer, the nearest
// nodes that no edge joins to it.
func (s *service) links(_ http.ResponseWriter, r *http.Request) (any, error) {
	s.now.Load().links() // which may learn for seconds, before anybody waits for what is told
	a, done, err := s.subject(r)
	if err != nil {
		return nil, err
	}
	defer done()
	k, links := &s.kept, []edge{}
	if a.row < 0 {
		var found []match
		if a.unit != nil {
			found, err = k.nearest(r.Context(), a, a.k+len(a.ends))
		}
		for _, m := range found {
			if _, joined := a.ends[m.ID]; !joined && len(links) < a.k {
				links = append(links, edge{m, k.common(a.now, a.newNode, m.ID)})
			}
		}
		return map[string]any{"id": a.id, "links": links}, err
	}
	recommender, err := a.now.links()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	may := func(_, other int) bool { return !k.hidden[a.now.ids[other]] }
	found, err := recommender.Recommend(r.Context(), []int{a.row}, a.k, may)
	if err != nil {
		return nil, err
	}
	for _, m := range found[0] {
		links = append(links, edge{match{a.now.ids[m.Row], m.Score}, a.now.common(a.row, m.Row)})
	}
	return map[string]any{"id": a.id, "links": links}, nil
}

// An edge is one that there may be, and who speaks for it.
type edge struct {
	match
	Common []string `json:"common"` // neighbours of both
}

// mostCommon neighbours are named.
const mostCommon = 5

// common are the names of nodes that are neighbours of both.
func (s *state) common(u, v int) []string {
	names := []string{}
	for _, i := range link.InCommon(s.Graph, u, v, mostCommon) {
		names = append(names, s.ids[i])
	}
	return names
}

// named are matches by name, without the nodes that are gone.
func (s *state) named(found []near.Match, gone map[string]bool) []match {
	matches := []match{}
	for _, m := range found {
		if id := s.ids[m.Row]; !gone[id] {
			matches = append(matches, match{id, m.Score})
		}
	}
	return matches
}

// common are the ends of a newcomer's edges that are neighbours of another node.
func (k *kept) common(now *state, n newNode, other string) []string {
	names := []string{}
	row, known := now.Graph.Row(other)
	for id := range n.ends {
		joined := false
		if at, ok := k.newcomers.place[other]; ok {
			_, joined = k.newcomers.all[at].ends[id]
		} else if end, ok := now.Graph.Row(id); ok && known {
			neighbours, _ := now.Graph.Neighbors(row)
			_, joined = slices.BinarySearch(neighbours, int32(end))
		}
		if joined {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	return names[:min(mostCommon, len(names))]
}
