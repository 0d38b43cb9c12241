// Package dataset reads and writes attributed graphs and vectors: Planetoid files, gnn-benchmark
// .npz archives, edge lists with features, Matrix Market, files of graph tools from GML to Pajek, files of
// splits; .npy and .npz of matrices, TSV, word2vec's text and binary; graphs that are mapped into memory. It
// writes CSV and JSON lines, too, and makes a dataset from names ([Builder]). [Formats] lists the formats for a
// program that goes by the names of files. [Dataset.Graph] is the graph to fit.
//
// Readers hold to three rules. A [Dataset] holds what its file holds: nothing is symmetrised, merged,
// dropped or rescaled unless asked for. Memory follows the bytes that arrive, not the sizes that a file
// declares. A malformed file gets a [*parse.Error] with the place and the cause: a named error, or the
// error of the reader beneath or of the system.
//
//	coles.ErrFormat     bytes that do not follow the format, or that this package does not read
//	coles.ErrChecksum   a file that is damaged or ends early
//	coles.ErrTooLarge   a size beyond a stated bound, or beyond what the bytes could hold
//	coles.ErrShape      parts that disagree about their size, an empty matrix
//	coles.ErrIndex      a node, column or class outside its range
//	coles.ErrIDs        an id that is repeated, or that no node has
//	coles.ErrNotFinite  a weight or feature that is NaN or infinite
//	ErrMissing          a part that the format requires is not there
//	ErrDuplicate        something is given twice
//	ErrObject           pickled Python objects, which are never built
//
// A reader takes a stream, and [Open] a path for any of them; those of several files take the paths.
// Errors of a stream that has a method Name, as an *os.File has, call it so. Paths may lead to gzipped
// files: what unpacks to more than 256 MB (text: 32 MB) and 64 times its size is coles.ErrTooLarge. A
// writer finds out whether it can write before its first byte; see [WriteFile] for a file that is whole
// or not there.
package dataset

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/matrix"
	"coles/table"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Dataset is an attributed graph of n nodes, as a file holds it.
type Dataset struct {
	// Name is the name of the dataset, or of the file it came from.
	Name string
	// Adjacency is n × n. It may be directed: entry (u, v) for an edge u → v and none for v → u. It may have self loops, and
	// hold a pair more than once, side by side. Columns within a row are in file order.
	Adjacency *sparse.CSR
	// Kinds are the entries of Adjacency of each kind of edge, where a column tells several or [parse.Options] name it; else nil.
	Kinds map[string]*sparse.COO
	// Undirected is the graph itself, where [parse.Options] ask for it instead of Adjacency.
	Undirected *coles.Graph
	// Features is n × d, a *sparse.CSR, a *mat.Dense or a *coles.Dense32; nil when there are none.
	Features mat.Matrix
	// Table holds the cells of a file that has not only numbers, a row for every node, and Encoder has made
	// Features of it; both are nil otherwise.
	Table   *table.Table
	Encoder *table.Encoder
	// FeatureNames names the columns of Features; nil when not known.
	FeatureNames []string
	// Labels holds a class for every node, counted from 0; negative means that the class is not
	// known. Nil when the file has none.
	Labels []int
	// Unlabeled lists, ascending, the nodes whose entry in Labels is meaningless. Citeseer has 15, to
	// which convention gives label 0.
	Unlabeled []int
	// Classes names the classes, Classes[Labels[i]]; nil when not known.
	Classes []string
	// IDs names the nodes; nil when the rows are only numbered.
	IDs []string
	// Wanted is how many nodes, the first, are those of Only in [parse.Options]; 0 where nobody has named any.
	Wanted int
	// Splits are the train/validation/test masks that came with the file.
	Splits []Split
	// Sides is the kind of each node where [parse.Options] say that there are two, true for the second; else nil.
	Sides []bool
	// Layouts say how the text files were read that it came from.
	Layouts []parse.Layout

	release, forget func() error // what lies in files, and its pages in memory; nil for nothing
}

// Close gives back what lies in files: the graph of [OpenCSR], the features of [MapNPY], or a graph that was read with
// Scratch. None may be used afterwards: to read a matrix taken before ends the program, with a fault that cannot be
// recovered from. A model fitted on it keeps nothing of it. Other datasets have nothing to give back, and neither has one
// that is closed.
func (d *Dataset) Close() error {
	release := d.release
	if d.release, d.forget = nil, nil; release == nil {
		return nil
	}
	d.Undirected = nil
	return d.named(release())
}

// Forget gives back the memory of the pages of [OpenCSR] and [MapNPY] read so far, which counts as the process's own until
// then; they are read again when they are looked at. [coles.Fit] looks at its features no more after it has reported
// "prepare" 1 of 3, unless float32 is too coarse or they are used as they are ([coles.PrepareNone]). What is in memory
// stays there.
func (d *Dataset) Forget() error {
	if d.forget == nil {
		return nil
	}
	return d.named(d.forget())
}

// named names the dataset in an error.
func (d *Dataset) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dataset: %q: %w", d.Name, err)
}

// Nodes returns n, the number of rows of the adjacency.
func (d *Dataset) Nodes() int {
	switch {
	case d.Undirected != nil:
		return d.Undirected.Nodes()
	case d.Adjacency == nil:
		return 0
	}
	n, _ := d.Adjacency.Dims()
	return n
}

// Graph returns the undirected graph of the adjacency, its nodes named by IDs. Where only one of (u, v) and (v, u) is there,
// the mirror is added; repeats are joined as by [coles.WithRepeats]. Options apply last. Without options it is Undirected,
// if that is set. Errors: ErrMissing without an adjacency, or from [coles.FromCSR].
func (d *Dataset) Graph(opts ...coles.GraphOption) (*coles.Graph, error) {
	if d.Undirected != nil && len(opts) == 0 {
		return d.Undirected, nil
	}
	if d.Adjacency == nil {
		return nil, d.named(fmt.Errorf("%w: adjacency", ErrMissing))
	}
	return coles.FromCSR(d.Adjacency, append([]coles.GraphOption{coles.WithMirrors(), coles.WithIDs(d.IDs)}, opts...)...)
}

// RandomSplits draws splits of this dataset by the rules of [RandomSplits], never drawing a node
// listed in Unlabeled.
func (d *Dataset) RandomSplits(perClass, count int, seed uint64) ([]Split, error) {
	if d.Labels == nil {
		return nil, d.named(fmt.Errorf("%w: labels, for splits", ErrMissing))
	}
	labels := slices.Clone(d.Labels)
	for _, i := range d.Unlabeled {
		if i < 0 || i >= len(labels) {
			return nil, d.named(fmt.Errorf("unlabeled node %d of %d: %w", i, len(labels), coles.ErrIndex))
		}
		labels[i] = -1
	}
	return RandomSplits(labels, perClass, count, seed)
}

// NumClasses returns the number of classes: the number of class names, or one more than the largest
// label if that is greater.
func (d *Dataset) NumClasses() int {
	c := len(d.Classes)
	for _, l := range d.Labels {
		c = max(c, l+1)
	}
	return c
}

// Validate checks a dataset put together by hand, as every reader does at its end: a square adjacency
// with indices in range, as many feature rows, labels and ids as nodes, as many feature names as
// columns, finite values, splits within range, at most 2²⁰ columns of sparse features besides 64 for
// every entry. Errors: ErrMissing, ErrDuplicate (a node in two parts of a split), coles.ErrShape,
// coles.ErrIndex, coles.ErrTooLarge, coles.ErrNotFinite. Cost: one pass over the data.
func (d *Dataset) Validate() error { return d.named(d.validate()) }

// checked validates what a reader made of a file.
func (d *Dataset) checked(file string) (*Dataset, error) {
	if err := d.validate(); err != nil {
		return nil, place.Fault(file, "%w", err)
	}
	return d, nil
}

func (d *Dataset) validate() error {
	if d.Adjacency == nil {
		return fmt.Errorf("%w: adjacency", ErrMissing)
	}
	n, cols := d.Adjacency.Dims()
	if n != cols {
		return fmt.Errorf("adjacency is %d × %d: %w", n, cols, coles.ErrShape)
	}
	if err := cmp.Or(checkCSR("adjacency", d.Adjacency), d.checkFeatures(n)); err != nil {
		return err
	}
	if d.Table != nil && d.Table.Rows() != n {
		return fmt.Errorf("%d rows of a table for %d nodes: %w", d.Table.Rows(), n, coles.ErrShape)
	}
	if d.Labels != nil && len(d.Labels) != n || d.IDs != nil && len(d.IDs) != n {
		return fmt.Errorf("%d labels and %d ids for %d nodes: %w", len(d.Labels), len(d.IDs), n, coles.ErrShape)
	}
	for i, l := range d.Labels {
		if l >= bounds.Classes || d.Classes != nil && l >= len(d.Classes) {
			return fmt.Errorf("node %d has label %d of %d classes, at most %d: %w", i, l, len(d.Classes), bounds.Classes, coles.ErrIndex)
		}
	}
	for _, i := range d.Unlabeled {
		if i < 0 || i >= n {
			return fmt.Errorf("unlabeled node %d of %d: %w", i, n, coles.ErrIndex)
		}
	}
	for i, s := range d.Splits {
		if err := s.check(n); err != nil {
			return fmt.Errorf("split %d: %w", i, err)
		}
	}
	return nil
}

func (d *Dataset) checkFeatures(n int) error {
	if d.Features == nil {
		return nil
	}
	r, c := d.Features.Dims()
	if r != n {
		return fmt.Errorf("%d feature rows for %d nodes: %w", r, n, coles.ErrShape)
	}
	if d.FeatureNames != nil && len(d.FeatureNames) != c {
		return fmt.Errorf("%d feature names for %d columns: %w", len(d.FeatureNames), c, coles.ErrShape)
	}
	if x, isSparse := d.Features.(*sparse.CSR); isSparse {
		if err := checkCSR("features", x); err != nil {
			return err
		}
		return bounds.Width(c, x.NNZ())
	}
	if _, err := matrix.Read(context.Background(), d.Features); err != nil {
		return fmt.Errorf("features: %w", err)
	}
	return nil
}

// checkCSR checks what sparse.NewCSR does not.
func checkCSR(what string, m *sparse.CSR) error {
	if err := matrix.CheckCSR(context.Background(), m); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	raw := m.RawMatrix()
	if last := raw.Indptr[raw.I]; len(raw.Ind) != last || len(raw.Data) != last {
		return fmt.Errorf("%s: last row pointer is %d for %d indices and %d values: %w", what, last, len(raw.Ind), len(raw.Data), coles.ErrShape)
	}
	return nil
}
