package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"coles"
	"coles/internal/setting"
	"coles/learn"
	"coles/near"
	"coles/picture"
	"coles/plane"
	"coles/task"
	"coles/webmap"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
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
			by, o.count.flag(), o.labelOptions.flag(), o.namesFlag(),
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
	v, err := o.read(ctx, s, task.General, func(fit *task.Fitting, d *task.Data) error {
		switch {
		case o.predicted && !s.set("kind"):
			return o.choose(s, fit, d, how)
		case o.byClusters(task.Known(d.Dataset, d.Nodes())) && !s.set("for"):
			fit.For = task.ForClustering
		}
		return nil
	})
	if err != nil {
		return err
	}
	m := &nodeMap{o: o, progress: s.progress.show, of: v}
	m.Title = filepath.Base(nameOf(cmp.Or(s.first(), o.embedding)))
	n, _ := v.Rows.Dims()
	m.IDs = v.Called(task.Names(v.IDs, n))
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
	n, _ := v.Rows.Dims()
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
		m.Groups, m.Names = picture.Graded(t.Values)
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
	answers, err := p.Answers(ctx, v.Graph, v.Rows, t, nil)
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

const (
	mostByTSNE = 20_000 // nodes that t-SNE draws: more take minutes, and cover each other
	mostEdges  = 3000   // that a map draws: more are a grey cloud
	mostNear   = 10     // nodes that a page lists for one
	mostNamed  = 20     // classes of which a picture names a node
)

// A nodeMap is a map of some rows of an embedding.
type nodeMap struct {
	webmap.Map
	o        *plotOptions
	progress coles.Progress
	of       *vectors
	rows     []int        // shown; nil for all
	graph    *coles.Graph // drawn, if its edges are few; else nil
	unit     mat.Matrix   // the rows of the embedding at length 1
	drawn    []float64    // degrees, nil without a graph
}

// place places the features, unless there are none, and the embedding.
func (m *nodeMap) place(ctx context.Context) error {
	n := len(m.IDs)
	m.Note = setting.Count(n, "nodes") + ". Near points have similar vectors."
	if m.rows != nil {
		m.Note = fmt.Sprintf("%d of %d nodes. Near points have similar vectors.", len(m.rows), n)
		m.IDs = picked(m.IDs, m.rows)
	}
	for _, part := range []struct {
		stage, title string
		rows         mat.Matrix
	}{{"features", "nodes by their features", m.of.Features}, {"vectors", m.of.shows(), m.of.Rows}} {
		if part.rows == nil {
			continue
		}
		m.progress("draw "+part.stage, 0, 0)
		places, err := m.flatten(ctx, part.rows)
		if err != nil {
			return fmt.Errorf("%s: %w", part.stage, err)
		}
		m.Panels = append(m.Panels, webmap.Panel{Title: part.title, Places: places})
	}
	return m.join()
}

// shows says what the vectors are made of.
func (v *vectors) shows() string {
	switch {
	case v.Model == nil:
		return "nodes by their vectors"
	case v.Features == nil:
		return "nodes by their neighbours"
	}
	if m, ok := v.Model.(*coles.Model); ok && m.Report().Kind == coles.UseFeatures {
		return "nodes by their features, embedded"
	}
	return "nodes by features and neighbours"
}

// flatten places the rows of x that are shown in two dimensions, by their directions.
func (m *nodeMap) flatten(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	var err error
	if m.rows != nil {
		if x, err = someRows(ctx, x, m.rows); err != nil {
			return nil, err
		}
	}
	if m.unit, err = plane.UnitRows(ctx, x); err != nil {
		return nil, err
	}
	return plane.Places(ctx, m.unit, m.o.by == "pca", m.o.fit.seed, m.progress)
}

// join takes the degrees of the graph, if there is one, and the graph itself if its edges are few.
func (m *nodeMap) join() (err error) {
	v := m.of
	if m.drawn, err = v.degrees(); m.drawn == nil {
		return err
	}
	if m.rows != nil {
		m.drawn = picked(m.drawn, m.rows)
	} else if v.Graph.Report().Edges <= mostEdges {
		m.graph = v.Graph
	}
	return nil
}

// byImportance are the nodes, the most important first.
func (m *nodeMap) byImportance() []int { return plane.Important(m.drawn, m.unit, m.Groups) }

// write writes the map as a page.
func (m *nodeMap) write(ctx context.Context, w io.Writer) error {
	m.First = m.byImportance()
	if m.graph != nil {
		for edge := range m.graph.Edges() {
			if edge.U != edge.V {
				m.Edges = append(m.Edges, [2]int{edge.U, edge.V})
			}
		}
	}
	// More rows take minutes, as they do for t-SNE.
	if n := len(m.IDs); 1 < n && n <= mostByTSNE {
		d, all := m.of.Data, make([]int, n)
		if m.rows != nil { // of the graph
			d = &task.Data{Dataset: d.Dataset}
		}
		for i := range all {
			all[i] = i
		}
		similar, err := task.NewSimilar(ctx, d, m.unit, near.Cosine, m.progress)
		if err != nil {
			return err
		}
		if m.Near, err = similar.Rows(ctx, all, mostNear); err != nil {
			return err
		}
	} else if n > 1 {
		m.Note += fmt.Sprintf(" Above %d nodes the nearest of one are not listed.", mostByTSNE)
	}
	return m.Write(w)
}

// picture draws the map with the names of the most important node of each class.
func (m *nodeMap) picture() (*picture.Picture, error) {
	var central []int
	named := map[int]bool{-1: true}
	for _, i := range m.byImportance() {
		if class := m.Groups[i]; !named[class] && len(central) < mostNamed {
			named[class], central = true, append(central, i)
		}
	}
	var row []*picture.Picture
	for _, part := range m.Panels {
		axes := picture.Axes{Title: part.Title, Grades: m.Grades}
		if m.o.by == "pca" {
			axes.X, axes.Y = "first principal component", "second principal component"
		}
		marks := make([]picture.Mark, len(central))
		for k, i := range central {
			marks[k] = picture.Mark{Name: m.IDs[i], X: part.Places.At(i, 0), Y: part.Places.At(i, 1)}
		}
		var p *picture.Picture
		var err error
		if m.graph != nil {
			p, err = picture.Drawing(axes, m.graph, part.Places, m.Groups, m.Names, marks...)
		} else {
			p, err = picture.Places(axes, part.Places, m.Groups, m.Names, marks...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.Title, err)
		}
		row = append(row, p)
	}
	p, err := picture.Grid(row)
	if err == nil {
		p.Height += 1.9
	}
	return p, err
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
