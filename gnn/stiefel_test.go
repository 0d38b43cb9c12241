package gnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"coles"
	"coles/internal/kernel"

	"gonum.org/v1/gonum/mat"
)

func randomMatrix[T kernel.Float](seed uint64, rows, cols int) kernel.Matrix[T] {
	rnd := rand.New(rand.NewPCG(seed, 3))
	m := kernel.Dense[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = T(rnd.NormFloat64())
	}
	return m
}

// drift is max|ΘᵀΘ − I|.
func drift(theta *mat.Dense) float64 {
	var gram mat.Dense
	gram.Mul(theta.T(), theta)
	_, k := theta.Dims()
	for j := range k {
		gram.Set(j, j, gram.At(j, j)-1)
	}
	return mat.Norm(&gram, math.Inf(1))
}

func TestRetractionIsQ(t *testing.T) {
	for _, s := range [][2]int{{1, 1}, {5, 5}, {40, 7}, {300, 64}} {
		x := randomMatrix[float64](1, s[0], s[1])
		var qr mat.QR
		qr.Factorize(dense(x))
		var q, r mat.Dense
		qr.QTo(&q)
		qr.RTo(&r)
		want := mat.DenseCopyOf(q.Slice(0, s[0], 0, s[1]))
		for j := range s[1] {
			if r.At(j, j) < 0 {
				for i := range s[0] {
					want.Set(i, j, -want.At(i, j))
				}
			}
		}
		if err := retract(ctx, x); err != nil {
			t.Fatal(err)
		}
		// Condition numbers of the squares reach some 1e4, times 1e-16.
		if d := maxDiff(dense(x), want); d > 1e-11 {
			t.Errorf("%v: off by %.2g", s, d)
		}
		if d := drift(dense(x)); d > 1e-13 {
			t.Errorf("%v: max|QᵀQ − I| = %.2g", s, d)
		}
	}
}

func TestMatrixWithoutFullRankIsAnError(t *testing.T) {
	x := randomMatrix[float64](2, 10, 3)
	for i := range x.Rows {
		x.Data[i*x.Stride+2] = 0
	}
	wantError(t, retract(ctx, x), ErrDiverged)
}

// The tangent space at Θ is {T: ΘᵀT + TᵀΘ = 0}, and what is taken away is
// perpendicular to it: Tr((G − T)ᵀT) = 0.
func TestTangentIsTheProjection(t *testing.T) {
	theta, g := randomMatrix[float64](3, 30, 6), randomMatrix[float64](4, 30, 6)
	if err := retract(ctx, theta); err != nil {
		t.Fatal(err)
	}
	before := dense(g)
	if err := makeTangent(ctx, theta, g); err != nil {
		t.Fatal(err)
	}
	var a, sum, rest, product mat.Dense
	a.Mul(dense(theta).T(), dense(g))
	sum.Add(&a, a.T())
	if d := mat.Norm(&sum, math.Inf(1)); d > 1e-13 {
		t.Errorf("ΘᵀT + TᵀΘ is %.2g", d)
	}
	rest.Sub(before, dense(g))
	product.Mul(rest.T(), dense(g))
	if d := math.Abs(mat.Trace(&product)); d > 1e-12 {
		t.Errorf("what is taken away is not perpendicular: %.2g", d)
	}
}

// A thousand steps stay on the manifold: within 1e-12 in float64; in float32 within
// a hundred of its roundings, which are 6e-8.
func TestManifoldIsNotLeft(t *testing.T) {
	g, x := small(14)
	for precision, bound := range map[coles.Precision]float64{coles.Float64: 1e-12, coles.Float32: 6e-6} {
		for _, o := range []Optimizer{Adam(1e-3), SGD(1e-3, 0), SGD(1e-4, 0.9).WithDecay(0.1)} {
			m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(8), ReLU(), GCN(5).Orthonormal()), WithObjective(COLES(10)), WithOptimizer(o), WithEpochs(1000), WithPrecision(precision))...))
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

// The linear encoder on the Stiefel manifold has the optimum of the closed form:
// the sum of the largest eigenvalues of M.
func TestOrthonormalLinearEncoderReachesTheClosedForm(t *testing.T) {
	g, x := small(15)
	const dim = 3
	filter := coles.S2GCSum(2)
	fx := must(filter.Apply(ctx, coles.Normalize(g, coles.SelfLoops), x))
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	want := 0.0
	for _, l := range must(coles.Solve(ctx, fx, dw, dim)).Lambda {
		want += l
	}
	var loss float64
	must(Train(ctx, g, x, WithNetwork(Propagate(filter), Linear(dim).Orthonormal()), WithObjective(COLES(0)), WithFeatures(coles.PrepareNone, 1),
		WithOptimizer(SGD(0.5, 0)), WithEpochs(3000), WithPrecision(coles.Float64), WithProgress(func(p Progress) { loss = p.Loss })))
	if got := -loss * float64(g.Nodes()); math.Abs(got-want) > 1e-8*want {
		t.Errorf("Tr(HᵀΔWH) = %.12g, the eigenvalues add up to %.12g", got, want)
	}
}

// A matrix of condition 10⁵ is far from the manifold: one Cholesky factor leaves
// 10¹⁰·10⁻¹⁶ of drift, the second takes it away.
func TestRetractionFromFarAway(t *testing.T) {
	x := randomMatrix[float64](6, 60, 4)
	for i := range x.Rows {
		x.Data[i*x.Stride+3] = x.Data[i*x.Stride] + 1e-5*x.Data[i*x.Stride+3]
	}
	if err := retract(ctx, x); err != nil {
		t.Fatal(err)
	}
	if d := drift(dense(x)); d > 1e-14 {
		t.Errorf("max|QᵀQ − I| = %.2g", d)
	}
}
