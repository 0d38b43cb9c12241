package coles_test

import (
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// On a complete graph smoothing makes all rows equal: what rounding leaves of their differences is
// not blown up to the norm that embeddings have.
func TestFitOfEqualRows(t *testing.T) {
	g, x := completeGraph(7), testkit.RandomDense(testkit.Random(9), 7, 4)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize} {
		opts := []coles.Option{coles.WithFilter(coles.SGC(2)), coles.WithPreparation(how)}
		m := fitted(g, x, append(opts, coles.WithPrecision(coles.Float64))...)
		if largest := mat.Max(m.Embedding()); largest > 10 { // normal numbers, averaged
			t.Errorf("%v: an entry of %g, factors %v", how, largest, m.Scaling().Factors)
		}
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)), coles.ErrPrecision)
	}
}

// degreeDirection is v = (FX)ᵀs/‖(FX)ᵀs‖ by the formula, and z = FXv.
func degreeDirection(g *coles.Graph, fx *mat.Dense) (v []float64, z *mat.Dense) {
	s := expectations[coles.ExpectedDegreeNegatives()](g)
	direction := testkit.Product(fx.T(), mat.NewVecDense(len(s), s))
	direction.Scale(1/mat.Norm(direction, 2), direction)
	return mat.Col(nil, 0, direction), testkit.Product(fx, direction)
}

// The last column follows the formulas, and has its share of the energy, as P has the rest: both
// by the mean norm of their centred rows.
func TestDegreeColumnEqualsFormulas(t *testing.T) {
	const norm = 3
	for name, opts := range map[string][]coles.Option{
		"direct":      {coles.WithSolver(coles.SolverDirect)},
		"krylov":      {coles.WithSolver(coles.SolverKrylov)},
		"all columns": {coles.WithDim(40)},
		"two columns": {coles.WithDim(2)},
		"uniform":     {coles.WithContrast(coles.ExpectedUniformNegatives(), 1, 1)},
		"no contrast": {coles.WithContrast(noNegatives, 0, 1)},
		"drawn":       {coles.WithContrast(coles.UniformNegatives(3), 2, 0.5)},
		"filter":      {coles.WithFilter(coles.Polynomial(0.5, -0.1, 0.4))},
		"far filter":  {coles.WithFilter(coles.Polynomial(0x1p-300, 0x1p-301))},
	} {
		for _, share := range []float64{1e-6, 0.1, 0.97} {
			t.Run(fmt.Sprint(name, ", ", share), func(t *testing.T) {
				g, words, x := small(171)
				all := append([]coles.Option{
					coles.WithModel(coles.GraphModel), coles.WithDim(7), coles.WithDegreeShare(share), coles.WithScaling(coles.ScalingRule{Rank: 5, Floor: 2, Norm: norm}),
				}, opts...)
				m := fitted(g, words, all...)
				plain := fitted(g, words, append(all, coles.WithDegreeShare(0))...)
				dim := m.Settings().Dim
				coefficients := m.Settings().Filter.Coefficients()
				f := testkit.Powers(coles.Normalize(g), len(coefficients)-1, func(k int) float64 { return coefficients[k] })
				v, z := degreeDirection(g, testkit.Product(f, prepared(x, coles.PrepareBalanced)))

				directions := m.Directions()
				testkit.WantClose(t, "v", directions.RowView(dim-1), mat.NewVecDense(40, v), 1e-9)
				testkit.WantSame(t, "P", testkit.Bits(m.P()), testkit.Bits(directions.Slice(0, dim-1, 0, 40)))
				testkit.WantSame(t, "rows of P, columns of the report, of the settings, eigenvalues",
					[]int{m.P().RawMatrix().Rows, m.Report().Dim, m.Settings().Dim, len(m.Lambda())}, []int{dim - 1, dim, dim, dim - 1})
				testkit.WantSame(t, "the share", m.Report().DegreeShare, share)
				testkit.WantSame(t, "no share", plain.Report().DegreeShare, 0.0)
				for k, l := range m.Lambda() {
					if math.Abs(l-plain.Lambda()[k]) > 1e-6*plain.Lambda()[0] { // krylov
						t.Errorf("λ_%d is %v, without the column %v", k, l, plain.Lambda()[k])
					}
				}
				e := m.Embedding()
				z.Scale(math.Sqrt(share)*norm/testkit.MeanNorm(z), z)
				testkit.WantClose(t, "the column", e.Slice(0, 120, dim-1, dim), z, 1e-9*mat.Norm(z, math.Inf(1)))
				testkit.WantNear(t, "the norm of the column's rows", testkit.MeanNorm(mat.DenseCopyOf(e.Slice(0, 120, dim-1, dim))), math.Sqrt(share)*norm, 1e-9)
				testkit.WantNear(t, "the norm of the other rows", testkit.MeanNorm(mat.DenseCopyOf(e.Slice(0, 120, 0, dim-1))), math.Sqrt(1-share)*norm, 1e-9)
				testkit.WantSame(t, "read again", testkit.Bits(read(m).Directions()), testkit.Bits(directions))
			})
		}
	}
}

// Where all nodes have nearly the same degree the column is nearly constant. Its mean is bounded by
// ten times the norm that its centred rows would get.
func TestDegreeColumnOfNearlyEqualDegrees(t *testing.T) {
	const n, norm, share = 60, 3., 0.2
	rng := testkit.Random(176)
	for _, c := range []struct {
		side, more int
		bounded    bool
	}{{5, 1, true}, {1, 60, false}} {
		list := testkit.Ring(n, c.side)
		for range c.more {
			list = append(list, coles.Edge{U: rng.IntN(n), V: rng.IntN(n / 4)})
		}
		g := testkit.Must(coles.NewGraph(n, list))
		x := mat.NewDense(n, 4, nil)
		x.Apply(func(int, int, float64) float64 { return 3 + 0.1*rng.NormFloat64() }, x)
		m := fitted(g, x, coles.WithPreparation(coles.PrepareNone), coles.WithDegreeShare(share), coles.WithDim(3), coles.WithScaling(coles.ScalingRule{Norm: norm}))
		_, z := degreeDirection(g, testkit.Product(testkit.Powers(coles.Normalize(g), 8, func(k int) float64 { return 1. / 8 }), x))
		factor, mean := norm/testkit.MeanNorm(z), math.Abs(mat.Sum(z))/n
		if bounded := factor*mean > 10*norm; bounded != c.bounded {
			t.Errorf("%d more edges: a mean of %.3g norms, the case shows nothing", c.more, factor*mean/norm)
		}
		z.Scale(math.Sqrt(share)*min(factor, 10*norm/mean), z)
		testkit.WantClose(t, "the column", m.Embedding().Slice(0, n, 2, 3), z, 1e-9*mat.Norm(z, math.Inf(1)))
	}
}

// The other columns are weighted as if there were no degree column.
func TestDegreeColumnLeavesTheOthersAsTheyAre(t *testing.T) {
	g, words, _ := small(172)
	with := fitted(g, words, coles.WithModel(coles.GraphModel), coles.WithDim(9), coles.WithDegreeShare(0.36))
	without := fitted(g, words, coles.WithModel(coles.GraphModel), coles.WithDim(8), coles.WithDegreeShare(0))
	want := without.Scaling().Factors
	floats.Scale(0.8, want) // √(1 − 0.36)
	got := with.Scaling()
	testkit.WantClose(t, "factors", mat.NewVecDense(8, got.Factors[:8]), mat.NewVecDense(8, want), 1e-12*want[0])
	testkit.WantClose(t, "P", with.P(), without.P(), 1e-12)
	testkit.WantNear(t, "γ", got.Power, without.Scaling().Power, 1e-9)
	testkit.WantNear(t, "the effective rank", got.EffectiveRank, without.Scaling().EffectiveRank, 1e-9)
}

func TestWithoutDegreeColumn(t *testing.T) {
	g, words, _ := small(173)
	// On a ring all degrees are equal, and columns that sum to zero have nothing of them.
	const n = 50
	ring, level := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 2))), testkit.Centred(testkit.RandomDense(testkit.Random(174), n, 6))
	graph := coles.WithModel(coles.GraphModel)
	for name, c := range map[string]struct {
		g    *coles.Graph
		x    mat.Matrix
		opts []coles.Option
		dim  int
	}{
		"no share":               {g, words, []coles.Option{graph, coles.WithDegreeShare(0), coles.WithDim(4)}, 4},
		"one column":             {g, words, []coles.Option{graph, coles.WithDim(1)}, 1},
		"one feature":            {g, mat.NewDense(120, 1, mat.Col(nil, 0, words)), []coles.Option{graph}, 1},
		"features alone":         {g, words, []coles.Option{coles.WithModel(coles.FeatureModel), coles.WithDim(4)}, 4},
		"no features":            {g, nil, []coles.Option{coles.WithDim(4)}, 4},
		"equal degrees":          {ring, level, []coles.Option{graph, coles.WithPreparation(coles.PrepareNone), coles.WithDim(4)}, 4},
		"equal, standardised":    {ring, level, []coles.Option{graph, coles.WithPreparation(coles.PrepareStandardize), coles.WithDim(4)}, 4},
		"equal, float32":         {ring, level, []coles.Option{graph, coles.WithPreparation(coles.PrepareStandardize), coles.WithDim(4), coles.WithPrecision(coles.Float32)}, 4},
		"equal, krylov":          {ring, level, []coles.Option{graph, coles.WithPreparation(coles.PrepareStandardize), coles.WithDim(4), coles.WithSolver(coles.SolverKrylov)}, 4},
		"no edges":               {graphOf(n), level, []coles.Option{graph, coles.WithDim(4)}, 4},
		"features that are zero": {ring, mat.NewDense(n, 6, nil), []coles.Option{graph, coles.WithDim(4)}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			m := fitted(c.g, c.x, c.opts...)
			if r := m.Report(); len(m.Lambda()) != c.dim || r.Dim != c.dim || r.DegreeShare != 0 {
				t.Errorf("%d eigenvalues for %d columns, share %v", len(m.Lambda()), r.Dim, r.DegreeShare)
			}
			if c.x != nil {
				testkit.WantSame(t, "directions", testkit.Bits(m.Directions()), testkit.Bits(m.P()))
			} else if m.Directions() != nil {
				t.Error("directions of no features")
			}
		})
	}
}
