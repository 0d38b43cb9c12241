package view

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/internal/setting"
	"coles/learn"
	"coles/task"
)

// predict sends the labels, and predictions for nodes without one: a class, several, or a number between bounds that nine in
// ten keep. For the last two the labels keep the colours.
func (v *View) predict(ctx context.Context, send func(message any)) error {
	var rest []int
	for i, l := range v.graph.Labels {
		if l < 0 {
			rest = append(rest, i)
		}
	}
	if len(rest) == 0 {
		return errors.New("there is no node to predict: every one has a label, or none")
	}
	target, err := task.TargetOf(v.data.Dataset, v.nodes(), "")
	if err != nil {
		return err
	}
	how := learn.Options{Seed: 1}
	f, err := fit(ctx, v.data, task.Fitting{Labels: &target, How: how}, send)
	if err != nil {
		return err
	}
	send(Stage{Stage: "classify", Total: 1})
	p, err := task.FitPredictor(ctx, v.data.Graph, f.Rows, f.Model, target, how)
	if err != nil {
		return err
	}
	answers, err := p.Answers(ctx, v.data.Graph, f.Rows, target, rest)
	if err != nil {
		return err
	}
	groups, lines := slices.Clone(v.graph.Labels), [][]string{{"id", "class", "probability"}}
	if p.Kind() == task.Number {
		lines[0] = []string{"id", "value", "low", "high"}
	}
	for q, i := range rest {
		a := answers[q]
		if p.Kind() == task.Number {
			lines = append(lines, []string{v.graph.IDs[i], short(a.Value), short(a.Low), short(a.High)})
		}
		for _, c := range p.Having(a) {
			lines = append(lines, []string{v.graph.IDs[i], c.Class, short(c.Probability)})
		}
		if p.Kind() == task.OneClass {
			groups[i] = a.Classes[0].Class
		}
	}
	note := fmt.Sprintf("%s, and predictions for %s", setting.Count(len(groups)-len(rest), "labels"), setting.Count(len(rest), "nodes"))
	for _, n := range p.Found(v.data.Graph, target, "", false) {
		said, _, _ := strings.Cut(n.Text, "\n")
		note += "; " + said
	}
	return sendGroups(Groups{groups, v.graph.Classes, "class", note, Download{File: "predictions.csv"}}, lines, send)
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// mostCounted is how many nodes have their clusters counted, which compares all pairs: half a minute
// in a browser.
const mostCounted = 3000

// cluster sends k clusters, or for 0 as many as have the largest silhouette.
func (v *View) cluster(ctx context.Context, k int, send func(message any)) error {
	if k == 0 && (v.nodes() < 3 || v.nodes() > mostCounted) {
		return fmt.Errorf("clusters are counted for 3 to %d nodes; say how many there are to be of %d", mostCounted, v.nodes())
	}
	f, err := fit(ctx, v.data, task.Fitting{For: task.ForClustering}, send)
	if err != nil {
		return err
	}
	send(Stage{Stage: "cluster", Total: 1})
	found, err := task.Cluster(ctx, f.Rows, k, 1, nil)
	if err != nil {
		return err
	}
	lines := [][]string{{"id", "cluster"}}
	for i, c := range found.Of {
		lines = append(lines, []string{v.graph.IDs[i], strconv.Itoa(c)})
	}
	note := fmt.Sprintf("%d clusters by k-means", found.Count)
	if len(found.Notes) > 0 {
		note = found.Notes[0].Text + ", by k-means"
	}
	return sendGroups(Groups{found.Of, found.Names(v.graph.IDs, v.data.Graph.Degrees()), "cluster", note, Download{File: "clusters.csv"}}, lines, send)
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
