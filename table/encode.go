package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/james-bowman/sparse"
)

// numbered gives the feature of every name and rare value, the first of which is given. The files of earlier
// versions have names in other forms than [canonical] and [composed] give: such a name has both.
func (v *Variable) numbered(first int) map[string]int {
	if len(v.Names) == 0 {
		return nil
	}
	form := canonical
	if v.Kind == Text {
		form = composed
	}
	feature := make(map[string]int, len(v.Names)+len(v.Rare))
	each := func(f func(name string, k int)) {
		for k, name := range v.Names {
			f(name, first+k)
		}
		for _, name := range v.Rare {
			f(name, first+len(v.Names))
		}
	}
	each(func(name string, k int) { feature[name] = k })
	each(func(name string, k int) {
		if _, taken := feature[form(name)]; !taken {
			feature[form(name)] = k
		}
	})
	return feature
}

// category is the feature of a value of variable j, if it has one: by the form of an earlier version's file, or else
// by the one form of a value.
func (e *Encoder) category(j int, cell string) (k int, ok bool) {
	name := written(cell)
	if k, ok = e.feature[j][name]; !ok {
		k, ok = e.feature[j][canonical(name)]
	}
	if !ok && e.variables[j].Open {
		return e.first[j+1] - 1, true
	}
	return k, ok
}

// Unlike lists the encoder's columns that t lacks, which count as holes, and the columns of
// t that the encoder lacks, which are left out.
func (e *Encoder) Unlike(t *Table) (absent, unknown []string) {
	has := make(map[string]bool)
	for _, c := range t.Columns {
		has[c.Name] = true
		if _, known := e.column[c.Name]; !known {
			unknown = append(unknown, c.Name)
		}
	}
	for _, v := range e.variables {
		if v.Features() > 0 && !has[v.Name] {
			absent = append(absent, v.Name)
		}
	}
	return absent, unknown
}

// cellValues are the values of a category's cell, as they are written where it has one alone.
func (v *Variable) cellValues(cell string) []string {
	if v.Between == "" {
		return []string{cell}
	}
	return listed(cell, v.Between)
}

// Unseen is a column of categories with values that have no feature: one row had them at most, or too few.
type Unseen struct {
	Column string
	Cells  int    // that have such a value, each as often as it has some
	Value  string // of the first of them
}

// Unseen lists the columns of t with values that [Encoder.Encode] makes no feature of, in the order of t. It takes a pass over the cells.
func (e *Encoder) Unseen(t *Table) (all []Unseen) {
	for _, c := range t.Columns {
		j, known := e.column[c.Name]
		if !known || e.feature[j] == nil || e.variables[j].Kind != Category {
			continue
		}
		u := Unseen{Column: c.Name}
		for _, cell := range c.Cells {
			if c.lacks(cell, Category) {
				continue
			}
			for _, name := range e.variables[j].cellValues(cell) {
				if _, ok := e.category(j, name); ok {
					continue
				}
				if u.Cells++; u.Cells == 1 {
					u.Value = name
				}
			}
		}
		if u.Cells > 0 {
			all = append(all, u)
		}
	}
	return all
}

// Encode returns the features of the rows of a table (n × d). A hole, a word or value that was not learned, and an absent
// column have no features; of numbers, no feature is the mean. Columns have the learned kinds, whatever the kinds in t. It
// takes a pass over the cells, however many columns and values the encoder has.
//
// Errors: as [Fit] but for tables without features, coles.ErrNotFinite, too, for a number whose feature is beyond float64,
// and ctx's.
func (e *Encoder) Encode(ctx context.Context, t *Table) (*sparse.CSR, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	type known struct {
		variable int
		*Column
	}
	var columns []known // in the order of their features
	for k := range t.Columns {
		if j, ok := e.column[t.Columns[k].Name]; ok {
			columns = append(columns, known{j, &t.Columns[k]})
		}
	}
	slices.SortFunc(columns, func(a, b known) int { return a.variable - b.variable })
	n := t.Rows()
	indptr := make([]int, 1, n+1)
	var ind []int
	var data []float64
	for i := range n {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, c := range columns {
			var err error
			if c.lacks(c.Cells[i], e.variables[c.variable].Kind) {
				continue
			}
			if ind, data, err = e.appendCell(ind, data, c.variable, c.Cells[i]); err != nil {
				return nil, t.fault(i, c.Name, err)
			}
		}
		indptr = append(indptr, len(ind))
	}
	return sparse.NewCSR(n, e.Features(), indptr, ind, data), nil
}

// appendCell appends the features of a cell, which is not missing, of variable j.
func (e *Encoder) appendCell(ind []int, data []float64, j int, cell string) ([]int, []float64, error) {
	switch v := &e.variables[j]; v.Kind {
	case Number, Date:
		x, err := v.parse(cell)
		if err != nil || v.Number == nil {
			return ind, data, err
		}
		y, err := v.Number.of(x)
		if err != nil {
			return ind, data, fmt.Errorf("%q: %w", cell, err)
		}
		ind, data = append(ind, e.first[j]), append(data, y)
	case Category:
		from := len(ind)
		for _, name := range v.cellValues(cell) {
			if k, ok := e.category(j, name); ok && !slices.Contains(ind[from:], k) {
				ind, data = append(ind, k), append(data, 1)
			}
		}
		slices.Sort(ind[from:])
	case Vector:
		if v.Vector != nil {
			return v.Vector.append(ind, data, e.first[j], cell)
		}
	case Text:
		ind, data = appendCounts(ind, data, e.feature[j], cell)
	}
	return ind, data, nil
}

// appendCounts appends how often each word that has a feature is in a cell.
func appendCounts(ind []int, data []float64, index map[string]int, cell string) ([]int, []float64) {
	from := len(ind)
	eachWord(cell, func(word string) {
		if k, ok := index[word]; ok {
			ind = append(ind, k)
		}
	})
	slices.Sort(ind[from:])
	to := from
	for _, k := range ind[from:] {
		if to > from && ind[to-1] == k {
			data[to-1]++
			continue
		}
		ind[to], data = k, append(data, 1)
		to++
	}
	return ind[:to], data
}
