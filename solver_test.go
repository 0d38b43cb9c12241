package coles_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A problem is one instance of linear COLES with M made densely, by gonum and
// from the definition, independent of the library's products.
type problem struct {
	x  *mat.Dense
	fx *mat.Dense
	w  *coles.SymCSR
	f  coles.Filter
	dw *coles.DeltaW
	m  *mat.SymDense
}

func newProblem(g *coles.Graph, x *mat.Dense, s coles.NegativeSampler, kappa int, shift float64) problem {
	var drawn []coles.Negative
	p := problem{x: x, w: coles.Normalize(g, coles.SelfLoops), f: coles.S2GCSum(4)}
	opts := []coles.Option{coles.WithKappa(kappa), coles.WithEta(0.9)}
	p.dw = must(coles.Contrast(ctx, g, recorded(s, &drawn), opts...)).Shift(shift)
	n := g.Nodes()
	f := mat.NewDense(n, n, nil)
	power := eye(n)
	for range 5 {
		f.Add(f, power)
		power = product(power, denseOf(p.w))
	}
	f.Scale(1./4, f)
	p.fx = product(f, x)
	m := product(p.fx.T(), contrastDense(g, drawn, 0.9, shift), p.fx)
	d, _ := m.Dims()
	p.m = mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			p.m.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return p
}

// eigen is the oracle: gonum's EigenSym, eigenvalues turned to descending.
func (p problem) eigen() (values []float64, vectors *mat.Dense) {
	var e mat.EigenSym
	if !e.Factorize(p.m, true) {
		panic("the oracle's eigensolver failed")
	}
	var q mat.Dense
	e.VectorsTo(&q)
	d := p.m.SymmetricDim()
	vectors = mat.NewDense(d, d, nil)
	values = make([]float64, d)
	for i, v := range e.Values(nil) {
		values[d-1-i] = v
		vectors.SetRow(d-1-i, mat.Col(nil, i, &q))
	}
	return values, vectors
}

// check holds a solution against the problem: residual, orthogonality, values,
// signs. The tolerances are those the package states.
func (p problem) check(t *testing.T, got *coles.Projection, dim int, residual float64) {
	t.Helper()
	r, c := got.P.Dims()
	if r != dim || c != p.m.SymmetricDim() || len(got.Lambda) != dim {
		t.Fatalf("P is %d × %d with %d eigenvalues, want %d × %d", r, c, len(got.Lambda), dim, p.m.SymmetricDim())
	}
	values, _ := p.eigen()
	norm := max(math.Abs(values[0]), math.Abs(values[len(values)-1]))
	var left, scaled, off mat.Dense
	left.Mul(p.m, got.P.T())
	scaled.Mul(got.P.T(), mat.NewDiagDense(dim, got.Lambda))
	off.Sub(&left, &scaled)
	for j := range dim {
		if res := mat.Norm(off.ColView(j), 2); res > residual*norm {
			t.Errorf("pair %d of %d: ‖Mp − λp‖ = %.2g·‖M‖, allowed %.2g", j, dim, res/norm, residual)
		}
		if diff := math.Abs(got.Lambda[j] - values[j]); diff > residual*norm {
			t.Errorf("λ_%d = %v, the oracle has %v: off by %.2g·‖M‖", j, got.Lambda[j], values[j], diff/norm)
		}
		if j > 0 && got.Lambda[j] > got.Lambda[j-1] {
			t.Errorf("λ_%d > λ_%d", j, j-1)
		}
		if v := leadingEntry(got.P.RawRowView(j)); v < 0 {
			t.Errorf("the largest entry of row %d is %v", j, v)
		}
	}
	if d := maxDiff(product(got.P, got.P.T()), eye(dim)); !(d < 1e-13) {
		t.Errorf("max|PPᵀ − I| = %g", d)
	}
}

// sine is that of the largest principal angle between the row spaces of two
// matrices with orthonormal rows: ‖(I − QᵀQ)Pᵀ‖.
func sine(p, q *mat.Dense) float64 {
	var inside, rest mat.Dense
	inside.Mul(product(p, q.T()), q)
	rest.Sub(p, &inside)
	var svd mat.SVD
	if !svd.Factorize(&rest, mat.SVDNone) {
		return math.NaN()
	}
	return svd.Values(nil)[0]
}

func TestSolversAgreeWithOracle(t *testing.T) {
	for _, c := range []struct {
		n, d int
		s    coles.NegativeSampler
		k    int
		c    float64
	}{
		{120, 40, coles.ExpectedDegreeNegatives(), 1, 0},
		{120, 40, coles.ExpectedUniformNegatives(), 1, 0.3},
		{120, 40, coles.UniformNegatives(3), 2, 0},
		{120, 40, coles.NoNegatives(), 0, 0}, // LPP
		{200, 90, coles.DegreeNegatives(3), 1, 0},
		{30, 70, coles.ExpectedDegreeNegatives(), 1, 0}, // n < d: M has rank 30 at most
		{50, 1, coles.ExpectedDegreeNegatives(), 1, 0},
	} {
		t.Run(fmt.Sprintf("%v, n=%d, d=%d", c.s, c.n, c.d), func(t *testing.T) {
			g := randomGraph(uint64(c.n), c.n, 5/float64(c.n))
			_, x := randomWords(random(uint64(c.d)), c.n, c.d)
			p := newProblem(g, x, c.s, c.k, c.c)
			values, vectors := p.eigen()
			for _, dim := range []int{1, min(7, c.d), c.d} {
				direct := must(coles.Solve(ctx, p.fx, p.dw, dim, coles.WithSolver(coles.SolverDirect)))
				p.check(t, direct, dim, 1e-13)
				krylov := must(coles.Solve(ctx, p.fx, p.dw, dim, coles.WithSolver(coles.SolverKrylov)))
				p.check(t, krylov, dim, 1e-6)
				implicit := must(coles.SolveImplicit(ctx, p.x, p.w, p.f, p.dw, dim))
				p.check(t, implicit, dim, 1e-6)
				thin := must(coles.SolveImplicit(ctx, sparseOf(p.x), p.w, p.f, p.dw, dim))
				p.check(t, thin, dim, 1e-6)
				if direct.Solver != coles.SolverDirect || krylov.Solver != coles.SolverKrylov || implicit.Solver != coles.SolverKrylov {
					t.Errorf("solvers are said to be %v, %v, %v", direct.Solver, krylov.Solver, implicit.Solver)
				}
				if dim == c.d {
					continue
				}
				gap := (values[dim-1] - values[dim]) / values[0]
				if gap <= 1e-6 {
					continue
				}
				top := denseOf(vectors.Slice(0, dim, 0, c.d))
				if s := sine(direct.P, top); !(s <= 1e-8) {
					t.Errorf("direct: the subspace of %d is turned by %g at a gap of %g", dim, s, gap)
				}
				// Davis and Kahan (1970): the sine is at most the residual over the gap.
				for _, iterative := range []*coles.Projection{krylov, implicit, thin} {
					if s := sine(iterative.P, top); !(s <= 1e-6*math.Sqrt(float64(dim))/gap) {
						t.Errorf("iterative: the subspace of %d is turned by %g at a gap of %g", dim, s, gap)
					}
				}
			}
		})
	}
}

func TestRankDeficientFeatures(t *testing.T) {
	const n, d = 80, 24
	g := randomGraph(51, n, 0.08)
	_, plain := randomWords(random(52), n, d)
	repeated, zeros, constant := mat.DenseCopyOf(plain), mat.DenseCopyOf(plain), mat.DenseCopyOf(plain)
	for i := range n {
		for j := range d / 2 {
			repeated.Set(i, d/2+j, repeated.At(i, j))
			zeros.Set(i, 2*j, 0)
		}
		for j := range d {
			constant.Set(i, j, 1)
		}
	}
	for _, c := range []struct {
		name string
		x    *mat.Dense
	}{{"columns twice", repeated}, {"zero columns", zeros}, {"equal columns", constant}, {"nothing", mat.NewDense(n, d, nil)}} {
		t.Run(c.name, func(t *testing.T) {
			p := newProblem(g, c.x, coles.ExpectedDegreeNegatives(), 1, 0)
			for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
				residual := 1e-13
				if solver == coles.SolverKrylov {
					residual = 1e-6
				}
				for _, dim := range []int{3, d} {
					p.check(t, must(coles.Solve(ctx, p.fx, p.dw, dim, coles.WithSolver(solver))), dim, residual)
				}
			}
			p.check(t, must(coles.SolveImplicit(ctx, sparseOf(p.x), p.w, p.f, p.dw, d)), d, 1e-6)
		})
	}
}

func TestTruncationDropsNegativeEigenvalues(t *testing.T) {
	p := newProblem(randomGraph(53, 100, 0.05), randomDense(random(54), 100, 30), coles.UniformNegatives(5), 1, 0)
	values, _ := p.eigen()
	positive := 0
	for _, v := range values {
		if v >= 0 {
			positive++
		}
	}
	if positive == 0 || positive == 30 {
		t.Fatalf("%d of 30 eigenvalues are positive: the case shows nothing", positive)
	}
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		cut := must(coles.Solve(ctx, p.fx, p.dw, 30, coles.WithSolver(solver), coles.WithTruncation()))
		if rows, _ := cut.P.Dims(); rows != positive || len(cut.Lambda) != positive {
			t.Errorf("%v: %d rows and %d eigenvalues kept, %d are not negative", solver, rows, len(cut.Lambda), positive)
		}
	}
	// Nothing is left of a negative definite problem, and that is no error.
	sunk := must(coles.Solve(ctx, p.fx, p.dw.Shift(-10), 5, coles.WithTruncation()))
	if !sunk.P.IsEmpty() || len(sunk.Lambda) != 0 {
		t.Errorf("%d eigenvalues kept of a negative definite matrix", len(sunk.Lambda))
	}
}

func TestSolveRefuses(t *testing.T) {
	g := randomGraph(55, 20, 0.2)
	x := randomDense(random(56), 20, 6)
	w := coles.Normalize(g, coles.SelfLoops)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	nan, huge := mat.DenseCopyOf(x), mat.NewDense(20, 6, nil)
	nan.Set(3, 2, math.NaN())
	huge.Scale(1e200, x)
	for _, c := range []struct {
		name string
		x    mat.Matrix
		dim  int
		want error
	}{
		{"d′ = d + 1", x, 7, coles.ErrDim},
		{"d′ = 0", x, 0, coles.ErrDim},
		{"d′ = -1", x, -1, coles.ErrDim},
		{"d′ huge", x, math.MaxInt, coles.ErrDim},
		{"NaN", nan, 2, coles.ErrNotFinite},
		{"M overflows", huge, 2, coles.ErrNotFinite},
		{"other rows", mat.NewDense(19, 6, nil), 2, coles.ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
				_, err := coles.Solve(ctx, c.x, dw, c.dim, coles.WithSolver(solver))
				wantError(t, err, c.want)
			}
			_, err := coles.SolveImplicit(ctx, c.x, w, coles.SGC(1), dw, c.dim)
			wantError(t, err, c.want)
		})
	}
	_, err := coles.SolveImplicit(ctx, x, coles.Normalize(randomGraph(1, 19, 0.2), coles.SelfLoops), coles.SGC(1), dw, 2)
	wantError(t, err, coles.ErrShape)
	_, err = coles.Solve(ctx, x, dw, 2, coles.WithSolver(coles.Solver(9)))
	wantError(t, err, coles.ErrSetting)
}

func TestSolveLeavesItsInputAlone(t *testing.T) {
	p := newProblem(randomGraph(57, 60, 0.1), randomDense(random(58), 60, 12), coles.UniformNegatives(2), 1, 0)
	before, contrast := bits(p.fx), bits(must(p.dw.Apply(ctx, eye(60))))
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		must(coles.Solve(ctx, p.fx, p.dw, 5, coles.WithSolver(solver)))
	}
	wantSame(t, "FX", bits(p.fx), before)
	wantSame(t, "ΔW", bits(must(p.dw.Apply(ctx, eye(60)))), contrast)
}

func TestSolversStopPromptly(t *testing.T) {
	const n, d = 4000, 1600
	g := randomSparseGraph(59, n, 4*n)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	x := randomDense(random(60), n, d)
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		t.Run(solver.String(), func(t *testing.T) {
			wantPromptCancel(t, func(ctx context.Context) error {
				_, err := coles.Solve(ctx, x, dw, 400, coles.WithSolver(solver))
				return err
			})
		})
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err := coles.Solve(done, x, dw, 4)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v for a context that was over", err)
	}
}

func TestSolverIsChosenBySizeAndForm(t *testing.T) {
	g := randomGraph(31, 40, 0.2)
	words := func(d int) *sparse.CSR { // each node has three of d words
		coo := sparse.NewCOO(40, d, nil, nil, nil)
		for i := range 40 {
			for q := range 3 {
				coo.Set(i, (i*17+q*q*29)%d, 1)
			}
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
		{"dense", randomDense(random(32), 40, 160), 20, coles.SolverDirect},
		{"more than 2,000 features", words(2001), 1000, coles.SolverKrylov},
	} {
		m := must(coles.Fit(ctx, g, c.x, coles.WithDim(c.dim)))
		if got := m.Report().Solver; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := must(coles.Estimate(g, c.x, coles.WithDim(c.dim))).Solver; got != c.want {
			t.Errorf("%s: the estimate is for %v, want %v", c.name, got, c.want)
		}
	}
}
