package coles_test

import (
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// centred subtracts the mean row.
func centred(e *mat.Dense) *mat.Dense {
	n, _ := e.Dims()
	out := mat.DenseCopyOf(e)
	out.Apply(func(_, j int, v float64) float64 { return v - mat.Sum(e.ColView(j))/float64(n) }, e)
	return out
}

// columnEnergies are the squared norms of the centred columns.
func columnEnergies(e *mat.Dense) []float64 {
	c := centred(e)
	_, d := e.Dims()
	energy := make([]float64, d)
	for j := range energy {
		energy[j] = math.Pow(mat.Norm(c.ColView(j), 2), 2)
	}
	return energy
}

// rankAt is the effective rank of e·diag(L^γ), by the definition, from the
// energies of e's columns.
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

func levels(lambda []float64) []float64 {
	l := make([]float64, len(lambda))
	for j, v := range lambda {
		l[j] = math.Max(v, 1e-9*lambda[0]) / lambda[0]
	}
	return l
}

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
	e := randomDense(random(seed), n, d)
	e.Apply(func(_, j int, v float64) float64 { return size(j)*v + 3 }, e)
	return e
}

func TestScalingEqualsFormulas(t *testing.T) {
	geometric := func(f float64) func(int) float64 {
		return func(j int) float64 { return math.Pow(f, float64(j)) }
	}
	for _, c := range []struct {
		name    string
		e       *mat.Dense
		lambda  func(j int) float64
		opts    []coles.Option
		target  func(gamma float64) float64
		isFixed bool
	}{
		{"flat spectrum", spread(1, 300, 60, geometric(1)), geometric(0.95), nil,
			func(g float64) float64 { return math.Max(20*math.Pow(2, -g), 8) }, false},
		{"flat energies, steep spectrum", spread(2, 300, 60, geometric(1)), geometric(0.9), nil,
			func(g float64) float64 { return math.Max(20*math.Pow(2, -g), 8) }, false},
		{"steep already", spread(2, 300, 60, geometric(0.8)), geometric(0.8), nil,
			func(g float64) float64 { return math.Max(20*math.Pow(2, -g), 8) }, false},
		{"negative eigenvalues", spread(3, 300, 40, geometric(1)), func(j int) float64 { return 5 - 0.2*float64(j) }, nil,
			func(g float64) float64 { return math.Max(20*math.Pow(2, -g), 8) }, false},
		{"another rule", spread(4, 200, 30, geometric(1)), geometric(0.9), []coles.Option{coles.WithRank(12, 3), coles.WithNorm(1.5)},
			func(g float64) float64 { return math.Max(12*math.Pow(2, -g), 3) }, false},
		{"fixed power", spread(5, 200, 30, geometric(1)), geometric(0.9), []coles.Option{coles.WithPower(0.7), coles.WithNorm(8)}, nil, true},
		{"fixed power 0", spread(6, 200, 30, geometric(1)), geometric(0.9), []coles.Option{coles.WithPower(0)}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, d := c.e.Dims()
			lambda := make([]float64, d)
			for j := range lambda {
				lambda[j] = 40 * c.lambda(j)
			}
			level, energy := levels(lambda), columnEnergies(c.e)
			s := must(coles.SpectralScaling(ctx, c.e, lambda, c.opts...))
			if !c.isFixed {
				if at0 := rankAt(energy, level, 0); at0 <= c.target(0) {
					if s.Power != 0 {
						t.Errorf("γ = %v though the effective rank is %v at 0", s.Power, at0)
					}
				} else {
					// The smallest crossing, to the bisection's 3·2⁻⁵⁰: just above it holds, below never.
					// Where nothing holds up to 3, the power is 3.
					if got := rankAt(energy, level, s.Power+1e-9); s.Power < 3 && got > c.target(s.Power+1e-9) {
						t.Errorf("at γ = %v the effective rank is %v, over %v", s.Power, got, c.target(s.Power))
					}
					for g := 0.0; g < s.Power-1e-9; g += s.Power / 200 {
						if rankAt(energy, level, g) <= c.target(g) {
							t.Fatalf("γ = %v, but %v would do", s.Power, g)
						}
					}
				}
			}
			if got, want := s.EffectiveRank, rankAt(energy, level, s.Power); math.Abs(got-want) > 1e-10*want {
				t.Errorf("effective rank %v, by the definition %v", got, want)
			}
			rule := coles.DefaultSettings().Scaling.Norm
			switch c.name {
			case "another rule":
				rule = 1.5
			case "fixed power":
				rule = 8
				if s.Power != 0.7 {
					t.Errorf("γ = %v, want 0.7", s.Power)
				}
			}
			want := mat.DenseCopyOf(c.e)
			want.Apply(func(_, j int, v float64) float64 { return v * math.Pow(level[j], s.Power) }, want)
			want.Scale(rule/meanNorm(want), want)
			got := must(s.Apply(ctx, c.e))
			wantClose(t, "E", got, want, 1e-12*mat.Max(want))
			if r := meanNorm(got); math.Abs(r-rule) > 1e-13*rule {
				t.Errorf("mean norm of the centred rows is %v, want %v", r, rule)
			}
		})
	}
}

// d columns of equal energy have the effective rank d; one column has 1; energies
// ½, ¼, ¼ have the entropy 1.5·log 2, so the rank 2^1.5.
func TestEffectiveRankOfKnownSpectra(t *testing.T) {
	for _, c := range []struct {
		energy []float64
		want   float64
	}{
		{[]float64{1}, 1},
		{[]float64{5, 0, 0}, 1},
		{[]float64{2, 2, 2, 2}, 4},
		{[]float64{2, 1, 1}, math.Pow(2, 1.5)},
	} {
		// Rows ±√energy, one pair a column, all of mean 0: column j has energy 2·energy_j.
		d := len(c.energy)
		e := mat.NewDense(2*d, d, nil)
		lambda := make([]float64, d)
		for j, v := range c.energy {
			e.Set(2*j, j, math.Sqrt(v))
			e.Set(2*j+1, j, -math.Sqrt(v))
			lambda[j] = 1 - float64(j)/10 // apart: equal ones have their energies shared
		}
		s := must(coles.SpectralScaling(ctx, e, lambda))
		if math.Abs(s.EffectiveRank-c.want) > 1e-14*c.want || s.Power != 0 {
			t.Errorf("energies %v: effective rank %v at γ = %v, want %v at 0", c.energy, s.EffectiveRank, s.Power, c.want)
		}
	}
}

// On a complete graph smoothing makes all rows equal: what rounding leaves of their
// differences is not blown up to the norm that embeddings have.
func TestFitOfEqualRows(t *testing.T) {
	const n = 7
	var all []coles.Edge
	for u := range n {
		for v := range u {
			all = append(all, coles.Edge{U: u, V: v})
		}
	}
	g := must(coles.NewGraph(n, all))
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize} {
		for _, p := range []coles.Precision{coles.Float64, coles.Float32} {
			m := must(coles.Fit(ctx, g, randomDense(random(9), n, 4), coles.WithFilter(coles.SGC(2)), coles.WithFeatures(how), coles.WithPrecision(p)))
			if largest := mat.Max(m.Embedding()); largest > 10 { // normal numbers, averaged
				t.Errorf("%v, %v: an entry of %g, factors %v", how, p, largest, m.Scaling().Factors)
			}
		}
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
	for _, c := range []struct {
		name   string
		e      *mat.Dense
		lambda []float64
	}{
		{"equal rows", constant, []float64{3, 2, 1}},
		{"equal rows whose mean is rounded", rounded, []float64{3, 2, 1}},
		{"rows apart by rounding", nudged, []float64{3, 2, 1}},
		{"one row", mat.NewDense(1, 3, []float64{1, 2, 3}), []float64{3, 2, 1}},
		{"zero", mat.NewDense(5, 3, nil), []float64{3, 2, 1}},
		{"λ₁ = 0", spread(7, 20, 3, func(int) float64 { return 1 }), []float64{0, 0, 0}},
		{"λ₁ < 0", spread(8, 20, 3, func(int) float64 { return 1 }), []float64{-1, -2, -3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must(coles.SpectralScaling(ctx, c.e, c.lambda))
			for j, f := range s.Factors {
				if math.IsNaN(f) || math.IsInf(f, 0) {
					t.Errorf("factor %d is %v", j, f)
				}
			}
			if c.lambda[0] == 3 {
				wantSame(t, "factors: the scale is kept", s.Factors, []float64{1, 1, 1})
			} else if r := meanNorm(must(s.Apply(ctx, c.e))); math.Abs(r-4) > 1e-12 {
				t.Errorf("mean norm %v, want 4", r)
			}
		})
	}
}

func TestScalingRefuses(t *testing.T) {
	e := spread(9, 10, 3, func(int) float64 { return 1 })
	nan := mat.DenseCopyOf(e)
	nan.Set(1, 1, math.NaN())
	three := []float64{3, 2, 1}
	for _, c := range []struct {
		name   string
		e      *mat.Dense
		lambda []float64
		opts   []coles.Option
		want   error
	}{
		{"two eigenvalues for three columns", e, three[:2], nil, coles.ErrShape},
		{"NaN", nan, three, nil, coles.ErrNotFinite},
		{"λ is NaN", e, []float64{3, math.NaN(), 1}, nil, coles.ErrNotFinite},
		{"nil", nil, three, nil, coles.ErrEmpty},
		{"γ < 0", e, three, []coles.Option{coles.WithPower(-1)}, coles.ErrSetting},
		{"γ NaN", e, three, []coles.Option{coles.WithPower(math.NaN())}, coles.ErrSetting},
		{"rank < 1", e, three, []coles.Option{coles.WithRank(0.5, 0.5)}, coles.ErrSetting},
		{"floor over rank", e, three, []coles.Option{coles.WithRank(8, 20)}, coles.ErrSetting},
		{"r = 0", e, three, []coles.Option{coles.WithNorm(0)}, coles.ErrSetting},
		{"r = ∞", e, three, []coles.Option{coles.WithNorm(math.Inf(1))}, coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.SpectralScaling(ctx, c.e, c.lambda, c.opts...)
			wantError(t, err, c.want)
		})
	}
	s := must(coles.SpectralScaling(ctx, e, three))
	_, err := s.Apply(ctx, mat.NewDense(2, 4, nil))
	wantError(t, err, coles.ErrShape)
	_, err = s.Apply(ctx, nil)
	wantError(t, err, coles.ErrEmpty)
	before := bits(e)
	must(s.Apply(ctx, e)).Set(0, 0, 1e9)
	wantSame(t, "E", bits(e), before)
}
