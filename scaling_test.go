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

// defaultRule is what DefaultSettings documents.
var defaultRule = coles.ScalingRule{Rank: 20, Floor: 8, Norm: 4}

// centred subtracts the mean row.
func centred(e *mat.Dense) *mat.Dense {
	n, _ := e.Dims()
	out := mat.DenseCopyOf(e)
	out.Apply(func(_, j int, v float64) float64 { return v - mat.Sum(e.ColView(j))/float64(n) }, e)
	return out
}

// rankAt is the effective rank of e·diag(L^γ), by the definition, from the squared norms of e's
// centred columns.
func rankAt(energy, level []float64, gamma float64) float64 {
	q := make([]float64, len(energy))
	for j := range q {
		q[j] = energy[j] * math.Pow(level[j], 2*gamma)
	}
	floats.Scale(1/floats.Sum(q), q)
	entropy := 0.0
	for _, v := range q {
		if v > 0 {
			entropy -= v * math.Log(v)
		}
	}
	return math.Exp(entropy)
}

// meanNorm is the mean length of the centred rows.
func meanNorm(e *mat.Dense) float64 {
	c := centred(e)
	n, _ := e.Dims()
	sum := 0.0
	for i := range n {
		sum += mat.Norm(c.RowView(i), 2)
	}
	return sum / float64(n)
}

// spread is an embedding with column j of deviation size(j), and a large mean.
func spread(seed uint64, n, d int, size func(j int) float64) *mat.Dense {
	e := testkit.RandomDense(testkit.Random(seed), n, d)
	e.Apply(func(_, j int, v float64) float64 { return size(j)*v + 3 }, e)
	return e
}

// geometric is f^j.
func geometric(f float64) func(int) float64 {
	return func(j int) float64 { return math.Pow(f, float64(j)) }
}

func TestScalingEqualsFormulas(t *testing.T) {
	for _, c := range []struct {
		name   string
		e      *mat.Dense
		lambda func(j int) float64
		rule   coles.ScalingRule
	}{
		{"flat spectrum", spread(1, 300, 60, geometric(1)), geometric(0.95), defaultRule},
		{"flat energies, steep spectrum", spread(2, 300, 60, geometric(1)), geometric(0.9), defaultRule},
		{"steep already", spread(2, 300, 60, geometric(0.8)), geometric(0.8), defaultRule},
		{"negative eigenvalues", spread(3, 300, 40, geometric(1)), func(j int) float64 { return 5 - 0.2*float64(j) }, defaultRule},
		{"another rule", spread(4, 200, 30, geometric(1)), geometric(0.9), coles.ScalingRule{Rank: 12, Floor: 3, Norm: 1.5}},
		{"fixed power", spread(5, 200, 30, geometric(1)), geometric(0.9), coles.ScalingRule{Power: 0.7, Norm: 8}},
		{"fixed power 0", spread(6, 200, 30, geometric(1)), geometric(0.9), coles.ScalingRule{Norm: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, d := c.e.Dims()
			lambda, level, energy, middle := make([]float64, d), make([]float64, d), make([]float64, d), centred(c.e)
			for j := range lambda {
				lambda[j] = 40 * c.lambda(j)
				level[j] = math.Max(lambda[j], 1e-9*lambda[0]) / lambda[0]
				energy[j] = math.Pow(mat.Norm(middle.ColView(j), 2), 2)
			}
			target := func(gamma float64) float64 { return math.Max(c.rule.Rank*math.Pow(2, -gamma), c.rule.Floor) }
			s := testkit.Must(c.rule.Fit(ctx, c.e, lambda))
			switch at0 := rankAt(energy, level, 0); {
			case c.rule.Rank == 0:
				testkit.WantSame(t, "γ", s.Power, c.rule.Power)
			case at0 <= target(0):
				testkit.WantSame(t, "γ of what is steep enough", s.Power, 0.0)
			default:
				// The smallest crossing, to the bisection's 3·2⁻⁵⁰: just above it holds, below
				// never. Where nothing holds up to 3, the power is 3.
				if got := rankAt(energy, level, s.Power+1e-9); s.Power < 3 && got > target(s.Power+1e-9) {
					t.Errorf("at γ = %v the effective rank is %v, over %v", s.Power, got, target(s.Power))
				}
				for g := 0.0; g < s.Power-1e-9; g += s.Power / 200 {
					if rankAt(energy, level, g) <= target(g) {
						t.Fatalf("γ = %v, but %v would do", s.Power, g)
					}
				}
			}
			wantNear(t, "the effective rank", s.EffectiveRank, rankAt(energy, level, s.Power), 1e-10)
			want := mat.DenseCopyOf(c.e)
			want.Apply(func(_, j int, v float64) float64 { return v * math.Pow(level[j], s.Power) }, want)
			want.Scale(c.rule.Norm/meanNorm(want), want)
			got := testkit.Must(s.Apply(ctx, c.e))
			testkit.WantClose(t, "E", got, want, 1e-12*mat.Max(want))
			wantNear(t, "the mean norm of the centred rows", meanNorm(got), c.rule.Norm, 1e-13)
		})
	}
}

// Columns of equal eigenvalues span a space with many bases: another one gives the same γ and EEᵀ.
func TestScalingDoesNotDependOnABasis(t *testing.T) {
	e, lambda, rule := spread(7, 60, 4, func(j int) float64 { return []float64{1, 1, 0.2, 1}[j] }), []float64{3, 2, 2, 1}, coles.ScalingRule{Rank: 3, Floor: 2, Norm: 4}
	turn := mat.NewDense(4, 4, []float64{1, 0, 0, 0, 0, 0.6, -0.8, 0, 0, 0.8, 0.6, 0, 0, 0, 0, 1})
	var grams [2]*mat.Dense
	for i, e := range []*mat.Dense{e, testkit.Product(e, turn)} {
		y := testkit.Must(testkit.Must(rule.Fit(ctx, e, lambda)).Apply(ctx, e))
		grams[i] = testkit.Product(y, y.T())
	}
	testkit.WantClose(t, "EEᵀ", grams[1], grams[0], 1e-12*mat.Max(grams[0]))
}

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

func TestScalingOfDegenerateEmbeddings(t *testing.T) {
	constant := mat.NewDense(4, 3, []float64{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3})
	row, rounded := []float64{-0.80248, 0.42471, -0.49851}, mat.NewDense(7, 3, nil) // seven times it, by seven, is not it
	for i := range 7 {
		rounded.SetRow(i, row)
	}
	nudged := mat.DenseCopyOf(rounded)
	nudged.Set(3, 1, math.Nextafter(row[1], 1))
	nudged.Set(4, 2, math.Nextafter(row[2], 1))
	for name, c := range map[string]struct {
		e      *mat.Dense
		lambda []float64
	}{
		"equal rows":                       {constant, []float64{3, 2, 1}},
		"equal rows whose mean is rounded": {rounded, []float64{3, 2, 1}},
		"rows apart by rounding":           {nudged, []float64{3, 2, 1}},
		"one row":                          {mat.NewDense(1, 3, []float64{1, 2, 3}), []float64{3, 2, 1}},
		"zero":                             {mat.NewDense(5, 3, nil), []float64{3, 2, 1}},
		"λ₁ = 0":                           {spread(7, 20, 3, geometric(1)), []float64{0, 0, 0}},
		"λ₁ < 0":                           {spread(8, 20, 3, geometric(1)), []float64{-1, -2, -3}},
	} {
		t.Run(name, func(t *testing.T) {
			// A rank of 1 would weight the columns if there were anything but rounding in them.
			s := testkit.Must(coles.ScalingRule{Rank: 1, Floor: 1, Norm: 4}.Fit(ctx, c.e, c.lambda))
			wantFinite(t, "factors", mat.NewVecDense(3, s.Factors))
			if c.lambda[0] == 3 {
				testkit.WantSame(t, "factors: the scale is kept", s.Factors, []float64{1, 1, 1})
			} else if r := meanNorm(testkit.Must(s.Apply(ctx, c.e))); math.Abs(r-4) > 1e-12 {
				t.Errorf("mean norm %v, want 4", r)
			}
		})
	}
}

// The weights of columns do not depend on the unit that an embedding is in, until there is no
// number for them.
func TestScalingInAnyUnit(t *testing.T) {
	e, lambda := testkit.RandomDense(testkit.Random(163), 50, 3), []float64{3, 2, 1}
	plain := testkit.Must(defaultRule.Fit(ctx, e, lambda))
	want := testkit.Must(plain.Apply(ctx, e))
	for _, exponent := range []int{-1000, -500, 500, 1000} {
		scaled := mat.DenseCopyOf(e)
		scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, exponent) }, scaled)
		s := testkit.Must(defaultRule.Fit(ctx, scaled, lambda))
		testkit.WantClose(t, fmt.Sprint("scaled times 2^", exponent), testkit.Must(s.Apply(ctx, scaled)), want, 1e-12)
	}
	_, err := coles.ScalingRule{Norm: 1e10}.Fit(ctx, mat.NewDense(2, 1, []float64{0, 5e-324}), []float64{1})
	testkit.WantError(t, err, coles.ErrNotFinite)
}

func TestScalingRefuses(t *testing.T) {
	e, three := spread(9, 10, 3, geometric(1)), []float64{3, 2, 1}
	nan := mat.DenseCopyOf(e)
	nan.Set(1, 1, math.NaN())
	for name, c := range map[string]struct {
		rule   coles.ScalingRule
		e      *mat.Dense
		lambda []float64
		want   error
	}{
		"two eigenvalues for three columns": {defaultRule, e, three[:2], coles.ErrShape},
		"no rows":                           {defaultRule, &mat.Dense{}, nil, coles.ErrShape},
		"NaN":                               {defaultRule, nan, three, coles.ErrNotFinite},
		"λ is NaN":                          {defaultRule, e, []float64{3, math.NaN(), 1}, coles.ErrNotFinite},
		"a bad rule":                        {coles.ScalingRule{}, e, three, coles.ErrSetting},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(c.rule.Fit(ctx, c.e, c.lambda)), c.want) })
	}
	s := testkit.Must(defaultRule.Fit(ctx, e, three))
	testkit.WantError(t, testkit.Err(s.Apply(ctx, mat.NewDense(2, 4, nil))), coles.ErrShape)
	testkit.WantError(t, testkit.Err(s.Apply(ctx, nan)), coles.ErrNotFinite)
	before := testkit.Bits(e)
	testkit.Must(s.Apply(ctx, e)).Set(0, 0, 1e9)
	testkit.WantSame(t, "E", testkit.Bits(e), before)
}

// degreeDirection is v = (FX)ᵀs/‖(FX)ᵀs‖ by the formula, and z = FXv.
func degreeDirection(g *coles.Graph, fx *mat.Dense) (v []float64, z *mat.Dense) {
	n, _ := fx.Dims()
	s := mat.NewDense(n, 1, nil)
	for i, d := range g.Degrees() {
		s.Set(i, 0, math.Sqrt(d))
	}
	s.Scale(1/mat.Norm(s, 2), s)
	direction := testkit.Product(fx.T(), s)
	direction.Scale(1/mat.Norm(direction, 2), direction)
	return mat.Col(nil, 0, direction), testkit.Product(fx, direction)
}

// The last column is that of the formulas, and has its share of the energy, as P has the rest: both
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
				f := powers(coles.Normalize(g), len(coefficients)-1, func(k int) float64 { return coefficients[k] })
				v, z := degreeDirection(g, testkit.Product(f, preparationFormulas[coles.PrepareDampedCounts](x, x)))

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
				z.Scale(math.Sqrt(share)*norm/meanNorm(z), z)
				testkit.WantClose(t, "the column", e.Slice(0, 120, dim-1, dim), z, 1e-9*mat.Norm(z, math.Inf(1)))
				wantNear(t, "the norm of the column's rows", meanNorm(mat.DenseCopyOf(e.Slice(0, 120, dim-1, dim))), math.Sqrt(share)*norm, 1e-9)
				wantNear(t, "the norm of the other rows", meanNorm(mat.DenseCopyOf(e.Slice(0, 120, 0, dim-1))), math.Sqrt(1-share)*norm, 1e-9)
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
		_, z := degreeDirection(g, testkit.Product(powers(coles.Normalize(g), 8, func(k int) float64 { return 1. / 8 }), x))
		factor, mean := norm/meanNorm(z), math.Abs(mat.Sum(z))/n
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
	wantNear(t, "γ", got.Power, without.Scaling().Power, 1e-9)
	wantNear(t, "the effective rank", got.EffectiveRank, without.Scaling().EffectiveRank, 1e-9)
}

func TestWithoutDegreeColumn(t *testing.T) {
	g, words, _ := small(173)
	// On a ring all degrees are equal, and columns that sum to zero have nothing of them.
	const n = 50
	ring, level := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 2))), centred(testkit.RandomDense(testkit.Random(174), n, 6))
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

// Truncation may leave the degree column alone: on a complete graph ΔW is negative but for √degree,
// which is constant there.
func TestTruncationMayLeaveTheDegreeColumn(t *testing.T) {
	g, x := completeGraph(30), testkit.RandomDense(testkit.Random(175), 30, 5)
	m := fitted(g, x, coles.WithModel(coles.GraphModel), coles.WithFilter(coles.SGC(0)), coles.WithPreparation(coles.PrepareNone), coles.WithTruncation(), coles.WithDim(3))
	if len(m.Lambda()) != 0 || m.Report().Dim != 1 {
		t.Fatalf("%d eigenvalues, %d columns", len(m.Lambda()), m.Report().Dim)
	}
	_, z := degreeDirection(g, x)
	z.Scale(math.Sqrt(0.1)*4/meanNorm(z), z)
	testkit.WantClose(t, "the embedding", m.Embedding(), z, 1e-12*mat.Norm(z, math.Inf(1)))
	testkit.WantSame(t, "read again", testkit.Bits(testkit.Must(read(m).Embed(ctx, g, x))), testkit.Bits(m.Embedding()))
}
