package gnn

import (
	"context"
	"fmt"
	"math/rand/v2"

	"coles"
	"coles/internal/tape"

	"github.com/james-bowman/sparse"
)

// Augmentation makes two views of the graph at every step, as GRACE draws them
// (Zhu et al. 2020): in view v an edge is dropped with probability DropEdges[v] and
// a column of the features set to zero for all nodes with probability
// MaskFeatures[v]. The zero value makes none.
type Augmentation struct {
	DropEdges    [2]float64 `json:"drop_edges"`
	MaskFeatures [2]float64 `json:"mask_features"`
}

func (a Augmentation) none() bool { return a == Augmentation{} }

func (a Augmentation) check() error {
	for v := range 2 {
		for _, rate := range []float64{a.DropEdges[v], a.MaskFeatures[v]} {
			if !(rate >= 0 && rate < 1) {
				return fmt.Errorf("gnn: augmentation: %w: rate %v, want 0 to less than 1", coles.ErrSetting, rate)
			}
		}
	}
	return nil
}

// augmented is a view of the graph with edges dropped and features masked.
func (d *data[T]) augmented(ctx context.Context, a Augmentation, which int, averages bool, rnd *rand.Rand) (*view[T], error) {
	g, err := withoutEdges(d.graph, a.DropEdges[which], rnd)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x, err := d.whole.x.masked(ctx, a.MaskFeatures[which], rnd)
	if err != nil {
		return nil, err
	}
	v := &view[T]{
		x: x,
		w: tape.NewSparse(compact[T](coles.Normalize(g, coles.SelfLoops)), true),
	}
	if averages {
		v.means = tape.NewSparse(neighborMeans[T](g), false)
	}
	return v, ctx.Err()
}

// withoutEdges drops edges, each with probability rate. Self loops stay.
func withoutEdges(g *coles.Graph, rate float64, rnd *rand.Rand) (*coles.Graph, error) {
	if rate == 0 {
		return g, nil
	}
	edges, weights := edgesOf(g.CSR())
	kept := 0
	for q, e := range edges {
		if e.U == e.V || rnd.Float64() >= rate {
			edges[kept], weights[kept] = e, weights[q]
			kept++
		}
	}
	return coles.NewGraph(g.Nodes(), edges[:kept], coles.WithEdgeWeights(weights[:kept]), coles.WithSelfLoopsKept())
}

// edgesOf lists every entry of a symmetric matrix once, from its lower to its higher
// node: the edges of a graph and, where it has kept them, its self loops.
func edgesOf(a *sparse.CSR) (edges []coles.Edge, weights []float64) {
	raw := a.RawMatrix()
	for u := range raw.I {
		for q := raw.Indptr[u]; q < raw.Indptr[u+1]; q++ {
			if v := raw.Ind[q]; u <= v {
				edges, weights = append(edges, coles.Edge{U: u, V: v}), append(weights, raw.Data[q])
			}
		}
	}
	return edges, weights
}

// views is the graph as one step sees it: as it is, or twice augmented.
func (d *data[T]) views(ctx context.Context, s Settings, rnd *rand.Rand) ([]*view[T], error) {
	if s.Augmentation.none() {
		return []*view[T]{&d.whole}, nil
	}
	var views []*view[T]
	for which := range 2 {
		v, err := d.augmented(ctx, s.Augmentation, which, s.Network.averages(), rnd)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}
