package baselines

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// communities is a graph of 40 nodes, the last one alone, with p = D⁻¹A and D^-½AD^-½.
func communities() (g *coles.Graph, p, w *mat.Dense) {
	const n = 40
	edges := testkit.Ring(n-1, 2)
	for i := range n / 2 {
		edges = append(edges, coles.Edge{U: i, V: (i*i + 7) % (n - 1)})
	}
	g = testkit.Must(coles.NewGraph(n, edges, coles.WithRepeats("max")))
	p, w = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	d := g.Degrees()
	g.CSR().DoNonZero(func(i, j int, v float64) {
		p.Set(i, j, v/d[i])
		w.Set(i, j, v/math.Sqrt(d[i]*d[j]))
	})
	return g, p, w
}

// power is XᵖX̃ᵀ for a symmetric positive matrix: its eigenvalues to a power, those that are rounding 0.
func power(x mat.Matrix, to float64) *mat.Dense {
	n, _ := x.Dims()
	half := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			half.SetSym(i, j, (x.At(i, j)+x.At(j, i))/2)
		}
	}
	return mapped(half, func(v float64) float64 {
		if v < 1e-11 {
			return 0
		}
		return math.Pow(v, to)
	})
}

// mapped is a function of a symmetric matrix.
func mapped(x *mat.SymDense, f func(float64) float64) *mat.Dense {
	var e mat.EigenSym
	e.Factorize(x, true)
	var z, out mat.Dense
	e.VectorsTo(&z)
	values := e.Values(nil)
	for i := range values {
		values[i] = f(values[i])
	}
	out.Product(&z, mat.NewDiagDense(len(values), values), z.T())
	return &out
}

// unit is a Gram matrix of rows that are scaled to length 1.
func unit(gram *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(i, j int, v float64) float64 {
		if l := gram.At(i, i) * gram.At(j, j); l > 0 {
			return v / math.Sqrt(l)
		}
		return 0
	}, gram)
	return &out
}

// wantGram compares the products of rows, which no rotation of an embedding changes.
func wantGram(t *testing.T, name string, y, want *mat.Dense) {
	t.Helper()
	testkit.WantClose(t, name, testkit.Product(y, y.T()), want, 2e-4*mat.Max(want))
}

func TestSVDAndNetMFAreTheRootsOfTheirMatrices(t *testing.T) {
	g, p, w := communities()
	n := g.Nodes()
	wantGram(t, "SVD", testkit.Must(SVD(t.Context(), g, n, 1)), power(testkit.Product(w, w.T()), 0.5))
	for _, window := range []int{1, 3} {
		sum, step := mat.NewDense(n, n, nil), testkit.Eye(n)
		for range window {
			step = testkit.Product(step, p)
			sum.Add(sum, step)
		}
		degrees := g.Degrees()
		sum.Apply(func(i, j int, v float64) float64 {
			if degrees[j] == 0 {
				return 0
			}
			return math.Log(max(1, v/degrees[j]*float64(2*g.Report().Edges)/float64(window)))
		}, sum)
		wantGram(t, "NetMF", testkit.Must(NetMF(t.Context(), g, window, n, 1)), power(testkit.Product(sum, sum.T()), 0.5))
	}
}

// g(Δ) is here a function of the eigenvalues of D^½ΔD^-½, and Σ p_ij of column j is by hand.
func TestProNEIsItsDenseFormula(t *testing.T) {
	g, p, w := communities()
	n := g.Nodes()
	q, all := make([]float64, n), 0.0
	for j := range q {
		q[j] = math.Pow(mat.Sum(p.ColView(j)), 0.75)
		all += q[j]
	}
	l := mat.NewDense(n, n, nil)
	l.Apply(func(_, j int, v float64) float64 {
		if v == 0 {
			return 0
		}
		return math.Log(v) - math.Log(q[j]/all)
	}, p)
	first := unit(power(testkit.Product(l, l.T()), 0.5))
	laplacian := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			laplacian.SetSym(i, j, testkit.Eye(n).At(i, j)-w.At(i, j))
		}
	}
	filter := mapped(laplacian, func(v float64) float64 { return 1 - math.Exp(-0.25*(math.Pow(v-0.2, 2)-1)) })
	degrees := g.Degrees()
	filter.Apply(func(i, j int, v float64) float64 { // D^-½·f·D^½
		if degrees[i]*degrees[j] == 0 {
			return 0
		}
		return v * math.Sqrt(degrees[j]/degrees[i])
	}, filter)
	h := testkit.Product(p, filter)
	want := unit(power(testkit.Product(testkit.Product(h, first), h.T()), 0.5))
	wantGram(t, "ProNE", testkit.Must(ProNE(t.Context(), g, n, 1)), want)
}

// numbersOf are n × k numbers as the streams of the seed 1 give them.
func numbersOf(n, k int, draw func(rng *rand.Rand) float64) *mat.Dense {
	x := mat.NewDense(n, k, nil)
	for i := range n {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		for j := range k {
			x.Set(i, j, draw(rng))
		}
	}
	return x
}

func unitRows(x *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Apply(func(i, _ int, v float64) float64 { return v / max(1e-300, mat.Norm(x.RowView(i), 2)) }, x)
	return &out
}

func TestFastRPAndRandNEAreTheirDenseFormulas(t *testing.T) {
	const k = 6
	g, p, _ := communities()
	n, degrees := g.Nodes(), g.Degrees()
	r := numbersOf(n, k, func(rng *rand.Rand) float64 {
		return map[int]float64{0: -math.Sqrt(3), 1: math.Sqrt(3)}[rng.IntN(6)]
	})
	r.Apply(func(i, _ int, v float64) float64 {
		return v / math.Sqrt(max(1, degrees[i])/float64(2*g.Report().Edges))
	}, r)
	two := testkit.Product(p, p)
	var want mat.Dense
	want.Scale(3, unitRows(testkit.Product(two, r)))
	want.Add(&want, unitRows(testkit.Product(p, r)))
	testkit.WantClose(t, "FastRP", testkit.Must(FastRP(t.Context(), g, []float64{1, 3}, -0.5, k, 1)), &want, 1e-5)

	var qr mat.QR
	var q mat.Dense
	qr.Factorize(numbersOf(n, k, (*rand.Rand).NormFloat64))
	qr.QTo(&q)
	basis := q.Slice(0, n, 0, k)
	var walk mat.Dense
	walk.Scale(7, two)
	walk.Add(&walk, testkit.Eye(n))
	wantGram(t, "RandNE", testkit.Must(RandNE(t.Context(), g, []float64{1, 0, 7}, k, 1)), testkit.Product(testkit.Product(testkit.Product(&walk, basis), basis.T()), walk.T()))
}

func TestCleoraIsItsDenseFormula(t *testing.T) {
	const k, rounds = 6, 3
	g, p, _ := communities()
	n := g.Nodes()
	for _, whiten := range []bool{false, true} {
		x := numbersOf(n, k, func(rng *rand.Rand) float64 { return 2*rng.Float64() - 1 })
		for round := range rounds {
			x = testkit.Product(p, x)
			if whiten && round == rounds-1 {
				var centre, inverse mat.Dense
				centre.Sub(testkit.Eye(n), mat.NewDense(n, n, slices.Repeat([]float64{1 / float64(n)}, n*n)))
				x = testkit.Product(&centre, x)
				inverse = *power(testkit.Product(x.T(), x), -0.5)
				x = testkit.Product(x, &inverse)
			}
			x = unitRows(x)
		}
		wantGram(t, "Cleora", testkit.Must(Cleora(t.Context(), g, rounds, whiten, k, 1)), testkit.Product(x, x.T()))
	}
}
