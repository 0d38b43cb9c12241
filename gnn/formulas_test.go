package gnn

import (
	"math"
	"testing"

	"coles"
	"coles/gnn/optim"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// normalized is D̂^-½(A+I)D̂^-½ and averaged D⁻¹A, by the formulas.
func normalized(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	return testkit.NormalizedDense(plus(a, testkit.Eye(n)))
}

func averaged(a *mat.Dense) *mat.Dense {
	w := mat.DenseCopyOf(a)
	w.Apply(func(i, j int, v float64) float64 {
		if v == 0 {
			return 0
		}
		return v / mat.Sum(a.RowView(i))
	}, w)
	return w
}

func plus(a, b *mat.Dense) *mat.Dense {
	var s mat.Dense
	s.Add(a, b)
	return &s
}

// Every layer, by the formula of its doc comment, in dense matrices of gonum.
func TestLayersEqualTheirFormulas(t *testing.T) {
	g, a := weighted(60, 30)
	words, x := testkit.RandomWords(testkit.Random(60), 30, 9)
	w, means := normalized(a), averaged(a)
	product := testkit.Product
	shifted := func(m *mat.Dense, bias *mat.Dense) *mat.Dense {
		m.Apply(func(_, j int, v float64) float64 { return v + bias.At(0, j) }, m)
		return m
	}
	type params map[string]*mat.Dense
	linear := func(p params) *mat.Dense { return shifted(product(x, p["0.weight"]), p["0.bias"]) }
	mapped := func(p params, f func(v float64) float64) *mat.Dense {
		m := linear(p)
		m.Apply(func(_, _ int, v float64) float64 { return f(v) }, m)
		return m
	}
	for _, c := range []struct {
		name   string
		layers Network
		want   func(p params) *mat.Dense
	}{
		{"GCN", Network{GCN(4)}, func(p params) *mat.Dense { return shifted(product(w, x, p["0.weight"]), p["0.bias"]) }},
		{"linear", Network{Linear(4)}, linear},
		{"orthonormal", Network{Linear(4).Orthonormal()}, func(p params) *mat.Dense { return product(x, p["0.weight"]) }},
		{"SAGE", Network{SAGE(4)}, func(p params) *mat.Dense {
			return shifted(plus(product(x, p["0.self"]), product(means, x, p["0.neighbors"])), p["0.bias"])
		}},
		{"SAGE behind GCN", Network{GCN(5), SAGE(4)}, func(p params) *mat.Dense {
			h := shifted(product(w, x, p["0.weight"]), p["0.bias"])
			return shifted(plus(product(h, p["1.self"]), product(means, h, p["1.neighbors"])), p["1.bias"])
		}},
		{"two filters first", Network{Propagate(coles.SGC(2)), Propagate(coles.SGC(1)), Linear(4)}, func(p params) *mat.Dense {
			return shifted(product(w, w, w, x, p["2.weight"]), p["2.bias"])
		}},
		{"the sum of powers last", Network{Linear(4), Propagate(coles.S2GCSum(2))}, func(p params) *mat.Dense {
			h := linear(p)
			sum := plus(plus(h, product(w, h)), product(w, w, h))
			sum.Scale(0.5, sum)
			return sum
		}},
		{"ReLU", Network{Linear(4), ReLU()}, func(p params) *mat.Dense {
			return mapped(p, func(v float64) float64 { return math.Max(v, 0) })
		}},
		{"PReLU", Network{Linear(4), PReLU()}, func(p params) *mat.Dense {
			return mapped(p, func(v float64) float64 { return math.Max(v, 0) + p["1.slope"].At(0, 0)*math.Min(v, 0) })
		}},
		{"ELU", Network{Linear(4), ELU()}, func(p params) *mat.Dense {
			return mapped(p, func(v float64) float64 { return math.Max(v, 0) + math.Exp(math.Min(v, 0)) - 1 })
		}},
		{"own layer, the same width", Network{Linear(4), swish()}, func(p params) *mat.Dense {
			return mapped(p, func(v float64) float64 { return v / (1 + math.Exp(-v)) })
		}},
		{"own layer with a width", Network{gated(4)}, func(p params) *mat.Dense {
			h, gate := product(w, x, p["0.weight"]), product(means, x, p["0.gate"])
			h.Apply(func(i, j int, v float64) float64 { return v / (1 + math.Exp(-gate.At(i, j))) }, h)
			return h
		}},
		{"dropout of a trained network", Network{Dropout(0.5), Linear(4), Dropout(0.5)}, func(p params) *mat.Dense {
			return shifted(product(x, p["1.weight"]), p["1.bias"])
		}},
	} {
		for name, features := range map[string]mat.Matrix{"sparse": words, "dense": x} {
			// A few large steps give biases and slopes values other than those they begin with.
			m := trained(t, g, features, withNetwork(c.layers...), With(func(s *Settings) { s.Preparation, s.FeatureScale, s.Objective = coles.PrepareNone, 1, PowerMean(1, 3) }),
				withOptimizer(optim.Adam(0.05)), withEpochs(4), withNorm(0))
			p := params{}
			for _, name := range m.Parameters() {
				p[name], _ = m.Parameter(name)
				if mat.Norm(p[name], 1) == 0 {
					t.Errorf("%s: %s is zero", c.name, name)
				}
			}
			want := c.want(p)
			testkit.WantClose(t, c.name+" of "+name+" features", m.Embedding(), want, 1e-13*math.Max(1, mat.Norm(want, 1)))
		}
	}
}

// The pairwise losses of drawn nodes, written out by the formulas of their doc comments.
func TestPairwiseLossesEqualTheirFormulas(t *testing.T) {
	g, a := weighted(61, 25)
	degree := func(u int) float64 { return mat.Sum(a.RowView(u)) }
	h := randomMatrix(62, 25, 3)
	y := dense(h)
	dot := func(u, v int) float64 { return mat.Dot(y.RowView(u), y.RowView(v)) }
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	const negatives, eta = 4, 0.7
	for _, form := range []struct {
		o     Objective
		power float64 // NaN for SampledNCE
	}{
		{SampledNCE(negatives, eta), math.NaN()}, {PowerMean(0, negatives), 0}, {PowerMean(1, negatives), 1}, {PowerMean(-1, negatives), -1}, {PowerMean(2, negatives), 2},
	} {
		got, step := lossOf(t, g, h, withObjective(form.o))
		firsts, seconds, _ := step.Edges()
		us, ws := step.Negatives(negatives)
		near, nearLogs, far, mean, total := 0.0, 0.0, 0.0, 0.0, 0.0
		for k, u := range firsts {
			c, s := a.At(u, seconds[k])/math.Sqrt(degree(u)*degree(seconds[k])), dot(u, seconds[k])
			total += c
			near += c * s
			nearLogs += math.Log(sigmoid(s))
			powers, logs := 0.0, 0.0
			for q := k * negatives; q < (k+1)*negatives; q++ {
				if us[q] != u || ws[q] < 0 || ws[q] >= 25 {
					t.Fatalf("edge %d: pair %d, %d", k, us[q], ws[q])
				}
				s := dot(us[q], ws[q])
				far += math.Log(sigmoid(-s))
				powers += math.Pow(math.Exp(s), form.power)
				logs += s
			}
			if form.power == 0 {
				mean += c * logs / negatives
			} else {
				mean += c * math.Log(math.Pow(powers/negatives, 1/form.power))
			}
		}
		want := (mean - near) / total
		if math.IsNaN(form.power) {
			edges := float64(len(firsts))
			want = -nearLogs/edges - eta*far/(edges*negatives)
		}
		testkit.WantNear(t, form.o.String(), got, want, 1e-12)
	}
}

// COLES equals its formula, with its penalty and without, ΔW taken as a matrix.
func TestLossOfCOLESEqualsItsFormula(t *testing.T) {
	g, _ := weighted(63, 25)
	h := randomMatrix(64, 25, 3)
	y := dense(h)
	for _, s := range []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.UniformNegatives(3), {}} {
		for _, beta := range []float64{0, 1, 10} {
			got, made := lossOf(t, g, h, With(func(set *Settings) { set.Objective, set.Negatives, set.Kappa, set.Eta = COLES(beta), s, 2, 0.8 }))
			dw := testkit.Must(coles.Contrast(ctx, g, s, 2, 0.8, made.Training.(*step[float64]).batch.seed))
			trace := mat.Trace(testkit.Product(y.T(), testkit.Must(dw.Apply(ctx, y)))) / 25
			want := -trace + beta*penalty(y)
			if math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("%v, β = %v: %v, want %v", s, beta, got, want)
			}
		}
	}
}
