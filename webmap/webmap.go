// Package webmap writes a map of nodes as one HTML file that needs no network. The page names the node under the pointer,
// finds nodes by name, zooms and pans. It lists the nodes nearest to a chosen one, and its legend switches classes off.
// It draws tens of thousands of nodes on a canvas.
//
// [Script] and [Style] are the map alone, for pages of programs: the script's class NodeMap draws into
// an element of the page.
package webmap

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"coles"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

var (
	// Script defines NodeMap, in JavaScript; its comments say what its methods take.
	//go:embed map.js
	Script string
	// Style is the style sheet of what NodeMap draws, in light and dark.
	//go:embed map.css
	Style string
	//go:embed page.gohtml
	pageText string
)

var page = template.Must(template.New("page").Parse(pageText))

// A Map is what a page shows of n nodes.
type Map struct {
	Title  string         // of the page
	Note   string         // a line below it
	IDs    []string       // names of the nodes
	Panels []Panel        // one or more, side by side
	Groups []int          // the class or cluster of each node, negative for none; nil for none at all
	Names  []string       // of the groups; nil for their numbers
	Noun   string         // what a group is: class or cluster
	Grades bool           // groups are steps of a scale, from light to dark
	Near   [][]near.Match // the nodes nearest to each, as [near.Index.Rows] finds them; nil where they are not shown
	Edges  [][2]int       // edges to draw, faintly; some thousands at most
	First  []int          // nodes by importance: the first names that are written; nil for the order of the nodes
}

// A Panel has a place for each node.
type Panel struct {
	Title  string     // above it
	Places mat.Matrix // n × 2, such as those of plane.TSNE
}

// resolution is the number of steps that the longer side of a panel is divided into: more than any
// screen has pixels, ten times enlarged.
const resolution = 1 << 15

// Write writes the page: some 60 bytes a node with names of ten letters, and 15 for each of its nearest.
//
// Errors: [coles.ErrShape] where the fields do not fit each other, [coles.ErrIndex] for a group
// without a name or a node that there is not, [coles.ErrNotFinite], and w's.
func (m Map) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	type panel struct {
		Title  string `json:"title"`
		Places []int  `json:"places"`
	}
	data := struct {
		IDs    []string `json:"ids"`
		Panels []panel  `json:"panels"`
		Groups []int    `json:"groups"`
		Names  []string `json:"names"`
		Noun   string   `json:"noun"`
		Grades bool     `json:"grades"`
		Near   [][]int  `json:"near"` // the row and ten thousand times the similarity, in turn
		Edges  []int    `json:"edges"`
		First  []int    `json:"first"`
	}{IDs: m.IDs, Groups: m.Groups, Names: m.Names, Noun: m.Noun, Grades: m.Grades, First: m.First}
	for _, p := range m.Panels {
		places, err := p.steps()
		if err != nil {
			return err
		}
		data.Panels = append(data.Panels, panel{p.Title, places})
	}
	for _, matches := range m.Near {
		row := make([]int, 0, 2*len(matches))
		for _, match := range matches {
			row = append(row, match.Row, int(math.Round(1e4*match.Score)))
		}
		data.Near = append(data.Near, row)
	}
	for _, e := range m.Edges {
		data.Edges = append(data.Edges, e[0], e[1])
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{
		"Title": m.Title, "Note": m.Note, "Style": template.CSS(Style), "Script": template.JS(Script),
		"Data": template.JS(text), // JSON escapes what would end the element
	})
}

func (m Map) check() error {
	n := len(m.IDs)
	if n == 0 || len(m.Panels) == 0 {
		return fmt.Errorf("%w: %d nodes, %d panels", coles.ErrShape, n, len(m.Panels))
	}
	for _, part := range []struct {
		name string
		is   int
	}{{"groups", len(m.Groups)}, {"lists of near nodes", len(m.Near)}, {"nodes by importance", len(m.First)}} {
		if part.is != 0 && part.is != n {
			return fmt.Errorf("%w: %d %s, %d nodes", coles.ErrShape, part.is, part.name, n)
		}
	}
	for _, p := range m.Panels {
		if rows, columns := p.Places.Dims(); rows != n || columns != 2 {
			return fmt.Errorf("%w: %q has places of %d × %d numbers, want %d × 2", coles.ErrShape, p.Title, rows, columns, n)
		}
	}
	if n := len(m.Groups); n > 0 && m.Names != nil && slices.Max(m.Groups) >= len(m.Names) {
		return fmt.Errorf("%w: group %d, and %d names", coles.ErrIndex, slices.Max(m.Groups), len(m.Names))
	}
	outside := func(i int) bool { return i < 0 || i >= n }
	for k, e := range m.Edges {
		if slices.ContainsFunc(e[:], outside) {
			return fmt.Errorf("%w: edge %d joins %d and %d of %d nodes", coles.ErrIndex, k, e[0], e[1], n)
		}
	}
	for i, matches := range m.Near {
		for _, match := range matches {
			if outside(match.Row) {
				return fmt.Errorf("%w: node %d of %d is near node %d", coles.ErrIndex, match.Row, n, i)
			}
		}
	}
	if k := slices.IndexFunc(m.First, outside); k >= 0 {
		return fmt.Errorf("%w: node %d of %d by importance", coles.ErrIndex, m.First[k], n)
	}
	return nil
}

// steps are the places as whole numbers, at one scale in both directions.
func (p Panel) steps() ([]int, error) {
	n, _ := p.Places.Dims()
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range n {
		for k := range 2 {
			v := p.Places.At(i, k)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%w: place %d of %q", coles.ErrNotFinite, i, p.Title)
			}
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
	}
	side := max(hi[0]-lo[0], hi[1]-lo[1], math.SmallestNonzeroFloat64)
	all := make([]int, 0, 2*n)
	for i := range n {
		for k := range 2 {
			all = append(all, int(math.Round((p.Places.At(i, k)-lo[k])/side*resolution)))
		}
	}
	return all, nil
}
