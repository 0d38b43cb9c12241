package spectral_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// defaultRule holds the numbers that DefaultSettings documents.
var defaultRule = coles.ScalingRule{Rank: 20, Floor: 8, Norm: 4}

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
		{"energy where λ is near 0", spread(7, 300, 60, func(j int) float64 { return 1 + 30*float64(j/59) }), geometric(0.9), defaultRule},
		{"twelve communities", spread(8, 300, 60, func(j int) float64 { return 1 - 0.9*float64(min(1, j/12)) }), func(j int) float64 { return 1 - 0.001*float64(j) - 0.7*float64(min(1, j/12)) }, defaultRule},
		{"forty communities", spread(9, 300, 60, func(int) float64 { return 1 }), func(j int) float64 { return 1 - 0.001*float64(j) - 0.7*float64(min(1, j/40)) }, defaultRule},
		{"fixed power 0", spread(6, 200, 30, geometric(1)), geometric(0.9), coles.ScalingRule{Norm: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, d := c.e.Dims()
			lambda, level, energy, middle := make([]float64, d), make([]float64, d), make([]float64, d), testkit.Centred(c.e)
			for j := range lambda {
				lambda[j] = 40 * c.lambda(j)
				level[j] = math.Max(lambda[j], 1e-9*lambda[0]) / lambda[0]
				energy[j] = math.Pow(mat.Norm(middle.ColView(j), 2), 2)
			}
			target := func(gamma float64) float64 { return math.Max(c.rule.Rank*math.Pow(2, -gamma), c.rule.Floor) }
			if end := rankAt(energy, level, 3); end > target(3) {
				wanted := target
				target = func(gamma float64) float64 { return math.Max(wanted(gamma), 1.1*end) }
			}
			s := testkit.Must(c.rule.Fit(ctx, c.e, lambda))
			if c.rule.Rank == 0 {
				testkit.WantSame(t, "γ", s.Power, c.rule.Power)
			} else {
				// The smallest that will do, to the bisection's 2⁻⁵⁴, by the largest rank from there on.
				largest := func(gamma float64) float64 {
					rank := rankAt(energy, level, gamma)
					for g := 3.0; g > gamma; g -= 1. / 64 {
						rank = math.Max(rank, rankAt(energy, level, g))
					}
					return rank
				}
				if got := largest(s.Power + 1e-9); s.Power < 3 && got > target(s.Power+1e-9) {
					t.Errorf("γ = %v, where the effective rank comes to %v, over %v", s.Power, got, target(s.Power))
				}
				for g := 0.0; g < s.Power-1e-9; g += s.Power / 100 {
					if largest(g) <= target(g) {
						t.Fatalf("γ = %v, but %v would do", s.Power, g)
					}
				}
			}
			testkit.WantNear(t, "the effective rank", s.EffectiveRank, rankAt(energy, level, s.Power), 1e-10)
			want := mat.DenseCopyOf(c.e)
			want.Apply(func(_, j int, v float64) float64 { return v * math.Pow(level[j], s.Power) }, want)
			want.Scale(c.rule.Norm/testkit.MeanNorm(want), want)
			got := testkit.Must(s.Apply(ctx, c.e))
			testkit.WantClose(t, "E", got, want, 1e-12*mat.Max(want))
			testkit.WantNear(t, "the mean norm of the centred rows", testkit.MeanNorm(got), c.rule.Norm, 1e-13)
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
			if !matrix.Finite(floats.Sum(s.Factors)) {
				t.Errorf("factors %v", s.Factors)
			}
			if c.lambda[0] == 3 {
				testkit.WantSame(t, "factors: the scale is kept", s.Factors, []float64{1, 1, 1})
			} else if r := testkit.MeanNorm(testkit.Must(s.Apply(ctx, c.e))); math.Abs(r-4) > 1e-12 {
				t.Errorf("mean norm %v, want 4", r)
			}
		})
	}
}

// A column that is rounding in every row has the factor 0: another row of features may have much of it.
func TestColumnsThatAreRounding(t *testing.T) {
	e := mat.DenseCopyOf(spread(9, 20, 3, geometric(1)))
	for i := range 20 {
		e.Set(i, 2, 1e-14*e.At(i, 0))
	}
	s := testkit.Must(coles.ScalingRule{Norm: 4}.Fit(ctx, e, []float64{3, 2, 0}))
	testkit.WantSame(t, "factors above 0", []bool{s.Factors[0] > 0, s.Factors[1] > 0, s.Factors[2] > 0}, []bool{true, true, false})
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
	s := testkit.Must(defaultRule.Fit(ctx, e, three))
	fit := func(rule coles.ScalingRule, e *mat.Dense, lambda ...float64) error {
		return testkit.Err(rule.Fit(ctx, e, lambda))
	}
	testkit.WantRefusals(t, map[string][2]error{
		"two eigenvalues for three columns": {fit(defaultRule, e, three[:2]...), coles.ErrShape},
		"no rows":                           {fit(defaultRule, &mat.Dense{}), coles.ErrShape},
		"NaN":                               {fit(defaultRule, nan, three...), coles.ErrNotFinite},
		"λ is NaN":                          {fit(defaultRule, e, 3, math.NaN(), 1), coles.ErrNotFinite},
		"a bad rule":                        {fit(coles.ScalingRule{}, e, three...), coles.ErrSetting},
		"columns of others":                 {testkit.Err(s.Apply(ctx, mat.NewDense(2, 4, nil))), coles.ErrShape},
		"NaN to scale":                      {testkit.Err(s.Apply(ctx, nan)), coles.ErrNotFinite},
	})
	before := testkit.Bits(e)
	testkit.Must(s.Apply(ctx, e)).Set(0, 0, 1e9)
	testkit.WantSame(t, "E", testkit.Bits(e), before)
}
