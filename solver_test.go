package coles_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A problem is one instance of linear COLES with M made densely, by gonum and from the definition,
// independent of the library's products.
type problem struct {
	x, fx, m *mat.Dense
	w        *coles.SymCSR
	f        coles.Filter
	dw       *coles.DeltaW

	values  []float64 // of M, descending, by the oracle
	vectors *mat.Dense
}

func newProblem(g *coles.Graph, x *mat.Dense, s coles.NegativeSampler, kappa int) problem {
	contrast := newContrastOracle(g, s, kappa, 0.9)
	p := problem{x: x, w: coles.Normalize(g), f: coles.S2GCSum(4), dw: contrast.dw}
	p.fx = testkit.Product(testkit.Powers(p.w, 4, func(int) float64 { return 1. / 4 }), x)
	p.m = testkit.Product(p.fx.T(), contrast.dense, p.fx)
	p.values, p.vectors = oracle(p.m)
	return p
}

// A solution comes with the residual that the package states for its solver.
type solution struct {
	*coles.Projection
	residual float64
}

func (p problem) solutions(dim int) map[string]solution {
	return map[string]solution{
		"direct":         {testkit.Must(coles.Solve(ctx, p.fx, p.dw, dim)), 1e-13},
		"krylov, on FX":  {testkit.Must(coles.SolveImplicit(ctx, p.fx, p.w, coles.SGC(0), p.dw, dim)), 1e-6},
		"krylov":         {testkit.Must(coles.SolveImplicit(ctx, p.x, p.w, p.f, p.dw, dim)), 1e-6},
		"krylov, sparse": {testkit.Must(coles.SolveImplicit(ctx, testkit.SparseOf(p.x), p.w, p.f, p.dw, dim)), 1e-6},
	}
}

// check holds a solution against the problem: residual, orthogonality, values, signs.
func (p problem) check(t *testing.T, got *coles.Projection, dim int, residual float64) {
	t.Helper()
	d := len(p.values)
	if r, c := got.P.Dims(); r != dim || c != d || len(got.Lambda) != dim {
		t.Fatalf("P is %d × %d with %d eigenvalues, want %d × %d", r, c, len(got.Lambda), dim, d)
	}
	norm := max(math.Abs(p.values[0]), math.Abs(p.values[d-1]))
	var scaled, off mat.Dense
	scaled.Mul(got.P.T(), mat.NewDiagDense(dim, got.Lambda))
	off.Sub(testkit.Product(p.m, got.P.T()), &scaled)
	for j := range dim {
		if res := mat.Norm(off.ColView(j), 2); !(res <= residual*norm) {
			t.Errorf("pair %d of %d: ‖Mp − λp‖ = %.2g·‖M‖, allowed %.2g", j, dim, res/norm, residual)
		}
		if diff := math.Abs(got.Lambda[j] - p.values[j]); diff > residual*norm {
			t.Errorf("λ_%d = %v, the oracle has %v: off by %.2g·‖M‖", j, got.Lambda[j], p.values[j], diff/norm)
		}
		if j > 0 && got.Lambda[j] > got.Lambda[j-1] {
			t.Errorf("λ_%d > λ_%d", j, j-1)
		}
		if v := leadingEntry(got.P.RawRowView(j)); v < 0 {
			t.Errorf("the largest entry of row %d is %v", j, v)
		}
	}
	if diff := testkit.MaxDiff(testkit.Product(got.P, got.P.T()), testkit.Eye(dim)); !(diff < 1e-13) {
		t.Errorf("max|PPᵀ − I| = %g", diff)
	}
}

// sine is the sine of the largest principal angle between the row spaces of two matrices with
// orthonormal rows: ‖(I − QᵀQ)Pᵀ‖.
func sine(p, q mat.Matrix) float64 {
	var rest mat.Dense
	rest.Sub(p, testkit.Product(p, q.T(), q))
	var svd mat.SVD
	if !svd.Factorize(&rest, mat.SVDNone) {
		return math.NaN()
	}
	return svd.Values(nil)[0]
}

func TestSolversAgreeWithOracle(t *testing.T) {
	problems := make(map[string]problem)
	for _, c := range []struct {
		n, d  int
		s     coles.NegativeSampler
		kappa int
	}{
		{120, 40, coles.ExpectedDegreeNegatives(), 1},
		{120, 40, coles.ExpectedUniformNegatives(), 1},
		{120, 40, coles.UniformNegatives(3), 2},
		{120, 40, noNegatives, 0}, // LPP
		{200, 90, coles.DegreeNegatives(3), 1},
		{30, 70, coles.ExpectedDegreeNegatives(), 1}, // n < d: M has rank 30 at most
		{50, 1, coles.ExpectedDegreeNegatives(), 1},
	} {
		_, x := testkit.RandomWords(testkit.Random(uint64(c.d)), c.n, c.d)
		g := testkit.RandomGraph(uint64(c.n), c.n, 5/float64(c.n))
		problems[fmt.Sprintf("%v, n=%d, d=%d", c.s, c.n, c.d)] = newProblem(g, x, c.s, c.kappa)
	}
	// Features of lower rank.
	_, plain := testkit.RandomWords(testkit.Random(52), 80, 24)
	for name, f := range map[string]func(i, j int) float64{
		"columns twice": func(i, j int) float64 { return plain.At(i, j%12) },
		"zero columns":  func(i, j int) float64 { return plain.At(i, j) * float64(j%2) },
		"equal columns": func(int, int) float64 { return 1 },
		"nothing":       func(int, int) float64 { return 0 },
	} {
		x := mat.NewDense(80, 24, nil)
		x.Apply(func(i, j int, _ float64) float64 { return f(i, j) }, x)
		problems[name] = newProblem(testkit.RandomGraph(51, 80, 0.08), x, coles.ExpectedDegreeNegatives(), 1)
	}
	for name, p := range problems {
		d := len(p.values)
		for _, dim := range []int{1, min(7, d), d} {
			for solver, got := range p.solutions(dim) {
				t.Run(fmt.Sprintf("%s, d′=%d, %s", name, dim, solver), func(t *testing.T) {
					p.check(t, got.Projection, dim, got.residual)
					if !strings.HasPrefix(solver, got.Solver.String()) {
						t.Errorf("the solver is said to be %v", got.Solver)
					}
					if dim == d {
						return
					}
					gap := (p.values[dim-1] - p.values[dim]) / p.values[0]
					allowed := 1e-8
					if got.Solver == coles.SolverKrylov { // Davis and Kahan (1970): the sine is at most the residual over the gap
						allowed = 1e-6 * math.Sqrt(float64(dim)) / gap
					}
					if s := sine(got.P, p.vectors.Slice(0, dim, 0, d)); gap > 1e-6 && !(s <= allowed) {
						t.Errorf("the subspace of %d is turned by %g at a gap of %g", dim, s, gap)
					}
				})
			}
		}
	}
}

// With more than 2,000 features Solve does not form M.
func TestSolveOfManyFeatures(t *testing.T) {
	const n, d, dim = 50, 2001, 4
	g, fx := testkit.RandomGraph(59, n, 0.1), testkit.RandomDense(testkit.Random(60), n, d)
	dw := contrast(g, coles.ExpectedDegreeNegatives())
	p := testkit.Must(coles.Solve(ctx, fx, dw, dim))
	testkit.WantSame(t, "solver", p.Solver, coles.SolverKrylov)
	// The nonzero eigenvalues of XᵀΔWX are the eigenvalues of ΔWXXᵀ.
	gram := testkit.Product(testkit.Must(dw.Apply(ctx, testkit.Eye(n))), fx, fx.T())
	var e mat.Eigen
	if !e.Factorize(gram, mat.EigenNone) {
		t.Fatal("the oracle's eigensolver failed")
	}
	var want []float64
	for _, v := range e.Values(nil) {
		want = append(want, real(v))
	}
	slices.Sort(want)
	for j, l := range p.Lambda {
		testkit.WantNear(t, fmt.Sprint("λ_", j), l, want[n-1-j], 1e-6)
	}
}

func TestTruncationDropsNegativeEigenvalues(t *testing.T) {
	p := newProblem(testkit.RandomGraph(53, 100, 0.05), testkit.RandomDense(testkit.Random(54), 100, 30), coles.UniformNegatives(5), 1)
	positive := slices.IndexFunc(p.values, func(v float64) bool { return v < 0 })
	if positive <= 0 {
		t.Fatalf("%d of 30 eigenvalues are positive: the case shows nothing", positive)
	}
	for solver, got := range p.solutions(30) {
		cut := got.Truncate()
		testkit.WantClose(t, solver, cut.P, got.P.Slice(0, positive, 0, 30), 0)
		testkit.WantSame(t, solver, cut.Lambda, got.Lambda[:positive])
	}
	// Nothing is left of a negative definite problem, and that is no error. W⁺ of a complete graph
	// is −1/(n−1) outside the vector of ones, which centred columns have nothing of.
	sunk := testkit.Must(coles.Solve(ctx, testkit.Centred(p.fx), contrast(completeGraph(100), noNegatives), 5)).Truncate()
	if !sunk.P.IsEmpty() || len(sunk.Lambda) != 0 {
		t.Errorf("%d eigenvalues kept of a negative definite matrix", len(sunk.Lambda))
	}
}

// Truncation leaves columns of negative eigenvalues out, with features and without. Features (1, −1) on one edge have M = −2,
// and W⁺ of a complete graph has one eigenvalue that is positive, 1, which the negatives take out of ΔW.
func TestTruncation(t *testing.T) {
	asTheyAre := []coles.Option{coles.With(func(s *coles.Settings) { s.Filter, s.Preparation = coles.SGC(0), coles.PrepareNone })}
	for name, c := range map[string]struct {
		g    *coles.Graph
		x    mat.Matrix
		opts []coles.Option
		some bool // are positive
	}{
		"no features":              {testkit.RandomGraph(65, 12, 0.4), nil, []coles.Option{coles.With(func(s *coles.Settings) { s.Dim, s.Filter = 11, coles.SGC(0) })}, true},
		"nothing left of features": {graphOf(2, 0, 1), mat.NewDense(2, 1, []float64{1, -1}), asTheyAre, false},
		"nothing left of a graph":  {completeGraph(5), nil, asTheyAre, false},
	} {
		t.Run(name, func(t *testing.T) {
			all, m := fitted(c.g, c.x, c.opts...), fitted(c.g, c.x, append(c.opts, coles.With(func(s *coles.Settings) { s.Truncate = true }))...)
			positive := slices.IndexFunc(all.Parts()[0].Lambda, func(l float64) bool { return l < 1e-12 }) // 0 but for rounding
			if c.some != (positive > 0) || positive < 0 {
				t.Fatalf("eigenvalues %v: the case shows nothing", all.Parts()[0].Lambda)
			}
			if !slices.Equal(m.Parts()[0].Lambda, all.Parts()[0].Lambda[:positive]) {
				t.Errorf("eigenvalues %v are left of %v", m.Parts()[0].Lambda, all.Parts()[0].Lambda)
			}
			testkit.WantSame(t, "columns of the report", m.Report().Dim, positive)
			_, columns := m.Embedding().Dims()
			testkit.WantSame(t, "columns", columns, positive)
			for _, again := range []*coles.Model{m, read(m)} {
				testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(again.Embed(ctx, c.g, c.x))), testkit.Bits(m.Embedding()))
			}
		})
	}
}

func TestSolverIsChosenBySizeAndForm(t *testing.T) {
	g := testkit.RandomGraph(31, 40, 0.2)
	words := func(d int) *sparse.CSR { // each node has four of d words, and each word a node
		coo := sparse.NewCOO(40, d, nil, nil, nil)
		for j := range d {
			coo.Set(j%40, j, 1)
		}
		return coo.ToCSR()
	}
	for _, c := range []struct {
		name string
		x    mat.Matrix
		dim  int
		want coles.Solver
	}{
		{"sparse, few columns of many features", words(160), 20, coles.SolverKrylov},
		{"sparse, a large part of the features", words(159), 20, coles.SolverDirect},
		{"dense", testkit.RandomDense(testkit.Random(32), 40, 160), 20, coles.SolverDirect},
		{"more than 2,000 features", testkit.RandomDense(testkit.Random(32), 40, 2001), 2, coles.SolverKrylov},
	} {
		r := fitted(g, c.x, coles.WithDim(c.dim)).Report()
		if r.Solver != c.want || r.Memory.Solver != c.want {
			t.Errorf("%s: by %v, the memory is counted for %v, want %v", c.name, r.Solver, r.Memory.Solver, c.want)
		}
	}
}

// The spectrum of a long path is crowded at its top (gaps of π²/2n², 5e-7 here): an iteration that
// gives up reports it, and how far it came.
func TestIterationThatGivesUp(t *testing.T) {
	skipUnderRace(t)
	const n = 3000
	g, identity := pathGraph(n), graphOf(n).Positive().Laplacian().ToCSR()
	_, err := coles.SolveImplicit(ctx, identity, coles.Normalize(g), coles.SGC(0), contrast(g, noNegatives), 1)
	var stopped *coles.ConvergenceError
	if !errors.As(err, &stopped) {
		t.Fatalf("error %v, want a ConvergenceError", err)
	}
	if stopped.Wanted != 1 || stopped.Converged != 0 || stopped.Partial != nil || !(stopped.Residual > 1e-7 && stopped.Residual < 1) {
		t.Errorf("%+v", stopped)
	}
	if !strings.Contains(err.Error(), "0 of 1") {
		t.Errorf("%q does not say how far it came", err)
	}
}

// The fixture's M: η′ = 0.9, one negative graph, binary X, the authors' filter.
func TestEigenvaluesEqualFixture(t *testing.T) {
	testkit.Long(t)
	f := openFixture(t)
	d, g := openGraph(t, "cora")
	w := coles.Normalize(g)
	fx := testkit.Must(coles.S2GCSum(8).Apply(ctx, w, d.Features))
	dw := testkit.Must(coles.Contrast(ctx, g, f.negatives(), 1, 0.9, 1))
	p := testkit.Must(coles.Solve(ctx, fx, dw, 1433))
	all, top := f.column("M_eig_all"), f.column("M_top20_eta0.9_s5_seed0")
	if all[0] < all[len(all)-1] {
		slices.Reverse(all)
	}
	wantValues := func(what string, got, want []float64) {
		t.Helper()
		for i, l := range want {
			if diff := math.Abs(got[i] - l); diff > 1e-9*want[0] {
				t.Errorf("%s: eigenvalue %d is %v, fixture has %v", what, i, got[i], l)
			}
		}
	}
	wantValues("all", p.Lambda, all)
	// The oracle's trace of M, printed to two decimals.
	if trace := floats.Sum(p.Lambda); math.Abs(trace-7918.99) > 0.005 {
		t.Errorf("the eigenvalues add up to %v, the oracle's trace is 7918.99", trace)
	}
	rows := f.array("P_top20_signfixed")
	for i := range 20 {
		// Eigenvectors are compared as directions: where the gap is small an entry may turn by the
		// rounding of M over the gap.
		dot := mat.Dot(p.P.RowView(i), rows.RowView(i))
		gap := all[i] - all[i+1]
		if i > 0 {
			gap = math.Min(gap, all[i-1]-all[i])
		}
		var rest mat.VecDense
		rest.AddScaledVec(p.P.RowView(i), -dot, rows.RowView(i))
		if sine := mat.Norm(&rest, 2); sine > 1e-8 && gap > 1e-6*top[0] {
			t.Errorf("row %d of P is turned by %g (gap %g)", i, sine, gap)
		}
		if dot < 0 {
			t.Errorf("row %d of P has the other sign", i)
		}
	}
	wantValues("20, direct", testkit.Must(coles.Solve(ctx, fx, dw, 20)).Lambda, top)
	wantValues("20, krylov", testkit.Must(coles.SolveImplicit(ctx, fx, w, coles.SGC(0), dw, 20)).Lambda, top)
	lpp := testkit.Must(coles.Solve(ctx, fx, contrast(g, noNegatives), 20))
	wantValues("κ = 0", lpp.Lambda, f.column("MP_top20_kappa0"))
}
