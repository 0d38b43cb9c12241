package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A newNode is one that the last fit has not seen.
type newNode struct {
	id   string
	unit []float64 // its vector at length 1; nil where nothing is known of it, or where it is gone
}

// Newcomers are the nodes that the last fit has not seen. The last ones are compared one by one, the others by an index.
type newcomers struct {
	all     []newNode
	place   map[string]int
	width   int         // of their vectors
	index   *near.Index // of the first of all
	indexed int         // how many these are
	dead    int         // of these, with no vector, or gone since
}

// put takes a newcomer, or its new vector.
func (f *newcomers) put(n newNode) {
	at, ok := f.place[n.id]
	if !ok || at < f.indexed {
		f.drop(n.id)
		at, f.all = len(f.all), append(f.all, newNode{})
	}
	f.all[at], f.place[n.id] = n, at
}

// drop reports whether there was such a newcomer.
func (f *newcomers) drop(id string) bool {
	at, ok := f.place[id]
	if !ok {
		return false
	}
	if at < f.indexed && f.all[at].unit != nil {
		f.dead++
	}
	f.all[at] = newNode{}
	delete(f.place, id)
	return true
}

// gather has them all in an index where so many are not that another is worth its time, in which writes wait.
func (f *newcomers) gather(ctx context.Context) (err error) {
	if len(f.all)-f.indexed <= 1000+f.indexed/2 {
		return nil
	}
	to := newcomers{place: map[string]int{}, width: f.width}
	for _, n := range f.all {
		if n.id != "" {
			to.put(n)
		}
	}
	rows := mat.NewDense(max(1, len(to.all)), f.width, nil)
	for i, n := range to.all {
		if n.unit == nil {
			to.dead++
			continue
		}
		rows.SetRow(i, n.unit)
	}
	if to.index, err = near.NewIndex(ctx, rows, near.Cosine); err == nil {
		to.indexed, *f = len(to.all), to
	}
	return err
}

// nearest adds newcomers but one to the nodes nearest to y, and returns the nearest of all; of equal ones newcomers come last, by name.
func (f *newcomers) nearest(ctx context.Context, y []float64, matches []match, count int, but string) ([]match, error) {
	var fresh []match
	if f.indexed > 0 {
		found, err := f.index.Vectors(ctx, mat.NewDense(1, len(y), y), min(count+f.dead+1, f.indexed))
		if err != nil {
			return nil, err
		}
		for _, m := range found[0] {
			if n := f.all[m.Row]; n.unit != nil && n.id != but {
				fresh = append(fresh, match{n.id, m.Score})
			}
		}
	}
	length := cmp.Or(floats.Norm(y, 2), 1)
	least := math.Inf(-1) // that is wanted
	if len(matches) >= count {
		least = matches[count-1].Score
	}
	for _, n := range f.all[f.indexed:] {
		if n.unit != nil && n.id != but {
			if score := floats.Dot(n.unit, y) / length; score >= least {
				fresh = append(fresh, match{n.id, score})
			}
		}
	}
	slices.SortFunc(fresh, func(a, b match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID)) })
	matches = append(matches, fresh...)
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
	return matches[:min(count, len(matches))], nil
}
