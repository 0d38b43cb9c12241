// Package dataset reads and writes attributed graphs and vectors: Planetoid files,
// gnn-benchmark .npz archives, edge lists with features, Matrix Market, folders of the
// Open Graph Benchmark, files of train/validation splits; .npy and .npz of matrices, TSV,
// word2vec's text and binary. It fetches the published files, and generates graphs with
// communities.
//
// Readers hold to three rules. What a file holds is what the [Dataset] holds:
// nothing is symmetrised, merged, dropped or rescaled. No memory is taken
// because a file declares a size; it is taken as the bytes arrive. And a
// malformed file gets an error that names the place ([ParseError]) and the
// cause (ErrFormat, ErrTruncated, ErrIndex, …), never a panic.
package dataset

import (
	"fmt"
	"math"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// maxDim bounds the number of nodes and of features: what a 32-bit index,
// which the kernels use, can name.
const maxDim = math.MaxInt32

// maxClasses bounds a label. Consumers keep arrays with one entry a class, so
// that a single absurd label would otherwise cost memory.
const maxClasses = 1 << 20

// Dataset is an attributed graph of n nodes as a file holds it: nothing
// symmetrised, merged or dropped.
type Dataset struct {
	// Name is the name of the dataset, or of the file it came from.
	Name string
	// Adjacency is n × n. It may be directed (entry (u, v) for an edge u → v
	// and none for v → u), have self loops, and hold a pair more than once,
	// as entries side by side; which of these a method accepts is its own
	// affair. Column indices within a row are in file order.
	Adjacency *sparse.CSR
	// Features is n × d, a *sparse.CSR, a *mat.Dense or a *coles.Dense32; nil
	// when there are none.
	Features mat.Matrix
	// Labels holds a class for every node, counted from 0; negative means that
	// the class is not known. Nil when the file has none.
	Labels []int
	// Unlabeled lists, ascending, the nodes whose entry in Labels says
	// nothing. Citeseer has 15, to which convention gives label 0.
	Unlabeled []int
	// Classes names the classes, Classes[Labels[i]]; nil when not known.
	Classes []string
	// IDs names the nodes; nil when the rows are only numbered.
	IDs []string
	// Splits are the train/validation/test masks that came with the file.
	Splits []Split
}

// Nodes returns n, the number of rows of the adjacency.
func (d *Dataset) Nodes() int {
	if d == nil || d.Adjacency == nil {
		return 0
	}
	n, _ := d.Adjacency.Dims()
	return n
}

// NumClasses returns the number of classes: the number of class names, or one
// more than the largest label if that is greater.
func (d *Dataset) NumClasses() int {
	if d == nil {
		return 0
	}
	c := len(d.Classes)
	for _, l := range d.Labels {
		c = max(c, l+1)
	}
	return c
}

// RandomSplits draws splits of this dataset by the rules of [RandomSplits],
// never drawing a node listed in Unlabeled.
func (d *Dataset) RandomSplits(perClass, count int, seed uint64) ([]Split, error) {
	if d == nil {
		return nil, fmt.Errorf("dataset: splits: %w: the dataset is nil", ErrMissing)
	}
	if d.Labels == nil {
		return nil, fmt.Errorf("dataset: splits of %q: %w: labels", d.Name, ErrMissing)
	}
	labels := append([]int(nil), d.Labels...)
	for _, i := range d.Unlabeled {
		if i < 0 || i >= len(labels) {
			return nil, fmt.Errorf("dataset: splits of %q: unlabeled node %d of %d: %w", d.Name, i, len(labels), ErrIndex)
		}
		labels[i] = -1
	}
	return RandomSplits(labels, perClass, count, seed)
}

// Validate checks that the parts fit together: a square adjacency with indices
// in range, as many feature rows, labels and ids as nodes, finite values,
// splits within range, at most 2²⁰ columns of sparse features beside 64 for every
// entry (they take memory even where nothing is in them). Every reader of this package
// ends with it; it is for datasets put together by hand. It wraps ErrMissing, ErrShape, ErrIndex,
// ErrDuplicate (a node in two parts of a split), ErrTooLarge or ErrNotFinite. Cost: one
// pass over the data.
func (d *Dataset) Validate() error {
	if d == nil {
		return fmt.Errorf("dataset: %w: the dataset is nil", ErrMissing)
	}
	if err := d.validate(); err != nil {
		return fmt.Errorf("dataset: %q: %w", d.Name, err)
	}
	return nil
}

func (d *Dataset) validate() error {
	if d.Adjacency == nil {
		return fmt.Errorf("%w: adjacency", ErrMissing)
	}
	n, cols := d.Adjacency.Dims()
	if n != cols {
		return fmt.Errorf("adjacency is %d × %d: %w", n, cols, ErrShape)
	}
	if err := checkCSR("adjacency", d.Adjacency); err != nil {
		return err
	}
	if err := d.validateFeatures(n); err != nil {
		return err
	}
	if d.Labels != nil && len(d.Labels) != n {
		return fmt.Errorf("%d labels for %d nodes: %w", len(d.Labels), n, ErrShape)
	}
	for i, l := range d.Labels {
		if l >= maxClasses {
			return fmt.Errorf("node %d has label %d, the largest allowed is %d: %w", i, l, maxClasses-1, ErrIndex)
		}
		if d.Classes != nil && l >= len(d.Classes) {
			return fmt.Errorf("node %d has label %d of %d classes: %w", i, l, len(d.Classes), ErrIndex)
		}
	}
	for _, i := range d.Unlabeled {
		if i < 0 || i >= n {
			return fmt.Errorf("unlabeled node %d of %d: %w", i, n, ErrIndex)
		}
	}
	if d.IDs != nil && len(d.IDs) != n {
		return fmt.Errorf("%d ids for %d nodes: %w", len(d.IDs), n, ErrShape)
	}
	for i, s := range d.Splits {
		if err := s.check(n); err != nil {
			return fmt.Errorf("split %d: %w", i, err)
		}
	}
	return nil
}

func (d *Dataset) validateFeatures(n int) error {
	switch x := d.Features.(type) {
	case nil:
		return nil
	case *sparse.CSR:
		if x == nil {
			return fmt.Errorf("%w: features are a nil *sparse.CSR", ErrMissing)
		}
		r, c := x.Dims()
		if r != n {
			return fmt.Errorf("%d feature rows for %d nodes: %w", r, n, ErrShape)
		}
		if err := checkCSR("features", x); err != nil {
			return err
		}
		return checkWidth(c, x.NNZ())
	case *coles.Dense32:
		if x == nil {
			return fmt.Errorf("%w: features are a nil *coles.Dense32", ErrMissing)
		}
		return checkDense32(x.RawMatrix(), n)
	}
	if isNil(d.Features) {
		return fmt.Errorf("%w: features are a nil %T", ErrMissing, d.Features)
	}
	return checkEntries(d.Features, n)
}

// checkWidth refuses sparse features with more columns than their entries account for.
func checkWidth(cols, entries int) error {
	if int64(cols) > emptyRows+64*int64(entries) {
		return fmt.Errorf("features of %d columns and %d entries: %w", cols, entries, ErrTooLarge)
	}
	return nil
}

// checkEntries checks a matrix of any other kind, entry by entry.
func checkEntries(x mat.Matrix, n int) (err error) {
	r, c, err := dimsOf(x)
	if err != nil {
		return fmt.Errorf("features: %w", err)
	}
	defer trap(x, &err)
	if r != n {
		return fmt.Errorf("%d feature rows for %d nodes: %w", r, n, ErrShape)
	}
	for i := range r {
		for j := range c {
			if v := x.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("features: row %d, column %d is %v: %w", i, j, v, ErrNotFinite)
			}
		}
	}
	return nil
}

// checkDense32 is for matrices of gigabytes, which At would take long over.
func checkDense32(x blas32.General, n int) error {
	if x.Rows != n {
		return fmt.Errorf("%d feature rows for %d nodes: %w", x.Rows, n, ErrShape)
	}
	for i := range n {
		for j, v := range x.Data[i*x.Stride:][:x.Cols] {
			if v-v != 0 { // NaN or infinite
				return fmt.Errorf("features: row %d, column %d is %v: %w", i, j, v, ErrNotFinite)
			}
		}
	}
	return nil
}

// checkCSR checks what sparse.NewCSR does not: row pointers that rise from 0
// to the number of entries, column indices in range, and finite values.
func checkCSR(what string, m *sparse.CSR) error {
	raw := m.RawMatrix()
	if raw.I < 0 || raw.J < 0 || raw.I > maxDim || raw.J > maxDim {
		return fmt.Errorf("%s is %d × %d, at most %d allowed: %w", what, raw.I, raw.J, maxDim, ErrTooLarge)
	}
	if len(raw.Indptr) != raw.I+1 {
		return fmt.Errorf("%s: %d row pointers for %d rows: %w", what, len(raw.Indptr), raw.I, ErrShape)
	}
	if len(raw.Ind) != len(raw.Data) {
		return fmt.Errorf("%s: %d column indices for %d values: %w", what, len(raw.Ind), len(raw.Data), ErrShape)
	}
	if raw.Indptr[0] != 0 {
		return fmt.Errorf("%s: first row pointer is %d, not 0: %w", what, raw.Indptr[0], ErrIndex)
	}
	if last := raw.Indptr[raw.I]; last != len(raw.Ind) {
		return fmt.Errorf("%s: last row pointer is %d for %d entries: %w", what, last, len(raw.Ind), ErrShape)
	}
	for i := range raw.I {
		lo, hi := raw.Indptr[i], raw.Indptr[i+1]
		if lo > hi || hi > len(raw.Ind) {
			return fmt.Errorf("%s: row %d runs from entry %d to %d of %d: %w", what, i, lo, hi, len(raw.Ind), ErrIndex)
		}
		for p := lo; p < hi; p++ {
			if j := raw.Ind[p]; j < 0 || j >= raw.J {
				return fmt.Errorf("%s: row %d, entry %d: column %d of %d: %w", what, i, p-lo, j, raw.J, ErrIndex)
			}
			if v := raw.Data[p]; math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s: row %d, column %d is %v: %w", what, i, raw.Ind[p], v, ErrNotFinite)
			}
		}
	}
	return nil
}
