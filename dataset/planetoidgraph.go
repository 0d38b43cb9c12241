package dataset

import (
	"slices"

	"github.com/james-bowman/sparse"
)

// oneHot reads a pickled array with a row a node and a column a class.
// Rows without a one get class -1.
func (p *planetoid) oneHot(part string) (labels []int, classes int, err error) {
	obj, err := p.object(part)
	if err != nil {
		return nil, 0, err
	}
	a, ok := obj.(*pyArray)
	if !ok || len(a.header.shape) != 2 {
		return nil, 0, inFile(p.path(part), "%w: a %T where an array of two dimensions is expected", ErrFormat, obj)
	}
	v, err := a.source(p.path(part)).readInts(&a.header)
	if err != nil {
		return nil, 0, err
	}
	rows, cols := a.header.shape[0], a.header.shape[1]
	if rows > len(v) { // an array without columns may declare any number of rows
		return nil, 0, inFile(p.path(part), "labels of shape %v: %w", a.header.shape, ErrShape)
	}
	if a.header.fortran {
		v = rowMajor(v, rows, cols)
	}
	labels = make([]int, rows)
	for i := range labels {
		labels[i] = -1
		for c, x := range v[i*cols : (i+1)*cols] {
			if x == 0 {
				continue
			}
			if x != 1 || labels[i] >= 0 {
				return nil, 0, inFile(p.path(part), "row %d: %w: not one class but %v", i, ErrFormat, v[i*cols:(i+1)*cols])
			}
			labels[i] = c
		}
	}
	return labels, cols, nil
}

// labels fills Labels and Unlabeled.
func (p *planetoid) labels(d *Dataset, first int, test []int, n int) error {
	ally, classes, err := p.oneHot("ally")
	if err != nil {
		return err
	}
	ty, testClasses, err := p.oneHot("ty")
	if err != nil {
		return err
	}
	if len(ally) != first {
		return inFile(p.path("ally"), "%d rows, allx has %d: %w", len(ally), first, ErrShape)
	}
	if len(ty) != len(test) || testClasses != classes {
		return inFile(p.path("ty"), "%d × %d, expected %d × %d: %w", len(ty), testClasses, len(test), classes, ErrShape)
	}
	d.Labels = append(ally, make([]int, n-first)...)
	for i := first; i < n; i++ {
		d.Labels[i] = -1
	}
	for k, i := range test {
		d.Labels[i] = ty[k]
	}
	for i, l := range d.Labels {
		if l < 0 {
			d.Labels[i] = 0
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
	return nil
}

// graph reads the dict that lists each node's neighbours.
func (p *planetoid) graph(n int) (*sparse.CSR, error) {
	path := p.path("graph")
	obj, err := p.object("graph")
	if err != nil {
		return nil, err
	}
	dict, ok := obj.(*pyDict)
	if !ok {
		return nil, inFile(path, "%w: a %T where a dict is expected", ErrFormat, obj)
	}
	lists := make([]*pyList, n)
	entries := 0
	for k, key := range dict.keys {
		i, ok := key.(int)
		if !ok || i < 0 || i >= n {
			return nil, inFile(path, "node %v of %d: %w", key, n, ErrIndex)
		}
		l, ok := dict.values[k].(*pyList)
		if !ok {
			return nil, inFile(path, "node %d: %w: neighbours are a %T, not a list", i, ErrFormat, dict.values[k])
		}
		lists[i] = l
		// One list may stand for many nodes through the memo, so that the
		// entries are not bounded by the bytes of the file.
		if entries += len(l.items); entries > maxPickle {
			return nil, inFile(path, "more than %d neighbours: %w", maxPickle, ErrTooLarge)
		}
	}
	indptr := make([]int, n+1)
	ind := make([]int, 0, entries)
	for i, l := range lists {
		if l != nil {
			for _, v := range l.items {
				j, ok := v.(int)
				if !ok || j < 0 || j >= n {
					return nil, inFile(path, "node %d: neighbour %v of %d: %w", i, v, n, ErrIndex)
				}
				ind = append(ind, j)
			}
		}
		indptr[i+1] = len(ind)
	}
	return sparse.NewCSR(n, n, indptr, ind, ones(len(ind))), nil
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// publicSplit records the split that the files were published with.
func (p *planetoid) publicSplit(d *Dataset, first int, test []int) error {
	y, _, err := p.oneHot("y")
	if err != nil {
		return err
	}
	if len(y) > first || !slices.Equal(y, d.Labels[:len(y)]) {
		return inFile(p.path("y"), "%d labels that are not the first of ally: %w", len(y), ErrShape)
	}
	s := Split{Test: test}
	for i := range min(len(y)+planetoidVal, first) {
		if i < len(y) {
			s.Train = append(s.Train, i)
		} else {
			s.Val = append(s.Val, i)
		}
	}
	d.Splits = []Split{s}
	return nil
}
