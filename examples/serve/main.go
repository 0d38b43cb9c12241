// Command serve shows package live behind net/http, on localhost:8080. It generates a graph of 1,000 nodes with 16
// features, fits it, and forgets all when it stops:
//
//	GET    /nodes/7    the nodes nearest to a node, and their cosines
//	POST   /nodes      takes a node, {"id": "kim", "features": [0.5, ...], "neighbours": ["7"]}; returns its vector
//	DELETE /nodes/kim  takes it away
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"sync"

	"coles"
	"coles/dataset/synthetic"
	"coles/live"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

func main() {
	s, err := begin(context.Background())
	if err == nil {
		err = http.ListenAndServe("localhost:8080", s.handler())
	}
	log.Fatal(err)
}

// A service has a graph that changes.
type service struct {
	mu    sync.Mutex // of a request: a removal changes the numbers of nodes
	graph *live.Graph
}

// begin fits a graph without columns of its structure, which [live.Follow] does not keep up to date.
func begin(ctx context.Context) (*service, error) {
	d, err := synthetic.Communities{Nodes: 1000, Features: 16, Dense: true}.Generate(ctx)
	if err != nil {
		return nil, err
	}
	for i := range d.Nodes() {
		d.IDs = append(d.IDs, fmt.Sprint(i))
	}
	g, err := d.Graph()
	if err != nil {
		return nil, err
	}
	m, err := coles.Fit(ctx, g, d.Features, coles.With(func(s *coles.Settings) { s.Structure = 0 }))
	if err != nil {
		return nil, err
	}
	followed, err := live.Follow(ctx, m, g, d.Features)
	return &service{graph: followed}, err
}

func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(*http.Request) (any, error){"GET /nodes/{id}": s.nearest, "POST /nodes": s.add, "DELETE /nodes/{id}": s.remove} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if answer, err := handle(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
			} else {
				json.NewEncoder(w).Encode(answer) // an error means that the client has gone
			}
		})
	}
	return mux
}

func (s *service) row(id string) (int, error) {
	row, ok := s.graph.Row(id)
	if !ok {
		return 0, fmt.Errorf("no node %q", id)
	}
	return row, nil
}

// nearest compares a node with all others. A service for many readers keeps an index.
func (s *service) nearest(r *http.Request) (any, error) {
	row, err := s.row(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	now, err := s.graph.Graph()
	if err != nil {
		return nil, err
	}
	all := make([]int, now.Nodes())
	for i := range all {
		all[i] = i
	}
	y, err := s.graph.Embed(r.Context(), all)
	if err != nil {
		return nil, err
	}
	index, err := near.NewIndex(r.Context(), y, near.Cosine)
	if err != nil {
		return nil, err
	}
	found, err := index.Rows(r.Context(), []int{row}, min(10, len(all)-1))
	if err != nil {
		return nil, err
	}
	cosines := map[string]float64{}
	for _, m := range found[0] {
		cosines[now.IDs()[m.Row]] = m.Score
	}
	return cosines, nil
}

func (s *service) add(r *http.Request) (any, error) {
	var who struct {
		ID         string
		Features   [16]float64
		Neighbours []string
	}
	if err := json.NewDecoder(r.Body).Decode(&who); err != nil {
		return nil, err
	}
	more := live.Change{Features: mat.NewDense(1, len(who.Features), who.Features[:]), IDs: []string{who.ID}}
	for _, id := range who.Neighbours {
		row, err := s.row(id)
		if err != nil {
			return nil, err
		}
		more.Edges = append(more.Edges, coles.Edge{U: s.graph.Nodes(), V: row})
	}
	if _, err := s.graph.Add(r.Context(), more); err != nil {
		return nil, err
	}
	y, err := s.graph.Embed(r.Context(), []int{s.graph.Nodes() - 1})
	if err != nil {
		return nil, err
	}
	return y.RawRowView(0), nil
}

func (s *service) remove(r *http.Request) (any, error) {
	row, err := s.row(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return s.graph.Remove(r.Context(), []int{row})
}
