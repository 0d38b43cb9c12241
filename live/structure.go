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

// add adds an edge to a node, which counts if the node is known.
func (p *placed) add(node int, weight float64) {
	if node < len(p.known) && p.known[node] >= 0 {
		p.places, p.weights = append(p.places, p.known[node]), append(p.weights, weight)
	}
}

// encode sets row to the features that the model's structure makes of the edges. If none counts they are zeros, and the vector
// is the neighbours' alone.
func (p *placed) encode(ctx context.Context, s *coles.Structure, row []float64) error {
	made, err := inside.Row(ctx, s, p.places, p.weights)
	if err != nil {
		return err
	}
	for k, v := range made.Data {
		row[k] = float64(v)
	}
	return nil
}

// newcomers is the number of nodes that edges add to n. Each has an edge at least, be it to itself.
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

// missing are the places of nodes that the part knows by name and the graph no longer has.
func (p *part) missing(rows map[string]int) map[string]int32 {
	gone := make(map[string]int32)
	if p.known != nil && rows != nil {
		for place, id := range inside.Known(p.of.Structure()) {
			if _, there := rows[id]; !there {
				gone[id] = int32(place)
			}
		}
	}
	return gone
}

// encode makes the features of nodes whose edges have changed anew, and saves the old rows of the n old nodes. In the first
// part it is an error if no node has features any more, unless all new nodes are leaving.
func (p *part) encode(ctx context.Context, touched []int32, n int, leaving []int, first bool) error {
	some := !first
	for _, i := range touched {
		row := p.x.Dense.Row(int(i))
		if _, kept := p.before[i]; !kept && int(i) < n {
			p.before[i] = slices.Clone(row)
		}
		e, v := placed{known: p.known}, p.adj.now(i)
		for q, j := range v.cols {
			if j != i {
				e.add(int(j), v.vals[q])
			}
		}
		if err := e.encode(ctx, p.of.Structure(), row); err != nil {
			return fmt.Errorf("live: node %d: %w", i, err)
		}
		some = some || matrix.Magnitude(row) > 0
	}
	for i := 0; i < p.x.Rows() && !some; i++ {
		some = matrix.Magnitude(p.x.Dense.Row(i)) > 0
	}
	if some {
		return nil
	}
	for i, place := range p.known {
		if place < 0 && !slices.Contains(leaving, i) {
			return fmt.Errorf("live: %w: no edge would be left to a node that the model knows; fit the graph anew", coles.ErrUnplaced)
		}
	}
	return nil
}

// addFeatures adds c times row i of the features. The row is as before the last change, of n nodes, or, if fresh, the
// difference that the change made.
func (p *part) addFeatures(to []float64, i int32, c float64, fresh bool, n int) {
	was, replaced := p.before[i]
	switch {
	case replaced && fresh:
		p.x.AddRow(to, int(i), c)
		matrix.AddScaled(to, -c, was)
	case replaced:
		matrix.AddScaled(to, c, was)
	case (int(i) >= n) == fresh:
		p.x.AddRow(to, int(i), c)
	}
}
