package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"coles"
	"coles/dataset"
	"coles/eval"
)

type labelsInfo struct {
	Labelled  int        `json:"labelled"`
	Classes   int        `json:"classes"`
	Homophily *homophily `json:"homophily"`                  // null without edges between labelled nodes
	Each      float64    `json:"classes_per_node,omitempty"` // of several
	Numbers   *numbers   `json:"numbers,omitempty"`
}

// numbers are the range of labels, and the correlation of neighbours, null without neighbours that differ.
type numbers struct {
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

// farAbove is the share of the way from chance to 1 from which on homophily speaks for the graph: on
// generated graphs of five classes ("Where s turns" in lab/docs/results.md) its model is as good as the
// features' from a quarter on, to half a point, and far ahead from a half on. The four real graphs
// there whose features are better have 0.01 at most.
const farAbove = 0.25

// doubt warns of a choice of features where neighbours share their class far more often than by
// chance. One over the root of the number of edges, two standard errors of a share at most, is taken
// off first. It is "" where there is nothing to warn of.
func (h *homophily) doubt(chosen *coles.Alignment) string {
	if h == nil || chosen == nil || chosen.Kind() != coles.UseFeatures ||
		h.Edge-1/math.Sqrt(float64(h.Edges))-h.Expected < farAbove*(1-h.Expected) {
		return ""
	}
	return fmt.Sprintf("%.0f %% of edges join one class, and %.0f %% by chance: the graph may know better, try -kind graph", 100*h.Edge, 100*h.Expected)
}

// describe describes the labels for what they mean.
func (m meaning) describe(ctx context.Context, g *coles.Graph, d *dataset.Dataset) (*labelsInfo, error) {
	about := &labelsInfo{Labelled: len(labelledNodes(d))}
	switch {
	case m.values != nil:
		known := slices.DeleteFunc(slices.Clone(m.values), math.IsNaN)
		about.Numbers = &numbers{Min: slices.Min(known), Max: slices.Max(known)}
		if r, err := eval.Assortativity(g, m.values); err == nil {
			about.Numbers.Assortativity = &r
		} else if !errors.Is(err, coles.ErrShape) {
			return nil, err
		}
		return about, nil
	case m.sets != nil:
		about.Classes, about.Each = len(m.names), float64(len(slices.Concat(m.sets...)))/float64(max(about.Labelled, 1))
		return about, nil
	}
	return describeLabels(ctx, g, d)
}

func describeLabels(ctx context.Context, g *coles.Graph, d *dataset.Dataset) (*labelsInfo, error) {
	labelled := labelledNodes(d)
	about := &labelsInfo{Labelled: len(labelled), Classes: d.NumClasses()}
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

func (l *labelsInfo) print(w io.Writer) {
	switch of := l.Numbers; {
	case of != nil:
		fmt.Fprintf(w, "labels\t%d nodes, numbers from %.6g to %.6g\n", l.Labelled, of.Min, of.Max)
		if of.Assortativity != nil {
			fmt.Fprintf(w, "assortativity\t%.3f\n", *of.Assortativity)
		}
	case l.Each > 0:
		fmt.Fprintf(w, "labels\t%d nodes, %d classes, %.3g each\n", l.Labelled, l.Classes, l.Each)
	default:
		fmt.Fprintf(w, "labels\t%d nodes, %d classes\n", l.Labelled, l.Classes)
	}
}

func labelledNodes(d *dataset.Dataset) []int {
	var nodes []int
	for i, l := range d.Labels {
		if l >= 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}
