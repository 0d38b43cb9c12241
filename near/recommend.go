package near

import (
	"context"
	"fmt"

	"coles"
	"coles/internal/given"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/parallel"
	"coles/internal/setting"
)

// RecommendLinks finds, for each of the given nodes of g, nil for all, the k most similar nodes that no edge joins to it,
// by the rows of the index: best first, the lower node first among equal scores. It recommends only what may allows, nil
// for everything; several goroutines call it at once. A score of 0 or less recommends nothing: a node may get fewer than
// k, and a zero row gets none.
//
// The k best pairs of all are among what all nodes get, from both ends.
//
// For all nodes the cost is O(n²d), and the memory 48·k·n + 16·n·d bytes, never n²: 200,000 rows of
// 128 columns take less than a minute on two processors. A node costs O(nd), as in [Index.Rows].
//
// Errors: [coles.ErrSetting] for k below 1, [coles.ErrShape] for no nodes given or other rows than one for each node,
// [coles.ErrIndex], [coles.ErrNotFinite] for products that could overflow, [coles.ErrTooLarge], and ctx's.
func (x *Index) RecommendLinks(ctx context.Context, g *coles.Graph, nodes []int, k int, may func(node, recommended int) bool) ([][]Match, error) {
	n := x.made().Rows()
	switch {
	case n != g.Nodes():
		return nil, fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, n, g.Nodes())
	case nodes != nil && len(nodes) == 0:
		return nil, fmt.Errorf("%w: no nodes to recommend links for", coles.ErrShape)
	case k < 1:
		return nil, setting.Bad("k", k, "1 or more links for each node")
	}
	if err := given.CheckRows(nodes, n, "given"); err != nil {
		return nil, err
	}
	return matches(x.rows.Apart(parallel.Reporting(ctx, x.Progress), nil, nodes, joinedOr(g, may), k))
}

// joinedOr reports whether an edge of g joins two nodes, or the second may not be recommended to the first.
func joinedOr(g *coles.Graph, may func(node, recommended int) bool) func(u, v int) bool {
	a := inside.Adjacency(g)
	return func(u, v int) bool {
		_, joined := matrix.Entry(a, u, v)
		return joined || may != nil && !may(u, v)
	}
}
