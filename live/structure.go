package live

import (
	"context"
	"errors"
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

// encode sets row to the features that the model's structure makes of the edges.
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

// newcomers is how many nodes edges add to n, of which each has an edge at least.
func newcomers(n int, edges []coles.Edge) (count int, err error) {
	for _, e := range edges {
		count = max(count, e.U+1-n, e.V+1-n)
	}
	if count > 2*len(edges) {
		return 0, fmt.Errorf("live: %w: edges go up to node %d, and some before it have none", coles.ErrUnplaced, n+count-1)
	}
	return count, nil
}

// encode makes the features of nodes whose edges have changed anew, and keeps those of old nodes, of which
// there are n.
func (g *Graph) encode(ctx context.Context, touched []int32, n int) error {
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
		err := e.encode(ctx, g.model, row)
		if known := int(i) < len(g.known) && g.known[i] >= 0; known && errors.Is(err, coles.ErrUnplaced) {
			clear(row) // as of the isolated nodes of a fit
		} else if err != nil {
			return fmt.Errorf("live: node %d: %w", i, err)
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

// addFeatures adds c times what row i of the features was before the last change, or what it has become more.
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
