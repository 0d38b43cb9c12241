package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"coles"
	"coles/learn"
)

// mostReasons is how many nodes, and how many columns, are given for a prediction.
const mostReasons = 3

// A why has the largest parts of the score for the class of a node: Intercept, Nodes and what is left are Score, and
// so are Intercept, Columns and what is left.
type why struct {
	Score     float64      `json:"score"`
	Intercept float64      `json:"intercept"`
	Nodes     []nodePart   `json:"nodes,omitempty"`
	Columns   []columnPart `json:"columns,omitempty"`
}

// A nodePart is that of a labelled node.
type nodePart struct {
	ID   string  `json:"id"`
	Part float64 `json:"part"`
}

// A columnPart is that of a column of the features; Value is the node's own, and its neighbours have others.
type columnPart struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Part  float64 `json:"part"`
}

// String is "ann +1.25, bob -0.5; jazz=2 +0.75, rock (neighbours) +0.5".
func (w *why) String() string {
	var nodes, columns, all []string
	for _, p := range w.Nodes {
		nodes = append(nodes, p.ID+" "+signed(p.Part))
	}
	for _, p := range w.Columns {
		value := "=" + strconv.FormatFloat(p.Value, 'g', 3, 64)
		if p.Value == 0 {
			value = " (neighbours)"
		}
		columns = append(columns, p.Name+value+" "+signed(p.Part))
	}
	for _, part := range [][]string{nodes, columns} {
		if len(part) > 0 {
			all = append(all, strings.Join(part, ", "))
		}
	}
	return strings.Join(all, "; ")
}

func signed(v float64) string { return fmt.Sprintf("%+.3g", v) }

// reasons say why these nodes are predicted to be of these classes: by the labelled nodes that the classifier has learnt
// from, unless it was read, and by the columns of the features, unless they are not known.
func (k *classifier) reasons(ctx context.Context, e *embedding, learnt bool, labels, rows, classes []int, ids []string) ([]*why, error) {
	all := make([]*why, len(rows))
	var byNode, byColumn []learn.Reasons
	var err error
	if learnt {
		if byNode, err = k.Linear.RowReasons(ctx, e.rows, labels, rows, classes, mostReasons); err != nil {
			return nil, err
		}
	}
	m, ok := e.model.(*coles.Model)
	if ok && e.data.Features != nil {
		if byColumn, err = k.Linear.ColumnReasons(ctx, m, e.graph, e.data.Features, e.rows, rows, classes, mostReasons); err != nil {
			return nil, err
		}
	}
	if byNode == nil && byColumn == nil {
		return nil, usagef("-why takes labels to learn from, or features and the model that embeds them")
	}
	for q, i := range rows {
		w := &why{}
		if byColumn != nil {
			w.Score, w.Intercept = byColumn[q].Score, byColumn[q].Intercept
			for _, p := range byColumn[q].Parts {
				name := "column " + strconv.Itoa(p.Of+1)
				if e.data.FeatureNames != nil {
					name = e.data.FeatureNames[p.Of]
				}
				w.Columns = append(w.Columns, columnPart{name, e.data.Features.At(i, p.Of), p.Part})
			}
		}
		if byNode != nil {
			w.Score, w.Intercept = byNode[q].Score, byNode[q].Intercept
			for _, p := range byNode[q].Parts {
				w.Nodes = append(w.Nodes, nodePart{ids[p.Of], p.Part})
			}
		}
		all[q] = w
	}
	return all, nil
}
