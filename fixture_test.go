package coles_test

import (
	"archive/zip"
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A fixture is the NumPy oracle's archive of arrays.
type fixture struct{ zip *zip.ReadCloser }

func openFixture(t testing.TB) fixture {
	t.Helper()
	z := testkit.Must(zip.OpenReader(testkit.Shared(t, "reference", "cora_fixture.npz")))
	t.Cleanup(func() { z.Close() })
	return fixture{z}
}

func (f fixture) array(name string) *mat.Dense {
	file := testkit.Must(f.zip.Open(name + ".npy"))
	defer file.Close()
	return testkit.Must(dataset.ReadNPY(file))
}

func (f fixture) column(name string) []float64 { return mat.Col(nil, 0, f.array(name)) }

// openGraph reads a data set of the shared folder as an undirected graph.
func openGraph(t testing.TB, name string) (*dataset.Dataset, *coles.Graph) {
	t.Helper()
	d := testkit.Must(dataset.OpenNPZ(testkit.Shared(t, "data", "npz", name+".npz")))
	return d, testkit.Must(coles.FromDirectedCSR(d.Adjacency))
}

// negatives is a sampler that returns the fixture's negative graph, made of the pairs the oracle
// drew (5 a node, self pairs left out).
func (f fixture) negatives() coles.NegativeSampler {
	return coles.NegativeFunc("fixture", func(_ context.Context, g *coles.Graph, _ uint64) (*coles.SymCSR, error) {
		drawn := f.array("neg_draw_edges")
		rows, _ := drawn.Dims()
		pairs := make([]coles.Edge, rows)
		for i := range pairs {
			pairs[i] = coles.Edge{U: int(drawn.At(i, 0)), V: int(drawn.At(i, 1))}
		}
		return g.Negative(pairs)
	})
}

func TestNormalisationEqualsFixture(t *testing.T) {
	f := openFixture(t)
	_, g := openGraph(t, "cora")
	for key, got := range map[string]*coles.SymCSR{
		"Wplus": g.Positive(), "W_selfloop": coles.Normalize(g), "Wneg": testkit.Must(f.negatives().Sample(ctx, g, 0)),
	} {
		rows, cols, vals := f.column(key+"_row"), f.column(key+"_col"), f.column(key+"_val")
		testkit.WantSame(t, key+": entries", got.NNZ(), len(vals))
		for q, want := range vals {
			// 1e-15: both sides are one division and two square roots away from integers.
			if v := got.At(int(rows[q]), int(cols[q])); math.Abs(v-want) > 1e-15 {
				t.Fatalf("%s at (%v, %v): %v, fixture has %v", key, rows[q], cols[q], v, want)
			}
		}
	}
}

func TestFiltersEqualFixture(t *testing.T) {
	f := openFixture(t)
	d, g := openGraph(t, "cora")
	w := coles.Normalize(g)
	for key, filter := range map[string]coles.Filter{
		"s2gc_code_K8": coles.S2GCSum(8), "s2gc_paper_K8_a05": coles.S2GC(8, 0.05), "sgc_K2": coles.SGC(2),
	} {
		fx := testkit.Must(filter.Apply(ctx, w, d.Features))
		testkit.WantClose(t, filter.String(), fx.Slice(0, 20, 0, 1433), f.array("FX_first20_"+key), 1e-12)
		for j, s := range f.column("FX_colsum_" + key) {
			// A sum of 2,708 numbers with an absolute error of 1e-15 each.
			if diff := math.Abs(mat.Sum(fx.ColView(j)) - s); diff > 1e-10 {
				t.Fatalf("%v: column %d sums to something off by %g", filter, j, diff)
			}
		}
	}
}

// The fixture's M: η′ = 0.9, one negative graph, binary X, the authors' filter.
func TestEigenvaluesEqualFixture(t *testing.T) {
	skipUnderRace(t)
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
	trace := 0.0
	for _, l := range p.Lambda {
		trace += l
	}
	// The oracle's trace of M, printed to two decimals.
	if math.Abs(trace-7918.99) > 0.005 {
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
