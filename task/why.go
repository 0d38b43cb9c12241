package task

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"coles"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// mostReasons is how many nodes, and how many columns, are given for a prediction.
const mostReasons = 3

// A Why has the largest parts of the score for the class of a node. Score is the sum of Intercept, Nodes and a rest, or
// of Intercept, Columns and a rest.
type Why struct {
	Score     float64      `json:"score"`
	Intercept float64      `json:"intercept"`
	Nodes     []NodePart   `json:"nodes,omitempty"`
	Columns   []ColumnPart `json:"columns,omitempty"`
}

// A NodePart is the part of a labelled node; above 0 it speaks for the class.
type NodePart struct {
	ID   string  `json:"id"`
	Part float64 `json:"part"`
}

// A ColumnPart is the part of a column of features; Value is the node's own.
type ColumnPart struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Part  float64 `json:"part"`
}

// String is "ann +1.25, bob -0.5; jazz=2 +0.75, rock (neighbours) +0.5".
func (w *Why) String() string {
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

// Why says why the nodes of these rows of y, vectors of d by m, got these answers of one class. The reasons are labelled
// nodes, unless the predictor was read, and known columns of features. Errors: [ErrNoReasons], and as
// [learn.LinearModel.RowReasons] and [learn.LinearModel.ColumnReasons].
func (p *Predictor) Why(ctx context.Context, d *Data, m Model, y mat.Matrix, t Target, rows []int, answers []learn.Answer) ([]*Why, error) {
	n, _ := y.Dims()
	classes := make([]int, len(rows))
	for q, a := range answers {
		classes[q] = a.Classes[0].Class
	}
	var byNode, byColumn []learn.Reasons
	var err error
	fitted, ok := m.(*coles.Model)
	by, y := p.reading(y, t)
	if by != p.byVectors {
		fitted, ok = nil, true
	}
	if p.vectors != nil {
		if byNode, err = by.Linear.RowReasons(ctx, y, p.numbered(t.Classes, t.Names), rows, classes, mostReasons); err != nil {
			return nil, err
		}
	}
	if ok && d.Features != nil {
		if byColumn, err = by.Linear.ColumnReasons(ctx, fitted, d.Graph, d.Features, y, rows, classes, mostReasons); err != nil {
			return nil, err
		}
	}
	if byNode == nil && byColumn == nil {
		return nil, ErrNoReasons
	}
	all, ids := make([]*Why, len(rows)), Names(d.IDs, n)
	for q, i := range rows {
		w := &Why{}
		if byColumn != nil {
			w.Score, w.Intercept = byColumn[q].Score, byColumn[q].Intercept
			for _, part := range byColumn[q].Parts {
				name := "column " + strconv.Itoa(part.Of+1)
				if d.FeatureNames != nil {
					name = d.FeatureNames[part.Of]
				}
				w.Columns = append(w.Columns, ColumnPart{name, d.Features.At(i, part.Of), part.Part})
			}
		}
		if byNode != nil {
			w.take(byNode[q], ids)
		}
		all[q] = w
	}
	return all, nil
}

// take takes the parts of labelled nodes.
func (w *Why) take(of learn.Reasons, ids []string) {
	w.Score, w.Intercept = of.Score, of.Intercept
	for _, part := range of.Parts {
		w.Nodes = append(w.Nodes, NodePart{ids[part.Of], part.Part})
	}
}

// WhyNewcomer is [Predictor.Why] for a newcomer with the vector y (1 × d) and features x, nil for none, by the labelled nodes
// of the ids that were learnt from. It is nil for several classes, numbers and a predictor that was read.
func (p *Predictor) WhyNewcomer(ctx context.Context, y, x mat.Matrix, ids []string) (*Why, error) {
	if p.vectors == nil {
		return nil, nil
	}
	var labels []int
	var names []string
	learnt := p.vectors
	by, y := p.reading(y, Target{features: x})
	if by != p.byVectors {
		learnt = p.features
	}
	_, columns := y.Dims()
	rows := mat.NewDense(len(p.labels)+1, columns, nil)
	for i, l := range p.labels {
		if l >= 0 {
			mat.Row(rows.RawRowView(len(labels)), i, learnt)
			labels, names = append(labels, l), append(names, ids[i])
		}
	}
	known := len(labels)
	mat.Row(rows.RawRowView(known), 0, y)
	of := rows.Slice(0, known+1, 0, columns)
	found, err := by.Linear.RowReasons(ctx, of, append(labels, -1), []int{known}, nil, mostReasons)
	if err != nil {
		return nil, err
	}
	w := &Why{}
	w.take(found[0], names)
	return w, nil
}
