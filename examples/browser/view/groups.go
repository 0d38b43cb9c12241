package view

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/cluster"
	"coles/learn"
)

// predict sends the labels, and the class that a logistic regression on the embedding gives to each
// node without one, or its number or its several classes, as "coles predict" does.
func (v *View) predict(ctx context.Context, send func(message any)) error {
	send(Stage{Stage: "classify", Total: 1})
	var rest []int
	for i, l := range v.graph.Labels {
		if l < 0 {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return errors.New("there is no node to predict: every one has a label, or none")
	}
	if sets, names, several := v.labels.LabelSets(); several {
		return v.several(ctx, sets, names, rest, send)
	}
	if values, odd, number := v.labels.LabelNumbers(); number && odd < 0 {
		return v.value(ctx, values, rest, send)
	}
	m, found, err := v.answers(ctx, learn.Labels{Classes: v.graph.Labels}, rest)
	if err != nil {
		return err
	}
	groups := slices.Clone(v.graph.Labels)
	lines := [][]string{{"id", "class", "probability"}}
	for q, i := range rest {
		best := found[q].Classes[0]
		groups[i] = best.Class
		name := strconv.Itoa(groups[i])
		if v.graph.Classes != nil {
			name = v.graph.Classes[groups[i]]
		}
		lines = append(lines, []string{v.graph.IDs[i], name, short(best.Probability)})
	}
	note := fmt.Sprintf("%d labels, and predictions for %d nodes%s", len(groups)-len(rest), len(rest), shared(m.Alpha))
	return sendGroups(Groups{groups, v.graph.Classes, "class", note, Download{File: "predictions.csv"}}, lines, send)
}

// answers learns from labels and answers for the nodes of rest.
func (v *View) answers(ctx context.Context, labels learn.Labels, rest []int) (*learn.Predictor, []learn.Answer, error) {
	m, err := learn.Fit(ctx, v.edges, v.rows, labels, learn.Options{Seed: 1})
	if err != nil {
		return nil, nil, err
	}
	found, err := m.Predict(ctx, v.edges, v.rows, labels, rest)
	return m, found, err
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// shared says what share the neighbours have.
func shared(alpha float64) string {
	if alpha == 0 {
		return ""
	}
	return fmt.Sprintf(", smoothed along the edges with α = %g", alpha)
}

// several sends the classes of the nodes of rest, a line for each; the colours stay those of the labels.
func (v *View) several(ctx context.Context, sets [][]int, names []string, rest []int, send func(message any)) error {
	m, found, err := v.answers(ctx, learn.Labels{Sets: sets}, rest)
	if err != nil {
		return err
	}
	lines := [][]string{{"id", "class", "probability"}}
	for q, i := range rest {
		has := found[q].Classes[:found[q].Has]
		slices.SortFunc(has, func(a, b learn.Chance) int { return cmp.Compare(a.Class, b.Class) })
		for _, of := range has {
			lines = append(lines, []string{v.graph.IDs[i], names[of.Class], short(of.Probability)})
		}
	}
	note := fmt.Sprintf("%d nodes with several classes, and predictions for %d, micro-F1 %.2f in cross-validation%s", len(sets)-len(rest), len(rest), m.Scores.Micro, shared(m.Alpha))
	return sendGroups(Groups{v.graph.Labels, v.graph.Classes, "class", note, Download{File: "predictions.csv"}}, lines, send)
}

// value sends numbers for the nodes of rest, with bounds that nine in ten keep; the colours stay those of the labels.
func (v *View) value(ctx context.Context, values []float64, rest []int, send func(message any)) error {
	m, found, err := v.answers(ctx, learn.Labels{Values: values}, rest)
	if err != nil {
		return err
	}
	lines := [][]string{{"id", "value", "low", "high"}}
	for q, i := range rest {
		line := []string{v.graph.IDs[i]}
		for _, of := range []float64{found[q].Value, found[q].Low, found[q].High} {
			line = append(line, short(of))
		}
		lines = append(lines, line)
	}
	note := fmt.Sprintf("%d labels, and numbers for %d nodes, R² %.2f in cross-validation%s", len(values)-len(rest), len(rest), m.Ridge.Found.R2, shared(m.Alpha))
	return sendGroups(Groups{v.graph.Labels, v.graph.Classes, "class", note, Download{File: "predictions.csv"}}, lines, send)
}

// mostCounted is how many nodes have their clusters counted, which compares all pairs: half a minute
// in a browser.
const mostCounted = 3000

// cluster sends k clusters by k-means on the rows at unit length, as "coles cluster" does, or for 0
// as many as have the largest silhouette.
func (v *View) cluster(ctx context.Context, k int, send func(message any)) error {
	if k == 0 && (v.nodes < 3 || v.nodes > mostCounted) {
		return fmt.Errorf("clusters are counted for 3 to %d nodes; say how many there are to be of %d", mostCounted, v.nodes)
	}
	send(Stage{Stage: "cluster", Total: 1})
	means, note := cluster.KMeans{Clusters: k, Seed: 1}, ""
	if k == 0 {
		best, silhouettes, err := cluster.Count(ctx, v.unit, min(20, v.nodes-1), means)
		if err != nil {
			return err
		}
		means.Clusters, note = best, fmt.Sprintf(", mean silhouette %.3f", silhouettes[best-2])
	}
	m, err := means.Fit(ctx, v.unit)
	if err != nil {
		return err
	}
	lines := [][]string{{"id", "cluster"}}
	for i, c := range m.Labels {
		lines = append(lines, []string{v.graph.IDs[i], strconv.Itoa(c)})
	}
	note = fmt.Sprintf("%d clusters by k-means%s", means.Clusters, note)
	return sendGroups(Groups{m.Labels, nil, "cluster", note, Download{File: "clusters.csv"}}, lines, send)
}

// sendGroups sends groups with their lines as a table.
func sendGroups(g Groups, lines [][]string, send func(message any)) error {
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	g.CSV.Text = text.String()
	send(g)
	return nil
}
