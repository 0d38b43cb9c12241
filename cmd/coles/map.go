package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/picture"
	"coles/task"
	"coles/webmap"

	"gonum.org/v1/gonum/mat"
)

const (
	mostByTSNE = 20_000 // nodes that t-SNE draws: more take minutes, and cover each other
	mostEdges  = 3000   // that a map draws: more are a grey cloud
	mostNear   = 10     // nodes that a page lists for one
	mostNamed  = 20     // classes of which a picture names a node
)

// A mapping says how nodes are placed.
type mapping struct {
	title    string
	pca      bool
	seed     uint64
	progress coles.Progress
}

// A nodeMap is a map of some rows of an embedding.
type nodeMap struct {
	webmap.Map
	mapping
	of    *vectors
	graph *coles.Graph // drawn, if its edges are few; else nil
	unit  mat.Matrix   // the rows of the embedding at length 1
	drawn []float64    // degrees, nil without a graph
}

// mapOf places the features, unless there are none, and the embedding: the rows given, or all of them.
func mapOf(ctx context.Context, how mapping, v *vectors, rows []int) (*nodeMap, error) {
	n, _ := v.rows.Dims()
	m := &nodeMap{mapping: how, of: v}
	m.Title = filepath.Base(nameOf(how.title))
	m.IDs = task.Names(v.IDs, n)
	m.Note = setting.Count(n, "nodes") + ". Near points have similar vectors."
	if rows != nil {
		m.Note = fmt.Sprintf("%d of %d nodes. Near points have similar vectors.", len(rows), n)
		m.IDs = picked(m.IDs, rows)
	}
	for _, part := range []struct {
		stage, title string
		rows         mat.Matrix
	}{{"features", "nodes by their features", v.Features}, {"vectors", v.shows(), v.rows}} {
		if part.rows == nil {
			continue
		}
		how.progress("draw "+part.stage, 0, 0)
		places, err := m.flatten(ctx, part.rows, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.stage, err)
		}
		m.Panels = append(m.Panels, webmap.Panel{Title: part.title, Places: places})
	}
	return m, m.join(rows)
}

// shows says what the vectors are made of.
func (v *vectors) shows() string {
	switch {
	case v.model == nil:
		return "nodes by their vectors"
	case v.Features == nil:
		return "nodes by their neighbours"
	case task.OriginOf(v.model).Kind == coles.UseFeatures.String():
		return "nodes by their features, embedded"
	}
	return "nodes by features and neighbours"
}

// flatten places rows of x in two dimensions, by their directions.
func (m *nodeMap) flatten(ctx context.Context, x mat.Matrix, rows []int) (*mat.Dense, error) {
	var err error
	if rows != nil {
		if x, err = someRows(ctx, x, rows); err != nil {
			return nil, err
		}
	}
	if m.unit, err = task.UnitRows(ctx, x); err != nil {
		return nil, err
	}
	return task.Places(ctx, m.unit, m.pca, m.seed, m.progress)
}

// join takes the degrees of the graph, if there is one, and the graph itself if its edges are few.
func (m *nodeMap) join(rows []int) (err error) {
	v := m.of
	if m.drawn, err = v.degrees(); m.drawn == nil {
		return err
	}
	if rows != nil {
		m.drawn = picked(m.drawn, rows)
	} else if v.Graph.Report().Edges <= mostEdges {
		m.graph = v.Graph
	}
	return nil
}

// byImportance are the nodes, the most important first.
func (m *nodeMap) byImportance() []int { return task.Important(m.drawn, m.unit, m.Groups) }

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
		if rows, _ := m.of.rows.Dims(); n < rows { // some rows of the graph
			d = &task.Data{Dataset: d.Dataset}
		}
		for i := range all {
			all[i] = i
		}
		similar, err := task.NewSimilar(ctx, d, m.unit, m.progress)
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
		if m.pca {
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

// someRows is a copy of rows of y, sparse where y is.
func someRows(ctx context.Context, y mat.Matrix, rows []int) (mat.Matrix, error) {
	s, err := matrix.Read(ctx, y)
	if err != nil {
		return nil, err
	}
	all, err := matrix.As[float64](ctx, s)
	if err != nil {
		return nil, err
	}
	some, err := all.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	return matrix.Export(ctx, some)
}
