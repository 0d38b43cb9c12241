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
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/internal/kernel"
	"coles/internal/testkit"
	"coles/near"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Large enough that every stage is split into several tasks: the same bytes on any number of
// processors, of fits, of q, and of negatives, which have one stream for every node.
func TestTheSameOnAnyNumberOfProcessors(t *testing.T) {
	n, d := testkit.Few(1500, 3000), 150
	g, many := sparseGraph(72, n, 4*n), sparseGraph(33, 10_000, 30_000)
	words, dense := testkit.RandomWords(testkit.Random(73), n, d)
	results := make(map[string]func() ([]int, []uint64)) // indices and numbers
	for _, precision := range precisions {
		for _, kind := range kinds {
			for _, solver := range solvers {
				opts := []coles.Option{coles.With(func(s *coles.Settings) {
					s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(5), 1, 1
					if s.Kind = kind; kind == coles.UseFeatures {
						*s = s.WithoutGraph()
					}
					s.Solver = solver
					s.Precision = precision
					s.Dim = 20
				})}
				results[fmt.Sprint(kind, solver, precision)] = func() ([]int, []uint64) { return nil, testkit.Bits(fitted(g, words, opts...).Embedding()) }
			}
		}
		use := func(s *coles.Settings) { s.Precision = precision }
		results[fmt.Sprint("s, ", precision)] = func() ([]int, []uint64) {
			q := alignment(g, words, use)
			testkit.WantSame(t, "s of dense features", alignment(g, dense, use), q)
			return nil, testkit.Bits(mat.NewVecDense(2, []float64{q.Neighbours, q.Deviation}))
		}
	}
	pairs := coles.ErdosRenyiNegatives(0.001)
	for _, s := range append(slices.Clone(drawing[:4]), pairs, pairs.ExcludeEdges()) {
		results[s.String()] = func() ([]int, []uint64) {
			raw := testkit.Must(s.Sample(ctx, many, 7)).ToCSR().RawMatrix()
			return raw.Ind, testkit.Bits(mat.NewVecDense(len(raw.Data), raw.Data))
		}
	}
	for name, result := range results {
		indices, numbers := result()
		testkit.ForProcessors(t, func(procs int) {
			if i, x := result(); !slices.Equal(i, indices) || !slices.Equal(x, numbers) {
				t.Errorf("%s: otherwise with %d processors", name, procs)
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
		"without negatives":        {8, 12, 25, false, []coles.Option{coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = noNegatives, 0, 0 })}},
		"all eigenvectors":         {100, 60, 80, false, []coles.Option{coles.WithDim(80)}},
		"without a null space":     {300, 900, 40, true, []coles.Option{coles.WithDim(20)}},
	} {
		g, x := sparseGraph(uint64(c.n), c.n, c.m), testkit.RandomDense(testkit.Random(uint64(c.d)), c.n, c.d)
		c.opts = append(c.opts, coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph }))
		fits[name+", float64"] = fitted(g, x, append(c.opts, coles.WithPrecision(coles.Float64))...).Embedding()
		if c.single {
			fits[name+", float32"] = fitted(g, x, append(c.opts, coles.WithPrecision(coles.Float32))...).Embedding()
		}
	}
	for _, name := range []string{"isolated", "star", "torus"} { // whose eigenspaces are cut
		g := testkit.Must(coles.NewGraph(100, symmetric[name](testkit.Random(4), 100)))
		fits[name] = fitted(g, testkit.RandomDense(testkit.Random(5), 100, 60), changed(func(s *coles.Settings) { s.Dim, s.Kind = 30, coles.UseGraph })).Embedding()
		fits[name+", no features"] = fitted(g, nil, coles.WithDim(30)).Embedding()
	}
	for _, s := range solvers { // M is zero: its eigenvectors are determined where they are all
		fits["complete, "+s.String()] = fitted(completeGraph(30), testkit.RandomDense(testkit.Random(30), 30, 25),
			coles.With(func(set *coles.Settings) {
				set.Filter = coles.SGC(2)
				set.Preparation = coles.PrepareNone
				set.Solver = s
			})).Embedding()
	}
	return fits
}

// runAgain runs a test in a program of its own: vector instructions are chosen when a program starts.
func runAgain(t *testing.T, env ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", env, err, out)
	}
}

// YYᵀ is the same to rounding with any vector instructions.
func TestEmbeddingIsTheSameOnEveryKernel(t *testing.T) {
	const file = "COLES_TEST_FITS"
	if path := os.Getenv(file); path != "" {
		grams := make(map[string][]float64)
		for name, y := range fittedAnywhere() {
			grams[name] = testkit.Product(y, y.T()).RawMatrix().Data
		}
		testkit.Check(t, os.WriteFile(path, testkit.Must(json.Marshal(grams)), 0o600))
		return
	}
	var first map[string][]float64
	for _, kernels := range kernel.Paths() {
		path := filepath.Join(t.TempDir(), kernels)
		runAgain(t, "COLES_KERNEL="+kernels, file+"="+path)
		var fits map[string][]float64
		testkit.Check(t, json.Unmarshal(testkit.Must(os.ReadFile(path)), &fits))
		if first == nil {
			first = fits
			continue
		}
		for name, gram := range fits {
			tolerance := 1e-12
			if strings.HasSuffix(name, "float32") || strings.HasSuffix(name, "no features") {
				tolerance = 1e-5
			}
			if off := floats.Distance(gram, first[name], 2) / max(floats.Norm(first[name], 2), 1e-300); !(off <= tolerance) || math.IsNaN(off) {
				t.Errorf("%s, %s: YYᵀ is off by %.2g", kernels, name, off)
			}
		}
	}
}

// Every computation reports that COLES_KERNEL names missing instructions, and which there are.
func TestKernelsThatAreNotThere(t *testing.T) {
	if os.Getenv("COLES_KERNEL") != "sse9" {
		runAgain(t, "COLES_KERNEL=sse9")
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
		"a measurement":        testkit.Err(near.NewIndex(ctx, x, near.Cosine)),
		"a network":            testkit.Err(gnn.Train(ctx, g, x)),
		"a tape":               began,
		"a tape used again":    tape.Err(),
	} {
		if !errors.Is(err, coles.ErrSetting) || !strings.HasSuffix(err.Error(), `COLES_KERNEL = "sse9", want `+strings.Join(kernel.Paths(), ", ")+" here") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Wide dense features are filtered in place of the prepared ones if these are not needed
// again. Without preparation these are the caller's own.
func TestFilteringInPlaceLeavesFeaturesAlone(t *testing.T) {
	const n, d = 200, 300 // more columns than a strip has in either precision
	g, wide := sparseGraph(51, n, 3*n), testkit.RandomDense(testkit.Random(52), n, d)
	for _, x := range []mat.Matrix{wide, testkit.SingleOf(wide)} {
		before := mat.DenseCopyOf(x)
		for how, dim := range map[coles.Preparation]int{coles.PrepareNone: 100, coles.PrepareRowL2: 100, coles.PrepareStandardize: 25} {
			for _, precision := range precisions {
				m := fitted(g, x, coles.With(func(s *coles.Settings) {
					s.Kind = coles.UseGraph
					s.Precision = precision
					s.Preparation = how
					s.Dim = dim
					s.Solver = coles.SolverDirect
				}))
				if !mat.Equal(testkit.Must(m.Embed(ctx, g, x)), m.Embedding()) || !mat.Equal(before, x) {
					t.Errorf("%T, %v, %v: Embed gives another embedding than Fit, or the features were written to", x, precision, how)
				}
			}
		}
	}
}
