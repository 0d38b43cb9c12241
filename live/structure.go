package live

import (
	"context"
	"fmt"
	"slices"

	"coles"
	"coles/internal/inside"
	"coles/internal/matrix"
)

// A placed node has edges to nodes that the structure of a model knows.
type placed struct {
	known   []int32 // places of all nodes, −1 for unknown ones
	places  []int32
	weights []float64
}

// add adds an edge to a node, which counts if that is known.
func (p *placed) add(node int, weight float64) {
	if node < len(p.known) && p.known[node] >= 0 {
		p.places, p.weights = append(p.places, p.known[node]), append(p.weights, weight)
	}
}

// encode sets row to the features that the model's structure makes of the edges, zeros where none counts: the vector is then
// that of the neighbours alone.
func (p *placed) encode(ctx context.Context, m *coles.Model, row []float64) error {
	made, err := inside.Row(ctx, m.Structure(), p.places, p.weights)
	if err != nil {
		return err
	}
	for k, v := range made.Data {
		row[k] = float64(v)
	}
	return nil
}

// newcomers is how many nodes edges add to n, of which each has an edge at least, be it to itself.
func newcomers(n int, edges []coles.Edge) (count int, err error) {
	fresh := make(map[int]bool)
	for _, e := range edges {
		for _, i := range []int{e.U, e.V} {
			if i >= n {
				fresh[i], count = true, max(count, i-n+1)
			}
		}
	}
	if count > len(fresh) {
		return 0, fmt.Errorf("live: %w: edges go up to node %d, and some new node before it has none; an edge to itself is enough", coles.ErrIndex, n+count-1)
	}
	return count, nil
}

// missing are the places of nodes that the model knows by names that no node has.
func (g *Graph) missing() map[string]int32 {
	gone := make(map[string]int32)
	if g.known != nil && g.row != nil {
		for place, id := range inside.Known(g.model.Structure()) {
			if _, there := g.row[id]; !there {
				gone[id] = int32(place)
			}
		}
	}
	return gone
}

// encode makes the features of nodes whose edges have changed anew, and keeps those of old nodes, of which
// there are n. It refuses to leave new nodes, but those that are leaving, of which nothing says where one belongs.
func (g *Graph) encode(ctx context.Context, touched []int32, n int, leaving []int) error {
	some := false
	for _, i := range touched {
		row := g.x.Dense.Row(int(i))
		if _, kept := g.before[i]; !kept && int(i) < n {
			g.before[i] = slices.Clone(row)
		}
		e, v := placed{known: g.known}, g.adj.now(i)
		for q, j := range v.cols {
			if j != i {
				e.add(int(j), v.vals[q])
			}
		}
		if err := e.encode(ctx, g.model, row); err != nil {
			return fmt.Errorf("live: node %d: %w", i, err)
		}
		some = some || matrix.Magnitude(row) > 0
	}
	for i := 0; i < g.x.Rows() && !some; i++ {
		some = matrix.Magnitude(g.x.Dense.Row(i)) > 0
	}
	if some {
		return nil
	}
	for i, place := range g.known {
		if place < 0 && !slices.Contains(leaving, i) {
			return fmt.Errorf("live: %w: no edge would be left to a node that the model knows; fit the graph anew", coles.ErrUnplaced)
		}
	}
	return nil
}

// restore takes back what encode has changed.
func (g *Graph) restore() {
	for i, row := range g.before {
		g.x.SetRow(int(i), row)
	}
	g.before = nil
}

// addFeatures adds c times row i of the features: as it was before the last change, of n nodes, or, if fresh, the
// difference that the change made.
func (g *Graph) addFeatures(to []float64, i int32, c float64, fresh bool, n int) {
	was, replaced := g.before[i]
	switch {
	case replaced && fresh:
		g.x.AddRow(to, int(i), c)
		matrix.AddScaled(to, -c, was)
	case replaced:
		matrix.AddScaled(to, c, was)
	case (int(i) >= n) == fresh:
		g.x.AddRow(to, int(i), c)
	}
}
