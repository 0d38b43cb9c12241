package live

import (
	"context"
	"fmt"
	"math"

	"coles"
	"coles/internal/inside"
	"coles/internal/matrix"
	"coles/internal/nearest"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Rows are the graph of [coles.KNN], frozen. New rows join it by edges to the nearest rows. Rows are immutable and safe for
// use by many goroutines.
type Rows struct {
	graph  *coles.Graph
	frozen *Frozen
	how    *coles.Preparer // by which rows are compared
	space  *nearest.Space
	k      int
}

// FitRows is [coles.Fit] for rows x (n × d) without a graph, as of a table or of vectors. It takes the graph of [coles.KNN],
// and [coles.UseGraph] and [RowShare] unless an option sets them.
//
// Errors: as [coles.Fit], [coles.KNN] and [Freeze].
func FitRows(ctx context.Context, x mat.Matrix, k int, opts ...coles.Option) (*coles.Model, *Rows, error) {
	g, err := coles.KNN(ctx, x, k)
	if err != nil {
		return nil, nil, err
	}
	share, err := RowShare(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	usual := coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, share })
	m, err := coles.Fit(ctx, g, x, append([]coles.Option{usual}, opts...)...)
	if err != nil {
		return nil, nil, err
	}
	r, err := FreezeRows(ctx, m, g, x)
	return m, r, err
}

// RowShare is the share of neighbour columns for rows x and their graph by [coles.KNN]. It is 0.3 if that graph goes by the
// distance, so that rows lie on what few columns span, and [coles.AutoShare] else. No measure without labels sees the worth of
// neighbours that the features have made.
//
// Errors: as [coles.Preparation.Fit].
func RowShare(ctx context.Context, x mat.Matrix) (coles.Share, error) {
	how, err := coles.PrepareAuto.Fit(ctx, x)
	if err != nil {
		return 0, err
	}
	source, err := view(ctx, how, x)
	if err == nil && nearest.ByDistance(source.Sparse(), source.Cols()) {
		return 0.3, nil
	}
	return coles.AutoShare, err
}

// FreezeRows is [Freeze] for rows x (n × d) and their graph by [coles.KNN]. It keeps 12·n·d bytes more, or two copies of
// sparse rows.
//
// Errors: as [Freeze] and [coles.KNN].
func FreezeRows(ctx context.Context, m *coles.Model, g *coles.Graph, x mat.Matrix) (*Rows, error) {
	r := &Rows{graph: g}
	var err error
	if r.frozen, err = Freeze(ctx, m, g, x); err != nil {
		return nil, err
	}
	if r.how, err = coles.PrepareAuto.Fit(ctx, x); err != nil {
		return nil, err
	}
	rows, err := r.prepared(ctx, x)
	if err != nil {
		return nil, err
	}
	if r.space, err = nearest.NewSpace(ctx, rows); err != nil {
		return nil, fmt.Errorf("live: nearest neighbours: %w", err)
	}
	// Every choice of a neighbour has added ½ to the degrees of two rows.
	if joined := g.Nodes() - g.Report().Isolated; joined > 0 {
		r.k = int(math.Round(floats.Sum(g.Degrees()) / float64(joined)))
	}
	return r, nil
}

// Frozen is the graph of the known rows, for newcomers with edges of their own.
func (r *Rows) Frozen() *Frozen { return r.frozen }

// Graph is the graph of the known rows.
func (r *Rows) Graph() *coles.Graph { return r.graph }

func (r *Rows) prepared(ctx context.Context, x mat.Matrix) (*matrix.Matrix[float64], error) {
	source, err := view(ctx, r.how, x)
	if err != nil {
		return nil, err
	}
	return matrix.As[float64](ctx, source)
}

func view(ctx context.Context, how *coles.Preparer, x mat.Matrix) (*matrix.Source, error) {
	prepared, err := inside.View(ctx, how, x)
	if err != nil {
		return nil, err
	}
	return matrix.Read(ctx, prepared)
}

// Near joins each new row of x to its nearest known rows, as many as a known row has chosen on average. The edges are for
// [Frozen.Embed] or a [Change]. The cost is O(n·d) for each.
//
// Errors: [coles.ErrShape], [coles.ErrNotFinite], and ctx's.
func (r *Rows) Near(ctx context.Context, x mat.Matrix) ([]coles.Edge, error) {
	if r == nil || r.space == nil {
		panic("live: Rows that are nil or zero; FitRows and FreezeRows make some")
	}
	queries, err := r.prepared(ctx, x)
	if err != nil {
		return nil, err
	}
	found, err := r.space.Near(ctx, queries, r.k)
	if err != nil {
		return nil, fmt.Errorf("live: nearest neighbours: %w", err)
	}
	var edges []coles.Edge
	for i, matches := range found {
		for _, m := range matches {
			edges = append(edges, coles.Edge{U: r.frozen.Nodes() + i, V: m.Row})
		}
	}
	return edges, nil
}

// Embed returns the embeddings (k × d′) of new rows x (k × d) by [Rows.Near] and [Frozen.Embed]. No new row changes another
// row's vector.
//
// Errors: as [Rows.Near] and [Frozen.Embed].
func (r *Rows) Embed(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	edges, err := r.Near(ctx, x)
	if err != nil {
		return nil, err
	}
	return r.frozen.Embed(ctx, x, edges, nil)
}
