package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"coles"
	"coles/table"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// A newcomer is a node that is not in the graph.
type newcomer struct {
	Neighbours []string       `json:"neighbours"` // ids of nodes in the graph
	Features   map[string]any `json:"features"`   // by name; others are 0, or holes in a table
	K          int            `json:"k"`          // number of nearest nodes, or of classes
}

// newcomer reads a newcomer and places it. Features with values that are unknown count for nothing.
func (s *state) newcomer(r *http.Request, by *task.Placer) (k int, y *mat.Dense, unknown []string, err error) {
	who := newcomer{K: 10}
	if err := decode(r, &who); err != nil {
		return 0, nil, nil, err
	}
	switch {
	case len(who.Neighbours)+len(who.Features) == 0:
		return 0, nil, nil, errors.New("body: a newcomer has neighbours or features")
	case who.K < 1:
		return 0, nil, nil, fmt.Errorf("body: k is %d, want at least 1", who.K)
	case len(s.columns) == 0 && len(who.Neighbours) == 0:
		return 0, nil, nil, errors.New("body: the graph has no features, and a newcomer to it has neighbours")
	}
	x, unknown, err := s.row(r.Context(), who.Features)
	if err != nil {
		return 0, nil, nil, err
	}
	edges := make([]coles.Edge, len(who.Neighbours))
	for i, id := range who.Neighbours {
		row, ok := s.Graph.Row(id)
		if !ok {
			return 0, nil, nil, fmt.Errorf("no node %q", id)
		}
		edges[i] = coles.Edge{U: s.Graph.Nodes(), V: row}
	}
	y, err = by.Embed(r.Context(), x, edges, nil)
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
		if s.Encoder != nil {
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
	if s.Encoder == nil {
		return numbers, unknown, nil
	}
	cells.Add("", row...)
	for _, u := range s.Encoder.Unseen(cells) {
		unknown = append(unknown, u.Column)
	}
	slices.Sort(unknown)
	x, err = s.Encoder.Encode(ctx, cells)
	return x, unknown, err
}
