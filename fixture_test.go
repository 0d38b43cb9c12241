package coles_test

import (
	"archive/zip"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// sharedFolder holds real graphs and an oracle's numbers, beside the project.
// It is no part of it: tests that need it skip where it is not.
const sharedFolder = "../shared"

func needShared(t testing.TB, path ...string) string {
	t.Helper()
	full := filepath.Join(append([]string{sharedFolder}, path...)...)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("%s is not there (real graphs and the oracle's fixtures are kept beside the project, not in it)", full)
	}
	return full
}

// fixture reads arrays of the NumPy oracle's archive.
type fixture struct {
	t   testing.TB
	zip *zip.ReadCloser
}

func openFixture(t testing.TB) fixture {
	t.Helper()
	z, err := zip.OpenReader(needShared(t, "reference", "cora_fixture.npz"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	return fixture{t, z}
}

func (f fixture) array(name string) *mat.Dense {
	f.t.Helper()
	file, err := f.zip.Open(name + ".npy")
	if err != nil {
		f.t.Fatal(err)
	}
	defer file.Close()
	m, err := dataset.ReadNPY(file)
	if err != nil {
		f.t.Fatalf("%s: %v", name, err)
	}
	return m
}

func (f fixture) column(name string) []float64 {
	f.t.Helper()
	m := f.array(name)
	return mat.Col(nil, 0, m)
}

// openGraph reads a data set of the shared folder as an undirected graph.
func openGraph(t testing.TB, name string) (*dataset.Dataset, *coles.Graph) {
	t.Helper()
	d, err := dataset.OpenNPZ(needShared(t, "data", "npz", name+".npz"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		t.Fatal(err)
	}
	return d, g
}

// fixtureNegatives is a sampler that returns the fixture's negative graph, made
// of the pairs the oracle drew (s = 5, self pairs left out).
func (f fixture) negatives() coles.NegativeSampler {
	return coles.NegativeFunc("fixture", func(_ context.Context, g *coles.Graph, _ uint64) (coles.Negative, error) {
		drawn := f.array("neg_draw_edges")
		rows, _ := drawn.Dims()
		pairs := make([]coles.Edge, rows)
		for i := range pairs {
			pairs[i] = coles.Edge{U: int(drawn.At(i, 0)), V: int(drawn.At(i, 1))}
		}
		return coles.NegativeFromEdges(g.Nodes(), pairs)
	})
}

func TestNormalisationEqualsFixture(t *testing.T) {
	f := openFixture(t)
	_, g := openGraph(t, "cora")
	negative, err := f.negatives().Sample(context.Background(), g, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key string
		got *coles.SymCSR
	}{
		{"Wplus", coles.Normalize(g, coles.NoSelfLoops)},
		{"W_selfloop", coles.Normalize(g, coles.SelfLoops)},
		{"Wneg", negative.Graph},
	} {
		rows, cols, vals := f.column(c.key+"_row"), f.column(c.key+"_col"), f.column(c.key+"_val")
		if len(vals) != c.got.NNZ() {
			t.Errorf("%s: %d entries, fixture has %d", c.key, c.got.NNZ(), len(vals))
		}
		for q, want := range vals {
			// 1e-15: both sides are one division and two square roots away from integers.
			if got := c.got.At(int(rows[q]), int(cols[q])); math.Abs(got-want) > 1e-15 {
				t.Fatalf("%s at (%v, %v): %v, fixture has %v", c.key, rows[q], cols[q], got, want)
			}
		}
	}
}

func TestFiltersEqualFixture(t *testing.T) {
	f := openFixture(t)
	d, g := openGraph(t, "cora")
	w := coles.Normalize(g, coles.SelfLoops)
	for _, c := range []struct {
		key    string
		filter coles.Filter
	}{
		{"s2gc_code_K8", coles.S2GCSum(8)},
		{"s2gc_paper_K8_a05", coles.S2GC(8, 0.05)},
		{"sgc_K2", coles.SGC(2)},
	} {
		fx, err := c.filter.Apply(context.Background(), w, d.Features)
		if err != nil {
			t.Fatal(err)
		}
		want := f.array("FX_first20_" + c.key)
		for i := range 20 {
			for j := range 1433 {
				if diff := math.Abs(fx.At(i, j) - want.At(i, j)); diff > 1e-12 {
					t.Fatalf("%v: FX at (%d, %d) is off by %g", c.filter, i, j, diff)
				}
			}
		}
		sums := f.column("FX_colsum_" + c.key)
		for j, s := range sums {
			// A sum of 2,708 numbers with an absolute error of 1e-15 each.
			if diff := math.Abs(mat.Sum(fx.ColView(j)) - s); diff > 1e-10 {
				t.Fatalf("%v: column %d sums to something off by %g", c.filter, j, diff)
			}
		}
	}
}

// The fixture's M: η′ = 0.9, one negative graph, binary X, the authors' filter.
func TestEigenvaluesEqualFixture(t *testing.T) {
	f := openFixture(t)
	d, g := openGraph(t, "cora")
	ctx := context.Background()
	fx, err := coles.S2GCSum(8).Apply(ctx, coles.Normalize(g, coles.SelfLoops), d.Features)
	if err != nil {
		t.Fatal(err)
	}
	dw, err := coles.Contrast(ctx, g, f.negatives(), coles.WithEta(0.9))
	if err != nil {
		t.Fatal(err)
	}
	p, err := coles.Solve(ctx, fx, dw, 1433, coles.WithSolver(coles.SolverDirect))
	if err != nil {
		t.Fatal(err)
	}
	all := f.column("M_eig_all")
	top := f.column("M_top20_eta0.9_s5_seed0")
	if all[0] < all[len(all)-1] {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	trace := 0.0
	for i, want := range all {
		if diff := math.Abs(p.Lambda[i] - want); diff > 1e-9*top[0] {
			t.Fatalf("eigenvalue %d is %v, fixture has %v", i, p.Lambda[i], want)
		}
		trace += p.Lambda[i]
	}
	// The oracle's trace of M, printed to two decimals.
	if math.Abs(trace-7918.99) > 0.005 {
		t.Errorf("the eigenvalues add up to %v, the oracle's trace is 7918.99", trace)
	}
	rows := f.array("P_top20_signfixed")
	for i := range 20 {
		// Eigenvectors are compared as directions: where the gap is small an
		// entry may turn by the rounding of M over the gap.
		dot := mat.Dot(p.P.RowView(i), rows.RowView(i))
		gap := math.Inf(1)
		if i > 0 {
			gap = all[i-1] - all[i]
		}
		gap = math.Min(gap, all[i]-all[i+1])
		var rest mat.VecDense
		rest.AddScaledVec(p.P.RowView(i), -dot, rows.RowView(i))
		if sine := mat.Norm(&rest, 2); sine > 1e-8 && gap > 1e-6*top[0] {
			t.Errorf("row %d of P is turned by %g (gap %g)", i, sine, gap)
		}
		if dot < 0 {
			t.Errorf("row %d of P has the other sign", i)
		}
	}
	for _, solver := range []coles.Solver{coles.SolverDirect, coles.SolverKrylov} {
		top20, err := coles.Solve(ctx, fx, dw, 20, coles.WithSolver(solver))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range top {
			if diff := math.Abs(top20.Lambda[i] - want); diff > 1e-9*top[0] {
				t.Errorf("%v: eigenvalue %d of 20 is %v, fixture has %v", solver, i, top20.Lambda[i], want)
			}
		}
	}
	lpp, err := coles.Contrast(ctx, g, coles.NoNegatives(), coles.WithKappa(0))
	if err != nil {
		t.Fatal(err)
	}
	top0, err := coles.Solve(ctx, fx, lpp, 20)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range f.column("MP_top20_kappa0") {
		if diff := math.Abs(top0.Lambda[i] - want); diff > 1e-9*top0.Lambda[0] {
			t.Errorf("κ = 0: eigenvalue %d is %v, fixture has %v", i, top0.Lambda[i], want)
		}
	}
}

// splitsOf reads the published splits of a data set.
func splitsOf(t testing.TB, name string, perClass, n int) []dataset.Split {
	t.Helper()
	file := fmt.Sprintf("%s_%d.json", strings.ToLower(name), perClass)
	r, err := os.Open(needShared(t, "data", "splits", file))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	splits, err := dataset.ReadSplits(r, n)
	if err != nil {
		t.Fatal(err)
	}
	return splits
}
