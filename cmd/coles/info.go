package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"coles"
	"coles/dataset"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const infoDescription = `Describes FILE, a graph, a model or a classifier. Of a graph: nodes, edges and
the range of their weights, connected components, degrees, features, homophily
if there are labels, the memory that a fit with the settings given will take
besides its input, and whether it will embed by the graph or by the features
alone, and why; it warns of features alone where most neighbours share a label.
Degrees count neighbours; self loops are left out. Of a model: the graph it was
fitted on, what the fit did, and its settings (with -json all of them). Of a
classifier: its classes, its penalty and the hash of the model that it learnt
from. Of a folder of datasets: what to call them.

Examples:
   coles info cora.npz
   coles info friends.tsv -features profiles.csv -dim 256 -json
   coles info friends.model`

func infoCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "info", Usage: "what a graph, a model or a classifier is",
		ArgsUsage: "[FILE]", Description: describe(infoDescription),
		Flags: append(append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			labelsAsFlag(),
		}, graphFlags()...), settingsFlags()...),
		Action: action(s, info),
	}
}

func info(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	path := append(args, "")[0]
	settings, err := readSettings(ctx, c, in)
	if err != nil {
		return err
	}
	if found := datasetsIn(path); len(found) > 0 && len(dataset.FormatsAt(path)) == 0 {
		return report(ctx, c, s, found)
	}
	f, unknown := readingFormat(c.String("from"), path, true)
	if unknown != nil && c.IsSet("from") {
		return unknown
	}
	rows, file, err := in.placesRows(ctx, c, path)
	if err != nil {
		return err
	}
	if rows {
		d, err := readRows(ctx, c, in)
		if err != nil {
			return err
		}
		return reportGraph(ctx, c, in, s, d, path, settings)
	}
	defer file.close()
	if unknown != nil || f.IsAt == nil {
		about, err := modelIn(ctx, file)
		if err != nil {
			return err
		}
		if about != nil {
			return report(ctx, c, s, about)
		}
	}
	if unknown != nil {
		return unknown
	}
	d, err := readGraphAs(ctx, c, in, f, file, "")
	if err != nil {
		return err
	}
	return reportGraph(ctx, c, in, s, d, path, settings)
}

// reportGraph describes the graph at a path.
func reportGraph(ctx context.Context, c *cli.Command, in *inputs, s streams, d *dataset.Dataset, path string, settings fitSettings) error {
	in.tellApart(d)
	g, err := undirected(d, path)
	if err != nil {
		return err
	}
	chosen, err := settings(forClassification, g.Nodes(), columns(d.Features))
	if err != nil {
		return err
	}
	in.progress.show("measure the features", 0, 0)
	m, err := meaningOf(c, d)
	if err != nil {
		return err
	}
	about, err := describeGraph(ctx, d, g, m, chosen)
	in.progress.clear()
	if err != nil {
		return err
	}
	about.Columns = describeColumns(in.text.Encoder)
	return report(ctx, c, s, about)
}

// A description is a table of two columns. An error of w comes back as the table is flushed.
type description interface{ print(w io.Writer) }

func report(ctx context.Context, c *cli.Command, s streams, d description) error {
	return sink{standard, s.stdout}.write(ctx, func(w io.Writer) error {
		if c.Bool("json") {
			return printJSON(w, d)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		d.print(t)
		return t.Flush()
	})
}

// graphInfo is the output of info for a graph.
type graphInfo struct {
	Graph      coles.GraphReport `json:"graph"`
	Weights    *weights          `json:"weights"` // null for a graph that is not weighted
	Components int               `json:"components"`
	Degrees    degrees           `json:"degrees"`
	Features   *featuresInfo     `json:"features"`          // null for none
	Columns    columnInfos       `json:"columns,omitempty"` // of the table that features are made of
	Labels     *labelsInfo       `json:"labels"`            // null for none
	Splits     int               `json:"splits"`
	Read       []dataset.Layout  `json:"read,omitempty"` // how files of text were
	Fit        fitInfo           `json:"fit"`
}

// fitInfo describes a fit in advance.
type fitInfo struct {
	Bytes     int64            `json:"bytes"` // besides graph and features
	Kind      coles.Kind       `json:"kind"`
	Alignment *coles.Alignment `json:"alignment"` // null where the model is set, or there are no features
}

// weights are the smallest and the largest of the edges.
type weights struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

type degrees struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	Max    int     `json:"max"`
}

type featuresInfo struct {
	Columns int     `json:"columns"`
	NonZero int     `json:"non_zero"`
	Share   float64 `json:"share"`      // of entries that are not zero
	Empty   int     `json:"empty_rows"` // that have none
}

func describeGraph(ctx context.Context, d *dataset.Dataset, g *coles.Graph, m meaning, settings coles.Settings) (*graphInfo, error) {
	_, components := g.Components()
	about := &graphInfo{Graph: g.Report(), Components: components, Degrees: degreesOf(g), Splits: len(d.Splits), Read: d.Layouts}
	if g.Report().Weighted {
		about.Weights = &weights{math.Inf(1), 0}
		for _, w := range g.Edges() {
			about.Weights.Min, about.Weights.Max = min(about.Weights.Min, w), max(about.Weights.Max, w)
		}
	}
	if d.Features != nil {
		about.Features = describeFeatures(d.Features)
	}
	var err error
	if d.Labels != nil {
		if about.Labels, err = m.describe(ctx, g, d); err != nil {
			return nil, err
		}
	}
	if about.Fit.Bytes, err = settings.Estimate(g, d.Features); err != nil {
		return nil, err
	}
	about.Fit.Kind = cmp.Or(settings.Kind, coles.UseGraph)
	if settings.Kind == 0 && d.Features != nil {
		a, err := settings.Alignment(ctx, g, d.Features)
		if err != nil {
			return nil, err
		}
		about.Fit.Alignment, about.Fit.Kind = &a, a.Kind()
	}
	return about, nil
}

// degreesOf counts the neighbours of every node.
func degreesOf(g *coles.Graph) degrees {
	n := g.Nodes()
	count := make([]int, n)
	for e := range g.Edges() {
		count[e.U]++
		count[e.V]++
	}
	slices.Sort(count)
	return degrees{
		Min: count[0], Max: count[n-1],
		Median: float64(count[(n-1)/2]+count[n/2]) / 2,
		Mean:   2 * float64(g.Report().Edges) / float64(n),
	}
}

func describeFeatures(x mat.Matrix) *featuresInfo {
	rows, columns := x.Dims()
	f := &featuresInfo{Columns: columns}
	held := make([]bool, rows)
	count := func(i, _ int, v float64) {
		if v != 0 {
			f.NonZero++
			held[i] = true
		}
	}
	if s, ok := x.(mat.NonZeroDoer); ok {
		s.DoNonZero(count)
	} else {
		for i := range rows {
			for j := range columns {
				count(i, j, x.At(i, j))
			}
		}
	}
	for _, some := range held {
		if !some {
			f.Empty++
		}
	}
	f.Share = float64(f.NonZero) / (float64(rows) * float64(columns))
	return f
}

func (a *graphInfo) print(w io.Writer) {
	g := a.Graph
	fmt.Fprintf(w, "nodes\t%d, %d isolated\n", g.Nodes, g.Isolated)
	kind := "unweighted"
	if of := a.Weights; of != nil {
		kind = fmt.Sprintf("weights %.10g to %.10g", of.Min, of.Max)
	}
	fmt.Fprintf(w, "edges\t%d, undirected, %s\n", g.Edges, kind)
	fmt.Fprintf(w, "changed\t%d duplicates merged, %d self loops and %d zero weights dropped, %d mirrored\n",
		g.DuplicatesMerged, g.SelfLoopsDropped, g.ZeroWeightDropped, g.MirrorsAdded)
	fmt.Fprintf(w, "components\t%d\n", a.Components)
	fmt.Fprintf(w, "degrees\tmin %d, median %g, mean %.4g, max %d\n", a.Degrees.Min, a.Degrees.Median, a.Degrees.Mean, a.Degrees.Max)
	if f := a.Features; f != nil {
		fmt.Fprintf(w, "features\t%d columns, %d entries not zero (%.3g %%)", f.Columns, f.NonZero, 100*f.Share)
		if f.Empty > 0 {
			fmt.Fprintf(w, ", %d rows without any", f.Empty)
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintln(w, "features\tnone")
	}
	a.Columns.print(w)
	if l := a.Labels; l != nil {
		l.print(w)
		if h := l.Homophily; h != nil {
			fmt.Fprintf(w, "homophily\tnode %.3f, edge %.3f, expected by chance %.3f\n", h.Node, h.Edge, h.Expected)
		}
	} else {
		fmt.Fprintln(w, "labels\tnone")
	}
	if a.Splits > 0 {
		fmt.Fprintf(w, "splits\t%d\n", a.Splits)
	}
	for _, l := range a.Read {
		fmt.Fprintf(w, "read\t%v\n", l)
	}
	fmt.Fprintf(w, "a fit chooses\t%s\n", choiceText(a.Fit.Kind, a.Fit.Alignment, a.Features != nil))
	if l := a.Labels; l != nil {
		printDoubt(w, l.Homophily.doubt(a.Fit.Alignment))
	}
	fmt.Fprintf(w, "a fit takes\t%s besides graph and features\n", megabytes(a.Fit.Bytes))
}

// printDoubt prints a warning, if there is one.
func printDoubt(w io.Writer, doubt string) {
	if doubt != "" {
		fmt.Fprintf(w, "but\t%s\n", doubt)
	}
}

// choiceText names the model and the reason.
func choiceText(kind coles.Kind, why *coles.Alignment, features bool) string {
	switch {
	case why != nil:
		return why.String()
	case !features:
		return kind.String() + ": there are no features"
	}
	return kind.String() + ", as is set"
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// datasets are those that stand in a folder.
type datasets []namedDataset

type namedDataset struct {
	Format string `json:"format"`
	Path   string `json:"path"`
}

// datasetsIn finds the datasets of several files in a folder.
func datasetsIn(dir string) datasets {
	var found datasets
	entries, _ := os.ReadDir(dir) // what cannot be read holds none
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".gz"), "-G.json")
		name = strings.TrimSuffix(strings.TrimPrefix(name, "ind."), ".graph")
		path := filepath.Join(dir, name)
		for _, f := range dataset.FormatsAt(path) {
			if one := (namedDataset{f.Name, path}); f.IsAt != nil && !slices.Contains(found, one) {
				found = append(found, one)
			}
		}
	}
	return found
}

func (d datasets) print(w io.Writer) {
	for _, one := range d {
		fmt.Fprintf(w, "%s\t%s\n", one.Format, one.Path)
	}
}
