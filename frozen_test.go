package coles_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// frozenOracle is the formula written out with dense matrices: the old rows of W as they
// are, those of new nodes with the old degrees, then the polynomial, P and the factors.
func frozenOracle(m *coles.Model, g *coles.Graph, x mat.Matrix, edges []coles.Edge, weights []float64) *mat.Dense {
	n := g.Nodes()
	all, d := x.Dims()
	a := mat.NewDense(all, all, nil)
	old := denseOf(g.CSR())
	for i := range n {
		for j := range n {
			a.Set(i, j, old.At(i, j))
		}
	}
	degree := make([]float64, all)
	for i := range all {
		a.Set(i, i, a.At(i, i)+1)
	}
	for i := range n {
		degree[i] = mat.Sum(a.RowView(i))
	}
	for q, e := range edges {
		if e.U == e.V {
			continue
		}
		w := math.Max(weights[q], a.At(e.U, e.V))
		a.Set(e.U, e.V, w)
		a.Set(e.V, e.U, w)
	}
	for i := n; i < all; i++ {
		degree[i] = mat.Sum(a.RowView(i))
	}
	w := mat.NewDense(all, all, nil)
	for i := range all {
		for j := range all {
			if i >= n || j < n {
				w.Set(i, j, a.At(i, j)/math.Sqrt(degree[i]*degree[j]))
			}
		}
	}
	sum, power := mat.NewDense(all, d, nil), mat.DenseCopyOf(x)
	for _, c := range m.Settings().Filter.Coefficients() {
		var part mat.Dense
		part.Scale(c, power)
		sum.Add(sum, &part)
		power = product(w, power)
	}
	s := m.Scaling()
	y := must(s.Apply(ctx, product(sum, m.Projection().T())))
	return mat.DenseCopyOf(y.Slice(n, all, 0, len(s.Factors)))
}

func TestFrozenIsTheFormula(t *testing.T) {
	const n, more, d = 60, 5, 9
	rng := random(11)
	for name, opts := range map[string][]coles.GraphOption{"plain": nil, "with loops": {coles.WithSelfLoopsKept()}} {
		edges := append(randomEdges(rng, n, 0.1), coles.Edge{U: 4, V: 4})
		g := must(coles.NewGraph(n, edges, opts...))
		words, dense := randomWords(rng, n+more, d)
		for kind, x := range map[string]func(lo, hi int) mat.Matrix{
			"dense":  func(lo, hi int) mat.Matrix { return dense.Slice(lo, hi, 0, d) },
			"sparse": func(lo, hi int) mat.Matrix { return sparseOf(dense.Slice(lo, hi, 0, d)) },
		} {
			for _, f := range []coles.Filter{coles.S2GCSum(8), coles.SGC(1), coles.Identity(), coles.Polynomial(0.2, 0.5, 0, 0.4)} {
				m := must(coles.Fit(ctx, g, x(0, n), coles.WithDim(4), coles.WithFilter(f), coles.WithFeatures(coles.PrepareNone)))
				fz := must(m.Freeze(ctx, g, x(0, n)))
				join := []coles.Edge{{U: n, V: 3}, {U: 9, V: n}, {U: n + 1, V: n}, {U: n + 2, V: 7}, {U: n + 2, V: 7}, {U: n + 3, V: n + 3}}
				weights := []float64{1, 2, 0.5, 3, 4, 1}
				got := must(fz.Embed(ctx, x(n, n+more), join, weights))
				want := frozenOracle(m, g, words, join, weights)
				// The hops are kept in float32: 24 bits, a handful of roundings.
				if diff := largestDifference(got, want); diff > 1e-5*mat.Norm(want, 2) {
					t.Errorf("%s, %s, %v: off by %.2g", name, kind, f, diff)
				}
			}
		}
	}
}

// Beside what a new node does to others, which is all that is left out, the
// embedding is the exact one: a node that is alone, or whose neighbours are new
// like itself, has it. One among many neighbours comes close.
func TestFrozenIsNearTheExactEmbedding(t *testing.T) {
	const n, d, side = 2000, 16, 10
	rng := random(12)
	x := randomDense(rng, n+4, d)
	edges := ringEdges(n, side)
	g := must(coles.NewGraph(n, edges))
	old := x.Slice(0, n, 0, d)
	m := must(coles.Fit(ctx, g, old, coles.WithDim(8), coles.WithFilter(coles.S2GCSum(2))))
	fz := must(m.Freeze(ctx, g, old))
	join := []coles.Edge{{U: n + 1, V: n + 2}}
	for k := range 2 * side {
		join = append(join, coles.Edge{U: n + 3, V: 100 + k})
	}
	got := must(fz.Embed(ctx, x.Slice(n, n+4, 0, d), join, nil))
	exact := must(m.Embed(ctx, must(coles.NewGraph(n+4, append(edges, join...))), x))
	for k := range 4 {
		difference := mat.NewVecDense(8, nil)
		difference.SubVec(got.RowView(k), exact.RowView(n+k))
		off := mat.Norm(difference, 2) / mat.Norm(exact.RowView(n+k), 2)
		t.Logf("new node %d is off by %.2g of its length", k, off)
		if limit := map[bool]float64{true: 1e-5, false: 0.1}[k < 3]; off > limit {
			t.Errorf("new node %d is off by %.2g of its length", k, off)
		}
	}
}

func TestFreezeRefuses(t *testing.T) {
	const n, d = 20, 3
	g, x := must(coles.NewGraph(n, ringEdges(n, 2))), randomDense(random(13), n, d)
	m := must(coles.Fit(ctx, g, x))
	_, err := must(coles.Fit(ctx, g, nil)).Freeze(ctx, g, x)
	wantError(t, err, coles.ErrTransductive)
	_, err = (*coles.Model)(nil).Freeze(ctx, g, x)
	wantError(t, err, coles.ErrEmpty)
	for _, f := range []*coles.Frozen{nil, new(coles.Frozen)} {
		if _, err = f.Embed(ctx, x, nil, nil); !errors.Is(err, coles.ErrEmpty) || f.Nodes() != 0 {
			t.Errorf("nothing frozen: %v, %d nodes", err, f.Nodes())
		}
	}
	_, err = m.Freeze(ctx, nil, x)
	wantError(t, err, coles.ErrEmpty)
	_, err = m.Freeze(ctx, g, x.Slice(1, n, 0, d))
	wantError(t, err, coles.ErrShape)
	huge := mat.DenseCopyOf(x)
	huge.Set(0, 0, 1e300)
	none := must(coles.Fit(ctx, g, x, coles.WithFeatures(coles.PrepareNone)))
	_, err = none.Freeze(ctx, g, huge)
	wantError(t, err, coles.ErrPrecision)

	fz := must(m.Freeze(ctx, g, x))
	one := mat.NewDense(1, d, []float64{1, 2, 3})
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name    string
		ctx     context.Context
		x       mat.Matrix
		edges   []coles.Edge
		weights []float64
		want    error
	}{
		{"two old nodes", ctx, one, []coles.Edge{{U: 0, V: 1}}, nil, coles.ErrIndex},
		{"a node that is not there", ctx, one, []coles.Edge{{U: n, V: n + 1}}, nil, coles.ErrIndex},
		{"a negative number", ctx, one, []coles.Edge{{U: n, V: -1}}, nil, coles.ErrIndex},
		{"a negative weight", ctx, one, []coles.Edge{{U: n, V: 1}}, []float64{-2}, coles.ErrNegativeWeight},
		{"an infinite weight", ctx, one, []coles.Edge{{U: n, V: 1}}, []float64{math.Inf(1)}, coles.ErrNotFinite},
		{"weights that overflow", ctx, one, []coles.Edge{{U: n, V: 1}, {U: n, V: 2}}, []float64{1.7e308, 1.7e308}, coles.ErrNotFinite},
		{"too many weights", ctx, one, nil, []float64{1}, coles.ErrShape},
		{"narrow features", ctx, mat.NewDense(1, d-1, nil), nil, nil, coles.ErrShape},
		{"no features", ctx, nil, nil, nil, coles.ErrEmpty},
		{"cancelled", stopped, one, nil, nil, context.Canceled},
	} {
		if _, err := fz.Embed(c.ctx, c.x, c.edges, c.weights); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	if fz.Nodes() != n {
		t.Errorf("%d nodes, want %d", fz.Nodes(), n)
	}
}
