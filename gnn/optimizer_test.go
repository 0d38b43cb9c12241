package gnn

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/kernel"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// adamByHand is the rule of Adam for one number, written out.
type adamByHand struct{ m, v, t float64 }

func (a *adamByHand) step(theta *float64, g, rate float64) {
	a.t++
	a.m, a.v = 0.9*a.m+0.1*g, 0.999*a.v+0.001*g*g
	*theta -= rate * (a.m / (1 - math.Pow(0.9, a.t))) / (math.Sqrt(a.v/(1-math.Pow(0.999, a.t))) + 1e-8)
}

// One number under each rule, against the formulas of the papers written out.
func TestRulesEqualTheirFormulas(t *testing.T) {
	gradients := []float64{0.3, -1.2, 0.7, 0.01, -0.4}
	const rate, lambda, start = 0.1, 0.05, 2.0
	adam := func(decoupled bool) (path []float64) {
		theta, a := start, adamByHand{}
		for _, g := range gradients {
			if decoupled {
				theta -= rate * lambda * theta
			} else {
				g += lambda * theta
			}
			a.step(&theta, g, rate)
			path = append(path, theta)
		}
		return path
	}
	sgd := func(momentum float64) (path []float64) {
		theta, v := start, 0.0
		for _, g := range gradients {
			v = momentum*v + g + lambda*theta
			theta -= rate * v
			path = append(path, theta)
		}
		return path
	}
	for name, c := range map[string]struct {
		rule optim.Optimizer
		want []float64
	}{
		"Adam, coupled decay":   {optim.Adam(rate).WithDecay(lambda), adam(false)},
		"Adam, decoupled decay": {optim.Adam(rate).WithDecoupledDecay(lambda), adam(true)},
		"descent":               {optim.SGD(rate, 0).WithDecay(lambda), sgd(0)},
		"momentum":              {optim.SGD(rate, 0.8).WithDecay(lambda), sgd(0.8)},
	} {
		one := func() kernel.Matrix[float64] { return kernel.Dense[float64](1, 1) }
		p := &parameter[float64]{value: one(), grad: one(), moments: [][]kernel.Matrix[float64]{{one(), one()}}}
		p.value.Data[0] = start
		for k, g := range gradients {
			p.grad.Data[0] = g
			testkit.Check(t, update(ctx, c.rule, 0, custom.Phase{}, []*parameter[float64]{p}, k+1, rate))
			if got := p.value.Data[0]; math.Abs(got-c.want[k]) > 1e-14 {
				t.Errorf("%s, step %d: %v, want %v", name, k+1, got, c.want[k])
			}
		}
	}
}

func TestSchedulesEqualTheirFormulas(t *testing.T) {
	for epoch := range 10 {
		e := float64(epoch)
		cosine := (1 + math.Cos(math.Pi*(e-4)/6)) / 2
		if epoch < 4 {
			cosine = (e + 1) / 5
		}
		for s, want := range map[optim.Schedule]float64{{}: 1, optim.Cosine(4): cosine, optim.Exponential(0.9): math.Pow(0.9, e)} {
			if got := s.Share(epoch, 10); math.Abs(got-want) > 1e-15 {
				t.Errorf("%v, epoch %d: %v, want %v", s, epoch, got, want)
			}
		}
	}
}

// drift is the largest entry of |ΘᵀΘ − I|.
func drift(theta *mat.Dense) float64 {
	_, k := theta.Dims()
	return testkit.MaxDiff(testkit.Product(theta.T(), theta), testkit.Eye(k))
}

func TestRetractionIsQ(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {5, 5}, {40, 7}, {300, 64}} {
		x := randomMatrix(1, s[0], s[1])
		var qr mat.QR
		qr.Factorize(dense(x))
		var q, r mat.Dense
		qr.QTo(&q)
		qr.RTo(&r)
		want := mat.DenseCopyOf(q.Slice(0, s[0], 0, s[1]))
		want.Apply(func(_, j int, v float64) float64 { return math.Copysign(1, r.At(j, j)) * v }, want)
		testkit.Check(t, retract(ctx, x))
		// Condition numbers of the squares reach some 1e4, times 1e-16.
		testkit.WantClose(t, "Q", dense(x), want, 1e-11)
		if d := drift(dense(x)); d > 1e-13 {
			t.Errorf("%v: max|QᵀQ − I| = %.2g", s, d)
		}
	}
}

// A matrix of condition 10⁵ is far from the manifold: one Cholesky factor leaves 10¹⁰·10⁻¹⁶ of
// drift, the second takes it away.
func TestRetractionFromFarAway(t *testing.T) {
	x := randomMatrix(6, 60, 4)
	for i := range x.Rows {
		x.Data[i*x.Stride+3] = x.Data[i*x.Stride] + 1e-5*x.Data[i*x.Stride+3]
	}
	testkit.Check(t, retract(ctx, x))
	if d := drift(dense(x)); d > 1e-14 {
		t.Errorf("max|QᵀQ − I| = %.2g", d)
	}
	for i := range x.Rows {
		x.Data[i*x.Stride+2] = 0
	}
	testkit.WantError(t, retract(ctx, x), ErrDiverged) // without full rank
}

// The tangent space at Θ is {T: ΘᵀT + TᵀΘ = 0}, and what is taken away is perpendicular to it:
// Tr((G − T)ᵀT) = 0.
func TestTangentIsTheProjection(t *testing.T) {
	theta, g := randomMatrix(3, 30, 6), randomMatrix(4, 30, 6)
	testkit.Check(t, retract(ctx, theta))
	before := dense(g)
	testkit.Check(t, makeTangent(ctx, theta, g))
	var sum, rest mat.Dense
	a := testkit.Product(dense(theta).T(), dense(g))
	sum.Add(a, a.T())
	if d := mat.Norm(&sum, math.Inf(1)); d > 1e-13 {
		t.Errorf("ΘᵀT + TᵀΘ is %.2g", d)
	}
	rest.Sub(before, dense(g))
	if d := math.Abs(mat.Trace(testkit.Product(rest.T(), dense(g)))); d > 1e-12 {
		t.Errorf("what is taken away is not perpendicular: %.2g", d)
	}
}

// A thousand steps stay on the manifold: within 1e-12 in float64; in float32 within a hundred of
// its roundings, which are 6e-8.
func TestManifoldIsNotLeft(t *testing.T) {
	g, x := small(14)
	for precision, bound := range map[coles.Precision]float64{coles.Float64: 1e-12, coles.Float32: 6e-6} {
		for _, o := range []optim.Optimizer{optim.Adam(1e-3), optim.SGD(1e-3, 0), optim.SGD(1e-4, 0.9).WithDecay(0.1)} {
			m := trained(t, g, x, withNetwork(GCN(8), ReLU(), GCN(5).Orthonormal()), withObjective(COLES(10)), withOptimizer(o), withEpochs(1000), withPrecision(precision))
			theta, _ := m.Parameter("2.weight")
			if d := drift(theta); d > bound {
				t.Errorf("%v: max|ΘᵀΘ − I| = %.2g after 1,000 steps", precision, d)
			}
			if _, biased := m.Parameter("2.bias"); biased {
				t.Error("an orthonormal layer has a bias")
			}
		}
	}
}

// The linear encoder on the Stiefel manifold has the optimum of the closed form: the sum of the
// largest eigenvalues of M.
func TestOrthonormalLinearEncoderReachesTheClosedForm(t *testing.T) {
	g, x := small(15)
	const dim = 3
	filter := coles.S2GCSum(2)
	fx := testkit.Must(filter.Apply(ctx, coles.Normalize(g), x))
	dw := testkit.Must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives(), 1, 1, 1))
	want := 0.0
	for _, l := range testkit.Must(coles.Solve(ctx, fx, dw, dim)).Lambda {
		want += l
	}
	epochs := progressOf(t, g, x, withNetwork(Propagate(filter), Linear(dim).Orthonormal()), With(func(s *Settings) { s.Objective, s.Preparation, s.FeatureScale = COLES(0), coles.PrepareNone, 1 }),
		withOptimizer(optim.SGD(0.5, 0)), withEpochs(3000))
	testkit.WantNear(t, "Tr(HᵀΔWH)", -epochs[2999].Loss*float64(g.Nodes()), want, 1e-8)
}

// Decay leaves an orthonormal weight alone, coupled or not, and the others not.
func TestDecayLeavesTheManifoldAlone(t *testing.T) {
	g, x := small(85)
	train := func(o optim.Optimizer, layers ...Layer) []uint64 {
		return testkit.Bits(trained(t, g, x, withObjective(COLES(0)), withOptimizer(o), withNetwork(layers...)).Embedding())
	}
	for _, o := range []optim.Optimizer{optim.Adam(0.01), optim.SGD(0.1, 0.5)} {
		for _, decayed := range []optim.Optimizer{o.WithDecay(0.3), o.WithDecoupledDecay(0.3)} {
			if !slices.Equal(train(o, GCN(5).Orthonormal()), train(decayed, GCN(5).Orthonormal())) {
				t.Error("decay moves a weight on the manifold")
			}
			if slices.Equal(train(o, GCN(5)), train(decayed, GCN(5))) {
				t.Error("decay moves nothing")
			}
		}
	}
}
