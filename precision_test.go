package coles_test

import (
	"math"
	"testing"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var precisions = []coles.Precision{coles.Float64, coles.Float32}

// unrelated is a graph whose edges know nothing of the words of its nodes: what
// ΔW leaves of FX is small, and rounding errors stand out.
func unrelated() (*coles.Graph, mat.Matrix) {
	d := must(dataset.Communities{Nodes: 3000, Degree: 10, Homophily: 1. / 7, DegreeExponent: math.Inf(1), Features: 700}.Generate(ctx))
	return must(coles.FromCSR(d.Adjacency)), d.Features
}

// In float32 a number is rounded by 6e-8 of itself. The eigenvalues and the
// residuals of P, measured in float64, may show some of these errors
// one after the other, and those of FX where ΔW takes most of it out: for the
// direct solver these were 1e-5 of λ₁ here, for the other 2e-7.
func TestFloat32FindsTheEigenpairsOfFloat64(t *testing.T) {
	g, x := unrelated()
	prepared := must(must(coles.FitPreparation(ctx, x, coles.PrepareAuto)).Apply(ctx, x))
	fx := must(coles.DefaultSettings().Filter.Apply(ctx, coles.Normalize(g, coles.SelfLoops), prepared))
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	dfx := must(dw.Apply(ctx, fx))
	for _, c := range []struct {
		solver coles.Solver
		bound  float64
	}{{coles.SolverDirect, 2e-5}, {coles.SolverKrylov, 1e-6}} {
		t.Run(c.solver.String(), func(t *testing.T) {
			m := must(coles.Fit(ctx, g, x, coles.WithDim(64), coles.WithSolver(c.solver), coles.WithPrecision(coles.Float32)))
			p, lambda := m.Projection(), m.Lambda()
			residuals := product(fx.T(), product(dfx, p.T()))
			for j, l := range lambda {
				column := mat.Col(nil, j, residuals)
				floats.AddScaled(column, -l, p.RawRowView(j))
				r := floats.Norm(column, 2) / lambda[0]
				if r > c.bound {
					t.Fatalf("pair %d has a residual of %.2g, want at most %g", j, r, c.bound)
				}
			}
			if got := m.Report().Precision; got != coles.Float32 {
				t.Errorf("reported precision: %v", got)
			}
		})
	}
}

func TestPrecisionChangesEmbeddingsByRoundingOnly(t *testing.T) {
	d := must(dataset.Communities{Nodes: 2000, Features: 500, Seed: 3}.Generate(ctx))
	g := must(coles.FromCSR(d.Adjacency))
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		var yyt [2]*mat.Dense
		for i, precision := range precisions {
			m := must(coles.Fit(ctx, g, d.Features, coles.WithDim(32), coles.WithSolver(solver), coles.WithPrecision(precision)))
			y := m.Embedding()
			yyt[i] = product(y, y.T())
		}
		yyt[1].Sub(yyt[1], yyt[0])
		// A rotation of nearly equal eigenvectors leaves YYᵀ as it is but for
		// the difference of their weights.
		off := mat.Norm(yyt[1], 2) / mat.Norm(yyt[0], 2)
		t.Logf("%v: YYᵀ differs by %.2g", solver, off)
		if off > 1e-4 {
			t.Errorf("%v: YYᵀ differs by %.2g", solver, off)
		}
	}
}

func TestEmbeddingTheTrainingGraphGivesTheSameBytes(t *testing.T) {
	sparse := must(dataset.Communities{Nodes: 600, Features: 300, Seed: 4}.Generate(ctx))
	g := must(coles.FromCSR(sparse.Adjacency))
	for _, c := range []struct {
		name string
		x    mat.Matrix
		dim  int
	}{
		{"sparse", sparse.Features, 64},
		{"dense, filtered first", mat.DenseCopyOf(sparse.Features), 128},
		{"dense, projected first", mat.DenseCopyOf(sparse.Features), 32},
	} {
		for _, precision := range precisions {
			// With truncation fewer columns are left than were asked for.
			m := must(coles.Fit(ctx, g, c.x, coles.WithDim(c.dim), coles.WithPrecision(precision), coles.WithFeatures(coles.PrepareStandardize), coles.WithTruncation()))
			if again := must(m.Embed(ctx, g, c.x)); !mat.Equal(again, m.Embedding()) {
				t.Errorf("%s, %v: Embed gives other bytes than Fit", c.name, precision)
			}
		}
	}
}

func TestPrecisionFollowsTheSize(t *testing.T) {
	// 2²¹ = 1448.2²
	for _, c := range []struct {
		n, d int
		want coles.Precision
	}{{1448, 1448, coles.Float64}, {1449, 1449, coles.Float32}} {
		x := randomDense(random(7), c.n, c.d)
		m := must(coles.Fit(ctx, must(coles.NewGraph(c.n, ringEdges(c.n, 1))), x, coles.WithDim(2), coles.WithFilter(coles.SGC(1))))
		if got := m.Report().Precision; got != c.want || m.Settings().Precision != c.want {
			t.Errorf("%d × %d: %v by the report, %v by the settings, want %v", c.n, c.d, got, m.Settings().Precision, c.want)
		}
	}
}

// Features in float32 are read where they lie or widened, which is exact: the
// embedding has the bytes of that of the same numbers in float64.
func TestDense32GivesTheBytesOfDense(t *testing.T) {
	g, _, dense := small(41)
	n, d := dense.Dims()
	single := must(coles.NewDense32(n, d, nil))
	wide := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			v := float32(dense.At(i, j))
			single.RawMatrix().Data[i*d+j] = v
			wide.Set(i, j, float64(v))
		}
	}
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize, coles.PrepareAuto} {
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithPrecision(precision), coles.WithFeatures(how), coles.WithDim(8)}
			a, b := must(coles.Fit(ctx, g, single, opts...)), must(coles.Fit(ctx, g, wide, opts...))
			if !mat.Equal(a.Embedding(), b.Embedding()) {
				t.Errorf("%v, %v: the embeddings differ", how, precision)
			}
		}
	}
}

func TestFloat32RefusesWhatItCannotMultiply(t *testing.T) {
	g, _, dense := small(42)
	for _, factor := range []float64{1e-300, 1e-17, 1e17, 1e300} {
		x := mat.DenseCopyOf(dense)
		x.Scale(factor, x)
		opts := []coles.Option{coles.WithFeatures(coles.PrepareNone), coles.WithDim(4)}
		_, err := coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)
		wantError(t, err, coles.ErrPrecision)
		if factor < 1e100 && factor > 1e-100 { // squares of others are no numbers of float64
			must(coles.Fit(ctx, g, x, opts...))
		}
		// Preparations that bring the numbers near 1 make them fit.
		must(coles.Fit(ctx, g, x, coles.WithDim(4), coles.WithFeatures(coles.PrepareStandardize), coles.WithPrecision(coles.Float32)))
	}
}

// Wide dense features are filtered in the place of the prepared ones. Without
// preparation these are the caller's own.
func TestFilteringInPlaceLeavesTheInputAlone(t *testing.T) {
	const n, d = 300, 1200 // more than a strip in either precision
	g := randomSparseGraph(51, n, 3*n)
	wide := randomDense(random(52), n, d)
	single := must(coles.NewDense32(n, d, nil))
	for i := range n {
		for j := range d {
			single.RawMatrix().Data[i*d+j] = float32(wide.At(i, j))
		}
	}
	for _, x := range []mat.Matrix{wide, single} {
		before := mat.DenseCopyOf(x)
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithPrecision(precision), coles.WithFeatures(coles.PrepareNone), coles.WithDim(400), coles.WithSolver(coles.SolverDirect)}
			m := must(coles.Fit(ctx, g, x, opts...))
			must(m.Embed(ctx, g, x))
			if !mat.Equal(before, x) {
				t.Fatalf("%T, %v: the features were written to", x, precision)
			}
		}
	}
}

// Where few nodes have edges M is so much smaller than (FX)ᵀ(FX) that iterations on products
// in float32 do not settle: left to choose, Fit goes on in float64.
func TestFitGoesOnInFloat64(t *testing.T) {
	const n, d = 2000, 1200 // above 2²¹ numbers
	var clique []coles.Edge
	for u := range 10 {
		for v := range u {
			clique = append(clique, coles.Edge{U: u, V: v})
		}
	}
	g := must(coles.NewGraph(n, clique))
	words, _ := randomWords(random(61), n, d)
	if got := must(coles.Fit(ctx, g, words)).Report().Precision; got != coles.Float64 {
		t.Errorf("it was in %v", got)
	}
}

// Coefficients that float32 does not have are refused where it is asked for.
func TestFilterOfTinyCoefficients(t *testing.T) {
	g, _, dense := small(62)
	for _, f := range []coles.Filter{coles.Heat(8, 100), coles.Polynomial(1e-25, 1e-25), coles.Polynomial(1e25)} {
		_, err := coles.Fit(ctx, g, dense, coles.WithFilter(f), coles.WithPrecision(coles.Float32))
		wantError(t, err, coles.ErrPrecision)
		must(coles.Fit(ctx, g, dense, coles.WithFilter(f), coles.WithPrecision(coles.Float64)))
	}
}

// One edge whose ends smoothing makes equal: M is zero, and what float32 leaves of it rounding.
func TestFloat32RefusesEigenvaluesOfRounding(t *testing.T) {
	const n = 1449 // 2²¹ numbers
	g, x := must(coles.NewGraph(n, edges(0, 1))), randomDense(random(7), n, n)
	opts := []coles.Option{coles.WithDim(2), coles.WithFilter(coles.SGC(1))}
	if m := must(coles.Fit(ctx, g, x, opts...)); m.Report().Precision != coles.Float64 {
		t.Errorf("left to itself Fit takes %v", m.Report().Precision)
	}
	_, err := coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)
	wantError(t, err, coles.ErrPrecision)
}
