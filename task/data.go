package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Data are the nodes of a graph, with features, ids and labels if there are.
type Data struct {
	*dataset.Dataset
	Graph *coles.Graph // nil for vectors alone
	// Joined says that the graph is from [Join]: its edges agree with the features that made them.
	Joined bool
	Apart  bool // the graph has no edges, as a [File] places the rows
	// ByKinds says that edges weigh by the degrees of their kinds, by [Data.Fit].
	ByKinds bool

	names map[string]string // by id
}

// New makes the graph of a dataset. Errors: as [dataset.Dataset.Graph].
func New(d *dataset.Dataset, opts ...coles.GraphOption) (*Data, error) {
	g, err := d.Graph(opts...)
	if err != nil {
		return nil, err
	}
	return &Data{Dataset: d, Graph: g}, nil
}

// On are the same nodes under another graph, such as one without some edges.
func (d *Data) On(g *coles.Graph) *Data {
	of := *d
	of.Graph = g
	return &of
}

// Only are the nodes whose vectors are wanted, or all, and their rows of y.
func (d *Data) Only(y mat.Matrix) (*Data, mat.Matrix) {
	k := d.Wanted
	if k == 0 {
		return d, y
	}
	of := dataset.Dataset{Name: d.Name, IDs: d.IDs[:k], Classes: d.Classes}
	if d.Labels != nil {
		of.Labels = Known(d.Dataset, d.Nodes())[:k]
	}
	switch all := y.(type) {
	case *mat.Dense:
		y = all.Slice(0, k, 0, width(y))
	case *coles.Dense32:
		y = &coles.Dense32{Rows: k, Cols: all.Cols, Stride: all.Stride, Data: all.Data}
	}
	return &Data{Dataset: &of}, y
}

// usualNearest is how many neighbours each of n rows has where nobody says. Cross-validation chose no better of 5, 10 and 20.
func usualNearest(n int) int { return min(10, (n+3)/4) }

// Join joins each row of features to its k nearest, for 0 or less to 10, or n/4 below 40 rows. The dataset gets the graph as Undirected.
// Errors: as [coles.KNN], and [coles.ErrShape] for k rows or fewer, or where none is near another.
func Join(ctx context.Context, d *dataset.Dataset, k int) (*Data, error) {
	n, _ := d.Features.Dims()
	if k <= 0 {
		k = usualNearest(n)
	}
	if k >= n {
		return nil, fmt.Errorf("%w: %d nearest rows take %d rows or more, and there are %d", coles.ErrShape, k, k+1, n)
	}
	g, err := coles.KNN(ctx, d.Features, k, named(d)...)
	if err != nil {
		return nil, err
	}
	if g.Report().Edges == 0 {
		return nil, fmt.Errorf("%w: no row is near to another: they are all alike, or share nothing", coles.ErrShape)
	}
	d.Undirected = g
	return &Data{Dataset: d, Graph: g, Joined: true}, nil
}

// named gives a graph the ids of a dataset, if it has some.
func named(d *dataset.Dataset) (opts []coles.GraphOption) {
	if d.IDs != nil {
		opts = append(opts, coles.WithIDs(d.IDs))
	}
	return opts
}

// Called are what answers call nodes of these ids.
func (d *Data) Called(ids []string) []string {
	if d.names == nil {
		return ids
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = cmp.Or(d.names[id], id)
	}
	return names
}

// Class is the name of a class or else its number, "" for −1.
func (d *Data) Class(label int) string {
	if label < 0 {
		return ""
	}
	return className(d.Classes, label)
}

func className(names []string, label int) string {
	if names == nil {
		return strconv.Itoa(label)
	}
	return names[label]
}

// Columns is the width of the features, 0 for none.
func (d *Data) Columns() int { return width(d.Features) }

func width(x mat.Matrix) int {
	if x == nil {
		return 0
	}
	_, columns := x.Dims()
	return columns
}

// Known are the labels of n nodes as classes, −1 for none.
func Known(d *dataset.Dataset, n int) []int {
	if d.Labels == nil {
		return slices.Repeat([]int{-1}, n)
	}
	labels := slices.Clone(d.Labels)
	for _, i := range d.Unlabeled {
		labels[i] = -1
	}
	return labels
}

// Names are the ids of n rows, which are their numbers where ids is nil.
func Names(ids []string, n int) []string {
	if ids != nil {
		return ids
	}
	ids = make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	return ids
}

// A Note is a sentence for the user, and what says otherwise.
type Note struct {
	Text   string
	Advice []parse.Advice // fields of [coles.Settings], [Linking] or [parse.Options]
}

// NoteOf is an error without names of packages, and what may help.
func NoteOf(err error) Note {
	n := Note{Text: err.Error()}
	if where := (*parse.Error)(nil); errors.As(err, &where) {
		bare := *where
		bare.Advice = nil
		n.Text = strings.Replace(n.Text, where.Error(), bare.Error(), 1)
		for _, a := range where.Advice {
			n.Advice = append(n.Advice, parse.Advice{Field: a.Field, Value: a.Value, Says: "says " + a.Says})
		}
	}
	n.Text = setting.Plain(n.Text)
	return n
}

// String is the sentence.
func (n Note) String() string { return n.Text }
