package coles_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/eval"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/race"
	"coles/internal/testkit"
	"coles/rivals"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var (
	precisions = []coles.Precision{coles.Float64, coles.Float32}
	solvers    = []coles.Solver{coles.SolverDirect, coles.SolverKrylov}
	kinds      = []coles.ModelKind{coles.GraphModel, coles.FeatureModel}
)

// In float32 a number is rounded by 6e-8 of itself. The eigenvalues and the residuals of P,
// measured in float64, may show some of these errors one after the other, and those of FX where ΔW
// takes most of it out: for the direct solver these were 1e-5 of λ₁ here, for the other 2e-7.
func TestFloat32FindsTheEigenpairsOfFloat64(t *testing.T) {
	skipUnderRace(t)
	// Edges that know nothing of the words of their nodes: what ΔW leaves of FX is small, and
	// rounding errors stand out.
	g := sparseGraph(48, 3000, 15_000)
	x, _ := testkit.RandomWords(testkit.Random(49), 3000, 700)
	fx := testkit.Must(coles.DefaultSettings().Filter.Apply(ctx, coles.Normalize(g), prepared(x, coles.PrepareAuto)))
	contrasted := testkit.Must(contrast(g, coles.ExpectedDegreeNegatives()).Apply(ctx, fx))
	for solver, bound := range map[coles.Solver]float64{coles.SolverDirect: 2e-5, coles.SolverKrylov: 1e-6} {
		t.Run(solver.String(), func(t *testing.T) {
			m := fitted(g, x, coles.WithDim(64), coles.WithSolver(solver), coles.WithPrecision(coles.Float32), coles.WithModel(coles.GraphModel))
			p, lambda := m.P(), m.Lambda()
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

func TestPrecisionChangesEmbeddingsByRoundingOnly(t *testing.T) {
	g := sparseGraph(3, 2000, 8000)
	x, _ := testkit.RandomWords(testkit.Random(3), 2000, 500)
	for _, kind := range kinds {
		for _, solver := range solvers {
			var gram [2]*mat.Dense
			for i, precision := range precisions {
				y := fitted(g, x, coles.WithModel(kind), coles.WithDim(32), coles.WithSolver(solver), coles.WithPrecision(precision)).Embedding()
				gram[i] = testkit.Product(y, y.T())
			}
			gram[1].Sub(gram[1], gram[0])
			// A rotation of nearly equal eigenvectors leaves YYᵀ as it is but for the difference of
			// their weights.
			if off := mat.Norm(gram[1], 2) / mat.Norm(gram[0], 2); off > 1e-4 {
				t.Errorf("%v, %v: YYᵀ differs by %.2g", kind, solver, off)
			}
		}
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
		g, x := testkit.Must(coles.NewGraph(c.n, testkit.Ring(c.n, 1))), testkit.RandomDense(testkit.Random(7), c.n, c.n)
		m := fitted(g, x, coles.WithDim(2), coles.WithFilter(coles.SGC(1)), coles.WithPreparation(c.how))
		if got := m.Report().Precision; got != c.want || m.Settings().Precision != c.want {
			t.Errorf("%d², %v: %v by the report, %v by the settings, want %v", c.n, c.how, got, m.Settings().Precision, c.want)
		}
	}
}

// Features in float32 are read where they lie or widened, which is exact: the embedding has the
// bytes of that of the same numbers in float64.
func TestDense32GivesTheBytesOfDense(t *testing.T) {
	g, _, dense := small(41)
	single := testkit.SingleOf(dense)
	wide := testkit.DenseOf(single)
	for _, how := range []coles.Preparation{coles.PrepareNone, coles.PrepareRowL2, coles.PrepareStandardize, coles.PrepareAuto} {
		for _, precision := range precisions {
			opts := []coles.Option{coles.WithPrecision(precision), coles.WithPreparation(how), coles.WithDim(8)}
			testkit.WantSame(t, fmt.Sprint(how, ", ", precision), testkit.Bits(fitted(g, single, opts...).Embedding()), testkit.Bits(fitted(g, wide, opts...).Embedding()))
		}
	}
}

func TestFloat32RefusesWhatItCannotMultiply(t *testing.T) {
	g, _, dense := small(42)
	none, single := coles.WithPreparation(coles.PrepareNone), coles.WithPrecision(coles.Float32)
	for _, factor := range []float64{1e-300, 1e-17, 1e17, 1e300} {
		x := mat.DenseCopyOf(dense)
		x.Scale(factor, x)
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, x, none, single)), coles.ErrPrecision)
		if factor < 1e100 && factor > 1e-100 { // squares of others are no numbers of float64
			fitted(g, x, none)
		}
		// Preparations that bring the numbers near 1 make them fit.
		fitted(g, x, coles.WithPreparation(coles.PrepareStandardize), single)
	}
	for _, f := range []coles.Filter{coles.Heat(8, 100), coles.Polynomial(1e-25, 1e-25), coles.Polynomial(1e25)} {
		testkit.WantError(t, testkit.Err(coles.Fit(ctx, g, dense, coles.WithModel(coles.GraphModel), coles.WithFilter(f), single)), coles.ErrPrecision)
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
	testkit.WantSame(t, "precision of few edges", fitted(few, words, coles.WithModel(coles.GraphModel)).Report().Precision, coles.Float64)

	// One edge whose ends smoothing makes equal: M is zero, and what float32 leaves of it rounding.
	const n = 1449 // 2²¹ numbers
	g, x := graphOf(n, 0, 1), testkit.RandomDense(testkit.Random(7), n, n)
	opts := []coles.Option{coles.WithDim(2), coles.WithFilter(coles.SGC(1)), coles.WithModel(coles.GraphModel)}
	testkit.WantSame(t, "precision of one edge", fitted(g, x, opts...).Report().Precision, coles.Float64)
	_, err := coles.Fit(ctx, g, x, append(opts, coles.WithPrecision(coles.Float32))...)
	testkit.WantError(t, err, coles.ErrPrecision)
}

// Wide dense features are filtered in the place of the prepared ones, where they are not needed
// again. Without preparation these are the caller's own.
func TestFilteringInPlaceLeavesFeaturesAlone(t *testing.T) {
	const n, d = 100, 1200 // more columns than a strip has in either precision
	g, wide := sparseGraph(51, n, 3*n), testkit.RandomDense(testkit.Random(52), n, d)
	for _, x := range []mat.Matrix{wide, testkit.SingleOf(wide)} {
		before := mat.DenseCopyOf(x)
		for how, dim := range map[coles.Preparation]int{coles.PrepareNone: 400, coles.PrepareRowL2: 400, coles.PrepareStandardize: 100} {
			for _, precision := range precisions {
				m := fitted(g, x, coles.WithPrecision(precision), coles.WithPreparation(how), coles.WithDim(dim), coles.WithSolver(coles.SolverDirect))
				if !mat.Equal(testkit.Must(m.Embed(ctx, g, x)), m.Embedding()) || !mat.Equal(before, x) {
					t.Errorf("%T, %v, %v: Embed gives another embedding than Fit, or the features were written to", x, precision, how)
				}
			}
		}
	}
}

// Large enough that every stage is split into several tasks: the same bytes on any number of
// processors.
func TestFitIsTheSameOnAnyNumberOfProcessors(t *testing.T) {
	n, d := 3000, 400
	if race.Enabled {
		n, d = 1500, 150
	}
	g := sparseGraph(72, n, 4*n)
	words, _ := testkit.RandomWords(testkit.Random(73), n, d)
	for _, c := range []struct {
		kind      coles.ModelKind
		precision coles.Precision
		solver    coles.Solver
	}{
		{coles.GraphModel, coles.Float64, coles.SolverDirect}, {coles.GraphModel, coles.Float64, coles.SolverKrylov},
		{coles.GraphModel, coles.Float32, coles.SolverDirect}, {coles.GraphModel, coles.Float32, coles.SolverKrylov},
		{coles.FeatureModel, coles.Float64, coles.SolverDirect}, {coles.FeatureModel, coles.Float32, coles.SolverKrylov},
	} {
		var first []uint64
		testkit.ForProcessors(t, func(procs int) {
			m := fitted(g, words, coles.WithModel(c.kind), coles.WithSolver(c.solver), coles.WithDim(20), coles.WithContrast(coles.UniformNegatives(5), 1, 1), coles.WithPrecision(c.precision))
			got := testkit.Bits(m.Embedding())
			if first == nil {
				first = got
			}
			if !slices.Equal(got, first) {
				t.Errorf("%v: another embedding with %d processors", c, procs)
			}
		})
	}
}

// fittedAnywhere are fits whose M has many null eigenvalues (fewer nodes than features, nodes
// without edges) or is null: bases of these eigenspaces are rounding's choice.
func fittedAnywhere() map[string]*mat.Dense {
	fits := make(map[string]*mat.Dense)
	for name, c := range map[string]struct {
		n, m, d int
		single  bool // null eigenvalues are rounding in float32
		opts    []coles.Option
	}{
		"more features than nodes": {40, 80, 64, false, nil},
		"few edges":                {60, 25, 100, false, nil},
		"without negatives":        {8, 12, 25, false, []coles.Option{coles.WithContrast(noNegatives, 0, 0)}},
		"all eigenvectors":         {100, 60, 80, false, []coles.Option{coles.WithDim(80)}},
		"without a null space":     {300, 900, 40, true, []coles.Option{coles.WithDim(20)}},
	} {
		g, x := sparseGraph(uint64(c.n), c.n, c.m), testkit.RandomDense(testkit.Random(uint64(c.d)), c.n, c.d)
		c.opts = append(c.opts, coles.WithModel(coles.GraphModel))
		fits[name+", float64"] = fitted(g, x, append(c.opts, coles.WithPrecision(coles.Float64))...).Embedding()
		if c.single {
			fits[name+", float32"] = fitted(g, x, append(c.opts, coles.WithPrecision(coles.Float32))...).Embedding()
		}
	}
	for _, s := range solvers { // M is zero: its eigenvectors are determined where they are all
		fits["complete, "+s.String()] = fitted(completeGraph(30), testkit.RandomDense(testkit.Random(30), 30, 25),
			coles.WithFilter(coles.SGC(2)), coles.WithPreparation(coles.PrepareNone), coles.WithSolver(s), coles.WithDegreeShare(0)).Embedding()
	}
	return fits
}

// YYᵀ is the same to rounding with any vector instructions. They are chosen when a program starts:
// the test runs itself once for each.
func TestEmbeddingIsTheSameOnEveryKernel(t *testing.T) {
	const file = "COLES_TEST_FITS"
	if path := os.Getenv(file); path != "" {
		grams := make(map[string][]float64)
		for name, y := range fittedAnywhere() {
			grams[name] = testkit.Product(y, y.T()).RawMatrix().Data
		}
		if err := os.WriteFile(path, testkit.Must(json.Marshal(grams)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var first map[string][]float64
	for _, kernels := range kernel.Paths() {
		path := filepath.Join(t.TempDir(), kernels)
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "COLES_KERNEL="+kernels, file+"="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", kernels, err, out)
		}
		var fits map[string][]float64
		if err := json.Unmarshal(testkit.Must(os.ReadFile(path)), &fits); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = fits
			continue
		}
		for name, gram := range fits {
			tolerance := 1e-12
			if strings.HasSuffix(name, "float32") {
				tolerance = 1e-5
			}
			if off := floats.Distance(gram, first[name], 2) / floats.Norm(first[name], 2); !(off <= tolerance) || math.IsNaN(off) {
				t.Errorf("%s, %s: YYᵀ is off by %.2g", kernels, name, off)
			}
		}
	}
}

// Whatever computes says that COLES_KERNEL names instructions that are not there, and which are.
// They are chosen when a program starts: the test runs itself.
func TestKernelsThatAreNotThere(t *testing.T) {
	if os.Getenv("COLES_KERNEL") != "sse9" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "COLES_KERNEL=sse9")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	g, x := completeGraph(5), testkit.RandomDense(testkit.Random(5), 5, 3)
	_, _, free := coles.Eigenmaps(ctx, contrast(g, coles.ExpectedDegreeNegatives()), 2)
	tape := autodiff.New[float32](ctx)
	began := tape.Err()
	tape.Reset(ctx)
	for name, err := range map[string]error{
		"Fit":                  testkit.Err(coles.Fit(ctx, g, x)),
		"Fit without features": testkit.Err(coles.Fit(ctx, g, nil)),
		"Eigenmaps":            free,
		"a filter":             testkit.Err(coles.SGC(1).Apply(ctx, coles.Normalize(g), x)),
		"nearest neighbours":   testkit.Err(coles.KNN(ctx, x, 1)),
		"a measurement":        testkit.Err(eval.NewIndex(ctx, x, eval.Cosine)),
		"a network":            testkit.Err(gnn.Train(ctx, g, x)),
		"a tape":               began,
		"a tape used again":    tape.Err(),
		"skip-gram":            testkit.Err(rivals.DeepWalk().Fit(ctx, g, nil)),
	} {
		if !errors.Is(err, coles.ErrSetting) || !strings.HasSuffix(err.Error(), `COLES_KERNEL is "sse9", possible here: `+strings.Join(kernel.Paths(), ", ")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A fit in float32 shows its embedding as it is; one in float64, and a model of a file, have none.
func TestEmbedding32(t *testing.T) {
	g := testkit.RandomGraph(171, 300, 0.03)
	for name, x := range map[string]mat.Matrix{
		"filtered first":     testkit.RandomDense(testkit.Random(172), 300, 40),
		"projected first":    testkit.RandomDense(testkit.Random(172), 300, 70),
		"not over FX":        testkit.RandomDense(testkit.Random(172), 300, 50),
		"sparse, matrixfree": first(testkit.RandomWords(testkit.Random(172), 300, 200)),
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

func first[A, B any](a A, _ B) A { return a }
