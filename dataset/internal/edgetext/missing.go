package edgetext

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgeset"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/text"
	"coles/table"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// dataset puts the parts together, after gaps in the features are dealt with as the options say.
func (l *edgeFiles) dataset(opts options) (*Files, error) {
	if err := l.findOnly(opts); err != nil {
		return nil, err
	}
	if err := l.leaveOut(opts); err != nil {
		return nil, err
	}
	n := l.nodes.count()
	if l.Features != nil {
		if err := l.fill(n, opts); err != nil {
			return nil, err
		}
	}
	if l.Table != nil {
		rows := slices.Repeat([]int{-1}, n) // of holes behind the last
		for i := range l.Table.Rows() {
			rows[i] = i
		}
		l.Table = l.Table.Select(rows)
	}
	for _, order := range []func() []int{func() []int { return l.byNumber(opts) }, l.onlyFirst} {
		if order := order(); order != nil {
			if err := l.take(order); err != nil {
				return nil, err
			}
		}
	}
	l.call(opts)
	d := &l.Files
	if l.Table != nil {
		l.Table.IDs = d.IDs
	}
	kept := l.edges.Count - l.warnOfDropped(n)
	var again int
	usual := matrix.Added
	if opts.Unweighted {
		usual = matrix.Largest
	}
	repeats := cmp.Or(opts.Repeats, string(usual))
	if opts.Undirected {
		var err error
		if d.Undirected, again, err = l.edges.Graph(n, d.IDs, repeats); err != nil {
			return nil, place.In(l.edgesFile, l.negative(err))
		}
	} else {
		d.Adjacency = l.edges.CSR(n, n)
		again = edgeset.JoinRepeats(d.Adjacency, repeats)
	}
	if again > 0 && opts.Repeats == "" && !opts.Unweighted {
		l.say(l.edgesFile, 0, []parse.Advice{repeatsAdvice}, "edges that repeat an earlier one: %d of %d; their weights, 1 where there is none, add up", again, l.edges.Count)
	}
	if d.Undirected != nil && again == 0 {
		report := d.Undirected.Report()
		if differ := report.MirrorsAdded - (2*report.Edges - kept); differ > 0 {
			l.say(l.edgesFile, 0, nil, "edges whose two directions have different weights, of which the larger counts: %d", differ)
		}
	}
	if err := l.makeKinds(n, repeats, opts); err != nil {
		return nil, err
	}
	l.edges = edgeset.Set{}
	if l.Table != nil {
		if err := d.encode(opts.Encoder); err != nil {
			return nil, err
		}
		if opts.Encoder == nil && d.Encoder != nil {
			for _, v := range d.Encoder.Variables() {
				if v.Between != "" {
					l.say(l.featuresFile, 0, []parse.Advice{kindAdvice}, "cells of column %q are taken for lists of %d categories, by %q", v.Name, v.Values, v.Between)
				}
			}
		}
	}
	return d, nil
}

// leaveOut takes the nodes that stay.
func (l *edgeFiles) leaveOut(opts options) error {
	out := l.leftOut(opts)
	if out == nil {
		return nil
	}
	keep := where(out, false)
	if keep == nil {
		return fmt.Errorf("%w: every node is left out", place.ErrMissing)
	}
	l.say(l.edgesFile, 0, nil, "nodes that are left out: %d of %d", len(out)-len(keep), len(out))
	return l.take(keep)
}

// warnOfDropped warns of edges that no graph has: of weight 0, and more self loops than what may be there to name isolated
// nodes. It counts all.
func (l *edgeFiles) warnOfDropped(n int) (dropped int) {
	if l.told == nil {
		return 0
	}
	loops, zeros, isolated := l.edges.Dropped(n)
	if zeros > 0 {
		l.say(l.edgesFile, 0, []parse.Advice{unweightedAdvice}, "a graph leaves out edges of weight 0: %d", zeros)
	}
	if l.edges.Count > 0 && isolated == n {
		l.say(l.edgesFile, 0, []parse.Advice{columnsAdvice("")}, "no edge joins two nodes: from a node to itself are %d of %d", loops, l.edges.Count)
	} else if loops > isolated && !l.oneKind {
		l.say(l.edgesFile, 0, []parse.Advice{{Field: "Bipartite", Says: "that the columns name nodes of two kinds"}}, "a graph leaves out edges from a node to itself: %d", loops)
	}
	return loops + zeros
}

// negative says which edge has a weight below 0, if that is the error of a graph.
func (l *edgeFiles) negative(err error) error {
	for e, w := range l.edges.All() {
		if w < 0 && errors.Is(err, coles.ErrNegative) {
			err = fmt.Errorf("%w: weight %v of the edge between %q and %q", coles.ErrNegative, w, l.IDs[e.U], l.IDs[e.V])
			return place.Advise(err, unweightedAdvice)
		}
	}
	return err
}

// leftOut are the nodes that do not stay, nil for none.
func (l *edgeFiles) leftOut(opts options) []bool {
	skip := opts.SkipUnknown && opts.Nodes == nil && opts.Rows == 0
	if !skip && l.only == nil && opts.Missing != "drop" && opts.MissingRows != "drop" {
		return nil
	}
	out := slices.Repeat([]bool{skip}, l.nodes.count())
	if skip {
		for e := range l.edges.All() {
			out[e.U], out[e.V] = false, false
		}
	}
	for i := range out {
		out[i] = out[i] || l.drops(i, opts) || l.leaves != nil && l.leaves[i]
	}
	if !slices.Contains(out, true) {
		return nil
	}
	return out
}

// drops reports whether the options leave out node i for what it lacks.
func (l *edgeFiles) drops(i int, opts options) bool {
	rows := 0
	switch {
	case l.Features != nil:
		rows, _ = l.Features.Dims()
	case l.Table != nil:
		rows = l.Table.Rows()
	default:
		return false
	}
	if i >= rows {
		return opts.MissingRows == "drop"
	}
	dense, _ := l.Features.(*mat.Dense)
	return opts.Missing == "drop" && (dense != nil && slices.ContainsFunc(dense.RawRowView(i), math.IsNaN) || l.Table != nil && l.Table.HasHole(i))
}

// byNumber is the order of nodes that are called 0 to n − 1, by these numbers; nil for others, and where they have it or
// the caller names them.
func (l *edgeFiles) byNumber(opts options) []int {
	if opts.Nodes != nil || opts.Rows > 0 || l.nodes.span > 0 {
		return nil
	}
	order, sorted := make([]int, len(l.nodes.ids)), true
	for i, id := range l.nodes.ids {
		v, ok := text.Integer(id)
		if !ok || v >= uint64(len(order)) {
			return nil
		}
		order[v], sorted = i, sorted && v == uint64(i)
	}
	if sorted {
		return nil
	}
	return order
}

// take takes these nodes, in this order, of which those with features come first, and the edges between them.
func (l *edgeFiles) take(order []int) error {
	row := slices.Repeat([]int32{-1}, l.nodes.count()) // where each goes
	for i, old := range order {
		row[old] = int32(i)
	}
	l.nodes.ids, l.names = text.Picked(l.nodes.ids, order), text.Picked(l.names, order)
	l.Class, l.Sides, l.only = text.Picked(l.Class, order), text.Picked(l.Sides, order), text.Picked(l.only, order)
	l.edges.Move(row)
	for _, kind := range l.byKind {
		kind.Move(row)
	}
	if l.Table != nil {
		behind := slices.IndexFunc(order, func(old int) bool { return old >= l.Table.Rows() })
		if behind < 0 {
			behind = len(order)
		}
		l.Table = l.Table.Select(order[:behind])
	}
	return l.takeFeatures(order)
}

func (l *edgeFiles) takeFeatures(order []int) error {
	switch x := l.Features.(type) {
	case *mat.Dense:
		rows, cols := x.Dims()
		var data []float64
		for _, i := range order {
			if i < rows {
				data = append(data, x.RawRowView(i)...)
			}
		}
		if data == nil {
			return fmt.Errorf("%w: no node with features is left", place.ErrMissing)
		}
		l.Features = mat.NewDense(len(data)/cols, cols, data)
	case *sparse.CSR:
		raw := x.RawMatrix()
		indptr := []int{0}
		var ind []int
		var data []float64
		for _, i := range order {
			if i < raw.I {
				from, to := raw.Indptr[i], raw.Indptr[i+1]
				ind, data = append(ind, raw.Ind[from:to]...), append(data, raw.Data[from:to]...)
				indptr = append(indptr, len(ind))
			}
		}
		l.Features = sparse.NewCSR(len(indptr)-1, raw.J, indptr, ind, data)
		return bounds.Width(raw.J, len(ind))
	}
	return nil
}

// fill puts zeros, or the mean of the column, where n nodes have no feature.
func (l *edgeFiles) fill(n int, opts options) error {
	rows, cols := l.Features.Dims()
	if x, ok := l.Features.(*sparse.CSR); ok && rows < n {
		if opts.MissingRows == "mean" {
			return setting.Bad("MissingRows", "mean", "zero or drop: the mean of sparse features is not sparse")
		}
		raw := x.RawMatrix()
		indptr := append(raw.Indptr, slices.Repeat([]int{len(raw.Ind)}, n-rows)...)
		l.Features = sparse.NewCSR(n, cols, indptr, raw.Ind, raw.Data)
	} else if x, ok := l.Features.(*mat.Dense); ok {
		data := x.RawMatrix().Data
		// Few features and many edges must not ask for what neither file holds.
		more := int64(n-rows) * int64(cols)
		if more > min(bounds.Empty+64*int64(len(data)), math.MaxInt/16) {
			return fmt.Errorf("%d nodes of %d without any of %d features: %w", n-rows, n, cols, coles.ErrTooLarge)
		}
		gaps := data
		if more > 0 {
			data = append(data, slices.Repeat([]float64{math.NaN()}, int(more))...)
			gaps = data[:len(gaps)]
		}
		l.Features = mat.NewDense(n, cols, data)
		if !slices.ContainsFunc(data, math.IsNaN) {
			return nil
		}
		mean, err := means(gaps, cols, opts.Encoder)
		if err != nil {
			return err
		}
		fillGaps(gaps, mean, opts.Missing != "zero")
		fillGaps(data[len(gaps):], mean, opts.MissingRows == "mean")
	}
	return nil
}

// means are those that a model has of the columns or, without, those of the columns but for gaps.
func means(data []float64, cols int, e *table.Encoder) ([]float64, error) {
	mean, count := make([]float64, cols), make([]float64, cols)
	if knowsMeans(e) && e.Features() == cols {
		for j, v := range e.Variables() {
			mean[j] = *v.Fill
		}
		return mean, nil
	}
	for k, v := range data {
		if v == v {
			mean[k%cols] += v
			count[k%cols]++
		}
	}
	for j := range mean {
		if mean[j] /= max(count[j], 1); math.IsInf(mean[j], 0) {
			return nil, fmt.Errorf("the mean of column %d: %w", j, coles.ErrNotFinite)
		}
	}
	return mean, nil
}

func knowsMeans(e *table.Encoder) bool { return e.AsIs() && e.Variables()[0].Fill != nil }

// fillGaps replaces NaN by zero, or by the mean of its column.
func fillGaps(data, mean []float64, by bool) {
	for k, v := range data {
		if v != v {
			data[k] = 0
			if by {
				data[k] = mean[k%len(mean)]
			}
		}
	}
}
