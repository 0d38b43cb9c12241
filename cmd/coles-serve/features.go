package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

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

// newcomer reads a newcomer.
func readNewcomer(r *http.Request) (who newcomer, err error) {
	who.K = 10
	switch err = decode(r, &who); {
	case err != nil:
	case len(who.Neighbours)+len(who.Features) == 0:
		err = errors.New("body: a newcomer has neighbours or features")
	case len(who.Neighbours) > mostTold:
		err = fmt.Errorf("body: %d neighbours, want at most %d", len(who.Neighbours), mostTold)
	case who.K < 1:
		err = fmt.Errorf("body: k is %d, want at least 1", who.K)
	}
	who.K = min(who.K, maxNearest)
	return who, err
}

// Cells are the columns that features are made of, of a table or of numbers.
type cells struct {
	columns map[string]int
	encoder *table.Encoder // nil for numbers
}

func cellsOf(d *task.Data) cells {
	c, names := cells{make(map[string]int), d.Encoder}, task.Names(d.FeatureNames, d.Columns())
	if d.Encoder != nil {
		names = nil
		for _, v := range d.Encoder.Variables() {
			names = append(names, v.Name)
		}
	}
	for j, name := range names {
		c.columns[name] = j
	}
	return c
}

// row is the features of a node, given by name, and the names of features with a value that the encoder does not know.
func (c cells) row(ctx context.Context, features map[string]any) (x mat.Matrix, unknown []string, err error) {
	told, row := table.New(), []any(nil)
	unknown = []string{}
	if len(c.columns) == 0 && len(features) == 0 {
		return nil, unknown, nil
	}
	numbers := mat.NewDense(1, max(len(c.columns), 1), nil)
	for name, value := range features {
		column, ok := c.columns[name]
		if !ok {
			return nil, nil, fmt.Errorf("no feature %q", name)
		}
		number, isNumber := value.(json.Number)
		of, err := number.Float64()
		if (isNumber || c.encoder == nil) && (err != nil || math.Abs(of) > math.MaxFloat32) {
			return nil, nil, fmt.Errorf("feature %q: %v is not a number of at most %.2g", name, value, math.MaxFloat32)
		}
		if c.encoder != nil {
			switch value.(type) {
			case []any, map[string]any:
				return nil, nil, fmt.Errorf("feature %q: a list or an object, not a cell", name)
			}
			told.Columns = append(told.Columns, table.Column{Name: name})
			row = append(row, value)
			continue
		}
		numbers.Set(0, column, of)
	}
	if c.encoder == nil {
		return numbers, unknown, nil
	}
	told.Add("", row...)
	for _, u := range c.encoder.Unseen(told) {
		unknown = append(unknown, u.Column)
	}
	slices.Sort(unknown)
	x, err = c.encoder.Encode(ctx, told)
	return x, unknown, err
}
