package coles_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var (
	precisions = []coles.Precision{coles.Float64, coles.Float32}
	solvers    = []coles.Solver{coles.SolverDirect, coles.SolverKrylov}
	kinds      = []coles.Kind{coles.UseGraph, coles.UseFeatures}
)

// In float32 a number is rounded by 6e-8 of itself. The eigenvalues and the residuals of P,
// measured in float64, may show some of these errors one after the other, and the errors of FX where ΔW
// takes most of it out: for the direct solver these were 1e-5 of λ₁ here, for the other 2e-7.
func TestFloat32FindsTheEigenpairsOfFloat64(t *testing.T) {
	skipUnderRace(t)
	// Edges independent of the words of their nodes: ΔW leaves little of FX, and
	// rounding errors stand out.
	g := sparseGraph(48, 3000, 15_000)
	x, _ := testkit.RandomWords(testkit.Random(50), 3000, 700)
	fx := testkit.Must(coles.S2GCSum(8).Apply(ctx, coles.Normalize(g), prepared(x, coles.PrepareAuto)))
	contrasted := testkit.Must(contrast(g, coles.ExpectedDegreeNegatives()).Apply(ctx, fx))
	for solver, bound := range map[coles.Solver]float64{coles.SolverDirect: 2e-5, coles.SolverKrylov: 1e-6} {
		t.Run(solver.String(), func(t *testing.T) {
			m := fitted(g, x, coles.With(func(s *coles.Settings) {
				s.Dim, s.Solver, s.Precision, s.Kind = 64, solver, coles.Float32, coles.UseGraph
			}))
			p, lambda := m.P(), m.Parts()[0].Lambda
			residuals := testkit.Product(fx.T(), testkit.Product(contrasted, p.T()))
			for j, l := range lambda {
				column := mat.Col(nil, j, residuals)
				floats.AddScaled(column, -l, p.RawRowView(j))
				if r := floats.Norm(column, 2) / lambda[0]; r > bound {
					t.Fatalf("pair %d has a residual of %.2g, want at most %g", j, r, bound)
				}
			}
			testkit.WantSame(t, "precision", m.Report().Precision, coles.Float32)
		})
	}
}

func TestPrecisionFollowsTheSize(t *testing.T) {
	skipUnderRace(t)
	// 2²¹ = 1448.2²
	for _, c := range []struct {
		n    int
		how  coles.Preparation
		want coles.Precision
	}{{1448, coles.PrepareRowL2, coles.Float64}, {1449, coles.PrepareRowL2, coles.Float32}, {1449, coles.PrepareNone, coles.Float64}} {
		g, x := ringGraph(c.n), testkit.RandomDense(testkit.Random(7), c.n, c.n)
		m := fitted(g, x, coles.With(func(s *coles.Settings) {
			s.Dim = 2
			s.Filter = coles.SGC(1)
			s.Preparation = c.how
			s.Solver = coles.SolverKrylov
			s.Kind = coles.UseGraph
		}))
		if got := m.Report().Precision; got != c.want || m.Settings().Precision != c.want {
			t.Errorf("%d², %v: %v by the report, %v by the settings, want %v", c.n, c.how, got, m.Settings().Precision, c.want)
		}
	}
}

// Features in float32 are read where they lie or widened, which is exact: the embedding has the
// bytes that the same numbers give in float64.
func TestDense32GivesTheBytesOfDense(t *testing.T) {
	g, _, dense := small(41)
	single := testkit.SingleOf(dense)
	wide := testkit.DenseOf(single)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize, coles.PrepareAuto} {
		for _, precision := range precisions {
			opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Precision, s.Preparation, s.Dim = precision, how, 3 })}
			testkit.WantSame(t, fmt.Sprint(how, ", ", precision), testkit.Bits(fitted(g, single, opts...).Embedding()), testkit.Bits(fitted(g, wide, opts...).Embedding()))
		}
	}
}

func TestFloat32RefusesWhatItCannotMultiply(t *testing.T) {
	g, _, dense := small(42)
	none, single := coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareNone }), coles.WithPrecision(coles.Float32)
	for _, factor := range []float64{1e-300, 1e-17, 1e17, 1e300} {
		x := mat.DenseCopyOf(dense)
		x.Scale(factor, x)
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, x, none, single)), coles.ErrPrecision)
		if factor < 1e100 && factor > 1e-100 { // squares of others are no numbers of float64
			fitted(g, x, none)
		}
		// Preparations that bring the numbers near 1 make them fit.
		fitted(g, x, coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareStandardize }), single)
	}
	for _, f := range []coles.Filter{coles.Heat(8, 100), coles.Polynomial(1e-25, 1e-25), coles.Polynomial(1e25)} {
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, dense, coles.With(func(s *coles.Settings) { s.Kind, s.Filter = coles.UseGraph, f }), single)), coles.ErrPrecision)
		fitted(g, dense, coles.WithFilter(f), coles.WithPrecision(coles.Float64))
	}
}

// What float32 does not do is done in float64 where the precision is left to Fit, and is an error
// where float32 was asked for.
func TestFitGoesOnInFloat64(t *testing.T) {
	skipUnderRace(t)
	// Few nodes have edges: M is so much smaller than (FX)ᵀ(FX) that iterations on products in
	// float32 do not settle. 2000·1200 numbers are above 2²¹.
	words, _ := testkit.RandomWords(testkit.Random(61), 2000, 1200)
	few := testkit.Must(coles.NewGraph(2000, testkit.RandomEdges(testkit.Random(0), 10, 1.1)))
	testkit.WantSame(t, "precision of few edges", fitted(few, words, coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })).Report().Precision, coles.Float64)
	// One edge whose ends smoothing makes equal: M is zero, and what float32 leaves of it rounding.
	const n = 1449 // 2²¹ numbers
	g, x := graphOf(n, 0, 1), testkit.RandomDense(testkit.Random(7), n, n)
	opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Dim, s.Filter, s.Kind = 2, coles.SGC(1), coles.UseGraph })}
	testkit.WantSame(t, "precision of one edge", fitted(g, x, opts...).Report().Precision, coles.Float64)
	_, err := coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)
	testkit.WantError(t, err, coles.ErrPrecision)
}

// A fit in float32 shows its embedding as it is; one in float64, and a model of a file, have none.
func TestEmbedding32(t *testing.T) {
	g := testkit.RandomGraph(171, 300, 0.03)
	words, _ := testkit.RandomWords(testkit.Random(172), 300, 200)
	for name, x := range map[string]mat.Matrix{
		"filtered first":     testkit.RandomDense(testkit.Random(172), 300, 40),
		"projected first":    testkit.RandomDense(testkit.Random(172), 300, 70),
		"not over FX":        testkit.RandomDense(testkit.Random(172), 300, 50),
		"sparse, matrixfree": words,
	} {
		t.Run(name, func(t *testing.T) {
			single := fitted(g, x, coles.WithDim(20), coles.WithPrecision(coles.Float32))
			narrow := single.Embedding32()
			if n, d := narrow.Dims(); n != 300 || d != 20 {
				t.Fatalf("%d × %d", n, d)
			}
			testkit.WantClose(t, "widened", single.Embedding(), mat.DenseCopyOf(narrow), 0)
			testkit.WantClose(t, "Embed", testkit.Must(single.Embed(ctx, g, x)), single.Embedding(), 0)
			double := fitted(g, x, coles.WithDim(20), coles.WithPrecision(coles.Float64))
			if double.Embedding32() != nil {
				t.Error("a fit in float64 has an embedding in float32")
			}
			// Rows have a norm of about 4; an entry is held to seven digits of it, and eigenvectors to 1e-6.
			testkit.WantClose(t, "EEᵀ", testkit.Product(single.Embedding(), single.Embedding().T()), testkit.Product(double.Embedding(), double.Embedding().T()), 1e-3)
		})
	}
}

// A spectrum makes features that hurt, in n rows and d columns, of which k will be found.
type spectrum func(r *rand.Rand, n, d, k int) *mat.Dense

// scaledBy are normal numbers whose direction j has the scale s(j).
func scaledBy(s func(j, d int) float64) spectrum {
	return func(r *rand.Rand, n, d, _ int) *mat.Dense {
		u, v := testkit.RandomDense(r, n, d), testkit.RandomDense(r, d, d)
		for j := range d {
			row := v.RawRowView(j)
			for c := range row {
				row[c] *= s(j, d)
			}
		}
		return testkit.Product(u, v)
	}
}

// columnsBy are normal numbers, moved and scaled.
func columnsBy(number func(r *rand.Rand, j int) float64) spectrum {
	return func(r *rand.Rand, n, d, _ int) *mat.Dense {
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, j int, _ float64) float64 { return number(r, j) }, x)
		return x
	}
}

// clusteredAtTheCut has orthonormal columns, scaled so that ten eigenvalues of XᵀX about the k-th are
// nearly equal.
func clusteredAtTheCut(r *rand.Rand, n, d, k int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(testkit.RandomDense(r, n, d))
	var q mat.Dense
	qr.QTo(&q)
	width := math.Pow(10, -9*r.Float64())
	x := mat.NewDense(n, d, nil)
	for j := range d {
		l := 1 - 0.9*float64(j)/float64(d)
		if j >= k-5 && j < k+5 {
			l = (1 - 0.9*float64(k)/float64(d)) * (1 + width*r.Float64())
		}
		for i := range n {
			x.Set(i, j, math.Sqrt(l)*q.At(i, j))
		}
	}
	return x
}

func beyond(j, from int, s float64) float64 {
	if j < from {
		return 1
	}
	return s
}

const unit, asIs = coles.PrepareRowL2, coles.PrepareNone

// hurting are spectra by what is hard about them, and how features are prepared.
var hurting = []struct {
	name     string
	how      []coles.Preparation
	features spectrum
	filter   func(r *rand.Rand) coles.Filter
}{

	{name: "flat", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(int, int) float64 { return 1 })},
	{name: "slow decay", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(j, _ int) float64 { return math.Pow(float64(j+1), -0.05) })},
	{name: "fast decay", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(j, d int) float64 { return math.Pow(10, -6*float64(j)/float64(d)) })},
	{name: "rank five", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(j, _ int) float64 { return beyond(j, 5, 0) })},
	{name: "a gap", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(j, _ int) float64 { return beyond(j, 4, 1e-4) })},
	{name: "nearly equal", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(j, _ int) float64 { return 1 + 1e-5*float64(j) })},
	{name: "a cluster at the cut", how: []coles.Preparation{asIs}, features: clusteredAtTheCut},
	{name: "a mean of 3", how: []coles.Preparation{unit}, features: columnsBy(func(r *rand.Rand, _ int) float64 { return 3 + r.NormFloat64() })},
	{name: "a mean of 30", how: []coles.Preparation{unit}, features: columnsBy(func(r *rand.Rand, _ int) float64 { return 30 + r.NormFloat64() })},
	{name: "a mean of 1000", how: []coles.Preparation{unit, asIs}, features: columnsBy(func(r *rand.Rand, _ int) float64 { return 1000 + r.NormFloat64() })},
	{name: "columns of 1e±6", how: []coles.Preparation{asIs, unit, coles.PrepareAuto}, features: columnsBy(func(r *rand.Rand, j int) float64 { return r.NormFloat64() * math.Pow(10, float64(j%13-6)) })},
	{name: "counts", how: []coles.Preparation{coles.PrepareAuto}, features: columnsBy(func(r *rand.Rand, _ int) float64 { return max(0, math.Floor(3*r.NormFloat64()-2)) })},
	{
		name: "a filter that cancels", how: []coles.Preparation{coles.PrepareAuto, unit}, features: scaledBy(func(int, int) float64 { return 1 }),
		filter: func(r *rand.Rand) coles.Filter {
			return []coles.Filter{coles.Polynomial(1, -2, 1), coles.Polynomial(1, -3, 3, -1), coles.Polynomial(r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64())}[r.IntN(3)]
		},
	},
}

// gramDistance is ‖YYᵀ − ZZᵀ‖/‖YYᵀ‖ (Frobenius) over the first rows.
func gramDistance(y, z *mat.Dense) float64 {
	n, d := y.Dims()
	n = min(n, 400)
	a, b := y.Slice(0, n, 0, d), z.Slice(0, n, 0, d)
	gram, other := testkit.Product(a, a.T()), testkit.Product(b, b.T())
	other.Sub(other, gram)
	return mat.Norm(other, 2) / mat.Norm(gram, 2)
}

// What a fit in float32 returns is that in float64 up to 1e-5, as Float32 promises, or it is an error:
// on 300 spectra that were made to hurt, of which the short run takes every fifth.
func TestFloat32IsFloat64OrAnError(t *testing.T) {
	skipUnderRace(t)
	step := testkit.Few(5, 1)
	done, refused := 0, 0
	for seed := 0; seed < 300; seed += step {
		r := testkit.Random(uint64(seed))
		c := hurting[seed%len(hurting)]
		n, d := 300+r.IntN(200), 40+r.IntN(70)
		dim := []int{8, 32, d}[r.IntN(3)]
		x, g := c.features(r, n, d, dim), randomKind(r, n)
		how, kind := c.how[r.IntN(len(c.how))], kinds[r.IntN(2)]
		opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Dim, s.Preparation, s.Kind = dim, how, kind })}
		if c.filter != nil {
			opts = append(opts, coles.WithFilter(c.filter(r)))
		}
		if r.IntN(3) == 0 {
			power := []float64{0, 0.5, 1}[r.IntN(3)]
			opts = append(opts, coles.With(func(s *coles.Settings) { s.Scaling = coles.ScalingRule{Power: power, Norm: 4} }))
		}
		if r.IntN(4) == 0 {
			opts = append(opts, coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = noNegatives, 0, 0 }))
		}
		if r.IntN(8) == 0 {
			opts = append(opts, coles.With(func(s *coles.Settings) { s.Truncate = true }))
		}
		if kind == coles.UseFeatures {
			opts = append(opts, coles.With(func(s *coles.Settings) { *s = s.WithoutGraph() }))
		}
		want := testkit.Must(coles.Fit(ctx, g, x, append(opts, coles.With(func(s *coles.Settings) { s.Precision, s.Solver = coles.Float64, coles.SolverDirect }))...))
		for _, solver := range solvers {
			what := fmt.Sprintf("%d, %s, d′ = %d, %v, %v, %v", seed, c.name, dim, want.Report().Preparation, want.Report().Kind, solver)
			done++
			m, err := coles.Fit(ctx, g, x, append(opts, coles.With(func(s *coles.Settings) {
				s.Precision, s.Solver, s.Structure = coles.Float32, solver, coles.Share(want.Report().StructureShare)
			}))...)
			var stopped *coles.ConvergenceError
			switch {
			case errors.Is(err, coles.ErrPrecision), errors.As(err, &stopped):
				refused++
			case err != nil:
				t.Errorf("%s: %v", what, err)
			case m.Report().Dim != want.Report().Dim:
				t.Errorf("%s: %d columns, float64 has %d", what, m.Report().Dim, want.Report().Dim)
			default:
				if off := gramDistance(want.Embedding(), m.Embedding()); !(off <= 1e-5) {
					t.Errorf("%s: YYᵀ is off by %.2g", what, off)
				}
				if share := want.Report().StructureShare; share > 0 && solver == coles.SolverDirect {
					auto := testkit.Must(coles.Fit(ctx, g, x, append(opts, coles.With(func(s *coles.Settings) { s.Precision, s.Solver = coles.Float32, solver }))...))
					if off := math.Abs(auto.Report().StructureShare - share); !(off <= 1e-4) {
						t.Errorf("%s: the share that is chosen is off by %.2g", what, off)
					}
				}
			}
		}
	}
	if refused == 0 || refused > done/3 {
		t.Errorf("%d of %d fits are refused, want some, and few", refused, done)
	}
}

// Without features larger estimates are accepted, and the promise holds.
func TestFloat32WithoutFeatures(t *testing.T) {
	skipUnderRace(t)
	accepted := 0
	for _, c := range []synthetic.Communities{
		{Nodes: 4000, Classes: 20, Degree: 10, Homophily: 0.7, Features: -1},
		{Nodes: 4000, Classes: 20, Degree: 10, Homophily: 0.5, Features: -1},
		{Nodes: 4000, Classes: 60, Degree: 10, Homophily: 0.8, Features: -1},
		{Nodes: 4000, Classes: 20, Degree: 4, Features: -1},
		{Nodes: 4000, Classes: 5, Degree: 30, Homophily: 0.2, Features: -1},
	} {
		g := testkit.Must(testkit.Must(c.Generate(ctx)).Graph())
		m, err := coles.Fit(ctx, g, nil, coles.WithPrecision(coles.Float32))
		if err != nil {
			testkit.WantError(t, err, coles.ErrPrecision)
			continue
		}
		accepted++
		if off := gramDistance(fitted(g, nil, coles.WithPrecision(coles.Float64)).Embedding(), m.Embedding()); !(off <= 1e-5) {
			t.Errorf("%+v: YYᵀ is off by %.2g", c, off)
		}
	}
	if accepted == 0 {
		t.Error("all are refused")
	}
}

// randomKind is a graph without order, a ring, one with hubs, or one of communities.
func randomKind(r *rand.Rand, n int) *coles.Graph {
	kind := r.IntN(4)
	var list []coles.Edge
	for i := range n {
		for range 4 {
			v := []int{r.IntN(n), (i + 1) % n, r.IntN(1 + i/4), (i/20*20 + r.IntN(20)) % n}[kind]
			list = append(list, coles.Edge{U: i, V: v})
		}
	}
	return testkit.Must(coles.NewGraph(n, list))
}

// From 2²¹ numbers on a fit takes float32 where that does, and float64 where it does not, by itself.
func TestAutomaticPrecisionIsFloat64WhereItMatters(t *testing.T) {
	skipUnderRace(t)
	const n, d = 8192, 256
	for mean, kinds := range map[float64][]coles.Kind{0: {coles.UseFeatures}, 30: kinds, 1000: {coles.UseFeatures}} {
		r := testkit.Random(3)
		x := columnsBy(func(r *rand.Rand, j int) float64 { return mean + r.NormFloat64()*math.Pow(0.98, float64(j)) })(r, n, d, 0)
		g := randomKind(r, n)
		for _, kind := range kinds {
			opts := []coles.Option{coles.With(func(s *coles.Settings) { s.Kind, s.Preparation, s.Dim = kind, unit, 16 })}
			want, auto := fitted(g, x, append(opts, coles.WithPrecision(coles.Float64))...), fitted(g, x, opts...)
			if off := gramDistance(want.Embedding(), auto.Embedding()); !(off <= 1e-5) {
				t.Errorf("mean %v, %v: YYᵀ is off by %.2g", mean, kind, off)
			}
			took := map[bool]coles.Precision{true: coles.Float32, false: coles.Float64}[mean == 0]
			testkit.WantSame(t, fmt.Sprint("precision at a mean of ", mean), auto.Report().Precision, took)
		}
	}
}

// Rows that differ by rounding in float32 cannot show in it whether neighbours predict them better.
func TestAlignmentOfNearlyEqualRows(t *testing.T) {
	g, x := testkit.Topics(5, 200, 60, 0.9)
	x.Apply(func(_, _ int, v float64) float64 { return 1 + 1e-9*v }, x)
	opts := coles.DefaultSettings()
	opts.Preparation, opts.Precision = asIs, coles.Float32
	testkit.WantError(t, testkit.Err(opts.Alignment(ctx, g, x)), coles.ErrPrecision)
	opts.Precision = coles.Float64
	if a := testkit.Must(opts.Alignment(ctx, g, x)); !a.Known {
		t.Errorf("in float64: %+v", a)
	}
}

// A Dense32 is a view of its numbers, widened.
func TestDense32ViewsItsData(t *testing.T) {
	data := []float32{1, 0.1, -3, 9, 4, 5, 6, 9}
	m := &coles.Dense32{Rows: 2, Cols: 3, Stride: 4, Data: data} // 0.1 is rounded
	want := mat.NewDense(2, 3, []float64{1, float64(float32(0.1)), -3, 4, 5, 6})
	if !mat.Equal(m, want) || !mat.Equal(m.T(), want.T()) {
		t.Errorf("%v", mat.Formatted(m))
	}
	if m.RawMatrix().Data[0] = 8; m.At(0, 0) != 8 || data[0] != 8 {
		t.Errorf("no view: %v", mat.Formatted(m))
	}
	testkit.WantClose(t, "prepared with a stride", prepared(m, coles.PrepareNone), testkit.DenseOf(m), 0)
}
