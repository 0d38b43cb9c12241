package eval

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// RecommendLinks finds, for each of the given nodes of g or for all where nodes is nil, the k nodes
// most similar to it by the rows of the index that no edge joins to it, best first, the lower node
// first among equal scores. A score of 0 or less recommends nothing: there are fewer where fewer
// are above, and none for a zero row.
//
// The k best pairs of all are among what all nodes get, from both ends.
//
// For all nodes the cost is O(n²d), and the memory 48·k·n + 16·n·d bytes, never n²: 200,000 rows of
// 128 columns take less than a minute on two processors. A node costs O(nd), as in [Index.Rows].
//
// Errors: [coles.ErrSetting] for k below 1, [coles.ErrShape] unless the index has a row for each node, or for
// no nodes given, [coles.ErrIndex], [coles.ErrNotFinite] for products that could overflow,
// [coles.ErrTooLarge], and ctx's.
func (x *Index) RecommendLinks(ctx context.Context, g *coles.Graph, nodes []int, k int) ([][]Match, error) {
	n := x.rows.Rows()
	switch {
	case n != g.Nodes():
		return nil, fmt.Errorf("%w: %d rows for %d nodes", coles.ErrShape, n, g.Nodes())
	case nodes != nil && len(nodes) == 0:
		return nil, fmt.Errorf("%w: no nodes to recommend links for", coles.ErrShape)
	case k < 1:
		return nil, setting.Bad("k", k, "1 or more links for each node")
	}
	if err := checkRows(nodes, n, "given"); err != nil {
		return nil, err
	}
	return matches(x.rows.Apart(reporting(ctx, x.Progress), nodes, g.Raw(), k))
}

// LinkRanking is the outcome of [Index.RankLinks], each from 0 to 1.
type LinkRanking struct {
	Recall         float64 `json:"recall"`           // the share of the edges held out, from either end, that are among the k
	ReciprocalRank float64 `json:"reciprocal_rank"`  // the mean of 1/r over these, at rank r from 1, 0 for those not among the k
	Chance         float64 `json:"recall_by_chance"` // the recall of k nodes drawn at random from those not joined
}

// String gives them in percent.
func (r LinkRanking) String() string {
	return fmt.Sprintf("recall %.1f %% (by chance %.2g %%), mean reciprocal rank %.1f %%", 100*r.Recall, 100*r.Chance, 100*r.ReciprocalRank)
}

// RankLinks measures [Index.RecommendLinks]: it recommends k links to every node that an edge is held out
// of, by the rows of the index, an embedding of links.Train, and looks for that edge among them: it
// competes with all pairs of its node, and with the other edges held out.
//
// It takes O(nd) a node, and the memory of [Index.Rows].
//
// Errors: as [Index.RecommendLinks], and [coles.ErrShape] also for no edges held out.
func (x *Index) RankLinks(ctx context.Context, links *HeldOutLinks, k int) (*LinkRanking, error) {
	if len(links.Edges) == 0 {
		return nil, fmt.Errorf("%w: no edges held out", coles.ErrShape)
	}
	if err := matrix.CheckPairs(links.Train.Nodes(), links.Edges, nil); err != nil {
		return nil, err
	}
	held, _, err := matrix.FromPairs(ctx, links.Train.Nodes(), links.Edges, nil, nil) // the nodes that each has lost
	if err != nil {
		return nil, err
	}
	var nodes []int
	for u := range held.Rows {
		if held.Ptr[u] < held.Ptr[u+1] {
			nodes = append(nodes, u)
		}
	}
	found, err := x.RecommendLinks(ctx, links.Train, nodes, k)
	if err != nil {
		return nil, err
	}
	var r LinkRanking
	for q, matches := range found {
		u := nodes[q]
		lost, _ := held.Row(u)
		for rank, m := range matches {
			if slices.Contains(lost, int32(m.Row)) {
				r.Recall++
				r.ReciprocalRank += 1 / float64(1+rank)
			}
		}
		near, _ := links.Train.Raw().Row(u)
		others := links.Train.Nodes() - len(near)
		if _, loop := slices.BinarySearch(near, int32(u)); !loop {
			others-- // itself
		}
		r.Chance += float64(len(lost)) * min(1, float64(k)/float64(others))
	}
	ends := float64(2 * len(links.Edges))
	return &LinkRanking{r.Recall / ends, r.ReciprocalRank / ends, r.Chance / ends}, nil
}
