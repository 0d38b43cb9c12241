package gnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"coles"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// weighted is a graph of n nodes whose edges weigh 0.5 to 2.5, the last two nodes
// isolated, and its adjacency matrix.
func weighted(seed uint64, n int) (*coles.Graph, *mat.Dense) {
	rnd := rand.New(rand.NewPCG(seed, 4))
	edges, _ := edgesOf(randomGraph(seed, n, 0.2).CSR())
	weights := make([]float64, len(edges))
	a := mat.NewDense(n, n, nil)
	for q, e := range edges {
		weights[q] = 0.5 + 2*rnd.Float64()
		a.Set(e.U, e.V, weights[q])
		a.Set(e.V, e.U, weights[q])
	}
	return must(coles.NewGraph(n, edges, coles.WithEdgeWeights(weights))), a
}

// normalized is D̂^-½(A+I)D̂^-½, and averaged D⁻¹A, by the formulas.
func normalized(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	w := mat.DenseCopyOf(a)
	for i := range n {
		w.Set(i, i, a.At(i, i)+1)
	}
	degree := make([]float64, n)
	for i := range n {
		degree[i] = mat.Sum(w.RowView(i))
	}
	w.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(degree[i]*degree[j]) }, w)
	return w
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

func product(a, b mat.Matrix) *mat.Dense {
	var p mat.Dense
	p.Mul(a, b)
	return &p
}

func plus(a, b *mat.Dense) *mat.Dense {
	var s mat.Dense
	s.Add(a, b)
	return &s
}

// Every layer, as its doc comment says it, in dense matrices of gonum.
func TestLayersEqualTheirFormulas(t *testing.T) {
	g, a := weighted(60, 30)
	words, x := randomWords(60, 30, 9)
	w, means := normalized(a), averaged(a)
	shifted := func(m *mat.Dense, bias *mat.Dense) *mat.Dense {
		m.Apply(func(_, j int, v float64) float64 { return v + bias.At(0, j) }, m)
		return m
	}
	mapped := func(m *mat.Dense, f func(v float64) float64) *mat.Dense {
		m.Apply(func(_, _ int, v float64) float64 { return f(v) }, m)
		return m
	}
	type params map[string]*mat.Dense
	for _, c := range []struct {
		name   string
		layers Network
		want   func(p params) *mat.Dense
	}{
		{"GCN", Network{GCN(4)}, func(p params) *mat.Dense {
			return shifted(product(w, product(x, p["0.weight"])), p["0.bias"])
		}},
		{"linear", Network{Linear(4)}, func(p params) *mat.Dense { return shifted(product(x, p["0.weight"]), p["0.bias"]) }},
		{"orthonormal", Network{Linear(4).Orthonormal()}, func(p params) *mat.Dense { return product(x, p["0.weight"]) }},
		{"SAGE", Network{SAGE(4)}, func(p params) *mat.Dense {
			return shifted(plus(product(x, p["0.self"]), product(means, product(x, p["0.neighbors"]))), p["0.bias"])
		}},
		{"SAGE behind GCN", Network{GCN(5), SAGE(4)}, func(p params) *mat.Dense {
			h := shifted(product(w, product(x, p["0.weight"])), p["0.bias"])
			return shifted(plus(product(h, p["1.self"]), product(means, product(h, p["1.neighbors"]))), p["1.bias"])
		}},
		{"SGC first", Network{Propagate(coles.SGC(2)), Linear(4)}, func(p params) *mat.Dense {
			return shifted(product(product(w, product(w, x)), p["1.weight"]), p["1.bias"])
		}},
		{"the sum of powers last", Network{Linear(4), Propagate(coles.S2GCSum(2))}, func(p params) *mat.Dense {
			h := shifted(product(x, p["0.weight"]), p["0.bias"])
			sum := mat.NewDense(30, 4, nil)
			power := h
			for _, a := range coles.S2GCSum(2).Coefficients() {
				var term mat.Dense
				term.Scale(a, power)
				sum.Add(sum, &term)
				power = product(w, power)
			}
			return sum
		}},
		{"ReLU", Network{Linear(4), ReLU()}, func(p params) *mat.Dense {
			return mapped(shifted(product(x, p["0.weight"]), p["0.bias"]), func(v float64) float64 { return math.Max(v, 0) })
		}},
		{"PReLU", Network{Linear(4), PReLU()}, func(p params) *mat.Dense {
			slope := p["1.slope"].At(0, 0)
			return mapped(shifted(product(x, p["0.weight"]), p["0.bias"]), func(v float64) float64 {
				if v > 0 {
					return v
				}
				return slope * v
			})
		}},
		{"ELU", Network{Linear(4), ELU()}, func(p params) *mat.Dense {
			return mapped(shifted(product(x, p["0.weight"]), p["0.bias"]), func(v float64) float64 {
				if v > 0 {
					return v
				}
				return math.Exp(v) - 1
			})
		}},
		{"dropout of a trained network", Network{Dropout(0.5), Linear(4), Dropout(0.5)}, func(p params) *mat.Dense {
			return shifted(product(x, p["1.weight"]), p["1.bias"])
		}},
	} {
		for name, features := range map[string]mat.Matrix{"sparse": words, "dense": x} {
			// A few large steps give biases and slopes values of their own.
			m := must(Train(ctx, g, features, WithNetwork(c.layers...), WithFeatures(coles.PrepareNone, 1), WithObjective(PowerMean(1, 3)),
				WithOptimizer(Adam(0.05)), WithEpochs(4), WithNorm(0), WithPrecision(coles.Float64)))
			p := params{}
			for _, name := range m.Parameters() {
				p[name], _ = m.Parameter(name)
				if mat.Norm(p[name], 1) == 0 {
					t.Errorf("%s: %s is zero", c.name, name)
				}
			}
			want := c.want(p)
			if d := maxDiff(m.Embedding(), want); d > 1e-13*math.Max(1, mat.Norm(want, 1)) {
				t.Errorf("%s of %s features is off by %.2g", c.name, name, d)
			}
		}
	}
}

// The pairwise losses of drawn nodes, written out by the formulas of their doc comments.
func TestPairwiseLossesEqualTheirFormulas(t *testing.T) {
	g, a := weighted(61, 25)
	degree := func(u int) float64 { return mat.Sum(a.RowView(u)) }
	h := randomMatrix[float64](62, 25, 3)
	y := dense(h)
	dot := func(u, v int) float64 { return mat.Dot(y.RowView(u), y.RowView(v)) }
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	const negatives, eta = 4, 0.7
	for _, o := range []Objective{SampledNCE(negatives, eta), PowerMean(0, negatives), PowerMean(1, negatives), PowerMean(-1, negatives), PowerMean(2, negatives)} {
		r := &run[float64]{config: config{Settings: Settings{Objective: o}}}
		b := &batch[float64]{n: 25}
		if err := r.pairs(ctx, b, g, 7); err != nil {
			t.Fatal(err)
		}
		us, ws := drawnBeside(b, negatives)
		near, far, mean, total := 0.0, 0.0, 0.0, 0.0
		for k := range b.us {
			c := a.At(b.us[k], b.vs[k]) / math.Sqrt(degree(b.us[k])*degree(b.vs[k]))
			total += c
			near += c * dot(b.us[k], b.vs[k])
			sum, logs := 0.0, 0.0
			for q := k * negatives; q < (k+1)*negatives; q++ {
				if us[q] != b.us[k] || ws[q] < 0 || ws[q] >= 25 {
					t.Fatalf("edge %d: pair %d, %d", k, us[q], ws[q])
				}
				s := dot(us[q], ws[q])
				far += math.Log(sigmoid(-s))
				sum += math.Pow(math.Exp(s), o.power)
				logs += s
			}
			if o.power == 0 {
				mean += c * logs / negatives
			} else {
				mean += c * math.Log(math.Pow(sum/negatives, 1/o.power))
			}
		}
		want := (mean - near) / total
		if o.kind == nceObjective {
			near = 0
			edges := float64(len(b.us))
			for k := range b.us {
				near += math.Log(sigmoid(dot(b.us[k], b.vs[k])))
			}
			want = -near/edges - eta*far/(edges*negatives)
		}
		record := tape.New[float64](ctx)
		if got := loss(record, o, b, record.Constant(h)).Scalar(); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%v: %v, want %v", o, got, want)
		}
	}
}

// With its penalty and without, COLES is what its doc comment says, ΔW taken as a matrix.
func TestLossOfCOLESEqualsItsFormula(t *testing.T) {
	g, _ := weighted(63, 25)
	h := randomMatrix[float64](64, 25, 3)
	y := dense(h)
	for _, s := range []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.UniformNegatives(3), coles.NoNegatives()} {
		dw := must(coles.Contrast(ctx, g, s, coles.WithKappa(2), coles.WithEta(0.8), coles.WithSeed(5)))
		trace := mat.Trace(product(y.T(), must(dw.Apply(ctx, y)))) / 25
		gram := product(y.T(), y)
		gram.Scale(1.0/25, gram)
		for j := range 3 {
			gram.Set(j, j, gram.At(j, j)-1)
		}
		penalty := math.Pow(mat.Norm(gram, 2), 2) / 3
		for _, beta := range []float64{0, 1, 10} {
			r := &run[float64]{config: config{Settings: Settings{Objective: COLES(beta), Negatives: s, Kappa: 2, Eta: 0.8}}}
			b := &batch[float64]{n: 25}
			if err := r.pairs(ctx, b, g, 5); err != nil {
				t.Fatal(err)
			}
			record := tape.New[float64](ctx)
			want := -trace + beta*penalty
			if got := loss(record, r.Objective, b, record.Constant(h)).Scalar(); math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("%v, %v: %v, want %v", s, r.Objective, got, want)
			}
		}
	}
}
