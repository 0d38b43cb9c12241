package coles_test

import (
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// spectrum returns the eigenvalues of a symmetric matrix, ascending.
func spectrum(t *testing.T, a mat.Matrix) []float64 {
	t.Helper()
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		t.Fatal("the oracle's eigensolver failed")
	}
	return e.Values(nil)
}

// loopy has isolated nodes, one of them with a self loop, and a loop on a node
// with neighbours.
func loopy(opts ...coles.GraphOption) *coles.Graph {
	list := edges(0, 1, 1, 2, 2, 0, 2, 3, 3, 3, 5, 5)
	weights := coles.WithEdgeWeights([]float64{1, 2, 0.5, 3, 4, 7})
	return must(coles.NewGraph(7, list, append(opts, weights)...))
}

func TestNormalisationsEqualFormulas(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *coles.Graph
	}{
		{"random, weighted", randomGraph(1, 40, 0.15)},
		{"isolated nodes", loopy()},
		{"self loops kept", loopy(coles.WithSelfLoopsKept())},
		{"no edges", must(coles.NewGraph(3, nil))},
		{"one node", must(coles.NewGraph(1, nil))},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := c.g.Nodes()
			a := denseOf(c.g.CSR())
			bare := mat.DenseCopyOf(a)
			for i := range n {
				bare.Set(i, i, 0)
			}
			var looped mat.Dense
			looped.Add(a, eye(n))
			wantPlus, wantW := normalizedDense(bare), normalizedDense(&looped)

			wPlus, w := coles.Normalize(c.g, coles.NoSelfLoops), coles.Normalize(c.g, coles.SelfLoops)
			// 4 roundings of numbers up to 1.
			const tolerance = 1e-15
			wantClose(t, "W⁺", wPlus, wantPlus, tolerance)
			wantClose(t, "W", w, wantW, tolerance)
			for _, l := range []struct {
				loops coles.Loops
				of    *mat.Dense
			}{{coles.NoSelfLoops, wantPlus}, {coles.SelfLoops, wantW}} {
				var want mat.Dense
				want.Sub(eye(n), l.of)
				got := coles.Laplacian(c.g, l.loops)
				wantClose(t, "L", got, &want, tolerance)
				wantClose(t, "L as a *sparse.CSR", got.CSR(), &want, tolerance)
			}
			for i, d := range c.g.Degrees() {
				if want := mat.Sum(bare.RowView(i)); math.Abs(d-want) > 1e-14*want {
					t.Errorf("degree of node %d is %v, want %v", i, d, want)
				}
				if d == 0 && a.At(i, i) == 0 && w.At(i, i) != 1 {
					t.Errorf("isolated node %d has %v on the diagonal of W, want 1", i, w.At(i, i))
				}
			}
			for i := range n {
				for j := range n {
					if w.At(i, j) != w.At(j, i) || wPlus.At(i, j) != wPlus.At(j, i) {
						t.Fatalf("not symmetric to the bit at (%d, %d)", i, j)
					}
				}
			}
		})
	}
}

// Spectra of W⁺ known in closed form: Chung, Spectral Graph Theory (1997), 1.1-1.5.
func TestSpectraOfKnownGraphs(t *testing.T) {
	const n = 12
	var complete, cycle, star []coles.Edge
	for u := range n {
		cycle = append(cycle, coles.Edge{U: u, V: (u + 1) % n})
		for v := u + 1; v < n; v++ {
			complete = append(complete, coles.Edge{U: u, V: v})
		}
		if u > 0 {
			star = append(star, coles.Edge{U: 0, V: u})
		}
	}
	for _, c := range []struct {
		name  string
		edges []coles.Edge
		want  func(k int) float64 // ascending eigenvalues of L
	}{
		{"complete", complete, func(k int) float64 {
			if k == 0 {
				return 0
			}
			return n / float64(n-1)
		}},
		{"cycle", cycle, func(k int) float64 { return 1 - math.Cos(2*math.Pi*float64((k+1)/2)/n) }},
		{"star", star, func(k int) float64 { return []float64{0, 1, 2}[min(k, 1)+k/(n-1)] }},
	} {
		g := must(coles.NewGraph(n, c.edges))
		for k, got := range spectrum(t, coles.Laplacian(g, coles.NoSelfLoops)) {
			if want := c.want(k); math.Abs(got-want) > 1e-13 {
				t.Errorf("%s: eigenvalue %d of L is %v, want %v", c.name, k, got, want)
			}
		}
	}
}

// Four components with edges, two isolated nodes; two components are bipartite.
func TestMultiplicityOfEigenvaluesCountsComponents(t *testing.T) {
	g := must(coles.NewGraph(16, edges(
		0, 1, 1, 2, 2, 0, // a triangle
		3, 4, // an edge: bipartite
		5, 6, 6, 7, 7, 8, 8, 5, // a square: bipartite
		9, 10, 10, 11, 11, 9, 11, 12, 12, 13)))
	count := func(values []float64, of float64) (m int) {
		for _, v := range values {
			if math.Abs(v-of) < 1e-12 {
				m++
			}
		}
		return m
	}
	l := spectrum(t, coles.Laplacian(g, coles.NoSelfLoops))
	if zeros, twos := count(l, 0), count(l, 2); zeros != 4 || twos != 2 {
		t.Errorf("L has 0 %d times and 2 %d times, want 4 components with an edge, 2 of them bipartite", zeros, twos)
	}
	// With self loops an isolated node is a component like any other, and nothing is bipartite.
	l = spectrum(t, coles.Laplacian(g, coles.SelfLoops))
	if zeros, twos := count(l, 0), count(l, 2); zeros != 6 || twos != 0 {
		t.Errorf("I − W has 0 %d times and 2 %d times, want 6 and 0", zeros, twos)
	}
	if _, components := g.Components(); components != 6 {
		t.Errorf("%d components, want 6", components)
	}
}

func TestComponentsAreNumberedByFirstNode(t *testing.T) {
	g := must(coles.NewGraph(7, edges(6, 0, 1, 4, 4, 3)))
	label, count := g.Components()
	wantSame(t, "labels", label, []int{0, 1, 2, 1, 1, 3, 0})
	wantSame(t, "count", count, 4)
}

func TestNewSymCSR(t *testing.T) {
	a := sparse.NewCSR(2, 2, []int{0, 3, 4}, []int{1, 0, 1, 0}, []float64{1, -5, 2, 3})
	w := must(coles.NewSymCSR(a))
	wantClose(t, "matrix", w, mat.NewDense(2, 2, []float64{-5, 3, 3, 0}), 0)
	if w.NNZ() != 3 || w.SymmetricDim() != 2 || w.T() != mat.Matrix(w) {
		t.Errorf("%d entries of a matrix of %d rows", w.NNZ(), w.SymmetricDim())
	}
	for _, c := range []struct {
		name string
		a    *sparse.CSR
		want error
	}{
		{"nil", nil, coles.ErrEmpty},
		{"0 × 0", sparse.NewCSR(0, 0, []int{0}, nil, nil), coles.ErrEmpty},
		{"not square", sparse.NewCSR(1, 2, []int{0, 0}, nil, nil), coles.ErrShape},
		{"bad index", sparse.NewCSR(1, 1, []int{0, 1}, []int{7}, []float64{1}), coles.ErrIndex},
		{"NaN", sparse.NewCSR(1, 1, []int{0, 1}, []int{0}, []float64{math.NaN()}), coles.ErrNotFinite},
		{"asymmetric", sparse.NewCSR(2, 2, []int{0, 1, 2}, []int{1, 0}, []float64{1, 2}), coles.ErrAsymmetric},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.NewSymCSR(c.a)
			wantError(t, err, c.want)
		})
	}
}

// A mat.Matrix is expected to panic with gonum's own values out of range.
func TestSymCSRAtPanicsAsGonumDoes(t *testing.T) {
	w := coles.Normalize(loopy(), coles.NoSelfLoops)
	for _, c := range []struct {
		i, j int
		want error
	}{{-1, 0, mat.ErrRowAccess}, {7, 0, mat.ErrRowAccess}, {0, -1, mat.ErrColAccess}, {0, 7, mat.ErrColAccess}} {
		func() {
			defer func() {
				if r := recover(); r != c.want {
					t.Errorf("At(%d, %d) panics with %v, want %v", c.i, c.j, r, c.want)
				}
			}()
			w.At(c.i, c.j)
		}()
	}
}

// A hub of many leaves: its degree n·w, what is made of it and what a filter gathers there are
// known in closed form, and none is off by the rounding of n sums.
func TestHubOfManyLeavesKeepsItsDigits(t *testing.T) {
	const leaves, tolerance = 500_000, 1e-12
	star, ones := make([]coles.Edge, leaves), mat.NewDense(leaves+1, 1, nil)
	for i := range star {
		star[i].V = i + 1
	}
	for i := range leaves + 1 {
		ones.Set(i, 0, 1)
	}
	for _, w := range []float64{0.1, 1e-6, 1. / 3} {
		weights := make([]float64, leaves)
		for i := range weights {
			weights[i] = w
		}
		g := must(coles.NewGraph(leaves+1, star, coles.WithEdgeWeights(weights)))
		looped := coles.Normalize(g, coles.SelfLoops)
		fx := must(coles.SGC(1).Apply(ctx, looped, ones))
		hub := leaves * w
		link := w / math.Sqrt((1+hub)*(1+w))
		_, s := must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives())).RankOne()
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"degree", g.Degrees()[0], hub},
			{"W⁺", coles.Normalize(g, coles.NoSelfLoops).At(0, 1), 1 / math.Sqrt(leaves)},
			{"W", looped.At(0, 1), link},
			{"W at the hub", looped.At(0, 0), 1 / (1 + hub)},
			{"SGC(1) at the hub", fx.At(0, 0), 1/(1+hub) + leaves*link},
			{"SGC(1) at a leaf", fx.At(1, 0), 1/(1+w) + link},
			{"the expected negatives", s[0], math.Sqrt(0.5)}, // half of all degrees
		} {
			if math.Abs(c.got-c.want) > tolerance*c.want {
				t.Errorf("weight %v: %s is off by %.2g", w, c.what, c.got/c.want-1)
			}
		}
	}
}

// Weights near the end of the numbers, on a path: 1/√2 wherever W⁺ has an entry.
func TestSmallestWeights(t *testing.T) {
	for _, w := range []float64{5e-324, 1e-310, 1e-300, 1e300} {
		g := must(coles.NewGraph(3, edges(0, 1, 1, 2), coles.WithEdgeWeights([]float64{w, w})))
		if got := coles.Normalize(g, coles.NoSelfLoops).At(0, 1); math.Abs(got-math.Sqrt(0.5)) > 1e-15 {
			t.Errorf("weight %v: W⁺ is %v", w, got)
		}
	}
}
