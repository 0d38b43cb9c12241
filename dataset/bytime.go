package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/setting"
)

// HoldOutLatest divides a graph of m edges by time, which the values of Adjacency are, as those of a third column read
// as the weight: an edge is as old as its first entry, in either direction. The round(share·m) latest are held out, one
// at least, of equal times those of the later nodes; train has all nodes, without weights, and the others. Loops do not count.
//
// Errors: ErrMissing without an adjacency, or without an edge to train on, and [coles.ErrSetting] for a share outside (0, 1).
func (d *Dataset) HoldOutLatest(share float64) (train *coles.Graph, latest []coles.Edge, err error) {
	if !(share > 0 && share < 1) {
		return nil, nil, setting.Bad("share", share, "more than 0 and less than 1")
	}
	if d.Adjacency == nil {
		return nil, nil, fmt.Errorf("dataset: %q: %w: adjacency", d.Name, ErrMissing)
	}
	first := make(map[coles.Edge]float64)
	d.Adjacency.DoNonZero(func(u, v int, time float64) {
		e := coles.Edge{U: min(u, v), V: max(u, v)}
		if before, known := first[e]; u != v && (!known || time < before) {
			first[e] = time
		}
	})
	edges := make([]coles.Edge, 0, len(first))
	for e := range first {
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(a, b coles.Edge) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), a.U-b.U, a.V-b.V)
	})
	kept := len(edges) - max(1, int(math.Round(share*float64(len(edges)))))
	if kept < 1 {
		return nil, nil, fmt.Errorf("dataset: %q: %w: edges, of which there are %d", d.Name, ErrMissing, len(edges))
	}
	train, err = coles.NewGraph(d.Nodes(), edges[:kept], coles.WithIDs(d.IDs))
	return train, edges[kept:], err
}
