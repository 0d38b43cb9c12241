package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"coles/examples/shared/cli"
	"coles/lab/internal/programs"
)

// A table has methods, each measured on every data set. -table names it.
type table struct {
	Name  string // for -table and in JSON
	Title string // in print
	about string // what the figures are
	paper string // the table of paper.csv that has figures to compare with; "" for none
	// reference is the method whose accuracy is subtracted from every other, split by split, if it
	// is a row; "" for none.
	reference string
	// datasets are measured where none are named; nil for the three of the paper. find looks for them
	// in a folder instead.
	datasets []string
	find     func(folder string) []string
	columns  []string // measured where none are asked for; nil for the paper's protocol
	seeds    int      // how often to train where nothing else is asked for; 0 for 3
	apart    bool     // takes long, and is therefore no part of all
	tall     bool     // has a row a data set and a column a method in markdown
	grids    bool     // is one for each data set
	ranks    bool     // marks the best method of a cell, and prints the mean rank of each
	// foretells is set if a run begins with its expected time.
	foretells bool
	// rows are measured; -methods chooses from methods instead, if there are any.
	rows, methods []method
	measure       func(ctx context.Context, o options, p *problem, m method) ([]cell, error)
}

func (t table) String() string { return t.Name }

// findTables looks up a comma-separated list. All stands for those that do not take long.
func findTables(list string) ([]table, error) {
	return programs.Find("table", list, tables(), func(t table, name string) bool { return t.Name == name || name == "all" && !t.apart })
}

// methodsOf are the methods that -methods can choose for tables.
func methodsOf(tables []table) (all []method) {
	for _, t := range tables {
		all = append(all, t.methods...)
	}
	return all
}

// chooseMethods gives tables those methods of a comma-separated list that they have, in its order.
// Each must be a method of one of the tables; a table that has methods, but none of these, is
// dropped. All stands for every method.
func chooseMethods(tables []table, list string) ([]table, error) {
	known := methodsOf(tables)
	if len(known) == 0 {
		return nil, errors.New("-methods: the tables asked for have methods of their own")
	}
	found, err := programs.Find("methods", list, known, func(m method, name string) bool { return plain(m.name) == plain(name) || name == "all" })
	if err != nil {
		return nil, err
	}
	var kept []table
	for _, t := range tables {
		if t.methods != nil {
			if t.rows = pick(t.methods, strings.Split(programs.Names(found), ", ")...); t.rows == nil {
				continue
			}
		}
		kept = append(kept, t)
	}
	return kept, nil
}

// measureAll measures every row of the tables on every data set.
func measureAll(ctx context.Context, o options, out *report, progress *cli.Line) error {
	defer progress.Clear()
	paper, err := readPaper()
	if err != nil {
		return err
	}
	start, done, total := time.Now(), 0, 0
	for _, t := range o.tables {
		names := o.datasetsOf(t)
		if len(names) == 0 {
			return fmt.Errorf("%s: there are no archives in %s", t.Name, filepath.Join(o.data, "npz"))
		}
		total += len(names) * len(t.rows)
	}
	for _, t := range o.tables {
		if err := t.foretellAll(ctx, o, progress); err != nil {
			return err
		}
	}
	problems := make(map[string]*problem)
	asked, columns := o.seeds, o.columns
	for _, t := range o.tables {
		o.seeds, o.columns = cmp.Or(asked, t.seeds, 3), columnsOf(t, columns)
		for _, name := range o.datasetsOf(t) {
			if t.find != nil {
				clear(problems) // one large graph at a time
			}
			p := problems[name]
			if p == nil {
				if p, err = load(ctx, o, name, progress); err != nil {
					return err
				}
				problems[name] = p
			}
			err := t.measureRows(func(m method, reference []cell) ([]cell, error) {
				o := o
				o.reference = reference
				done++
				progress.Print("%d/%d, %v: %s, %s: %s", done, total, time.Since(start).Round(time.Second), t.Name, name, m.title())
				if !m.graphOnly && p.Features == nil {
					progress.Note("%s, %s: %s is left out, the data set has no features", t.Name, name, m.title())
					return nil, nil
				}
				return t.measure(ctx, o, p, m)
			}, func(c cell) error {
				c.Table, c.Dataset = t.Name, name
				paper.addTo(&c, t.paper)
				return out.add(c)
			})
			if err != nil {
				return fmt.Errorf("%s, %w", name, err)
			}
		}
	}
	return nil
}

// datasetsOf are the data sets that a table is measured on.
func (o options) datasetsOf(t table) []string {
	switch {
	case o.datasets != nil:
		return o.datasets
	case t.find != nil:
		return t.find(o.data)
	case t.datasets != nil:
		return t.datasets
	}
	return []string{"cora", "citeseer", "pubmed"}
}

// columnsOf are the columns of a table where others are not asked for.
func columnsOf(t table, asked []scaling) []scaling {
	switch {
	case asked != nil:
		return asked
	case t.columns == nil:
		return scalings[:1]
	}
	return slices.DeleteFunc(slices.Clone(scalings), func(s scaling) bool { return !slices.Contains(t.columns, s.name) })
}

// measureRows measures the rows of a table on one data set and adds their cells, row by row. The row
// that others are compared with is measured before its turn.
func (t table) measureRows(measure func(m method, reference []cell) ([]cell, error), add func(cell) error) error {
	var reference []cell
	var err error
	for _, m := range pick(t.rows, t.reference) {
		if reference, err = measure(m, nil); err != nil {
			return fmt.Errorf("%s: %w", m.title(), err)
		}
	}
	for _, m := range t.rows {
		cells := reference
		if m.name != t.reference {
			if cells, err = measure(m, reference); err == nil {
				err = compare(cells, reference)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.title(), err)
		}
		for _, c := range cells {
			c.Method, c.Varied = m.name, m.varied
			if err := add(c); err != nil {
				return err
			}
		}
	}
	return nil
}
