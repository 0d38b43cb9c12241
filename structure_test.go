package coles_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// logRatios is L by its formula.
func logRatios(g *coles.Graph) *mat.Dense {
	n := g.Nodes()
	share, sums, all := mat.NewDense(n, n, nil), make([]float64, n), 0.0
	for e, w := range g.Edges() {
		share.Set(e.U, e.V, w/g.Degrees()[e.U])
		share.Set(e.V, e.U, w/g.Degrees()[e.V])
	}
	for j := range sums {
		sums[j] = math.Pow(mat.Sum(share.ColView(j)), 0.75)
		all += sums[j]
	}
	l := mat.NewDense(n, n, nil)
	l.Apply(func(_, j int, c float64) float64 { return max(0, math.Log(c/(sums[j]/all))) }, share)
	return l
}

// With all columns XXᵀ is the root of LLᵀ, here by gonum's singular values.
func TestStructureEqualsFormula(t *testing.T) {
	list := testkit.RandomEdges(testkit.Random(8), 40, 0.15)
	weights := make([]float64, len(list))
	for q := range weights {
		weights[q] = []float64{1, 2.5, 7}[q%3]
	}
	for name, g := range map[string]*coles.Graph{"random": testkit.RandomGraph(7, 40, 0.2), "weights": weighing(40, list, weights...)} {
		t.Run(name, func(t *testing.T) {
			var svd mat.SVD
			var u, want mat.Dense
			if !svd.Factorize(logRatios(g), mat.SVDThin) {
				t.Fatal("no singular values")
			}
			svd.UTo(&u)
			s := svd.Values(nil)
			want.Mul(&u, mat.NewDiagDense(len(s), s))
			want.Mul(&want, u.T())
			x := testkit.Must(testkit.Must(coles.FitStructure(ctx, g, 40, 1)).Encode(ctx, g))
			// Where the squares of singular values are 10⁻⁵ of the largest they are rounding: below 1/300 of it.
			testkit.WantClose(t, "XXᵀ", testkit.Product(x, x.T()), &want, s[0]/200)
		})
	}
}

// A newcomer with the edges of an old node gets its features, whatever the order of the nodes and their names.
func TestStructureEncodesNewcomers(t *testing.T) {
	old := testkit.RandomEdges(testkit.Random(9), 60, 0.1)
	g := testkit.Must(coles.NewGraph(60, old))
	s := testkit.Must(coles.FitStructure(ctx, g, 12, 1))
	x := testkit.Must(s.Encode(ctx, g))
	twin := slices.Clone(old)
	for _, e := range old {
		switch 17 {
		case e.U:
			twin = append(twin, coles.Edge{U: 60, V: e.V})
		case e.V:
			twin = append(twin, coles.Edge{U: 60, V: e.U})
		}
	}
	grown := testkit.Must(coles.NewGraph(61, twin))
	more := testkit.Must(s.Encode(ctx, grown))
	testkit.WantSame(t, "the twin's features", more.Data[60*12:], x.Data[17*12:][:12])
	testkit.WantSame(t, "the old nodes' features", more.Data[:60*12], x.Data)
	nodes, _ := g.Neighbors(17)
	testkit.WantSame(t, "a row alone", testkit.Must(inside.Row(ctx, s, nodes, nil)).Data, x.Data[17*12:][:12])

	names := func(n, first int) (ids []string) {
		for i := range n {
			ids = append(ids, strconv.Itoa((first+i)%n))
		}
		return ids
	}
	turned := slices.Clone(twin) // node i is called i, in row i+60
	for k, e := range turned {
		turned[k] = coles.Edge{U: (e.U + 60) % 61, V: (e.V + 60) % 61}
	}
	again := testkit.Must(s.Encode(ctx, testkit.Must(coles.NewGraph(61, turned, coles.WithIDs(names(61, 1))))))
	testkit.WantClose(t, "by names", testkit.DenseOf(again).Slice(0, 60, 0, 12), testkit.DenseOf(more).Slice(1, 61, 0, 12), 1e-5)
	none := make([]float32, 3*12)
	chain := testkit.Must(s.Encode(ctx, testkit.Must(coles.NewGraph(64, append(twin, coles.Edge{U: 61, V: 62})))))
	testkit.WantSame(t, "newcomers of each other, and an isolated one", chain.Data[61*12:], none)
	testkit.WantSame(t, "the others' features", chain.Data[:61*12], more.Data)
	testkit.WantSame(t, "no edge", testkit.Must(inside.Row(ctx, s, nil, nil)).Data, none[:12])
	strangers := testkit.Must(coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}}, coles.WithIDs([]string{"ann", "bob"})))
	testkit.WantError(t, testkit.Err(s.Encode(ctx, strangers)), coles.ErrUnplaced)
	testkit.WantError(t, testkit.Err(inside.Row(ctx, s, []int32{60}, nil)), coles.ErrIndex)
	testkit.WantError(t, testkit.Err(coles.FitStructure(ctx, g, 61, 1)), coles.ErrSetting)
}

// A model without features embeds its graph to the byte, also read from a file, and a grown one; it refuses features.
func TestModelWithoutFeaturesEmbeds(t *testing.T) {
	list := testkit.RandomEdges(testkit.Random(11), 120, 0.04)
	ids := func(n int) (names []string) {
		for i := range n {
			names = append(names, fmt.Sprint("node ", i))
		}
		return names
	}
	g := testkit.Must(coles.NewGraph(120, list, coles.WithIDs(ids(120))))
	grown := testkit.Must(coles.NewGraph(121, append(list, coles.Edge{U: 120, V: 3}, coles.Edge{U: 120, V: 4}), coles.WithIDs(ids(121))))
	for _, m := range []*coles.Model{fitted(g, nil), read(fitted(g, nil))} {
		testkit.WantSame(t, "Embed", testkit.Bits(testkit.Must(m.Embed(ctx, g, nil))), testkit.Bits(fitted(g, nil).Embedding()))
		y := testkit.Must(m.Embed(ctx, grown, nil))
		if mat.Norm(y.RowView(120), 2) == 0 {
			t.Error("the newcomer has no embedding")
		}
		testkit.WantError(t, testkit.Err(m.Embed(ctx, g, testkit.Eye(120))), coles.ErrShape)
	}
}

// cosines are the cosines of all rows.
func cosines(y *mat.Dense) *mat.Dense {
	unit := mat.DenseCopyOf(y)
	for i := range unit.RawMatrix().Rows {
		if row := unit.RawRowView(i); mat.Norm(unit.RowView(i), 2) > 0 {
			length := mat.Norm(unit.RowView(i), 2)
			for j := range row {
				row[j] /= length
			}
		}
	}
	return testkit.Product(unit, unit.T())
}

// clique adds a complete graph of some nodes, from a number on.
func clique(list []coles.Edge, first, size int) []coles.Edge {
	for u := first; u < first+size; u++ {
		for v := first; v < u; v++ {
			list = append(list, coles.Edge{U: u, V: v})
		}
	}
	return list
}

// Without features components are told apart: two cliques, and triangles beside a giant component, however
// many, even if they are more than columns.
func TestComponentsWithoutFeatures(t *testing.T) {
	two := cosines(fitted(testkit.Must(coles.NewGraph(20, clique(clique(nil, 0, 10), 10, 10))), nil).Embedding())
	for i := range 20 {
		for j := range 20 {
			if c := two.At(i, j); i/10 == j/10 && !(c > 0.98) || i/10 != j/10 && !(c < 0.01) {
				t.Fatalf("two cliques: nodes %d and %d have the cosine %v", i, j, c)
			}
		}
	}
	for _, c := range []struct {
		giant     int
		share     float64
		triangles int
	}{{300, 0.03, 10}, {600, 0.015, 150}} {
		list := testkit.RandomEdges(testkit.Random(12), c.giant, c.share)
		for k := range c.triangles {
			list = clique(list, c.giant+3*k, 3)
		}
		n := c.giant + 3*c.triangles
		g := testkit.Must(coles.NewGraph(n+2, list)) // two nodes are isolated
		m := fitted(g, nil)
		y := m.Embedding()
		all := cosines(y)
		for i := range n {
			if length := mat.Norm(y.RowView(i), 2); (length == 0) != (g.Degrees()[i] == 0) {
				t.Errorf("%d triangles: row %d of degree %v has the length %v", c.triangles, i, g.Degrees()[i], length)
			}
			own := (i-c.giant)/3*3 + c.giant
			for j := range n {
				if i >= c.giant && (j < own || j >= own+3) && all.At(i, j) > all.At(i, own)-1e-6 {
					t.Fatalf("%d triangles: node %d is as near to %d, %v, as to its own, %v", c.triangles, i, j, all.At(i, j), all.At(i, own))
				}
			}
		}
		if lone := mat.Norm(y.RowView(n), 2) + mat.Norm(y.RowView(n+1), 2); lone != 0 || m.Report().Graph.Isolated < 2 {
			t.Errorf("isolated nodes have rows of length %v, and %d are reported", lone, m.Report().Graph.Isolated)
		}
	}
}

// Settings that do nothing without features are refused, not ignored.
func TestSettingsWithoutFeatures(t *testing.T) {
	g := testkit.RandomGraph(13, 300, 0.02)
	for field, opt := range map[string]coles.Option{
		"Kind":        coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures }),
		"Preparation": coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareTFIDF }),
	} {
		err := testkit.Err(coles.Fit(ctx, g, nil, opt))
		testkit.WantError(t, err, coles.ErrSetting)
		testkit.WantText(t, err.Error(), field)
	}
	base := fitted(g, nil).Embedding()
	for name, opt := range map[string]coles.Option{
		"filter": coles.WithFilter(coles.SGC(2)), "seed": coles.WithSeed(2),
		"precision": coles.WithPrecision(coles.Float32),
		"solver":    coles.With(func(s *coles.Settings) { s.Solver = coles.SolverKrylov }),
	} {
		if slices.Equal(testkit.Bits(fitted(g, nil, opt).Embedding()), testkit.Bits(base)) {
			t.Errorf("%s changes nothing", name)
		}
	}
}
