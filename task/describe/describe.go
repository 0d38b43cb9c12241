// Package describe tells what data are before anything is asked of them: sizes, degrees, columns, labels, and what a fit
// would choose.
package describe

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"coles"
	"coles/dataset/parse"
	"coles/internal/matrix"
	"coles/table"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// A Description is of data, and of a fit of them in advance.
type Description struct {
	Graph      coles.GraphReport    `json:"graph"`
	Weights    *weightRange         `json:"weights"`         // null for a graph that is not weighted
	Kinds      []kindDescription    `json:"kinds,omitempty"` // of edges
	Components int                  `json:"components"`
	Degrees    degreeRange          `json:"degrees"`
	Features   *featuresDescription `json:"features"`          // null for none
	Columns    []Column             `json:"columns,omitempty"` // of the table that features are made of
	Labels     *labelsDescription   `json:"labels"`            // null for none
	Splits     int                  `json:"splits"`
	Read       []parse.Layout       `json:"read,omitempty"` // how files of text were
	Fit        fitDescription       `json:"fit"`
}

// A fitDescription describes a fit in advance.
type fitDescription struct {
	Bytes     int64            `json:"bytes"` // besides graph and features
	Kind      coles.Kind       `json:"kind"`
	Alignment *coles.Alignment `json:"alignment"` // null where the model is set, or there are no features
}

// A weightRange is the smallest and the largest of the edges.
type weightRange struct {
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// A kindDescription counts the edges of a kind in the file, their ends, and the ends that have no other neighbour.
type kindDescription struct {
	Kind  string `json:"kind"`
	Edges int    `json:"edges"`
	Ends  int    `json:"ends"`
	Once  int    `json:"ends_of_one_edge"`
}

// kindsOf describes the kinds of edges, by their names.
func kindsOf(d *task.Data) (all []kindDescription) {
	for _, kind := range slices.Sorted(maps.Keys(d.Kinds)) {
		of, ends := kindDescription{Kind: kind, Edges: d.Kinds[kind].NNZ()}, make(map[int]bool)
		d.Kinds[kind].DoNonZero(func(u, v int, _ float64) { ends[u], ends[v] = true, true })
		for u := range ends {
			if near, _ := d.Graph.Neighbors(u); len(near) == 1 {
				of.Once++
			}
		}
		of.Ends = len(ends)
		all = append(all, of)
	}
	return all
}

// A degreeRange is how many neighbours nodes have.
type degreeRange struct {
	Min    int     `json:"min"`
	Median float64 `json:"median"`
	Mean   float64 `json:"mean"`
	Max    int     `json:"max"`
}

// A featuresDescription counts the entries of features.
type featuresDescription struct {
	Columns int     `json:"columns"`
	NonZero int     `json:"non_zero"`
	Share   float64 `json:"share"`      // of entries that are not zero
	Empty   int     `json:"empty_rows"` // that have none
}

// Data describes data whose labels are t, and a fit with these settings. e tells the columns of a table, nil for none.
// Errors: as [coles.Settings.Estimate], [coles.Settings.Alignment], and of package eval.
func Data(ctx context.Context, d *task.Data, t task.Target, e *table.Encoder, settings coles.Settings) (*Description, error) {
	g := d.Graph
	_, components := g.Components()
	about := &Description{Graph: g.Report(), Kinds: kindsOf(d), Components: components, Degrees: degreesOf(g), Columns: Columns(e), Splits: len(d.Splits), Read: d.Layouts}
	if g.Report().Weighted {
		about.Weights = &weightRange{math.Inf(1), 0}
		for _, w := range g.Edges() {
			about.Weights.Min, about.Weights.Max = min(about.Weights.Min, w), max(about.Weights.Max, w)
		}
	}
	var err error
	if d.Features != nil {
		if about.Features, err = describeFeatures(ctx, d.Features); err != nil {
			return nil, err
		}
	}
	if d.Labels != nil {
		if about.Labels, err = Labels(ctx, d, t); err != nil {
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

// A Column is of the features that an encoder makes of a column.
type Column struct {
	Name     string     `json:"name"`
	Kind     table.Kind `json:"kind"`
	Values   int        `json:"values"` // different ones, words of a text
	Holes    int        `json:"holes"`
	Features int        `json:"features"`
	text     string
}

// String is the column in words, without its name.
func (c Column) String() string { return c.text }

// Columns describes the columns of an encoder; none of plain numbers.
func Columns(e *table.Encoder) (all []Column) {
	if e == nil || e.AsIs() {
		return nil
	}
	for _, v := range e.Variables() {
		all = append(all, Column{v.Name, v.Kind, v.Values, v.Holes, v.Features(), v.String()})
	}
	return all
}

// degreesOf counts the neighbours of every node.
func degreesOf(g *coles.Graph) degreeRange {
	n := g.Nodes()
	count := make([]int, n)
	for e := range g.Edges() {
		count[e.U]++
		count[e.V]++
	}
	slices.Sort(count)
	return degreeRange{
		Min: count[0], Max: count[n-1],
		Median: float64(count[(n-1)/2]+count[n/2]) / 2,
		Mean:   2 * float64(g.Report().Edges) / float64(n),
	}
}

func describeFeatures(ctx context.Context, x mat.Matrix) (*featuresDescription, error) {
	rows, columns := x.Dims()
	f := &featuresDescription{Columns: columns}
	each, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		before := f.NonZero
		if each.DoRowNonZero(i, func(_, _ int, _ float64) { f.NonZero++ }); f.NonZero == before {
			f.Empty++
		}
	}
	f.Share = float64(f.NonZero) / (float64(rows) * float64(columns))
	return f, nil
}
