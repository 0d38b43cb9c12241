package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/task"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A book knows the graph of the files and all changes since.
type book struct {
	files    *dataset.Dataset
	graph    *coles.Graph
	cells    cells
	order    []string                  // of the nodes that the files lack, as they came
	added    map[string]bool           // these
	gone     map[string]bool           // nodes of the files
	again    map[string]bool           // nodes removed since the last fit began: of that name it has another, if any
	features map[string]map[string]any // of these, and new ones of nodes of the files
	weights  weights                   // of edges since
}

// Weights are the weights of edges in both directions; 0 for removed edges.
type weights map[string]map[string]float64

func newBook(d *task.Data) *book {
	return &book{files: d.Dataset, graph: d.Graph, cells: cellsOf(d), added: map[string]bool{}, gone: map[string]bool{}, again: map[string]bool{}, features: map[string]map[string]any{}, weights: weights{}}
}

// has reports whether there is such a node now.
func (b *book) has(id string) bool {
	_, ok := b.graph.Row(id)
	return b.added[id] || ok && !b.gone[id]
}

// nodes is the number of nodes now.
func (b *book) nodes() int { return b.graph.Nodes() - len(b.gone) + len(b.added) }

// check refuses a batch that cannot be taken as a whole.
func (b *book) check(c batch) error {
	fresh := map[string]bool{}
	for _, n := range c.Nodes {
		if n.ID == "" || fresh[n.ID] {
			return fmt.Errorf("node %q has no name, or is given twice", n.ID)
		}
		if b.has(n.ID) {
			return failure{http.StatusConflict, fmt.Errorf("there is a node %q already", n.ID)}
		}
		fresh[n.ID] = true
	}
	for _, e := range c.joins() {
		for _, id := range []string{e.From, e.To} {
			if !b.has(id) && !fresh[id] {
				return noNode(id)
			}
		}
		switch {
		case e.From == e.To:
			return fmt.Errorf("an edge joins %q to itself", e.From)
		case e.Weight != nil && !(*e.Weight >= 0 && *e.Weight <= math.MaxFloat32):
			return fmt.Errorf("the edge of %q and %q has the weight %v, want 0 to %.2g", e.From, e.To, *e.Weight, math.MaxFloat32)
		}
	}
	for id := range c.Features {
		if !b.has(id) {
			return noNode(id)
		}
	}
	for _, id := range c.RemoveNodes {
		if !b.has(id) || fresh[id] {
			return noNode(id)
		}
		fresh[id] = true
	}
	return nil
}

// take takes a batch that has been checked.
func (b *book) take(c batch) {
	for _, n := range c.Nodes {
		b.order, b.added[n.ID] = append(b.order, n.ID), true
	}
	for _, e := range c.joins() {
		b.weights.join(e)
	}
	maps.Copy(b.features, c.features())
	for _, id := range c.RemoveNodes {
		b.again[id] = true
		for other := range b.weights[id] {
			delete(b.weights[other], id)
		}
		delete(b.weights, id)
		delete(b.features, id)
		if !b.added[id] {
			b.gone[id] = true
		}
		delete(b.added, id)
	}
	if len(c.RemoveNodes) > 0 {
		b.order = slices.DeleteFunc(b.order, func(id string) bool { return !b.added[id] })
	}
}

// join takes an edge.
func (w weights) join(e toldEdge) {
	for _, ends := range [][2]string{{e.From, e.To}, {e.To, e.From}} {
		if w[ends[0]] == nil {
			w[ends[0]] = map[string]float64{}
		}
		w[ends[0]][ends[1]] = e.weight()
	}
}

// batches are all changes since the files, in lines of as many as a request may have.
func (b *book) batches(of string) []batch {
	all := []batch{{Of: of}}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(b.gone)), mostTold) {
		all = append(all, batch{RemoveNodes: some})
	}
	var nodes []toldNode
	for _, id := range b.order {
		nodes = append(nodes, toldNode{ID: id, Features: b.features[id]})
	}
	for some := range slices.Chunk(nodes, mostTold) {
		all = append(all, batch{Nodes: some})
	}
	var edges []toldEdge
	for u, ends := range b.weights {
		for v, w := range ends {
			if u < v {
				edges = append(edges, toldEdge{u, toldEnd{v, &w}})
			}
		}
	}
	for some := range slices.Chunk(edges, mostTold) {
		all = append(all, batch{Edges: some})
	}
	for id, features := range b.features {
		if !b.added[id] {
			all = append(all, batch{Features: map[string]map[string]any{id: features}})
		}
	}
	return all
}

// begin is what a fit begins with: the graph as it is now, with its features and labels.
func (b *book) begin(ctx context.Context) (*task.Data, error) {
	d := &dataset.Dataset{Name: b.files.Name, Encoder: b.files.Encoder, FeatureNames: b.files.FeatureNames, Classes: b.files.Classes}
	known, labels := b.graph.IDs(), task.Known(b.files, b.graph.Nodes())
	d.IDs = append(slices.DeleteFunc(slices.Clone(known), func(id string) bool { return b.gone[id] }), b.order...)
	at := map[string]int{}
	for q, id := range d.IDs {
		at[id] = q
		if b.files.Labels == nil {
			continue
		}
		label := -1
		if i, ok := b.graph.Row(id); ok && !b.added[id] {
			label = labels[i]
		}
		d.Labels = append(d.Labels, label)
	}
	var err error
	if d.Undirected, err = b.joined(at, known, d.IDs); err != nil {
		return nil, err
	}
	if b.files.Features != nil {
		if d.Features, err = b.stacked(ctx, d.IDs); err != nil {
			return nil, err
		}
	}
	b.again = map[string]bool{}
	return task.New(d)
}

// joined is the graph of the present edges.
func (b *book) joined(at map[string]int, known, ids []string) (*coles.Graph, error) {
	var edges []coles.Edge
	var weights []float64
	for e, w := range b.graph.Edges() {
		u, v := known[e.U], known[e.V]
		if _, changed := b.weights[u][v]; !changed && !b.gone[u] && !b.gone[v] {
			edges, weights = append(edges, coles.Edge{U: at[u], V: at[v]}), append(weights, w)
		}
	}
	for _, u := range ids {
		for v, w := range b.weights[u] {
			if u < v && w > 0 {
				edges, weights = append(edges, coles.Edge{U: at[u], V: at[v]}), append(weights, w)
			}
		}
	}
	return coles.NewGraph(len(ids), edges, coles.WithWeights(weights), coles.WithIDs(ids))
}

// stacked are the features of all nodes, sparse if the files' are.
func (b *book) stacked(ctx context.Context, ids []string) (mat.Matrix, error) {
	_, width := b.files.Features.Dims()
	files, err := matrix.Read(ctx, b.files.Features)
	if err != nil {
		return nil, err
	}
	dense, coo := (*mat.Dense)(nil), sparse.NewCOO(len(ids), width, nil, nil, nil)
	set := coo.Set
	if _, isSparse := b.files.Features.(*sparse.CSR); !isSparse {
		dense = mat.NewDense(len(ids), width, nil)
		set = dense.Set
	}
	for q, id := range ids {
		from := files
		i, _ := b.graph.Row(id)
		if features, told := b.features[id]; told {
			row, _, err := b.cells.row(ctx, features)
			if err == nil {
				from, err = matrix.Read(ctx, row)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			i = 0
		}
		from.DoRowNonZero(i, func(_, j int, v float64) { set(q, j, v) })
	}
	if dense == nil {
		return coo.ToCSR(), nil
	}
	return dense, nil
}
