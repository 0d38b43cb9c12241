package task

import (
	"context"
	"errors"

	"coles"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// A Placer makes vectors of nodes that come after the fit. They change no other vector. It is immutable and safe for
// use by many goroutines.
type Placer struct {
	frozen *live.Frozen
	rows   *live.Rows // that newcomers without edges join; nil for a graph whose edges were given
}

// NewPlacer places newcomers among d, by the model of [coles.Fit] that embeds d. Errors: as [live.Freeze] and
// [live.FreezeRows], and for a network.
func NewPlacer(ctx context.Context, of Model, d *Data) (p *Placer, err error) {
	m, ok := of.(*coles.Model)
	if !ok {
		return nil, errors.New("the model is a network, which places no newcomers")
	}
	if err := checkFeatures(m, d.Features); err != nil {
		return nil, err
	}
	p = &Placer{}
	if !d.Joined {
		p.frozen, err = live.Freeze(ctx, m, d.Graph, d.Features)
	} else if p.rows, err = live.FreezeRows(ctx, m, d.Graph, d.Features); err == nil {
		p.frozen = p.rows.Frozen()
	}
	return p, err
}

// Embed makes vectors (k × d′) of newcomers, which have the numbers n … n+k−1. They have features x (k × d), nil for none,
// and these edges, of weight 1 for nil. Newcomers without edges join the nearest rows, if d was rows without a graph. Errors:
// as [live.Frozen.Embed] and [live.Rows.Near].
func (p *Placer) Embed(ctx context.Context, x mat.Matrix, edges []coles.Edge, weights []float64) (*mat.Dense, error) {
	if p.rows != nil && len(edges) == 0 {
		return p.rows.Embed(ctx, x)
	}
	return p.frozen.Embed(ctx, x, edges, weights)
}
