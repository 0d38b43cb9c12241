package main

import (
	"cmp"
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"coles/learn"
	"coles/picture"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// plotOptions are the options of the command.
type plotOptions struct {
	vectorOptions
	labelOptions
	count     countOption
	out, by   string
	predicted bool
}

func plotCommand(s streams) *cli.Command {
	o := &plotOptions{}
	by := ofAnswer.text(&o.by, "by", "`METHOD`: tsne or pca")
	by.Value = "tsne"
	return command(s, spec{
		input: &o.inputOptions, name: "plot", usage: "a picture of the nodes in two dimensions", args: "[GRAPH]", settings: true,
		first: []string{"features", "labels", "labels-as", "embedding", "with", "by", "k", "predicted", "seed", "o"},
		flags: slices.Concat([]cli.Flag{
			ofOutput.file(&o.out, "o", "draw into `FILE`, of a name that ends in .png, .svg, .pdf or .html"),
			by, o.count.flag(), o.labelOptions.flag(),
			ofAnswer.yes(&o.predicted, "predicted", "colour nodes without a label by their predicted class"),
		}, o.vectorOptions.flags()),
		run: o.run,
	})
}

func (o *plotOptions) run(ctx context.Context, s *session) error {
	format, err := o.format(s)
	if err != nil {
		return err
	}
	if err := o.check(s); err != nil {
		return err
	}
	out, err := s.output(s.args, "-o", o.out, true)
	if err != nil {
		return err
	}
	how := learn.Options{Seed: o.fit.seed}
	v, err := o.read(ctx, s, task.General, func(e *embedder, d *task.Data) error {
		switch {
		case o.predicted && !s.set("kind"):
			e.quiet = true
			return chosenBy(&o.labelOptions, how)(e, d)
		case o.byClusters(task.Known(d.Dataset, d.Nodes())) && !s.set("for"):
			e.fitting.For = task.ForClustering
		}
		return nil
	})
	if err != nil {
		return err
	}
	m := &nodeMap{o: o, progress: s.progress.show, of: v}
	m.Title = filepath.Base(nameOf(cmp.Or(s.first(), o.embedding)))
	if err := m.colour(ctx, s, how); err != nil {
		return err
	}
	if o.by == "tsne" && len(m.Groups) > mostByTSNE {
		var said string
		m.rows, said = sampled(task.Known(v.Dataset, len(m.Groups)), mostByTSNE, o.fit.seed)
		s.say("%s", said)
		m.Groups = picked(m.Groups, m.rows)
	}
	if err := m.place(ctx); err != nil {
		return err
	}
	s.progress.clear()
	return out.write(ctx, func(w io.Writer) error {
		if format == html {
			return m.write(ctx, w)
		}
		p, err := m.picture()
		if err != nil {
			return err
		}
		return p.Write(w, format)
	})
}

// colour colours the nodes by classes, by clusters or by steps of a scale.
func (m *nodeMap) colour(ctx context.Context, s *session, how learn.Options) error {
	o, v := m.o, m.of
	n, _ := v.rows.Dims()
	t, err := o.target(v.Data, n, s.labelsAt())
	if err != nil {
		return err
	}
	m.Groups, m.Names, m.Noun = task.Known(v.Dataset, n), v.Classes, "class"
	m.Grades = t.Values != nil && o.count.k == 0
	switch {
	case o.predicted && t.Kind() != task.OneClass:
		return usagef("-predicted colours nodes of one class, and the labels are something else: -labels-as classes takes them for names")
	case o.predicted:
		m.Groups, err = predictedClasses(ctx, s, v, t, how)
	case m.Grades:
		m.Groups, m.Names = graded(t.Values)
	case o.byClusters(m.Groups):
		m.Noun = "cluster"
		m.Groups, m.Names, err = o.count.find(ctx, s, v, o.fit.seed)
	}
	return err
}

// html is the map of package webmap.
const html picture.Format = "html"

// format checks the options and returns the format of the file.
func (o *plotOptions) format(s *session) (picture.Format, error) {
	if err := s.atLeast1("k", o.count.k); err != nil {
		return "", err
	}
	switch {
	case o.by != "tsne" && o.by != "pca":
		return "", usagef("-by %s: want tsne or pca", o.by)
	case o.predicted && s.set("k"):
		return "", usagef("-predicted colours classes, and -k clusters")
	case o.out == "":
		return "", usagef("name a file to draw into by -o: .png, .svg, .pdf or .html")
	case strings.EqualFold(filepath.Ext(o.out), ".html"):
		return html, nil
	}
	format, err := picture.FormatOf(o.out)
	if err != nil {
		return "", usagef("-o %s: want a name that ends in .png, .svg, .pdf or .html", o.out)
	}
	return format, nil
}

// byClusters reports whether the colours show clusters.
func (o *plotOptions) byClusters(labels []int) bool {
	return o.count.k > 0 || !o.predicted && slices.Max(labels) < 0
}

// predictedClasses are the labels and, of nodes without one, the classes that "coles predict" has for them.
func predictedClasses(ctx context.Context, s *session, v *vectors, t task.Target, how learn.Options) ([]int, error) {
	p, err := v.learn(ctx, s, t, how)
	if err != nil {
		return nil, err
	}
	answers, err := p.Answers(ctx, v.Graph, v.rows, t, nil)
	if err != nil {
		return nil, err
	}
	classes := slices.Clone(t.Classes)
	for i, l := range classes {
		if l < 0 {
			classes[i] = answers[i].Classes[0].Class
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
