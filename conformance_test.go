package coles_test

import (
	"context"
	"io"
	"testing"
	"time"

	"coles"
	"coles/embedtest"
	"coles/internal/race"

	"gonum.org/v1/gonum/mat"
)

func fitWith(opts ...coles.Option) func(context.Context, *coles.Graph, mat.Matrix) (embedtest.Model, error) {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
		m, err := coles.Fit(ctx, g, x, opts...)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

func readModel(r io.Reader) (embedtest.Model, error) {
	m, err := coles.ReadModel(r)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// An eigenmap embeds its own graph and is not kept in files.
type eigenmap struct{ *coles.Eigenmap }

func (e eigenmap) Embedding() *mat.Dense { return e.Y }

func TestConformance(t *testing.T) {
	for name, e := range map[string]embedtest.Embedder{
		"default":        {Fit: fitWith(coles.WithDim(5))},
		"direct":         {Fit: fitWith(coles.WithDim(5), coles.WithSolver(coles.SolverDirect), coles.WithFeatures(coles.PrepareRowL2))},
		"krylov":         {Fit: fitWith(coles.WithDim(3), coles.WithSolver(coles.SolverKrylov))},
		"standardized":   {Fit: fitWith(coles.WithDim(5), coles.WithFeatures(coles.PrepareStandardize), coles.WithCovarianceShare(0.2))},
		"share by signs": {Fit: fitWith(coles.WithDim(5), coles.WithAutoCovarianceShare()), OrderMatters: true}, // drawn node by node
		"as they are":    {Fit: fitWith(coles.WithDim(5), coles.WithFeatures(coles.PrepareNone), coles.WithFilter(coles.Heat(4, 2)))},
		"float32":        {Fit: fitWith(coles.WithDim(5), coles.WithPrecision(coles.Float32)), Tolerance: 1e-4},
		"drawn, uniform": {Fit: fitWith(coles.WithDim(5), coles.WithNegatives(coles.UniformNegatives(3)), coles.WithKappa(4)), OrderMatters: true},
		"drawn, pairs":   {Fit: fitWith(coles.WithDim(5), coles.WithNegatives(coles.ErdosRenyiNegatives(0.2))), OrderMatters: true},
		"truncated":      {Fit: fitWith(coles.WithDim(5), coles.WithTruncation(), coles.WithPower(0))},
		"no features":    {Fit: fitWith(coles.WithDim(3)), NoFeatures: true, Transductive: true},
		"eigenmaps": {NoFeatures: true, Fit: func(ctx context.Context, g *coles.Graph, _ mat.Matrix) (embedtest.Model, error) {
			dw, err := coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())
			if err != nil {
				return nil, err
			}
			e, err := coles.Eigenmaps(ctx, dw, 6, coles.WithTruncation())
			if err != nil {
				return nil, err
			}
			return eigenmap{e}, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if e.Read = readModel; name == "eigenmaps" {
				e.Read = nil
			}
			e.Late = 100 * time.Millisecond * race.Slowdown
			if err := embedtest.Test(e); err != nil {
				t.Error(err)
			}
		})
	}
}
