package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A table is what -table names: rows, each measured on every data set.
type table struct {
	name  string
	title string
	about string // what the figures are
	// plot is the field of a cell that a plot has along its axis, and axis what
	// is written there; "" for a table without a plot.
	plot, axis string
	networks   bool // trains networks, and is therefore no part of all
	// methods are those that -methods chooses from, and standard those without
	// it. A table without methods has rows of its own.
	methods, standard []method
	rows              func(methods []method) []row
}

// A row is one method at one setting.
type row struct {
	name     string
	features bool // needs features
	measure  func(ctx context.Context, o options, p *problem) ([]cell, error)
}

// methodRows is a row for each method.
func methodRows(measure func(ctx context.Context, o options, p *problem, m method) ([]cell, error)) func([]method) []row {
	return func(methods []method) []row {
		var rows []row
		for _, m := range methods {
			rows = append(rows, row{m.name, m.features, func(ctx context.Context, o options, p *problem) ([]cell, error) {
				return measure(ctx, o, p, m)
			}})
		}
		return rows
	}
}

func tableNames() []string {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	return names
}

// tableOf is the table of that name; one that is not known has no more than it.
func tableOf(name string) table {
	for _, t := range tables() {
		if t.name == name {
			return t
		}
	}
	return table{name: name, title: name}
}

// findTables looks up a comma-separated list. All stands for those that train no
// networks.
func findTables(list string) ([]table, error) {
	var found []table
	add := func(t table) {
		if !slices.ContainsFunc(found, func(have table) bool { return have.name == t.name }) {
			found = append(found, t)
		}
	}
	for _, name := range fields(list) {
		known := false
		for _, t := range tables() {
			if t.name == name || name == "all" && !t.networks {
				add(t)
				known = true
			}
		}
		if !known {
			return nil, fmt.Errorf("-table %q is none of %s, all", name, strings.Join(tableNames(), ", "))
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("-table names none of %s, all", strings.Join(tableNames(), ", "))
	}
	return found, nil
}

// chooseMethods gives tables those methods of a comma-separated list that they
// have, in its order. Each must be a method of one of the tables; a table that has
// methods, but none of these, is dropped.
func chooseMethods(tables []table, list string) ([]table, error) {
	var known []method
	for _, t := range tables {
		known = append(known, t.methods...)
	}
	if len(known) == 0 {
		return nil, errors.New("-methods: the tables asked for have methods of their own")
	}
	if _, err := findMethods(known, list); err != nil {
		return nil, err
	}
	var kept []table
	for _, t := range tables {
		if t.methods != nil {
			t.standard = nil
			for _, name := range fields(list) {
				if m, err := findMethods(t.methods, name); err == nil {
					t.standard = append(t.standard, m...)
				}
			}
			if t.standard == nil {
				continue
			}
		}
		kept = append(kept, t)
	}
	return kept, nil
}

// measureAll measures every row of the tables on every data set.
func measureAll(ctx context.Context, o options, out *report, progress *progress) error {
	defer progress.clear()
	problems := make(map[string]*problem)
	for _, t := range o.tables {
		for _, name := range o.datasets {
			p := problems[name]
			if p == nil {
				var err error
				if p, err = load(ctx, o, name, progress); err != nil {
					return err
				}
				problems[name] = p
			}
			for _, r := range t.rows(t.standard) {
				progress.step("%s, %s: %s", t.name, name, r.name)
				if r.features && p.Features == nil {
					progress.note("%s, %s: %s is left out, the data set has no features", t.name, name, r.name)
					continue
				}
				cells, err := r.measure(ctx, o, p)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", name, r.name, err)
				}
				for _, c := range cells {
					c.Table, c.Dataset = t.name, name
					if err := out.add(c); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
