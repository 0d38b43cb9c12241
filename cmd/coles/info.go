package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"coles/dataset"
	"coles/internal/setting"
	"coles/task"
	"coles/task/describe"

	"github.com/urfave/cli/v3"
)

// infoOptions are the options of the command.
type infoOptions struct {
	inputOptions
	labelOptions
	fit  fitOptions
	json bool
}

func infoCommand(s streams) *cli.Command {
	o := &infoOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "info", usage: "what a graph, a model or a classifier is", args: "[FILE]", settings: true,
		first: []string{"from", "features", "labels", "labels-as", "ids", "knn", "for", "kind", "dim", "json"},
		flags: slices.Concat([]cli.Flag{jsonFlag(&o.json), o.labelOptions.flag()}, o.graphFlags(), o.fit.flags()),
		run:   o.run,
	})
}

func (o *infoOptions) run(ctx context.Context, s *session) error {
	args, err := s.arguments(1)
	if err != nil {
		return err
	}
	path := append(args, "")[0]
	if err := o.fit.read(ctx, s); err != nil {
		return err
	}
	if found := datasetsIn(path); len(found) > 0 && len(dataset.FormatsAt(path)) == 0 {
		return report(ctx, s, o.json, found)
	}
	f, unknown := task.FormatOf(o.from, path, true)
	if unknown != nil && s.set("from") {
		return unknown
	}
	if err := s.find(ctx, path); err != nil {
		return err
	}
	if s.files.Graph != nil && (unknown != nil || f.IsAt == nil) {
		about, err := modelIn(ctx, s.files.Graph)
		if err != nil {
			return err
		}
		if about != nil {
			return report(ctx, s, o.json, about)
		}
	}
	d, err := s.files.Read(ctx)
	if err = s.told(err); err != nil {
		return err
	}
	settings, err := o.fit.resolved(s, task.General, d.Graph.Nodes(), d.Columns())
	if err != nil {
		return err
	}
	s.progress.show("measure the features", 0, 0)
	t, err := o.target(d, d.Graph.Nodes(), s.labelsAt())
	if err != nil {
		return err
	}
	about, err := describe.Data(ctx, d, t, s.files.Options.Encoder, settings)
	s.progress.clear()
	if err != nil {
		return err
	}
	return report(ctx, s, o.json, graphInfo{about})
}

// graphInfo is the output of info for a graph.
type graphInfo struct{ *describe.Description }

func (a graphInfo) print(w io.Writer) {
	g := a.Graph
	fmt.Fprintf(w, "nodes\t%d, %d isolated\n", g.Nodes, g.Isolated)
	kind := "unweighted"
	if of := a.Weights; of != nil {
		kind = fmt.Sprintf("weights %.10g to %.10g", of.Min, of.Max)
	}
	fmt.Fprintf(w, "edges\t%d, undirected, %s\n", g.Edges, kind)
	for _, k := range a.Kinds {
		fmt.Fprintf(w, "kind %s\t%d edges, %d ends, %d of them on no other edge\n", k.Kind, k.Edges, k.Ends, k.Once)
	}
	fmt.Fprintf(w, "changed\t%s joined, %s and %s dropped, %d mirrored\n",
		setting.Count(g.DuplicatesMerged, "repeats"), setting.Count(g.SelfLoopsDropped, "self loops"), setting.Count(g.ZeroWeightDropped, "zero weights"), g.MirrorsAdded)
	fmt.Fprintf(w, "components\t%d\n", a.Components)
	fmt.Fprintf(w, "degrees\tmin %d, median %g, mean %.4g, max %d\n", a.Degrees.Min, a.Degrees.Median, a.Degrees.Mean, a.Degrees.Max)
	if f := a.Features; f != nil {
		fmt.Fprintf(w, "features\t%s, %s not zero (%.3g %%)", setting.Count(f.Columns, "columns"), setting.Count(f.NonZero, "entries"), 100*f.Share)
		if f.Empty > 0 {
			fmt.Fprintf(w, ", %s without any", setting.Count(f.Empty, "rows"))
		}
		fmt.Fprintln(w)
	} else {
		fmt.Fprintln(w, "features\tnone")
	}
	printColumns(w, a.Columns)
	if l := a.Labels; l != nil {
		a.printLabels(w)
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
		printDoubt(w, l.Homophily.Doubt(a.Fit.Alignment))
	}
	fmt.Fprintf(w, "a fit takes\t%s besides graph and features\n", megabytes(a.Fit.Bytes))
}

// printDoubt prints a warning, if there is one.
func printDoubt(w io.Writer, doubt string) {
	if doubt != "" {
		fmt.Fprintf(w, "but\t%s, try -kind graph\n", doubt)
	}
}

func (a graphInfo) printLabels(w io.Writer) {
	l := a.Labels
	nodes, classes := setting.Count(l.Labelled, "nodes"), setting.Count(l.Classes, "classes")
	switch of := l.Numbers; {
	case of != nil:
		fmt.Fprintf(w, "labels\t%s, numbers from %.6g to %.6g\n", nodes, of.Min, of.Max)
		if of.Assortativity != nil {
			fmt.Fprintf(w, "assortativity\t%.3f\n", *of.Assortativity)
		}
	case l.Each > 0:
		fmt.Fprintf(w, "labels\t%s, %s, %.3g each\n", nodes, classes, l.Each)
	default:
		fmt.Fprintf(w, "labels\t%s, %s\n", nodes, classes)
	}
}
