package gnn_test

import (
	"context"
	"io"
	"testing"
	"time"

	"coles"
	"coles/embedtest"
	"coles/gnn"

	"gonum.org/v1/gonum/mat"
)

func TestConformance(t *testing.T) {
	hops := coles.S2GCSum(3)
	stiefel, linear, augmented := gnn.StiefelSettings(), gnn.LinearSettings(), gnn.AugmentedSettings()
	stiefel.Network = gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(4).Orthonormal()}
	linear.Network = gnn.Network{gnn.Propagate(hops), gnn.Linear(4)}
	augmented.Network = gnn.Network{gnn.GCN(8), gnn.ReLU(), gnn.GCN(4)}
	drawn := coles.UniformNegatives(3)
	for name, c := range map[string]struct {
		opts  []gnn.Option
		order bool // of the nodes: it decides what each draws
	}{
		"soft orthogonality": {},
		"Stiefel":            {opts: []gnn.Option{gnn.WithSettings(stiefel)}},
		"linear":             {opts: []gnn.Option{gnn.WithSettings(linear)}},
		"augmented":          {opts: []gnn.Option{gnn.WithSettings(augmented)}, order: true},
		"drawn negatives":    {opts: []gnn.Option{gnn.WithNegatives(drawn), gnn.WithKappa(2), gnn.WithFreshNegatives(true)}, order: true},
		"SampledNCE":         {opts: []gnn.Option{gnn.WithObjective(gnn.SampledNCE(3, 1)), gnn.WithNetwork(gnn.SAGE(8), gnn.ELU(), gnn.SAGE(4))}, order: true},
		"geometric mean":     {opts: []gnn.Option{gnn.WithObjective(gnn.PowerMean(0, 3))}, order: true},
		"arithmetic mean":    {opts: []gnn.Option{gnn.WithObjective(gnn.PowerMean(1, 3))}, order: true},
		"blocks":             {opts: []gnn.Option{gnn.WithBatchSize(15)}, order: true},
		"dropout": {opts: []gnn.Option{gnn.WithNetwork(gnn.Dropout(0.3), gnn.GCN(8), gnn.PReLU(), gnn.Dropout(0.2), gnn.Linear(4)),
			gnn.WithFeatures(coles.PrepareStandardize, 1)}, order: true},
		"not scaled": {opts: []gnn.Option{gnn.WithNorm(0), gnn.WithOptimizer(gnn.SGD(0.05, 0.9))}},
		"float32":    {opts: []gnn.Option{gnn.WithPrecision(coles.Float32)}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []gnn.Option{gnn.WithNetwork(gnn.GCN(8), gnn.ReLU(), gnn.GCN(4)), gnn.WithPrecision(coles.Float64)}
			opts = append(append(opts, c.opts...), gnn.WithEpochs(4))
			tolerance := 1e-10
			if name == "float32" {
				tolerance = 1e-3
			} else {
				opts = append(opts, gnn.WithPrecision(coles.Float64)) // after settings of its own
			}
			err := embedtest.Test(embedtest.Embedder{
				Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
					m, err := gnn.Train(ctx, g, x, opts...)
					if err != nil {
						return nil, err
					}
					return m, nil
				},
				Read: func(r io.Reader) (embedtest.Model, error) {
					m, err := gnn.ReadModel(r)
					if err != nil {
						return nil, err
					}
					return m, nil
				},
				OrderMatters: c.order,
				Errors:       []error{gnn.ErrDiverged},
				Tolerance:    tolerance,
				Late:         time.Second, // that it is a tenth of that, see the test of cancellation
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
