package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/setting"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// dataset puts the parts together, after gaps in the features are dealt with as the options say.
func (l *edgeFiles) dataset(opts EdgeListOptions) (*Dataset, error) {
	if keep := l.kept(opts); slices.Contains(keep, false) {
		if err := l.leaveOut(keep); err != nil {
			return nil, err
		}
	}
	n := l.nodes.count()
	if l.features != nil {
		if err := l.fill(n, opts.Missing == "mean" || opts.Missing == ""); err != nil {
			return nil, err
		}
	}
	if l.table != nil {
		rows := slices.Repeat([]int{-1}, n) // of holes behind the last
		for i := range l.table.Rows() {
			rows[i] = i
		}
		l.table = l.table.Select(rows)
		l.table.IDs = l.nodes.ids
	}
	d := &Dataset{
		Features: l.features, FeatureNames: l.names, Table: l.table, IDs: l.nodes.ids,
	}
	if opts.Undirected {
		var err error
		if d.Undirected, err = l.edges.graph(n, l.nodes.ids); err != nil {
			return nil, placed(l.edgesFile, err)
		}
	} else {
		d.Adjacency = l.edges.csr(n, n)
	}
	l.edges = edgeSet{}
	if l.table != nil {
		if err := d.encode(opts.Encoder); err != nil {
			return nil, err
		}
	}
	if l.class != nil {
		if err := d.giveClasses(l.class); err != nil {
			return nil, fault(cmp.Or(opts.LabelsName, "labels"), "%w", err)
		}
	}
	return d, nil
}

// kept reports for every node whether it stays.
func (l *edgeFiles) kept(opts EdgeListOptions) []bool {
	skip := opts.SkipUnknown && opts.Nodes == nil && opts.Rows == 0
	keep := slices.Repeat([]bool{!skip}, l.nodes.count())
	if skip {
		for e := range l.edges.all() {
			keep[e.U], keep[e.V] = true, true
		}
	}
	if opts.Missing == "drop" && l.features != nil {
		rows, _ := l.features.Dims()
		dense, _ := l.features.(*mat.Dense)
		for i := range keep {
			keep[i] = keep[i] && i < rows && (dense == nil || !slices.ContainsFunc(dense.RawRowView(i), math.IsNaN))
		}
	}
	if opts.Missing == "drop" && l.table != nil {
		for i := range keep {
			keep[i] = keep[i] && i < l.table.Rows() && !l.table.HasHole(i)
		}
	}
	return keep
}

// leaveOut leaves out nodes and their edges.
func (l *edgeFiles) leaveOut(keep []bool) error {
	row := make([]int32, len(keep)) // among those that stay
	var ids, class []string
	for i, k := range keep {
		if !k {
			continue
		}
		row[i] = int32(len(ids))
		ids = append(ids, l.nodes.ids[i])
		if l.class != nil {
			class = append(class, l.class[i])
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%w: every node is left out", ErrMissing)
	}
	all := l.edges
	l.edges = edgeSet{space: all.space}
	for e, weight := range all.all() {
		if keep[e.U] && keep[e.V] {
			if err := l.edges.add(row[e.U], row[e.V], weight); err != nil {
				return err
			}
		}
	}
	l.nodes.ids, l.class = ids, class
	if l.table != nil {
		var rows []int
		for i := range l.table.Rows() {
			if keep[i] {
				rows = append(rows, i)
			}
		}
		l.table = l.table.Select(rows)
	}
	return l.leaveOutFeatures(keep)
}

func (l *edgeFiles) leaveOutFeatures(keep []bool) error {
	switch x := l.features.(type) {
	case *mat.Dense:
		rows, cols := x.Dims()
		var data []float64
		for i := range rows {
			if keep[i] {
				data = append(data, x.RawRowView(i)...)
			}
		}
		if data == nil {
			return fmt.Errorf("%w: no node with features is left", ErrMissing)
		}
		l.features = mat.NewDense(len(data)/cols, cols, data)
	case *sparse.CSR:
		raw := x.RawMatrix()
		indptr := []int{0}
		var ind []int
		var data []float64
		for i := range raw.I {
			if keep[i] {
				from, to := raw.Indptr[i], raw.Indptr[i+1]
				ind, data = append(ind, raw.Ind[from:to]...), append(data, raw.Data[from:to]...)
				indptr = append(indptr, len(ind))
			}
		}
		l.features = sparse.NewCSR(len(indptr)-1, raw.J, indptr, ind, data)
		return checkWidth(raw.J, len(ind))
	}
	return nil
}

// fill puts zeros, or the mean of the column, where n nodes have no feature.
func (l *edgeFiles) fill(n int, mean bool) error {
	rows, cols := l.features.Dims()
	if x, ok := l.features.(*sparse.CSR); ok && rows < n {
		if mean {
			return setting.Bad("Missing", "mean", "zero or drop: the mean of sparse features is not sparse")
		}
		raw := x.RawMatrix()
		indptr := append(raw.Indptr, slices.Repeat([]int{len(raw.Ind)}, n-rows)...)
		l.features = sparse.NewCSR(n, cols, indptr, raw.Ind, raw.Data)
	} else if x, ok := l.features.(*mat.Dense); ok {
		data := x.RawMatrix().Data
		// Few features and many edges must not ask for what neither file holds.
		more := int64(n-rows) * int64(cols)
		if more > min(emptyRows+64*int64(len(data)), math.MaxInt/16) {
			return fmt.Errorf("%d nodes of %d without any of %d features: %w", n-rows, n, cols, coles.ErrTooLarge)
		}
		if more > 0 {
			data = append(data, slices.Repeat([]float64{math.NaN()}, int(more))...)
		}
		l.features = mat.NewDense(n, cols, data)
		return fillGaps(data, cols, mean)
	}
	return nil
}

// fillGaps replaces NaN by zero, or by the mean of the other values in its column.
func fillGaps(data []float64, cols int, mean bool) error {
	if !slices.ContainsFunc(data, math.IsNaN) {
		return nil
	}
	value, count := make([]float64, cols), make([]float64, cols)
	for k, v := range data {
		if mean && v == v {
			value[k%cols] += v
			count[k%cols]++
		}
	}
	for j := range value {
		if value[j] /= max(count[j], 1); math.IsInf(value[j], 0) {
			return fmt.Errorf("the mean of column %d: %w", j, coles.ErrNotFinite)
		}
	}
	for k, v := range data {
		if v != v {
			data[k] = value[k%cols]
		}
	}
	return nil
}
