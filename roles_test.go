package coles_test

import (
	"math"
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/inside"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// circle draws arcs that lead, but for one of twenty, from each of five groups to the next. Only their direction tells
// one neighbouring group from the other.
func circle(n int) (arcs []coles.Edge, weights []float64) {
	rng := testkit.Random(3)
	for len(arcs) < 5*n {
		u := rng.IntN(n)
		v := rng.IntN(n/5)*5 + (u+1)%5
		if rng.IntN(20) == 0 {
			u, v = v, u
		}
		arcs, weights = append(arcs, coles.Edge{U: u, V: v}), append(weights, float64(1+rng.IntN(3)))
	}
	return arcs, weights
}

func directed(n int) *coles.Graph {
	arcs, weights := circle(n)
	return testkit.Must(coles.NewGraph(n, arcs, coles.WithWeights(weights), coles.WithArcs()))
}

// The double cover is the matrix of blocks 0 and A, without loops; the graph itself is as without arcs.
func TestRolesAreTheDoubleCover(t *testing.T) {
	const n = 30
	rng := testkit.Random(7)
	a, ids := mat.NewDense(n, n, nil), make([]string, n)
	for k := range 200 {
		a.Set(rng.IntN(n), rng.IntN(n), float64(k%4))
	}
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	g := testkit.Must(coles.FromCSR(testkit.SparseOf(a), coles.WithMirrors(), coles.WithArcs(), coles.WithIDs(ids)))
	cover := g.Roles().CSR()
	for i := range n {
		for j := range n {
			want := a.At(i, j)
			if i == j {
				want = 0
			}
			testkit.WantSame(t, "tail to head", cover.At(2*i, 2*j+1), want)
			testkit.WantSame(t, "head to tail", cover.At(2*j+1, 2*i), want)
			testkit.WantSame(t, "one role", cover.At(2*i, 2*j)+cover.At(2*i+1, 2*j+1), 0.0)
		}
	}
	mirrored := testkit.Must(coles.FromCSR(testkit.SparseOf(a), coles.WithMirrors()))
	testkit.WantSame(t, "without", mirrored.Roles() == nil, true)
	testkit.WantSame(t, "report", g.Report(), mirrored.Report())
	testkit.WantSame(t, "names", g.Roles().Report().Nodes, 2*n)
	if part := g.Without(func(coles.Edge) bool { return false }); part.Roles() != nil {
		t.Error("edges are taken out of a graph, and its arcs stay")
	}
}

// Vectors with roles are those of two fits side by side, with the shares, also read and embedded again.
func TestRolesAreAnotherModelBeside(t *testing.T) {
	const n = 300
	arcs, weights := circle(n)
	plain, g := testkit.Must(coles.NewGraph(n, arcs, coles.WithWeights(weights))), directed(n)
	x := testkit.RandomDense(testkit.Random(1), n, 20)
	for _, c := range []struct {
		name       string
		x          mat.Matrix
		precision  coles.Precision
		own, roles int
		share      float64
	}{
		{"structure", nil, coles.Float64, 30, 5, 0.1},
		{"structure, float32", nil, coles.Float32, 30, 5, 0.1},
		{"features", x, coles.Float32, 20, 5, 0.05},
	} {
		with := []coles.Option{coles.WithPrecision(c.precision), coles.WithDim(40), coles.With(func(s *coles.Settings) { s.Structure, s.Filter = 0, coles.S2GCSum(8) })} // of 24 hops float32 is refused here
		m := fitted(g, c.x, with...)
		share := m.Parts()[1].Share
		testkit.WantSame(t, c.name+": share", share, c.share)
		testkit.WantSame(t, c.name+": columns", m.Report().Dim, c.own+2*c.roles)
		y, own := m.Embedding(), fitted(plain, c.x, append(with, coles.WithDim(c.own))...).Embedding()
		other := fitted(g.Roles(), nil, coles.WithSettings(m.Parts()[1].Settings)).Embedding()
		for i := range n {
			for j := range c.own + 2*c.roles {
				k := j - c.own
				want := math.Sqrt(1-share) * own.At(i, min(j, c.own-1))
				if k >= 0 {
					want = math.Sqrt(share/2) * other.At(2*i+k/c.roles, k%c.roles)
				}
				if got := y.At(i, j); math.Abs(got-want) > 1e-5*math.Max(1, math.Abs(want)) {
					t.Fatalf("%s: row %d, column %d: %v, want %v", c.name, i, j, got, want)
				}
			}
		}
		again := testkit.Must(m.Embed(ctx, g, c.x))
		testkit.WantSame(t, c.name+": embedded again", testkit.Bits(again), testkit.Bits(y))
		back := read(m)
		testkit.WantSame(t, c.name+": read", testkit.Bits(testkit.Must(back.Embed(ctx, g, c.x))), testkit.Bits(y))
		testkit.WantSame(t, c.name+": hash", back.Hash(), m.Hash())
		testkit.WantSame(t, c.name+": fitted again", testkit.Bits(fitted(g, c.x, coles.WithSettings(m.Settings())).Embedding()), testkit.Bits(y))
		testkit.WantSame(t, c.name+": estimate", m.Report().Memory.Bytes, testkit.Must(m.Settings().Estimate(g, c.x)))
		testkit.WantError(t, testkit.Err(m.Embed(ctx, plain, c.x)), coles.ErrShape)
	}
}

// A filter that is chosen serves roles, too.
func TestRolesHaveTheFilterThatIsChosen(t *testing.T) {
	for _, x := range []mat.Matrix{nil, testkit.RandomDense(testkit.Random(1), 100, 20)} {
		parts := fitted(directed(100), x, coles.With(func(s *coles.Settings) { s.Kind, s.Filter = coles.UseGraph, coles.SGC(2) })).Parts()
		testkit.WantSame(t, "filter", parts[len(parts)-1].Settings.Filter.String(), "sgc:2")
	}
}

// Columns of the structure beside features are those of the graph without its arcs: roles come once.
func TestRolesBesideStructure(t *testing.T) {
	const n = 300
	arcs, weights := circle(n)
	plain, g := testkit.Must(coles.NewGraph(n, arcs, coles.WithWeights(weights))), directed(n)
	x := testkit.RandomDense(testkit.Random(1), n, 20)
	m := fitted(g, x, withStructure(0.5), coles.WithDim(64))
	y := m.Embedding()
	_, columns := y.Dims()
	testkit.WantSame(t, "columns", [2]int{columns, m.Report().Dim}, [2]int{64, 64})
	beside := m.Parts()[1]
	testkit.WantSame(t, "parts", len(m.Parts()), 3)
	alone := fitted(plain, nil, coles.WithSettings(beside.Settings)).Parts()[0]
	testkit.WantSame(t, "structure", [2]any{beside.Directions.RawMatrix().Data, beside.Scaling}, [2]any{alone.Directions.RawMatrix().Data, alone.Scaling})
	testkit.WantSame(t, "embedded again", testkit.Bits(testkit.Must(m.Embed(ctx, g, x))), testkit.Bits(y))
	testkit.WantSame(t, "read", testkit.Bits(testkit.Must(read(m).Embed(ctx, g, x))), testkit.Bits(y))
	testkit.WantSame(t, "estimate", m.Report().Memory.Bytes, testkit.Must(m.Settings().Estimate(g, x)))
}

// Where only directions tell groups apart, a classifier with 20 labels of each finds nearly all others with roles, and does little
// better than chance, a fifth, without.
func TestRolesTellDirections(t *testing.T) {
	const n = 500
	groups := make([]int, n)
	for i := range groups {
		groups[i] = i % 5
	}
	splits := testkit.Must(dataset.RandomSplits(groups, 20, 5, 1))
	accuracy := func(g *coles.Graph) float64 {
		return testkit.Must(eval.Protocol{}.Classify(ctx, fitted(g, nil).Embedding(), groups, splits)).Mean
	}
	arcs, weights := circle(n)
	if with, without := accuracy(directed(n)), accuracy(testkit.Must(coles.NewGraph(n, arcs, coles.WithWeights(weights)))); with < 0.98 || without > 0.4 {
		t.Errorf("%.2f of the nodes are classified right with roles, and %.2f without", with, without)
	}
}

// A newcomer has the columns of the role that it has, and zeros for the other.
func TestNewcomersHaveRoles(t *testing.T) {
	const n = 300
	arcs, weights := circle(n)
	m := fitted(directed(n), nil)
	grown := testkit.Must(coles.NewGraph(n+1, append(arcs, coles.Edge{U: n, V: 7}, coles.Edge{U: n, V: 12}), coles.WithWeights(append(weights, 1, 1)), coles.WithArcs()))
	y := testkit.Must(m.Embed(ctx, grown, nil))
	_, k := y.Dims()
	per := len(m.Parts()[1].Scaling.Factors)
	tail, head := y.Slice(n, n+1, k-2*per, k-per), y.Slice(n, n+1, k-per, k)
	if mat.Norm(tail, 2) == 0 || mat.Norm(head, 2) != 0 {
		t.Errorf("a newcomer that is a tail alone has %v as a tail, and %v as a head", mat.Norm(tail, 2), mat.Norm(head, 2))
	}
}

func TestArcsAreRefused(t *testing.T) {
	g, x := directed(100), testkit.RandomDense(testkit.Random(1), 100, 5)
	testkit.WantRefusals(t, map[string][2]error{
		"symmetric rows": {testkit.Err(inside.FromRows([]int64{0, 1, 2}, []int32{1, 0}, nil, coles.WithArcs())), coles.ErrSetting},
		"nearest rows":   {testkit.Err(coles.KNN(ctx, x, 3, coles.WithArcs())), coles.ErrSetting},
		"gonum's edges":  {testkit.Err(coles.FromGonum(g.Gonum(), coles.WithArcs())), coles.ErrSetting},
		"columns":        {testkit.Err(coles.Fit(ctx, g, x, coles.WithDim(3))), coles.ErrSetting},
	})
}

// Weights come with edges alone, and arcs need no mirrors to be asked for.
func TestOptionsOfConstructors(t *testing.T) {
	a := testkit.SparseOf(mat.NewDense(3, 3, []float64{0, 2, 0, 0, 0, 1, 0, 4, 0}))
	arcs, mirrored := testkit.Must(coles.FromCSR(a, coles.WithArcs())), testkit.Must(coles.FromCSR(a, coles.WithMirrors()))
	weights := coles.WithWeights([]float64{1, 2, 3})
	x := testkit.RandomDense(testkit.Random(1), 5, 2)
	testkit.WantRefusals(t, map[string][2]error{
		"FromCSR":   {testkit.Err(coles.FromCSR(a, coles.WithMirrors(), weights)), coles.ErrSetting},
		"FromGonum": {testkit.Err(coles.FromGonum(mirrored.Gonum(), weights)), coles.ErrSetting},
		"KNN":       {testkit.Err(coles.KNN(ctx, x, 2, weights)), coles.ErrSetting},
		"NewGraph":  {testkit.Err(coles.NewGraph(3, edges(0, 1, 1, 2), weights)), coles.ErrShape},
	})
	testkit.WantSame(t, "the report", arcs.Report(), mirrored.Report())
	testkit.WantSame(t, "the adjacency", arcs.CSR().RawMatrix(), mirrored.CSR().RawMatrix())
	testkit.WantSame(t, "the edges of roles", arcs.Roles().Report().Edges, 3)
}
