package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/eval/picture"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const plotDescription = `Draws the nodes in two dimensions: the features of GRAPH as they are, if it has
any, next to the embedding. The colours are the classes of the labels or, with
-k or without labels, the clusters of "coles cluster". The embedding comes from
-embedding, or is made of GRAPH as by "coles embed", or as by "coles cluster"
where the colours are clusters.

-by tsne keeps neighbours together: t-SNE, of up to 5,000 nodes, takes a minute
for some thousands. -by pca draws the first two principal components of rows
scaled to length 1. The default is tsne for up to 5,000 nodes, pca for more.

Examples:
   coles plot cora.npz -o cora.png
   coles plot friends.tsv -features profiles.csv -labels circles.csv -o friends.html
   coles plot -embedding friends.npy -k 5 -by pca -o friends.svg`

func plotCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "plot", Usage: "a picture of the nodes in two dimensions",
		ArgsUsage: "[GRAPH]", Description: describe(plotDescription),
		Flags: append([]cli.Flag{
			fileFlag("o", "draw into `FILE`, of a name that ends in .png, .svg, .pdf or .html"),
			&cli.StringFlag{Name: "by", Usage: "`METHOD`: tsne or pca"},
			clustersFlag(),
		}, embeddingFlags()...),
		Action: action(s, plot),
	}
}

// mostByTSNE is how many rows eval.TSNE takes.
const mostByTSNE = 5000

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
		if byClusters(c, knownLabels(d, d.Nodes())) {
			e.usual = coles.ForClustering
		}
	})
	if err != nil {
		return err
	}
	d, y := e.data, e.rows
	n, _ := y.Dims()
	classes, names := knownLabels(d, n), d.Classes
	if byClusters(c, classes) {
		if classes, err = findClusters(ctx, c, in, s.stderr, y); err != nil {
			return err
		}
		names = clusterNames(classes)
	}
	p, err := sideBySide(ctx, c, in, d.Features, y, classes, names)
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
	if by := c.String("by"); by != "" && by != "tsne" && by != "pca" {
		return "", usagef("-by %s: want tsne or pca", by)
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

// byClusters reports whether the colours are those of clusters.
func byClusters(c *cli.Command, labels []int) bool {
	return c.IsSet("k") || slices.Max(labels) < 0
}

func clusterNames(clusters []int) []string {
	names := make([]string, slices.Max(clusters)+1)
	for k := range names {
		names[k] = "cluster " + strconv.Itoa(k)
	}
	return names
}

// sideBySide draws features, unless they are nil, and next to them an embedding.
func sideBySide(ctx context.Context, c *cli.Command, in *inputs, x, y mat.Matrix, classes []int, names []string) (*picture.Picture, error) {
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
		p, err := flatten(ctx, c, part.title, part.rows, classes, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.title, err)
		}
		row = append(row, p)
	}
	p, err := picture.Grid(row)
	if err == nil {
		p.Height = 5.5
	}
	return p, err
}

// flatten draws the rows of x in two dimensions.
func flatten(ctx context.Context, c *cli.Command, title string, x mat.Matrix, classes []int, names []string) (*picture.Picture, error) {
	by := c.String("by")
	if by == "" && len(classes) <= mostByTSNE {
		by = "tsne"
	}
	if by != "tsne" {
		return picture.Map(ctx, picture.Axes{Title: title}, x, classes, names)
	}
	unit, err := unitRows(ctx, x)
	if err != nil {
		return nil, err
	}
	xy, err := eval.TSNE(ctx, unit, seedOr1(c))
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
body { font-family: sans-serif; margin: 1rem auto; max-width: 75rem; padding: 0 1rem }
svg { height: auto; max-width: 100% }
</style>
<h1>{{.Title}}</h1>
<p>{{.Nodes}} nodes. Near points have similar vectors.</p>
{{.SVG}}
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
