package main

import (
	"fmt"
	"net/http"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// mostTold is how many changes a request may have.
const mostTold = 1000

// told reads the changes of a request, of a form T, and takes them as a batch.
func told[T any](s *service, size func(T) int, as func(T) batch) handler {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		if s.kept == nil {
			return nil, errNotKept
		}
		if err := sameOrigin(r, "change the graph"); err != nil {
			return nil, err
		}
		var changes T
		if err := decode(r, &changes); err != nil {
			return nil, err
		}
		if n := size(changes); n < 1 || n > mostTold {
			return nil, fmt.Errorf("body: %d changes, want 1 to %d", n, mostTold)
		}
		return s.tell(r.Context(), as(changes))
	}
}

// tellers are the handlers of what changes the graph.
func (s *service) tellers() []route {
	return []route{
		{"POST", "/nodes", told(s, func(v []toldNode) int { return len(v) }, func(v []toldNode) batch { return batch{Nodes: v} })},
		{"DELETE", "/nodes", told(s, func(v []string) int { return len(v) }, func(v []string) batch { return batch{RemoveNodes: v} })},
		{"POST", "/edges", told(s, func(v []toldEdge) int { return len(v) }, func(v []toldEdge) batch { return batch{Edges: v} })},
		{"DELETE", "/edges", told(s, func(v []toldEdge) int { return len(v) }, func(v []toldEdge) batch {
			none := 0.
			for k := range v {
				v[k].Weight = &none
			}
			return batch{Edges: v}
		})},
		{"PUT", "/features", told(s, func(v map[string]map[string]any) int { return len(v) }, func(v map[string]map[string]any) batch { return batch{Features: v} })},
	}
}

// similarKept is similar among the nodes of the last fit and the newcomers.
func (s *service) similarKept(r *http.Request) (any, error) {
	k := s.kept
	k.reading.RLock()
	defer k.reading.RUnlock()
	now, id, count, y, err := s.keptNode(r)
	if err != nil {
		return nil, err
	}
	found := []match{}
	if mat.Norm(y, 2) > 0 {
		found, err = k.nearest(r.Context(), now, y, count, id)
	}
	return map[string]any{"id": id, "nearest": found}, err
}

// keptNode is the node that a request is about, and what its vector is but for the length, for who holds k.reading.
func (s *service) keptNode(r *http.Request) (now *state, id string, count int, y *mat.Dense, err error) {
	k := s.kept
	now, id = s.now.Load(), r.FormValue("id")
	if count, err = wanted(r); err != nil {
		return nil, "", 0, nil, err
	}
	_, columns := now.rows.Dims()
	y = mat.NewDense(1, columns, nil)
	if at, ok := k.newcomers.place[id]; ok {
		if unit := k.newcomers.all[at].unit; unit != nil {
			y.SetRow(0, unit)
		}
		return now, id, count, y, nil
	}
	row, ok := now.graph.Row(id)
	if !ok || k.hidden[id] {
		return nil, "", 0, nil, noNode(id)
	}
	if mat.Row(y.RawRowView(0), row, now.rows); mat.Norm(y, 2) <= now.rounding {
		y.Zero()
	}
	return now, id, count, y, nil
}

// linksKept are, of a node of the last fit, those of the recommender without the nodes that are gone and, of a newcomer, the nearest
// nodes that no edge joins to it.
func (s *service) linksKept(r *http.Request) (any, error) {
	k := s.kept
	s.now.Load().links() // which may learn for seconds, before anybody waits for k.reading
	k.reading.RLock()
	defer k.reading.RUnlock()
	now, id, count, y, err := s.keptNode(r)
	if err != nil {
		return nil, err
	}
	links := []edge{}
	if at, ok := k.newcomers.place[id]; ok {
		n := k.newcomers.all[at]
		if n.unit == nil {
			return map[string]any{"id": id, "links": links}, nil
		}
		found, err := k.nearest(r.Context(), now, y, count+len(n.ends), id)
		for _, m := range found {
			if _, joined := n.ends[m.ID]; !joined && len(links) < count {
				links = append(links, edge{m, k.common(now, n, m.ID)})
			}
		}
		return map[string]any{"id": id, "links": links}, err
	}
	row, _ := now.graph.Row(id)
	recommender, err := now.links()
	if err != nil {
		return nil, failure{http.StatusInternalServerError, err}
	}
	may := func(_, other int) bool { return !k.hidden[now.ids[other]] }
	found, err := recommender.Recommend(r.Context(), []int{row}, count, may)
	if err != nil {
		return nil, err
	}
	for i, m := range now.named(found[0]) {
		links = append(links, edge{m, now.common(row, found[0][i].Row)})
	}
	return map[string]any{"id": id, "links": links}, nil
}

// common are the ends of a newcomer's edges that are neighbours of another node.
func (k *kept) common(now *state, n newNode, other string) []string {
	names := []string{}
	row, known := now.graph.Row(other)
	for id := range n.ends {
		joined := false
		if at, ok := k.newcomers.place[other]; ok {
			_, joined = k.newcomers.all[at].ends[id]
		} else if end, ok := now.graph.Row(id); ok && known {
			neighbours, _ := now.graph.Neighbors(row)
			_, joined = slices.BinarySearch(neighbours, int32(end))
		}
		if joined {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	return names[:min(mostCommon, len(names))]
}
