package live_test

import (
	"math"
	"sync"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// frozenOracle is the formula written out with dense matrices: the old rows of W as they are, those
// of new nodes with the old degrees, then the polynomial, the directions and the factors.
func frozenOracle(m *coles.Model, g *coles.Graph, x *mat.Dense, edges []coles.Edge, weights []float64) *mat.Dense {
	n := g.Nodes()
	all, _ := x.Dims()
	a := mat.NewDense(all, all, nil)
	a.Slice(0, n, 0, n).(*mat.Dense).Copy(testkit.DenseOf(g.CSR()))
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
	coefficients := m.Settings().Filter.Coefficients()
	if m.Settings().Kind == coles.UseFeatures {
		coefficients = []float64{1}
	}
	filter := testkit.Powers(w, len(coefficients)-1, func(k int) float64 { return coefficients[k] })
	s := m.Parts()[0].Scaling
	y := testkit.Must(s.Apply(ctx, testkit.Product(filter, x, m.Parts()[0].Directions.T())))
	return mat.DenseCopyOf(y.Slice(n, all, 0, len(s.Factors)))
}

func TestFrozenIsTheFormula(t *testing.T) {
	const n, more, d = 60, 5, 9
	rng := testkit.Random(11)
	for name, opts := range map[string][]coles.GraphOption{"plain": nil, "with loops": {coles.WithSelfLoopsKept()}} {
		g := testkit.Must(coles.NewGraph(n, append(testkit.RandomEdges(rng, n, 0.1), coles.Edge{U: 4, V: 4}), opts...))
		_, words := testkit.RandomWords(rng, n+more, d)
		for kind, sparse := range map[string]bool{"dense": false, "sparse": true} {
			h := &history{x: words, sparse: sparse}
			old, fresh := h.features(0, n), h.features(n, n+more)
			for what, opt := range map[string]coles.Option{
				"default": coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph }), "features": coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }),
				"one hop": coles.WithFilter(coles.SGC(1)), "no hop": coles.WithFilter(coles.SGC(0)), "gaps": coles.WithFilter(coles.Polynomial(0.2, 0.5, 0, 0.4)),
			} {
				m := testkit.Must(coles.Fit(ctx, g, old, coles.With(func(s *coles.Settings) { s.Dim, s.Preparation = 4, coles.PrepareNone }), opt))
				frozen := testkit.Must(live.Freeze(ctx, m, g, old))
				edges := []coles.Edge{{U: n, V: 4}, {U: 9, V: n}, {U: n + 1, V: n}, {U: n + 2, V: 7}, {U: n + 2, V: 7}, {U: n + 3, V: n + 3}, {U: n + 1, V: 8}}
				weights := []float64{1, 2, 0.5, 3, 4, 1, 0}
				want := frozenOracle(m, g, words, edges, weights)
				// The hops are kept in float32: 24 bits, a handful of roundings.
				got := testkit.Must(frozen.Embed(ctx, fresh, edges, weights))
				testkit.WantClose(t, name+", "+kind+", "+what, got, want, 1e-5*mat.Norm(want, 2))
				testkit.WantSame(t, "once more", testkit.Bits(testkit.Must(frozen.Embed(ctx, fresh, edges, weights))), testkit.Bits(got))
				testkit.WantSame(t, "nodes", frozen.Nodes(), n)
			}
		}
	}
}

// But for what a new node does to others, which is left out, the embedding is the exact one: a node
// that is alone, or whose neighbours are new like itself, has it. One among many neighbours comes
// close.
func TestFrozenIsNearTheExactEmbedding(t *testing.T) {
	const n, side = 2000, 10
	h := ring(testkit.RandomDense(testkit.Random(12), n+4, 16), n, side, coles.WithDim(8), coles.WithFilter(coles.S2GCSum(2)))
	g, old := h.graph(n), h.features(0, n)
	m := testkit.Must(coles.Fit(ctx, g, old, h.opts...))
	edges := []coles.Edge{{U: n + 1, V: n + 2}}
	for k := range 2 * side {
		edges = append(edges, coles.Edge{U: n + 3, V: 100 + k})
	}
	got := testkit.Must(testkit.Must(live.Freeze(ctx, m, g, old)).Embed(ctx, h.features(n, n+4), edges, nil))
	for _, e := range edges {
		h.edges, h.weights = append(h.edges, e), append(h.weights, 1)
	}
	exact := testkit.Must(m.Embed(ctx, h.graph(n+4), h.features(0, n+4)))
	for k := range 4 {
		var difference mat.VecDense
		difference.SubVec(got.RowView(k), exact.RowView(n+k))
		off := mat.Norm(&difference, 2) / mat.Norm(exact.RowView(n+k), 2)
		// float32, or of the order of one over the degrees, which are 20.
		if limit := map[bool]float64{true: 1e-5, false: 0.1}[k < 3]; off > limit {
			t.Errorf("new node %d is off by %.2g of its length", k, off)
		}
	}
}

func TestFrozenRefuses(t *testing.T) {
	const n, d = 20, 3
	h := ring(testkit.RandomDense(testkit.Random(13), n, d), n, 2)
	m, _ := h.follow(n)
	frozen := testkit.Must(live.Freeze(ctx, m, h.graph(n), h.x))
	one := mat.NewDense(1, d, []float64{1, 2, 3})
	for name, bad := range testkit.BadGraphs(n + 1) {
		for q, e := range bad.Edges { // from the new node
			if e.U == 0 {
				bad.Edges[q].U = n
			}
		}
		t.Run(name, func(t *testing.T) {
			testkit.WantError(t, testkit.Err(frozen.Embed(ctx, one, bad.Edges, bad.Weights)), bad.Want)
		})
	}
	testkit.WantError(t, testkit.Err(frozen.Embed(ctx, one, []coles.Edge{{U: 0, V: 1}}, nil)), coles.ErrIndex) // two old nodes
	testkit.WantError(t, testkit.Err(frozen.Embed(ctx, mat.NewDense(1, d-1, nil), nil, nil)), coles.ErrShape)
}

// Many goroutines read one frozen graph: for the race detector.
func TestFrozenIsSafeForManyGoroutines(t *testing.T) {
	const n, d = 100, 4
	h := ring(testkit.RandomDense(testkit.Random(14), n+8, d), n, 2, coles.WithDim(3))
	m, _ := h.follow(n)
	frozen := testkit.Must(live.Freeze(ctx, m, h.graph(n), h.features(0, n)))
	embed := func(k int) []uint64 {
		return testkit.Bits(testkit.Must(frozen.Embed(ctx, h.features(n+k, n+k+1), []coles.Edge{{U: n, V: 7 * k}}, nil)))
	}
	var all sync.WaitGroup
	got := make([][]uint64, 8)
	for k := range got {
		all.Add(1)
		go func() {
			defer all.Done()
			got[k] = embed(k)
		}()
	}
	all.Wait()
	for k := range got {
		testkit.WantSame(t, "vector", got[k], embed(k))
	}
}

// Rotating rows by a known angle in one plane.
func TestPrincipalAngleIsThatOfARotation(t *testing.T) {
	p := mat.NewDense(2, 4, []float64{1, 0, 0, 0, 0, 1, 0, 0})
	for _, angle := range []float64{0, 1e-13, 1e-9, 1e-3, 0.5, math.Pi / 4, 1, math.Pi/2 - 1e-3, math.Pi / 2} {
		q := mat.NewDense(2, 4, []float64{math.Cos(angle), 0, math.Sin(angle), 0, 0, -1, 0, 0})
		// An angle is known to the rounding of its sine over its cosine, and at π/2 to the root of
		// it.
		if got := testkit.Must(live.PrincipalAngle(p, q)); math.Abs(got-angle) > 1e-15+4*0x1p-53/max(math.Cos(angle), 0x1p-26)*math.Sin(angle) {
			t.Errorf("%v, want %v", got, angle)
		}
	}
	line := mat.NewDense(1, 4, []float64{0.6, 0.8, 0, 0})
	if got := testkit.Must(live.PrincipalAngle(line, p)); got > 1e-15 {
		t.Errorf("a line in the plane: %v", got)
	}
	for name, bad := range map[string]struct {
		p, q *mat.Dense
		want error
	}{
		"a plane against a line":  {p, line, coles.ErrShape},
		"no rows":                 {&mat.Dense{}, p, coles.ErrShape},
		"fewer columns":           {p, mat.NewDense(2, 3, []float64{1, 0, 0, 0, 1, 0}), coles.ErrShape},
		"rows that are the same":  {p, mat.NewDense(2, 4, []float64{1, 0, 0, 0, 1, 0, 0, 0}), coles.ErrSetting},
		"rows of length 2":        {mat.NewDense(1, 4, []float64{2, 0, 0, 0}), p, coles.ErrSetting},
		"a row that is no number": {mat.NewDense(1, 4, []float64{math.NaN(), 0, 0, 0}), p, coles.ErrNotFinite},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(live.PrincipalAngle(bad.p, bad.q)), bad.want) })
	}
}
