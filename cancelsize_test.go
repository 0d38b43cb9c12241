package coles_test

import (
	"context"
	"testing"

	"coles"
	"coles/internal/race"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Every function that takes a context stops in time with 300,000 nodes of 256 features.
func TestEveryFunctionStopsPromptlyAtSize(t *testing.T) {
	if testing.Short() || race.Enabled {
		t.Skip("takes a gigabyte")
	}
	const n, d = 300_000, 256
	g := randomSparseGraph(91, n, 3*n)
	x := must(coles.NewDense32(n, d, nil))
	rng := random(92)
	for q := range x.RawMatrix().Data {
		x.RawMatrix().Data[q] = rng.Float32() - 0.5
	}
	wide := mat.DenseCopyOf(x)
	w := coles.Normalize(g, coles.SelfLoops)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	m := must(coles.Fit(ctx, g, x, coles.WithFilter(coles.SGC(1))))
	prepare := must(coles.FitPreparation(ctx, x, coles.PrepareStandardize))
	drawn := []coles.Option{coles.WithKappa(3)}
	double := coles.WithPrecision(coles.Float64)
	followed := must(m.Grow(ctx, g, x))
	for name, call := range map[string]func(ctx context.Context) error{
		"Fit":              func(ctx context.Context) error { return second(coles.Fit(ctx, g, x)) },
		"Fit, float64":     func(ctx context.Context) error { return second(coles.Fit(ctx, g, wide, double)) },
		"Fit, no features": func(ctx context.Context) error { return second(coles.Fit(ctx, g, nil)) },
		"Embed":            func(ctx context.Context) error { return second(m.Embed(ctx, g, x)) },
		"Grow":             func(ctx context.Context) error { return second(m.Grow(ctx, g, x)) },
		"Growing.Rebuild":  followed.Rebuild,
		"Freeze":           func(ctx context.Context) error { return second(m.Freeze(ctx, g, x)) },
		"Contrast, drawn": func(ctx context.Context) error {
			return second(coles.Contrast(ctx, g, coles.UniformNegatives(5), drawn...))
		},
		"Sample":       func(ctx context.Context) error { return second(coles.ErdosRenyiNegatives(1e-4).Sample(ctx, g, 1)) },
		"DeltaW.Apply": func(ctx context.Context) error { return second(dw.Apply(ctx, wide)) },
		"Filter.Apply": func(ctx context.Context) error { return second(coles.S2GCSum(8).Apply(ctx, w, x)) },
		"Solve":        func(ctx context.Context) error { return second(coles.Solve(ctx, wide, dw, 64)) },
		"Solve, krylov": func(ctx context.Context) error {
			return second(coles.Solve(ctx, x, dw, 16, coles.WithSolver(coles.SolverKrylov)))
		},
		"SolveImplicit": func(ctx context.Context) error {
			return second(coles.SolveImplicit(ctx, x, w, coles.S2GCSum(8), dw, 16))
		},
		"Eigenmaps":       func(ctx context.Context) error { return second(coles.Eigenmaps(ctx, dw, 32)) },
		"FitPreparation":  func(ctx context.Context) error { return second(coles.FitPreparation(ctx, x, coles.PrepareStandardize)) },
		"Preparer.Apply":  func(ctx context.Context) error { return second(prepare.Apply(ctx, x)) },
		"SpectralScaling": func(ctx context.Context) error { return second(coles.SpectralScaling(ctx, wide, make([]float64, d))) },
		"Scaling.Apply": func(ctx context.Context) error {
			return second((&coles.Scaling{Factors: make([]float64, d)}).Apply(ctx, wide))
		},
		"HashInput": func(ctx context.Context) error { return second(coles.HashInput(ctx, g, wide)) },
		"KNN":       func(ctx context.Context) error { return second(coles.KNN(ctx, x, 10)) },
	} {
		t.Run(name, func(t *testing.T) { testkit.Stops(t, call) })
	}
}
