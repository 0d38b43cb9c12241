package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"coles"
	"coles/link"
	"coles/near"
	"coles/task"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A view is the last fit and the graph as it is now; every answer comes from it. Nodes of the fit keep its vectors until the
// next; newcomers have vectors by their edges to these nodes. Files and journal determine it: a restarted service has the same.
type view struct {
	*state
	book      *book
	newcomers newcomers
	hidden    map[string]bool // nodes of the last fit that are gone, perhaps for others of their names; replaced, never changed
	changes   int             // batches since the last fit
	drift     float64         // of P at the last fit, in radians
	fits      int
}

// follow is the view of a state and of the changes in a book. It has a note for each newcomer that cannot be placed.
func follow(ctx context.Context, next *state, b *book) (v view, notes []string, err error) {
	v = view{state: next, book: b, hidden: map[string]bool{}, newcomers: newcomers{}}
	for _, id := range next.ids {
		if !b.has(id) || b.again[id] {
			v.hidden[id] = true
		}
	}
	for _, id := range b.order {
		if _, known := v.row(id); known {
			continue
		}
		unit, _, err := v.newcomer(ctx, stranger{b.features[id], b.weights[id]})
		if ctx.Err() != nil {
			return v, nil, ctx.Err()
		}
		if err != nil {
			notes = append(notes, "the node "+id+" has no vector: "+err.Error())
		}
		v.newcomers[id] = unit
	}
	return v, notes, nil
}

// row is the row of a node in the last fit.
func (v *view) row(id string) (row int, ok bool) {
	row, ok = v.Graph.Row(id)
	return row, ok && !v.hidden[id]
}

// joined reports whether there is an edge now.
func (v *view) joined(a, b string) bool {
	if w, told := v.book.weights[a][b]; told {
		return w > 0
	}
	i, known := v.row(a)
	j, both := v.row(b)
	if !known || !both {
		return false
	}
	near, _ := v.Graph.Neighbors(i)
	_, found := slices.BinarySearch(near, int32(j))
	return found
}

// mostCommon neighbours are named.
const mostCommon = 5

// common are neighbours that two nodes share now: of the last fit as [link.InCommon] has them, then others by name.
func (v *view) common(a, b string) []string {
	names := []string{}
	i, known := v.row(a)
	if j, both := v.row(b); known && both {
		for _, q := range link.InCommon(v.Graph, i, j, math.MaxInt) {
			if id := v.ids[q]; v.joined(a, id) && v.joined(b, id) {
				names = append(names, id)
			}
		}
	}
	old := len(names)
	for _, ends := range []map[string]float64{v.book.weights[a], v.book.weights[b]} {
		for id := range ends {
			if v.joined(a, id) && v.joined(b, id) && !slices.Contains(names, id) {
				names = append(names, id)
			}
		}
	}
	slices.Sort(names[old:])
	return names[:min(mostCommon, len(names))]
}

// named are matches by name, without the nodes that are gone.
func (v *view) named(found []near.Match) []match {
	matches := []match{}
	for _, m := range found {
		if id := v.ids[m.Row]; !v.hidden[id] {
			matches = append(matches, match{id, m.Score})
		}
	}
	return matches
}

// nearest are the nodes nearest to a vector, but one.
func (v *view) nearest(ctx context.Context, y []float64, count int, but string) ([]match, error) {
	found, err := v.similar.Index().Vectors(ctx, mat.NewDense(1, len(y), y), min(count+len(v.hidden), len(v.ids)))
	if err != nil {
		return nil, err
	}
	return v.newcomers.nearest(y, v.named(found[0]), count, but), nil
}

// A stranger is a node to place.
type stranger struct {
	features map[string]any     // by name
	ends     map[string]float64 // weights of edges; only edges to nodes of the last fit count
}

// place makes the vector (1 × d′) of the first stranger, whom an edge joins to each of the others; nil if nothing is known of
// it. It lists the first's cells that no node has.
func (v *view) place(ctx context.Context, by *task.Placer, all ...stranger) (y *mat.Dense, unknown []string, err error) {
	n := v.Graph.Nodes()
	var rows []mat.Matrix
	var edges []coles.Edge
	var weights []float64
	for q, who := range all {
		row, odd, err := v.cells.row(ctx, who.features)
		if err != nil {
			return nil, nil, err
		}
		if rows = append(rows, row); q == 0 {
			unknown = odd
		} else {
			edges, weights = append(edges, coles.Edge{U: n, V: n + q}), append(weights, 1)
		}
		for id, w := range who.ends {
			if at, known := v.row(id); known && w > 0 {
				edges, weights = append(edges, coles.Edge{U: n + q, V: at}), append(weights, w)
			}
		}
	}
	x := rows[0]
	if x != nil && len(rows) > 1 {
		_, width := x.Dims()
		together := mat.NewDense(len(rows), width, nil)
		for q, row := range rows {
			mat.Row(together.RawRowView(q), 0, row)
		}
		x = together
	}
	y, err = by.Embed(ctx, x, edges, weights)
	if errors.Is(err, coles.ErrUnplaced) {
		return nil, unknown, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return y.Slice(0, 1, 0, y.RawMatrix().Cols).(*mat.Dense), unknown, nil
}

// newcomer is the vector of a stranger at length 1, nil if nothing is known of it.
func (v *view) newcomer(ctx context.Context, who stranger) (unit []float64, unknown []string, err error) {
	y, unknown, err := v.place(ctx, v.placer, who)
	if err != nil || y == nil {
		return nil, unknown, err
	}
	if length := mat.Norm(y, 2); length > v.rounding {
		unit = y.RawRowView(0)
		floats.Scale(1/length, unit)
	}
	return unit, unknown, nil
}

// Newcomers are the vectors at length 1, by name, of nodes that the last fit has not seen; nil if nothing is known of a node.
// A search compares them one by one, as the next fit takes them in.
type newcomers map[string][]float64

// nearest adds newcomers but one to the nodes nearest to y, and returns the nearest of all. Among equals newcomers come last,
// by name.
func (f newcomers) nearest(y []float64, matches []match, count int, but string) []match {
	length := cmp.Or(floats.Norm(y, 2), 1)
	least := math.Inf(-1) // that is wanted
	if len(matches) >= count {
		least = matches[count-1].Score
	}
	var fresh []match
	for id, unit := range f {
		if unit != nil && id != but {
			if score := floats.Dot(unit, y) / length; score >= least {
				fresh = append(fresh, match{id, score})
			}
		}
	}
	slices.SortFunc(fresh, func(a, b match) int { return strings.Compare(a.ID, b.ID) })
	matches = append(matches, fresh...)
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.Score, a.Score) })
	return matches[:min(count, len(matches))]
}

// welcome places a newcomer among all nodes. Its neighbours that the last fit has not seen come along, with their edges to
// nodes of the fit. Features with unknown values count for nothing.
func (v *view) welcome(ctx context.Context, by *task.Placer, who newcomer) (y *mat.Dense, unknown []string, err error) {
	if len(v.columns) == 0 && len(who.Neighbours) == 0 {
		return nil, nil, errors.New("body: the graph has no features, and a newcomer to it has neighbours")
	}
	all := []stranger{{who.Features, map[string]float64{}}}
	slices.Sort(who.Neighbours)
	for _, id := range slices.Compact(who.Neighbours) {
		if _, known := v.row(id); known {
			all[0].ends[id] = 1
		} else if unit, ok := v.newcomers[id]; !ok {
			return nil, nil, fmt.Errorf("no node %q", id)
		} else if unit != nil {
			all = append(all, stranger{v.book.features[id], v.book.weights[id]})
		}
	}
	return v.place(ctx, by, all...)
}
