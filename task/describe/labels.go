package describe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/task"
)

// A labelsDescription is of labels of any kind.
type labelsDescription struct {
	Labelled  int                 `json:"labelled"`
	Classes   int                 `json:"classes"`
	Homophily *homophily          `json:"homophily"`                  // null without edges between labelled nodes
	Each      float64             `json:"classes_per_node,omitempty"` // of several
	Numbers   *numbersDescription `json:"numbers,omitempty"`
}

// A numbersDescription has the range of labels, and the correlation of neighbours, null without neighbours that differ.
type numbersDescription struct {
	Min           float64  `json:"min"`
	Max           float64  `json:"max"`
	Assortativity *float64 `json:"assortativity"`
}

// homophily is measured among the labelled nodes.
type homophily struct {
	Node     float64 `json:"node"`
	Edge     float64 `json:"edge"`
	Expected float64 `json:"expected"`
	Edges    int     `json:"edges"` // between labelled nodes
}

// farAbove is the share of the way from chance to 1 from which on homophily speaks for the graph. On generated graphs of
// five classes ("Where s turns" in lab/docs/results.md) the graph's model is as good as the features' from a quarter on,
// to half a point. It is far ahead from a half on. The four real graphs there whose features are better have at most 0.01.
const farAbove = 0.25

// Doubt warns of a choice of features where neighbours share their class far more often than by chance. First it takes off
// one over the root of the number of edges, two standard errors of a share at most. It is "" where there is nothing to warn
// of.
func (h *homophily) Doubt(chosen *coles.Alignment) string {
	if h == nil || chosen == nil || chosen.Kind() != coles.UseFeatures ||
		h.Edge-1/math.Sqrt(float64(h.Edges))-h.Expected < farAbove*(1-h.Expected) {
		return ""
	}
	return fmt.Sprintf("%.0f %% of edges join one class, and %.0f %% by chance: the graph may know better", 100*h.Edge, 100*h.Expected)
}

// Labels describes labels for what they are. Errors: of package eval.
func Labels(ctx context.Context, d *task.Data, t task.Target) (*labelsDescription, error) {
	about := &labelsDescription{Labelled: len(Labelled(d.Dataset))}
	switch {
	case t.Values != nil:
		known := slices.DeleteFunc(slices.Clone(t.Values), math.IsNaN)
		about.Numbers = &numbersDescription{Min: slices.Min(known), Max: slices.Max(known)}
		if r, err := eval.Assortativity(d.Graph, t.Values); err == nil {
			about.Numbers.Assortativity = &r
		} else if !errors.Is(err, coles.ErrShape) {
			return nil, err
		}
		return about, nil
	case t.Sets != nil:
		about.Classes, about.Each = len(t.Names), float64(len(slices.Concat(t.Sets...)))/float64(max(about.Labelled, 1))
		return about, nil
	}
	return describeClasses(ctx, d.Graph, d.Dataset)
}

// describeClasses describes labels of one class each.
func describeClasses(ctx context.Context, g *coles.Graph, d *dataset.Dataset) (*labelsDescription, error) {
	labelled := Labelled(d)
	about := &labelsDescription{Labelled: len(labelled), Classes: d.NumClasses()}
	if len(labelled) == 0 {
		return about, nil
	}
	labels := d.Labels
	if len(labelled) < len(labels) {
		part, err := eval.Induce(ctx, g, nil, labelled)
		if err != nil {
			return nil, err
		}
		g = part.Graph
		labels = make([]int, len(labelled))
		for k, i := range labelled {
			labels[k] = d.Labels[i]
		}
	}
	if g.Report().Edges == 0 {
		return about, nil
	}
	node, err := eval.NodeHomophily(g, labels)
	edge, err2 := eval.EdgeHomophily(g, labels)
	expected, err3 := eval.ExpectedHomophily(labels)
	about.Homophily = &homophily{node, edge, expected, g.Report().Edges}
	return about, cmp.Or(err, err2, err3)
}

// Labelled are the nodes that have a label.
func Labelled(d *dataset.Dataset) []int {
	var nodes []int
	for i, l := range d.Labels {
		if l >= 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}
