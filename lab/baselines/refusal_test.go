package baselines

import (
	"context"
	"errors"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

var background = context.Background()

// normal has entries of a standard deviation.
func normal(n, d int, deviation float64, seed uint64) *mat.Dense {
	x := testkit.RandomDense(testkit.Random(seed), n, d)
	x.Scale(deviation, x)
	return x
}

func TestRefusals(t *testing.T) {
	x, path := normal(6, 3, 1, 51), testkit.Must(coles.NewGraph(7, testkit.Ring(6, 1)))
	two := mat.NewDense(1, 3, []float64{1, 2, 3})
	spectral := func(x mat.Matrix, k int) error { return testkit.Err(SpectralFeatures(background, x, k)) }
	project := func(x mat.Matrix, k int) error { return testkit.Err(RandomProjection(background, x, k, 1)) }
	for name, c := range map[string]struct{ got, want error }{
		"spectral, more than columns":     {spectral(x, 4), coles.ErrSetting},
		"spectral, negative similarities": {spectral(testkit.Product(normal(5, 1, 1, 1), two), 2), coles.ErrNegative},
		"spectral, of rank one":           {spectral(testkit.Product(mat.NewDense(5, 1, []float64{1, 1, 1, 1, 1}), two), 2), coles.ErrSetting},
		"spectral graph, no columns":      {testkit.Err(SpectralGraph(background, path, 0)), coles.ErrSetting},
		"spectral graph, more than nodes": {testkit.Err(SpectralGraph(background, path, 8)), coles.ErrSetting},
		"projection, no dimension":        {project(x, 0), coles.ErrSetting},
		"projection, too many":            {project(x, math.MaxInt), coles.ErrSetting},
		"projection, overflow":            {project(normal(6, 3, 1e308, 92), 1), coles.ErrNotFinite},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, c.got, c.want) })
	}
	testkit.RefuseMatrices(t, 24, 5, map[string]func(x mat.Matrix) error{
		"SpectralFeatures": func(x mat.Matrix) error { return spectral(x, 2) },
		"RandomProjection": func(x mat.Matrix) error { return project(x, 2) },
	})
}

// Both stop at once if a context has ended, and otherwise in time; the graph has a long path, whose
// eigenvalues crowd.
func TestContexts(t *testing.T) {
	over, cancel := context.WithCancel(background)
	cancel()
	const n = 100_000
	x := normal(n, 64, 1, 1)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x) // similarities are not negative
	large, small := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 1))), testkit.Must(coles.NewGraph(24, testkit.Ring(24, 1)))
	for name, call := range map[string]func(ctx context.Context, x mat.Matrix, g *coles.Graph) error{
		"SpectralFeatures": func(ctx context.Context, x mat.Matrix, _ *coles.Graph) error {
			return testkit.Err(SpectralFeatures(ctx, x, 7))
		},
		"RandomProjection": func(ctx context.Context, x mat.Matrix, _ *coles.Graph) error {
			return testkit.Err(RandomProjection(ctx, x, 64, 1))
		},
		"SpectralGraph": func(ctx context.Context, _ mat.Matrix, g *coles.Graph) error {
			return testkit.Err(SpectralGraph(ctx, g, 7))
		},
	} {
		if err := call(over, x.Slice(0, 24, 0, 64), small); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		if !testing.Short() {
			t.Run(name, func(t *testing.T) {
				testkit.Stops(t, func(ctx context.Context) error { return call(ctx, x, large) })
			})
		}
	}
}

// A spectral embedding has no unit of the features but its own: it follows them to the ends of the numbers, where
// their squares vanish or overflow, and is the same for every GOMAXPROCS.
func TestMeasuresFollowTheUnit(t *testing.T) {
	x := normal(40, 4, 1, 63)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	spectral := testkit.Must(SpectralFeatures(background, x, 2))
	for _, exponent := range []int{-1000, -600, 600, 1000} { // of two, so that nothing is rounded
		scaled := new(mat.Dense)
		scaled.Scale(math.Ldexp(1, exponent), x)
		y := testkit.Must(SpectralFeatures(background, scaled, 2))
		y.Scale(math.Ldexp(1, exponent), y)
		testkit.WantClose(t, "the spectral embedding", y, spectral, 1e-12)
	}
	wide := normal(300, 150, 1, 5)
	want := testkit.Bits(testkit.Must(RandomProjection(background, wide, 10, 1)))
	testkit.ForProcessors(t, func(int) {
		testkit.WantSame(t, "the projection", testkit.Bits(testkit.Must(RandomProjection(background, wide, 10, 1))), want)
	})
}
