package learn

import (
	"context"
	"errors"
	"math"

	"coles"
	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/floats"
)

// columns is the predictor by features, nil unless it is found better than the vectors. Features with more entries than the
// vectors take longer, and some are too large for a regression: these are not tried.
func columns(ctx context.Context, t target, of parts, said kernel.Matrix[float64], how Options, width int, vectors *trial) (*Predictor, error) {
	f, err := given.Read(ctx, how.Columns)
	if err != nil || t.entries(f) > mostEntries*width {
		return nil, err
	}
	c, err := likeVectors(ctx, f)
	if err != nil {
		return nil, err
	}
	if len(how.Cs) == 0 {
		how.Cs = DefaultCs()
		floats.Scale(c, how.Cs)
	}
	// Most features are told from vectors by one C, and the others are not looked at.
	var p *Predictor
	found, err := try(ctx, t, of, said, f, c)
	if err == nil {
		if lead, _ := gain(found.hits(), vectors.hits(), of.fold, -1); lead <= 0 {
			return nil, nil
		}
		p, err = t.learn(ctx, f, how, of)
	}
	if err == nil {
		found, err = p.judged(ctx, t, of, said, f)
	}
	switch {
	case errors.Is(err, ErrConvergence), errors.Is(err, coles.ErrNotFinite), errors.Is(err, coles.ErrPrecision):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if lead, deviation := gain(found.hits(), vectors.hits(), of.fold, -1); lead <= apart*deviation {
		return nil, nil
	}
	return p, nil
}

// mostEntries bounds the entries of features for a regression, in multiples of the entries of vectors.
const mostEntries = 4

// likeVectors is the C of features that corresponds to C = 1 for vectors, whose mean squared length is 16.
func likeVectors(ctx context.Context, f *matrix.Matrix[float64]) (float64, error) {
	mean, err := given.MeanRow(ctx, f)
	if err != nil {
		return 0, err
	}
	squares, err := f.Squares(ctx)
	spread := squares/float64(f.Rows()) - given.Dot(mean, mean)
	if !(spread > 0) || math.IsInf(spread, 1) {
		return 1, err
	}
	return 16 / spread, err
}
