package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"coles"
	"coles/near"
	"coles/picture"
	"coles/plane"
	"coles/webmap"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const (
	mostByTSNE = 20_000 // nodes that t-SNE draws: more take minutes, and cover each other
	mostEdges  = 3000   // that a map draws: more are a grey cloud
	mostNear   = 10     // nodes that a page lists for one
	mostNamed  = 20     // classes of which a picture names a node
)

// A nodeMap is a map of some rows of an embedding.
type nodeMap struct {
	webmap.Map
	graph *coles.Graph // drawn, if its edges are few; else nil
	alike *coles.Graph // of which nodes are near that have like neighbours: all of it, without features; else nil
	unit  mat.Matrix   // the rows of the embedding at length 1
	drawn []float64    // degrees, nil without a graph
}

// mapOf places the features, unless there are none, and the embedding: the rows given, or all of them.
func mapOf(ctx context.Context, c *cli.Command, in *inputs, e *embedding, rows []int) (*nodeMap, error) {
	defer in.progress.clear()
	n, _ := e.rows.Dims()
	m := &nodeMap{}
	m.Title = filepath.Base(nameOf(cmp.Or(c.Args().First(), c.String("embedding"))))
	m.IDs = rowNames(e.data.IDs, n)
	m.Note = fmt.Sprintf("%d nodes. Near points have similar vectors.", n)
	if rows != nil {
		m.Note = fmt.Sprintf("%d of %d nodes. Near points have similar vectors.", len(rows), n)
		m.IDs = picked(m.IDs, rows)
	}
	for _, part := range []struct {
		title string
		rows  mat.Matrix
	}{{"features", e.data.Features}, {"embedding", e.rows}} {
		if part.rows == nil {
			continue
		}
		in.progress.show("draw "+part.title, 0, 0)
		places, err := m.flatten(ctx, c, in, part.rows, rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part.title, err)
		}
		m.Panels = append(m.Panels, webmap.Panel{Title: part.title, Places: places})
	}
	return m, m.join(e, rows)
}

// flatten places rows of x in two dimensions, by their directions.
func (m *nodeMap) flatten(ctx context.Context, c *cli.Command, in *inputs, x mat.Matrix, rows []int) (*mat.Dense, error) {
	if rows != nil {
		var err error
		if x, err = someRows(ctx, x, rows); err != nil {
			return nil, err
		}
	}
	unit, err := unitRows(ctx, x)
	if err != nil {
		return nil, err
	}
	m.unit = unit
	if c.String("by") == "pca" {
		return plane.PCA(ctx, unit, 2)
	}
	return plane.TSNE{Seed: seedOr1(c), Progress: in.progress.show}.Places(ctx, unit)
}

// join takes the degrees of the graph, if there is one, and the graph itself if its edges are few.
func (m *nodeMap) join(e *embedding, rows []int) error {
	g := e.graph
	if g == nil && e.data.Adjacency != nil {
		var err error
		if g, err = e.data.Graph(); err != nil {
			return err
		}
	}
	if g == nil {
		return nil
	}
	m.drawn = g.Degrees()
	if rows != nil {
		m.drawn = picked(m.drawn, rows)
		return nil
	}
	if g.Report().Edges <= mostEdges {
		m.graph = g
	}
	if e.data.Features == nil && e.data.Sides == nil {
		m.alike = g
	}
	return nil
}

// byImportance are the nodes by their degrees or, without a graph, by the cosines between their vectors
// and the mean of their class, largest first.
func (m *nodeMap) byImportance() []int {
	importance := m.drawn
	if importance == nil {
		n, d := m.unit.Dims()
		means := make(map[int]*mat.VecDense)
		importance = make([]float64, n)
		for i, class := range m.Groups {
			if means[class] == nil {
				means[class] = mat.NewVecDense(max(d, 1), nil)
			}
			for j := range d {
				means[class].SetVec(j, means[class].AtVec(j)+m.unit.At(i, j))
			}
		}
		for i, class := range m.Groups {
			for j := range d {
				importance[i] += means[class].AtVec(j) * m.unit.At(i, j)
			}
			importance[i] /= max(mat.Norm(means[class], 2), math.SmallestNonzeroFloat64)
		}
	}
	order := make([]int, len(importance))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(importance[j], importance[i]) })
	return order
}

// write writes the map as a page.
func (m *nodeMap) write(ctx context.Context, c *cli.Command, in *inputs, w io.Writer) error {
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
		defer in.progress.clear()
		var err error
		if m.Near, err = m.nearest(ctx, in, min(mostNear, n-1)); err != nil {
			return err
		}
	} else if n > 1 {
		m.Note += fmt.Sprintf(" Above %d nodes the nearest of one are not listed.", mostByTSNE)
	}
	return m.Write(w)
}

// nearest are the k nodes nearest to each, as "coles similar" finds them.
func (m *nodeMap) nearest(ctx context.Context, in *inputs, k int) ([][]near.Match, error) {
	all := make([]int, len(m.IDs))
	for i := range all {
		all[i] = i
	}
	if m.alike != nil {
		return near.Alike(ctx, m.alike, all, k)
	}
	index, err := near.NewIndex(ctx, m.unit, near.Cosine)
	if err != nil {
		return nil, err
	}
	index.Progress = in.progress.show
	return index.Rows(ctx, all, k)
}

// picture draws the map with the names of the most important node of each class.
func (m *nodeMap) picture(by string) (*picture.Picture, error) {
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
		if by == "pca" {
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
