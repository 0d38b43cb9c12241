package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles/dataset"
	"coles/eval"
	"coles/eval/picture"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const plotDescription = `Draws the nodes in two dimensions: the features of GRAPH as they are, if it has
any, next to the embedding. The colours are the classes of the labels or, with
-k or without labels, the clusters of "coles cluster"; nodes without a label are
grey, or with -predicted have the colour of the class that a logistic regression
on the embedding predicts. The embedding comes from -embedding, or is made of
GRAPH as by "coles embed", or as by "coles cluster" where the colours are
clusters.

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
			&cli.BoolFlag{Name: "predicted", Usage: "colour nodes without a label by their predicted class"},
		}, embeddingFlags()...),
		Action: action(s, plot),
	}
}

// mostByTSNE is how many nodes t-SNE draws: more take minutes, and cover each other.
const mostByTSNE = 20_000

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
			chosenByLabels(c, new(*eval.Choice))(e, d)
		} else if byClusters(c, knownLabels(d, d.Nodes())) {
			e.usual = forClustering
		}
	})
	if err != nil {
		return err
	}
	d, y := e.data, e.rows
	n, _ := y.Dims()
	labels, names := knownLabels(d, n), d.Classes
	classes := labels
	switch {
	case c.Bool("predicted"):
		classes, err = predictedClasses(ctx, in, e, labels, seedOr1(c))
	case byClusters(c, labels):
		if classes, err = findClusters(ctx, c, in, s.stderr, y); err == nil {
			names = clusterNames(classes)
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
	p, err := sideBySide(ctx, c, in, rows, d.Features, y, classes, names)
	if err != nil {
		return err
	}
	return out.write(ctx, func(w io.Writer) error {
		if format == html {
			drawn := nameOf(cmp.Or(c.Args().First(), c.String("embedding")))
			return writePage(w, filepath.Base(drawn), n, p)
		}
		return p.Write(w, format)
	})
}

// html is a page with an SVG in it.
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
	k, err := learn(ctx, in, e, labels, eval.DefaultAlphas(), seed)
	if err != nil {
		return nil, err
	}
	chances, err := k.model.Smooth(ctx, e.graph, e.rows, labels, nil)
	if err != nil {
		return nil, err
	}
	classes := slices.Clone(labels)
	for i, l := range labels {
		if l < 0 {
			classes[i] = k.model.Classes[floats.MaxIdx(chances.RawRowView(i))]
		}
	}
	return classes, nil
}

// sampled are nodes drawn at random, those with a label first, and what is said about them.
func sampled(labels []int, most int, seed uint64) (rows []int, said string) {
	rows, others := []int{}, []int{}
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(labels)) {
		if labels[i] >= 0 {
			rows = append(rows, i)
		} else {
			others = append(others, i)
		}
	}
	said = fmt.Sprintf("%d of %d nodes drawn", most, len(labels))
	if labelled := len(rows); 0 < labelled && labelled <= most {
		said += fmt.Sprintf(", all %d labelled among them", labelled)
	}
	return append(rows, others...)[:most], said
}

// picked are the elements of these rows.
func picked(all, rows []int) []int {
	some := make([]int, len(rows))
	for k, i := range rows {
		some[k] = all[i]
	}
	return some
}

func clusterNames(clusters []int) []string {
	names := make([]string, slices.Max(clusters)+1)
	for k := range names {
		names[k] = "cluster " + strconv.Itoa(k)
	}
	return names
}

// sideBySide draws features, unless they are nil, and next to them an embedding: of both the rows
// given, or all of them.
func sideBySide(ctx context.Context, c *cli.Command, in *inputs, rows []int, x, y mat.Matrix, classes []int, names []string) (*picture.Picture, error) {
	defer in.progress.clear()
	var row []*picture.Picture
	for _, part := range []struct {
		title string
		rows  mat.Matrix
	}{{"features", x}, {"embedding", y}} {
		if part.rows == nil {
			continue
		}
		in.progress.show("draw "+part.title, 0, 0)
		if rows != nil {
			var err error
			if part.rows, err = someRows(ctx, part.rows, rows); err != nil {
				return nil, err
			}
		}
		p, err := flatten(ctx, c, in, part.title, part.rows, classes, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.title, err)
		}
		row = append(row, p)
	}
	p, err := picture.Grid(row)
	if err == nil {
		p.Height += 1.9
	}
	return p, err
}

// flatten draws the rows of x in two dimensions.
func flatten(ctx context.Context, c *cli.Command, in *inputs, title string, x mat.Matrix, classes []int, names []string) (*picture.Picture, error) {
	if c.String("by") == "pca" {
		return picture.Map(ctx, picture.Axes{Title: title}, x, classes, names)
	}
	unit, err := unitRows(ctx, x)
	if err != nil {
		return nil, err
	}
	xy, err := eval.TSNE{Seed: seedOr1(c), Progress: in.progress.show}.Places(ctx, unit)
	if err != nil {
		return nil, err
	}
	return picture.Places(picture.Axes{Title: title}, xy, classes, names)
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Title}}</title>
<style>
body { font-family: sans-serif; margin: 1rem; }
div { overflow-x: auto }
svg { display: block; height: auto; max-height: 95vh; min-width: 40rem; width: 100% }
</style>
<h1>{{.Title}}</h1>
<p>{{.Nodes}} nodes. Near points have similar vectors.</p>
<div>{{.SVG}}</div>
</html>
`))

// writePage writes an HTML page with the picture.
func writePage(w io.Writer, title string, nodes int, p *picture.Picture) error {
	var svg bytes.Buffer
	if err := p.Write(&svg, picture.SVG); err != nil {
		return err
	}
	return page.Execute(w, map[string]any{"Title": title, "Nodes": nodes, "SVG": template.HTML(svg.String())})
}
