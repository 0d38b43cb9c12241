package main

import (
	"fmt"
	"net/http"
)

// mostTold is how many changes a request may have.
const mostTold = 1000

// told reads the changes of a request, of a form T, and takes them as a batch.
func told[T any](s *service, size func(T) int, as func(T) batch) handler {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		if s.kept.journal == nil {
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
