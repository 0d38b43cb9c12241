package coles_test

import (
	"math"
	"slices"
	"testing"

	"coles/internal/race"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// checkEigenmap measures what the columns of Y are, with the dense ΔW or, if it
// is nil, with ΔW itself: residuals, orthonormality, order, signs.
func checkEigenmap(t *testing.T, dw *coles.DeltaW, e *coles.Eigenmap, dim int) {
	t.Helper()
	n, d := e.Y.Dims()
	if nodes, _ := dw.Dims(); n != nodes || d != dim || len(e.Lambda) != dim {
		t.Fatalf("Y is %d × %d with %d eigenvalues, want %d × %d", n, d, len(e.Lambda), nodes, dim)
	}
	// ‖ΔW‖ ≤ 2, and is at least the largest |λ| found; 1e-6 is what the package states.
	residual := must(dw.Apply(ctx, e.Y))
	for j := range dim {
		r := 0.0
		for i := range n {
			v := residual.At(i, j) - e.Lambda[j]*e.Y.At(i, j)
			r += v * v
		}
		if !(math.Sqrt(r) <= 1e-6*math.Max(math.Abs(e.Lambda[0]), 1)) {
			t.Errorf("column %d, λ = %v: ‖ΔWy − λy‖ = %g", j, e.Lambda[j], math.Sqrt(r))
		}
		if j > 0 && e.Lambda[j] > e.Lambda[j-1] {
			t.Errorf("λ_%d = %v > λ_%d = %v", j, e.Lambda[j], j-1, e.Lambda[j-1])
		}
		if v := leadingEntry(mat.Col(nil, j, e.Y)); v < 0 {
			t.Errorf("the largest entry of column %d is %v", j, v)
		}
	}
	if off := maxDiff(product(e.Y.T(), e.Y), eye(dim)); !(off < 1e-13) {
		t.Errorf("max|YᵀY − I| = %g", off)
	}
}

// wantValues compares eigenvalues at the accuracy of an iterative solution.
func wantValues(t *testing.T, got, want []float64) {
	t.Helper()
	for j, v := range got {
		if math.Abs(v-want[j]) > 1e-6 {
			t.Errorf("λ_%d = %v, the oracle has %v", j, v, want[j])
		}
	}
}

func descending(values []float64) []float64 {
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

func TestEigenmapsEqualDenseOracle(t *testing.T) {
	manyComponents := func(n int) *coles.Graph {
		rng := random(61)
		var list []coles.Edge
		for i := 0; i+5 < n; i += 5 { // blocks of five nodes, the last ones isolated
			for _, e := range randomEdges(rng, 5, 0.6) {
				list = append(list, coles.Edge{U: i + e.U, V: i + e.V})
			}
		}
		return must(coles.NewGraph(n, list))
	}
	for _, c := range []struct {
		name string
		g    *coles.Graph
	}{
		{"connected", randomGraph(62, 90, 0.1)},
		{"sparse, some components", randomGraph(63, 150, 0.012)},
		{"many components", manyComponents(120)},
		{"bipartite", starGraph(30)},
	} {
		for _, s := range []struct {
			name    string
			sampler coles.NegativeSampler
			opts    []coles.Option
			shift   float64
		}{
			{"κ = 0", coles.NoNegatives(), []coles.Option{coles.WithKappa(0)}, 0},
			{"uniform", coles.ExpectedUniformNegatives(), nil, 0},
			{"degree", coles.ExpectedDegreeNegatives(), nil, 0},
			{"degree, η′ = ½, shifted", coles.ExpectedDegreeNegatives(), []coles.Option{coles.WithEta(0.5)}, 0.25},
			{"sampled", coles.UniformNegatives(3), []coles.Option{coles.WithKappa(2), coles.WithEta(0.9)}, 0},
		} {
			t.Run(c.name+", "+s.name, func(t *testing.T) {
				dw := must(coles.Contrast(ctx, c.g, s.sampler, s.opts...)).Shift(s.shift)
				n := c.g.Nodes()
				want := descending(spectrum(t, must(dw.Apply(ctx, eye(n)))))
				for _, dim := range []int{1, 9, min(40, n), n} {
					e := must(coles.Eigenmaps(ctx, dw, dim))
					checkEigenmap(t, dw, e, dim)
					wantValues(t, e.Lambda, want)
				}
			})
		}
	}
}

// archipelago has 300 components of 2 to 9 nodes: paths, cycles, stars and
// complete graphs in turn, and 40 isolated nodes. It also returns all
// eigenvalues of W⁺: those of the components, by the oracle one at a time.
func archipelago(t *testing.T) (g *coles.Graph, values []float64) {
	var list []coles.Edge
	n := 0
	for c := range 300 {
		size := 2 + c%8
		var own []coles.Edge
		for v := 1; v < size; v++ {
			switch c % 4 {
			case 0, 1:
				own = append(own, coles.Edge{U: v - 1, V: v})
			case 2:
				own = append(own, coles.Edge{U: 0, V: v})
			case 3:
				for u := range v {
					own = append(own, coles.Edge{U: u, V: v})
				}
			}
		}
		if c%4 == 1 && size > 2 {
			own = append(own, coles.Edge{U: size - 1, V: 0})
		}
		island := must(coles.NewGraph(size, own))
		values = append(values, spectrum(t, coles.Normalize(island, coles.NoSelfLoops))...)
		for _, e := range own {
			list = append(list, coles.Edge{U: n + e.U, V: n + e.V})
		}
		n += size
	}
	for range 40 {
		values = append(values, 0)
	}
	return must(coles.NewGraph(n+40, list)), descending(values)
}

// componentVectors are the unit eigenvectors of W⁺ for the eigenvalue 1: √degree
// on one component.
func componentVectors(g *coles.Graph) *mat.Dense {
	label, count := g.Components()
	v := mat.NewDense(g.Nodes(), count, nil)
	for i, d := range g.Degrees() {
		v.Set(i, label[i], math.Sqrt(d))
	}
	var columns []int
	for j := range count {
		if l := mat.Norm(v.ColView(j), 2); l > 0 {
			columns = append(columns, j)
			for i := range g.Nodes() {
				v.Set(i, j, v.At(i, j)/l)
			}
		}
	}
	out := mat.NewDense(g.Nodes(), len(columns), nil)
	for q, j := range columns {
		out.SetCol(q, mat.Col(nil, j, v))
	}
	return out
}

func TestEigenmapsOfHundredsOfComponents(t *testing.T) {
	g, all := archipelago(t)
	dims := []int{10, 300, 330}
	if race.Enabled {
		dims = []int{310}
	}
	t.Run("κ = 0", func(t *testing.T) {
		dw := must(coles.Contrast(ctx, g, coles.NoNegatives(), coles.WithKappa(0)))
		for _, dim := range dims {
			e := must(coles.Eigenmaps(ctx, dw, dim))
			checkEigenmap(t, dw, e, dim)
			wantValues(t, e.Lambda, all)
			ones := 0
			for _, l := range e.Lambda {
				if math.Abs(l-1) < 1e-9 {
					ones++
				}
			}
			if ones != min(300, dim) || e.ComponentVectors != 300 {
				t.Errorf("d′ = %d: 1 is %d times an eigenvalue, %d component vectors are reported, want 300", dim, ones, e.ComponentVectors)
			}
		}
	})
	t.Run("degree expectation", func(t *testing.T) {
		// W⁺ − s·sᵀ takes one direction from the eigenspace of 1: 299 are left.
		dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
		e := must(coles.Eigenmaps(ctx, dw, 310))
		checkEigenmap(t, dw, e, 310)
		wantValues(t, e.Lambda[:299], all[:299])
		wantValues(t, e.Lambda[299:], all[300:])
	})
	t.Run("without component vectors", func(t *testing.T) {
		known := componentVectors(g)
		for _, s := range []coles.NegativeSampler{coles.NoNegatives(), coles.ExpectedDegreeNegatives()} {
			dw := must(coles.Contrast(ctx, g, s))
			e := must(coles.Eigenmaps(ctx, dw, 50, coles.WithoutComponentVectors()))
			checkEigenmap(t, dw, e, 50)
			wantValues(t, e.Lambda, all[300:])
			if e.ComponentVectors != 300 {
				t.Errorf("%d vectors left out, want 300", e.ComponentVectors)
			}
			if off := maxDiff(product(known.T(), e.Y), mat.NewDense(300, 50, nil)); !(off < 1e-12) {
				t.Errorf("%v: a column has %g of a component vector", s, off)
			}
		}
		n := g.Nodes()
		dw := must(coles.Contrast(ctx, g, coles.NoNegatives()))
		_, err := coles.Eigenmaps(ctx, dw, n-299, coles.WithoutComponentVectors())
		wantError(t, err, coles.ErrDim)
	})
}

// Cora has 78 components, Citeseer 438 of which 48 are isolated nodes: counted on
// the published graphs, and 1 is an eigenvalue of W⁺ as often as there are
// components with an edge.
func TestUnitEigenvaluesOfRealGraphs(t *testing.T) {
	for _, c := range []struct {
		name  string
		units int
	}{{"cora", 78}, {"citeseer", 390}} {
		t.Run(c.name, func(t *testing.T) {
			if race.Enabled && c.units > 100 {
				t.Skip("minutes under the race detector")
			}
			_, g := openGraph(t, c.name)
			dw := must(coles.Contrast(ctx, g, coles.NoNegatives(), coles.WithKappa(0)))
			dim := c.units + 6
			e := must(coles.Eigenmaps(ctx, dw, dim))
			checkEigenmap(t, dw, e, dim)
			for j, l := range e.Lambda {
				if unit := math.Abs(l-1) < 1e-9; unit != (j < c.units) {
					t.Errorf("λ_%d = %v, want %d unit eigenvalues", j, l, c.units)
				}
			}
			rest := must(coles.Eigenmaps(ctx, dw, 6, coles.WithoutComponentVectors()))
			checkEigenmap(t, dw, rest, 6)
			wantValues(t, rest.Lambda, e.Lambda[c.units:])
		})
	}
}

func TestEigenmapsRefuses(t *testing.T) {
	g := randomGraph(65, 12, 0.4)
	dw := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	for _, dim := range []int{13, 0, -1} {
		_, err := coles.Eigenmaps(ctx, dw, dim)
		wantError(t, err, coles.ErrDim)
	}
	cut := must(coles.Eigenmaps(ctx, dw, 12, coles.WithTruncation()))
	_, d := cut.Y.Dims()
	if d != len(cut.Lambda) || d == 12 || cut.Lambda[d-1] < 0 {
		t.Errorf("%d columns kept with eigenvalues %v", d, cut.Lambda)
	}
}
