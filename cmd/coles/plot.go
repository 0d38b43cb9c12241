package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles/dataset"
	"coles/learn"
	"coles/picture"

	"github.com/urfave/cli/v3"
)

const plotDescription = `Draws the nodes in two dimensions: the features of GRAPH as they are, if it has
any, next to the embedding. The colours are the classes of the labels or, with
-k or without labels, the clusters of "coles cluster"; nodes without a label are
grey, or with -predicted have the colour of the class that a logistic regression
on the embedding predicts. Numbers are steps of a scale. The embedding comes
from -embedding, or is made of GRAPH as by "coles embed", or as by "coles
cluster" where the colours are clusters. Edges are drawn where there are at most 3,000.

A name that ends in .html makes a page that needs no network: names under the
pointer and by search, zoom, the nearest nodes of a chosen one, and classes to
switch off. A picture names the node of most edges of each class or cluster.

-by tsne, the default, is t-SNE, which keeps neighbours together and takes some
seconds for thousands of nodes. Of more than 20,000 it draws a sample by -seed,
those with a label first. -by pca draws the first two principal components of
all rows scaled to length 1, in which classes overlap more.

Examples:
   coles plot cora.npz -o cora.png
   coles plot friends.tsv -features profiles.csv -labels circles.csv -predicted -o friends.html
   coles plot -embedding friends.npy -k 5 -by pca -o friends.svg`

func plotCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "plot", Usage: "a picture of the nodes in two dimensions",
		ArgsUsage: "[GRAPH]", Description: describe(plotDescription),
		Flags: append([]cli.Flag{
			fileFlag("o", "draw into `FILE`, of a name that ends in .png, .svg, .pdf or .html"),
			&cli.StringFlag{Name: "by", Usage: "`METHOD`: tsne or pca", Value: "tsne"},
			clustersFlag(),
			labelsAsFlag(),
			&cli.BoolFlag{Name: "predicted", Usage: "colour nodes without a label by their predicted class"},
		}, embeddingFlags()...),
		Action: action(s, plot),
	}
}

func plot(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	format, err := plotFormat(c)
	if err != nil {
		return err
	}
	out, err := resultOutput(c, s, true)
	if err != nil {
		return err
	}
	e, err := embedded(ctx, c, in, func(e *embedder, d *dataset.Dataset) {
		if c.Bool("predicted") {
			chosenByLabels(c, learn.Options{Seed: seedOr1(c)}, new(*learn.Choice))(e, d)
		} else if byClusters(c, knownLabels(d, d.Nodes())) {
			e.usual = forClustering
		}
	})
	if err != nil {
		return err
	}
	d := e.data
	meant, err := meaningOf(c, d)
	if err != nil {
		return err
	}
	n, _ := e.rows.Dims()
	labels, names := knownLabels(d, n), d.Classes
	classes, noun, grades := labels, "class", meant.values != nil && !c.IsSet("k")
	switch {
	case c.Bool("predicted") && (meant.values != nil || meant.sets != nil):
		return usagef("-predicted colours nodes of one class, and the labels are something else: -labels-as classes takes them for names")
	case c.Bool("predicted"):
		classes, err = predictedClasses(ctx, in, e, labels, seedOr1(c))
	case grades:
		classes, names = graded(meant.values)
	case byClusters(c, labels):
		if classes, err = findClusters(ctx, c, in, s.stderr, e.rows); err == nil {
			names, noun = clusterNames(classes), "cluster"
		}
	}
	if err != nil {
		return err
	}
	var rows []int // all of them
	if c.String("by") == "tsne" && n > mostByTSNE {
		var said string
		rows, said = sampled(labels, mostByTSNE, seedOr1(c))
		fmt.Fprintln(s.stderr, "coles: "+said)
		classes = picked(classes, rows)
	}
	m, err := mapOf(ctx, c, in, e, rows)
	if err != nil {
		return err
	}
	m.Groups, m.Names, m.Noun, m.Grades = classes, names, noun, grades
	return out.write(ctx, func(w io.Writer) error {
		if format == html {
			return m.write(ctx, c, in, w)
		}
		p, err := m.picture(c.String("by"))
		if err != nil {
			return err
		}
		return p.Write(w, format)
	})
}

// html is the map of package webmap.
const html picture.Format = "html"

// plotFormat checks the options and returns the format of the file.
func plotFormat(c *cli.Command) (picture.Format, error) {
	if err := atLeast1(c, "k"); err != nil {
		return "", err
	}
	if by := c.String("by"); by != "tsne" && by != "pca" {
		return "", usagef("-by %s: want tsne or pca", by)
	}
	if c.Bool("predicted") && c.IsSet("k") {
		return "", usagef("-predicted colours classes, and -k clusters")
	}
	path := c.String("o")
	if path == "" {
		return "", usagef("name a file to draw into by -o: .png, .svg, .pdf or .html")
	}
	if strings.EqualFold(filepath.Ext(path), ".html") {
		return html, nil
	}
	format, err := picture.FormatOf(path)
	if err != nil {
		return "", usagef("-o %s: want a name that ends in .png, .svg, .pdf or .html", path)
	}
	return format, nil
}

// byClusters reports whether the colours show clusters.
func byClusters(c *cli.Command, labels []int) bool {
	return c.IsSet("k") || !c.Bool("predicted") && slices.Max(labels) < 0
}

// predictedClasses are the labels and, of nodes without one, the classes that "coles predict" has for them.
func predictedClasses(ctx context.Context, in *inputs, e *embedding, labels []int, seed uint64) ([]int, error) {
	if slices.Max(labels) < 0 {
		return nil, errNoLabels
	}
	k, err := learnClasses(ctx, in, e, labels, learn.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	found, err := k.Predict(ctx, e.graph, e.rows, learn.Labels{Classes: labels}, nil)
	if err != nil {
		return nil, err
	}
	classes := slices.Clone(labels)
	for i, l := range labels {
		if l < 0 {
			classes[i] = found[i].Classes[0].Class
		}
	}
	return classes, nil
}

// steps is how many colours a scale has.
const steps = 8

// graded are numbers, NaN for none, in steps of about as many nodes each, and the range of each.
func graded(values []float64) (step []int, names []string) {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(sorted)
	var first []float64 // of each step
	for k := range steps {
		first = append(first, sorted[k*len(sorted)/steps])
	}
	first = slices.Compact(first)
	for k, v := range first {
		last := sorted[len(sorted)-1]
		if k+1 < len(first) {
			next, _ := slices.BinarySearch(sorted, first[k+1])
			last = sorted[next-1]
		}
		name := short(v)
		if last > v {
			name += " to " + short(last)
		}
		names = append(names, name)
	}
	step = make([]int, len(values))
	for i, v := range values {
		at, found := slices.BinarySearch(first, v)
		if step[i] = at - 1; found {
			step[i] = at
		}
	}
	return step, names
}

func clusterNames(clusters []int) []string {
	names := make([]string, slices.Max(clusters)+1)
	for k := range names {
		names[k] = "cluster " + strconv.Itoa(k)
	}
	return names
}
