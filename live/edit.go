package live

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/table"

	"gonum.org/v1/gonum/mat"
)

// SetWeights gives edges exactly these weights. Weight 0 removes an edge; an edge that is not there is new. Of an edge given
// twice the last weight counts. Cost and errors are as for [Graph.Add], and [coles.ErrIndex] for an edge to remove that is not
// there.
func (g *Graph) SetWeights(ctx context.Context, edges []coles.Edge, weights []float64) (*Update, error) {
	defer g.alone()()
	if len(weights) != len(edges) {
		return nil, fmt.Errorf("live: %w: %d weights for %d edges", coles.ErrShape, len(weights), len(edges))
	}
	if err := matrix.CheckPairs(len(g.adj.nodes), edges, weights); err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	for q, e := range edges {
		if _, there := slices.BinarySearch(g.adj.nodes[e.U].cols, int32(e.V)); weights[q] == 0 && !there {
			return nil, fmt.Errorf("live: %w: no edge joins %d and %d", coles.ErrIndex, e.U, e.V)
		}
	}
	return g.apply(ctx, func(ctx context.Context) ([]int32, error) { return g.adj.join(ctx, 0, edges, weights, true) })
}

// SetFeatures replaces the features of some nodes, by a row of x (len(nodes) × d) for each. The cost is that of
// [Graph.Add]; sparse features behind the first of the rows move in memory.
//
// Errors: [coles.ErrIndex], also for a node given twice, and as [Graph.Add].
func (g *Graph) SetFeatures(ctx context.Context, nodes []int, x mat.Matrix) (*Update, error) {
	defer g.alone()()
	if g.cells != nil {
		return nil, errCells
	}
	return g.setFeatures(ctx, nodes, x)
}

// SetRows replaces the cells of some nodes, and their features, by the rows of a table, one for each. A column that the table
// lacks has holes. Cost and errors are as for [Graph.SetFeatures] and [table.Encoder.Encode], with [coles.ErrShape] for a
// graph without cells and for a column that it does not keep.
func (g *Graph) SetRows(ctx context.Context, nodes []int, rows *table.Table) (*Update, error) {
	defer g.alone()()
	x, err := g.encodeRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	done, err := g.setFeatures(ctx, nodes, x)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for k, i := range nodes {
		g.cells.put(i, rows, k)
	}
	return done, nil
}

func (g *Graph) setFeatures(ctx context.Context, nodes []int, x mat.Matrix) (*Update, error) {
	if g.parts[0].known != nil {
		return nil, errFeatures
	}
	if err := g.checkNodes(nodes); err != nil {
		return nil, err
	}
	raw, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("live: features: %w", err)
	}
	if raw.Rows() != len(nodes) {
		return nil, fmt.Errorf("live: %w: features of %d rows for %d nodes", coles.ErrShape, raw.Rows(), len(nodes))
	}
	prepared, err := prepareDouble(ctx, g.parts[0].of.Preparer, raw)
	if err != nil {
		return nil, err
	}
	hashes, err := matrix.RowHashes(ctx, raw)
	if err != nil {
		return nil, err
	}
	done, err := g.apply(ctx, func(ctx context.Context) ([]int32, error) {
		g.adj.begin()
		return g.parts[0].replace(nodes, prepared), ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for q, i := range nodes {
		g.hashes[i] = hashes[q]
	}
	return done, nil
}

// Remove takes nodes out, and all their edges. The last nodes take the free numbers, so that numbers stay without a gap.
// [Update.Renumbered] lists them, and names stay with their nodes. The cost is that of [Graph.Add].
//
// Nodes without names are known by their numbers: once one is removed, only a model of [Graph.Refit] embeds [Graph.Graph].
//
// Errors: [coles.ErrIndex], also for a node given twice, [coles.ErrShape] where no node would be left, [coles.ErrUnplaced] as
// [Graph.Add], and ctx's.
func (g *Graph) Remove(ctx context.Context, nodes []int) (*Update, error) {
	defer g.alone()()
	if err := g.checkNodes(nodes); err != nil {
		return nil, err
	}
	if len(nodes) == len(g.adj.nodes) {
		return nil, fmt.Errorf("live: %w: a graph has a node at least", coles.ErrShape)
	}
	var edges []coles.Edge
	for _, i := range nodes {
		for _, j := range g.adj.nodes[i].cols {
			edges = append(edges, coles.Edge{U: i, V: int(j)})
		}
	}
	done, err := g.apply(ctx, func(ctx context.Context) ([]int32, error) {
		touched, err := g.adj.join(ctx, 0, edges, make([]float64, len(edges)), true)
		for _, p := range g.parts {
			touched = append(touched, p.replace(nodes, nil)...)
		}
		slices.Sort(touched)
		return slices.Compact(touched), err
	}, nodes...)
	if err != nil {
		return nil, err
	}
	g.fill(nodes, done)
	return done, nil
}

// checkNodes refuses nodes that are not there, and nodes given twice.
func (g *Graph) checkNodes(nodes []int) error {
	sorted := slices.Sorted(slices.Values(nodes))
	for q, i := range sorted {
		if i < 0 || i >= len(g.adj.nodes) || q > 0 && i == sorted[q-1] {
			return fmt.Errorf("live: %w: node %d of %d, or given twice", coles.ErrIndex, i, len(g.adj.nodes))
		}
	}
	return nil
}

// replace puts prepared rows, or zeros for nil, in the place of the features of nodes. It keeps the old rows, and returns the
// nodes, ascending.
func (p *part) replace(nodes []int, rows *matrix.Matrix[float64]) []int32 {
	var touched []int32
	for q, i := range nodes {
		was, now := make([]float64, p.x.Cols()), make([]float64, p.x.Cols())
		p.x.AddRow(was, i, 1)
		if rows != nil {
			rows.AddRow(now, q, 1)
		}
		p.before[int32(i)] = was
		p.x.SetRow(i, now)
		touched = append(touched, int32(i))
	}
	slices.Sort(touched)
	return touched
}

// fill gives the numbers of nodes that have lost all they had to the last nodes.
func (g *Graph) fill(removed []int, done *Update) {
	g.mu.Lock()
	defer g.mu.Unlock()
	removed = slices.Sorted(slices.Values(removed))
	for _, i := range slices.Backward(removed) {
		last := len(g.adj.nodes) - 1
		for _, p := range g.parts {
			if p.known != nil && p.known[i] >= 0 && g.ids != nil {
				p.gone[g.ids[i]] = p.known[i]
			}
			p.fill(i, last)
		}
		if g.ids != nil {
			delete(g.row, g.ids[i])
		}
		if i < last {
			done.Renumbered = append(done.Renumbered, [2]int{last, i})
			if g.ids != nil {
				g.ids[i] = g.ids[last]
				g.row[g.ids[i]] = i
			}
			if g.hashes != nil {
				g.hashes[i] = g.hashes[last]
			}
		}
		g.cells.fill(i, last)
		g.adj.renumber(int32(i))
		g.ids, g.hashes = g.ids[:min(last, len(g.ids))], g.hashes[:min(last, len(g.hashes))]
		done.Moved = slices.DeleteFunc(done.Moved, func(v int) bool { return v == i })
		if at := slices.Index(done.Moved, last); at >= 0 {
			done.Moved[at] = i
		}
		g.count = last
	}
	slices.Sort(done.Moved)
}

// fill gives the number i to the last node.
func (p *part) fill(i, last int) {
	if i < last {
		row := make([]float64, p.x.Cols())
		p.x.AddRow(row, last, 1)
		p.x.SetRow(i, row)
		copy(p.rowOf(int32(i)), p.rowOf(int32(last)))
		if p.known != nil {
			p.known[i] = p.known[last]
		}
	}
	p.x.Truncate(last)
	p.fx.Truncate(last)
	p.known = p.known[:min(last, len(p.known))]
}
