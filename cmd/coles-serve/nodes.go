package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"coles"
	"coles/link"
	"coles/near"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// about reads the node that a request is about, and how many others it wants.
func (s *state) about(r *http.Request) (id string, row, k int, err error) {
	id = r.FormValue("id")
	if k, err = wanted(r); err != nil {
		return "", 0, 0, err
	}
	row, ok := s.graph.Row(id)
	if !ok {
		return "", 0, 0, noNode(id)
	}
	return id, row, min(k, s.graph.Nodes()-1), nil
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
	for _, i := range link.InCommon(s.graph, u, v, mostCommon) {
		names = append(names, s.ids[i])
	}
	return names
}

// A newcomer is a node that is not in the graph.
type newcomer struct {
	Neighbours []string       `json:"neighbours"` // ids of nodes in the graph
	Features   map[string]any `json:"features"`   // by name; others are 0, or holes in a table
	K          int            `json:"k"`          // number of nearest nodes, or of classes
}

// newcomer reads a newcomer and embeds it. Features with values that are unknown count for nothing.
func (s *state) newcomer(r *http.Request) (k int, y *mat.Dense, unknown []string, err error) {
	who := newcomer{K: 10}
	if err := decode(r, &who); err != nil {
		return 0, nil, nil, err
	}
	switch {
	case len(who.Neighbours)+len(who.Features) == 0:
		return 0, nil, nil, errors.New("body: a newcomer has neighbours or features")
	case who.K < 1:
		return 0, nil, nil, fmt.Errorf("body: k is %d, want at least 1", who.K)
	}
	if len(s.columns) == 0 && len(who.Neighbours) == 0 {
		return 0, nil, nil, errors.New("body: the graph has no features, and a newcomer to it has neighbours")
	}
	x, unknown, err := s.row(r.Context(), who.Features)
	if err != nil {
		return 0, nil, nil, err
	}
	edges := make([]coles.Edge, len(who.Neighbours))
	for i, id := range who.Neighbours {
		row, ok := s.graph.Row(id)
		if !ok {
			return 0, nil, nil, fmt.Errorf("no node %q", id)
		}
		edges[i] = coles.Edge{U: s.graph.Nodes(), V: row}
	}
	if s.nearby != nil && len(edges) == 0 {
		if edges, err = s.nearby.Near(r.Context(), x); err != nil {
			return 0, nil, nil, err
		}
	}
	y, err = s.frozen.Embed(r.Context(), x, edges, nil)
	return min(who.K, maxNearest), y, unknown, err
}

// row is the features of a node, by name, and those with a value that the encoder does not know.
func (s *state) row(ctx context.Context, features map[string]any) (x mat.Matrix, unknown []string, err error) {
	cells, row := table.New(), []any(nil)
	unknown = []string{}
	if len(s.columns) == 0 && len(features) == 0 {
		return nil, unknown, nil
	}
	numbers := mat.NewDense(1, max(len(s.columns), 1), nil)
	for name, value := range features {
		column, ok := s.columns[name]
		if !ok {
			return nil, nil, fmt.Errorf("no feature %q", name)
		}
		if s.encoder != nil {
			switch value.(type) {
			case []any, map[string]any:
				return nil, nil, fmt.Errorf("feature %q: a list or an object, not a cell", name)
			}
			cells.Columns = append(cells.Columns, table.Column{Name: name})
			row = append(row, value)
			continue
		}
		number, _ := value.(json.Number)
		v, err := number.Float64()
		if err != nil {
			return nil, nil, fmt.Errorf("feature %q: %v is not a number of float64", name, value)
		}
		numbers.Set(0, column, v)
	}
	if s.encoder == nil {
		return numbers, unknown, nil
	}
	cells.Add("", row...)
	for _, u := range s.encoder.Unseen(cells) {
		unknown = append(unknown, u.Column)
	}
	slices.Sort(unknown)
	x, err = s.encoder.Encode(ctx, cells)
	return x, unknown, err
}

func (s *state) named(found []near.Match) []match {
	matches := make([]match, len(found))
	for i, m := range found {
		matches[i] = match{s.ids[m.Row], m.Score}
	}
	return matches
}
