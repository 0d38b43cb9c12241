package coles_test

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"
	"testing"

	"coles"
	"coles/internal/inside"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

// The expected reports are counted by hand.
func TestReportCountsWhatWasDone(t *testing.T) {
	kept := []coles.GraphOption{coles.WithSelfLoopsKept()}
	for _, c := range []struct {
		name    string
		n       int
		edges   []coles.Edge
		weights []float64
		opts    []coles.GraphOption
		want    coles.GraphReport
		text    string
	}{
		{"plain path", 3, edges(0, 1, 1, 2), nil, nil,
			coles.GraphReport{Nodes: 3, Edges: 2}, "3 nodes, 2 edges"},
		{"both directions and a repetition", 3, edges(0, 1, 1, 0, 0, 1, 1, 2), nil, nil,
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 2, Weighted: true}, "3 nodes, 2 edges, 2 repeats joined, weighted"},
		{"the same once", 3, edges(0, 1, 1, 0, 0, 1, 1, 2), nil, []coles.GraphOption{coles.WithRepeats("first"), coles.WithSelfLoopsKept()},
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 2}, "3 nodes, 2 edges, 2 repeats joined"},
		{"loops dropped", 3, edges(0, 0, 0, 1, 2, 2, 2, 2), nil, nil,
			coles.GraphReport{Nodes: 3, Edges: 1, DuplicatesMerged: 1, SelfLoopsDropped: 2, Isolated: 1},
			"3 nodes, 1 edge, 1 repeat joined, 2 self loops dropped, 1 isolated node"},
		{"loops kept", 3, edges(0, 0, 0, 1, 2, 2), nil, kept,
			coles.GraphReport{Nodes: 3, Edges: 1, SelfLoops: 2, Isolated: 1},
			"3 nodes, 1 edge, 2 self loops kept, 1 isolated node"},
		{"weight zero", 3, edges(0, 1, 1, 2, 2, 2), []float64{2, 0, 0}, kept,
			coles.GraphReport{Nodes: 3, Edges: 1, ZeroWeightDropped: 2, Isolated: 1, Weighted: true},
			"3 nodes, 1 edge, 2 edges of weight zero dropped, 1 isolated node, weighted"},
		{"no edges", 4, nil, nil, nil,
			coles.GraphReport{Nodes: 4, Isolated: 4}, "4 nodes, 0 edges, 4 isolated nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := testkit.Must(coles.NewGraph(c.n, c.edges, append(c.opts, coles.WithWeights(c.weights))...))
			testkit.WantSame(t, "report", g.Report(), c.want)
			testkit.WantSame(t, "text", g.Report().String(), c.text)
			testkit.WantSame(t, "loops kept", g.KeepsSelfLoops(), c.opts != nil)
			isolated := slices.DeleteFunc(g.Degrees(), func(d float64) bool { return d != 0 })
			testkit.WantSame(t, "nodes of degree 0", len(isolated), c.want.Isolated)
		})
	}
}

// Every edge is met once, in order, and the graph without some of them equals the one that is
// built of the others, with its names, weights and self loops.
func TestEdgesAndTheGraphWithoutSome(t *testing.T) {
	list, weights := edges(3, 1, 0, 2, 1, 0, 2, 2, 0, 3, 1, 1), []float64{1, 2, 0.5, 4, 1, 7}
	ones := []float64{1, 1, 1, 1, 1, 1}
	plain := edges(0, 1, 0, 2, 0, 3, 1, 3)
	looped := edges(0, 1, 0, 2, 0, 3, 1, 1, 1, 3, 2, 2)
	named := []coles.GraphOption{coles.WithIDs([]string{"a", "b", "c", "d", "e"})}
	kept := []coles.GraphOption{named[0], coles.WithSelfLoopsKept()}
	for name, c := range map[string]struct {
		weights  []float64
		opts     []coles.GraphOption
		order    []coles.Edge
		drop     func(coles.Edge) bool
		rest     []int // numbers in list
		weighted bool
	}{
		"nothing dropped":    {weights, kept, looped, func(coles.Edge) bool { return false }, []int{0, 1, 2, 3, 4, 5}, true},
		"everything dropped": {weights, kept, looped, func(coles.Edge) bool { return true }, nil, false},
		"loops dropped":      {weights, kept, looped, func(e coles.Edge) bool { return e.U == e.V }, []int{0, 1, 2, 4}, true},
		"loops stay":         {ones, kept, looped, func(e coles.Edge) bool { return e.V == 3 }, []int{1, 2, 3, 5}, false},
		"no loops, names":    {weights, named, plain, func(e coles.Edge) bool { return e.U == 1 }, []int{1, 2, 4}, true},
		"only ones are left": {weights, nil, plain, func(e coles.Edge) bool { return e.V < 3 }, []int{0, 4}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := testkit.Must(coles.NewGraph(5, list, append(c.opts, coles.WithWeights(c.weights))...))
			a := testkit.DenseOf(g.CSR())
			var order []coles.Edge
			for e, w := range g.Edges() {
				order = append(order, e)
				testkit.WantSame(t, fmt.Sprint("weight of ", e), w, a.At(e.U, e.V))
			}
			testkit.WantSame(t, "edges", order, c.order)
			for e := range g.Edges() {
				testkit.WantSame(t, "the first edge alone", e, c.order[0])
				break
			}
			var asked, rest []coles.Edge
			var left []float64
			got := g.Without(func(e coles.Edge) bool { asked = append(asked, e); return c.drop(e) })
			testkit.WantSame(t, "edges asked about", asked, c.order)
			for _, q := range c.rest {
				rest, left = append(rest, list[q]), append(left, c.weights[q])
			}
			want := testkit.Must(coles.NewGraph(5, rest, append(c.opts, coles.WithWeights(left))...))
			testkit.WantClose(t, "A", got.CSR(), want.CSR(), 0)
			testkit.WantSame(t, "report", got.Report(), want.Report())
			testkit.WantSame(t, "weighted", got.Report().Weighted, c.weighted)
			testkit.WantSame(t, "degrees", got.Degrees(), want.Degrees())
			testkit.WantSame(t, "ids", got.IDs(), g.IDs())
			testkit.WantSame(t, "loops kept", got.KeepsSelfLoops(), g.KeepsSelfLoops())
			testkit.WantClose(t, "A of the whole graph", g.CSR(), a, 0)
		})
	}
}

func TestIDsNameRows(t *testing.T) {
	for name, c := range map[string]struct {
		opts   []coles.GraphOption
		want   []string
		absent string
	}{
		"row numbers":              {nil, []string{"0", "1", "2"}, "3"},
		"strings":                  {[]coles.GraphOption{coles.WithIDs([]string{"x", "", "z"})}, []string{"x", "", "z"}, "0"},
		"the last ones given hold": {[]coles.GraphOption{coles.WithIDs([]string{"x", "y", "z"}), coles.WithIDs([]string{"3", "4", "5"})}, []string{"3", "4", "5"}, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			g := testkit.Must(coles.NewGraph(3, edges(0, 1), c.opts...))
			testkit.WantSame(t, "ids", g.IDs(), c.want)
			testkit.WantSame(t, "named", g.Named(), c.opts != nil)
			for i, id := range c.want {
				if row, ok := g.Row(id); !ok || row != i {
					t.Errorf("Row(%q) is %d, %v, want %d", id, row, ok, i)
				}
			}
			for _, absent := range []string{c.absent, "-1", "one"} {
				if row, ok := g.Row(absent); ok {
					t.Errorf("Row(%q) is %d, want none", absent, row)
				}
			}
		})
	}
}

// Graphs of every form that they come in, and back.
func TestGraphsOfOtherForms(t *testing.T) {
	// (0,2) is stored as 4 and 1, and (2,0) once as 5: the sum counts. (2,1) is a stored zero, no
	// different from the absent (1,2).
	unsorted := sparse.NewCSR(3, 3, []int{0, 3, 4, 6}, []int{2, 1, 2, 0, 1, 0}, []float64{4, 1, 1, 1, 0, 5})
	before := fmt.Sprint(unsorted.RawMatrix())
	directed := testkit.SparseOf(mat.NewDense(4, 4, []float64{0, 3, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 6}))
	gaps := simple.NewWeightedUndirectedGraph(0, 0)
	gaps.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(40), T: simple.Node(-7), W: 2.5})
	gaps.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(40), T: simple.Node(3), W: 0.5})
	gaps.AddNode(simple.Node(11))
	plain := simple.NewUndirectedGraph()
	plain.SetEdge(simple.Edge{F: simple.Node(2), T: simple.Node(1)})
	rows := []string{"0", "1", "2", "3"}
	for name, c := range map[string]struct {
		g      *coles.Graph
		a      []float64
		report coles.GraphReport
		ids    []string
	}{
		"the sum of an edge's weights": {weighing(3, edges(0, 1, 1, 0, 0, 1, 1, 2), 2, 7, 3, 0.5), []float64{0, 12, 0, 12, 0, 0.5, 0, 0.5, 0},
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 2, Weighted: true}, rows[:3]},
		"both directions, no sum": {weighing(3, edges(0, 1, 1, 0, 1, 2), 2, 7, 0.5), []float64{0, 7, 0, 7, 0, 0.5, 0, 0.5, 0},
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 1, Weighted: true}, rows[:3]},
		"both directions, the same sums": {weighing(2, edges(0, 1, 1, 0, 0, 1, 1, 0), 2, 7, 8, 3), []float64{0, 10, 10, 0},
			coles.GraphReport{Nodes: 2, Edges: 1, DuplicatesMerged: 3, Weighted: true}, rows[:2]},
		"unsorted, entries stored twice": {testkit.Must(coles.FromCSR(unsorted)), []float64{0, 1, 5, 1, 0, 0, 5, 0, 0},
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 1, ZeroWeightDropped: 1, Weighted: true}, rows[:3]},
		"directed": {testkit.Must(coles.FromCSR(directed, coles.WithMirrors(), coles.WithSelfLoopsKept())), []float64{0, 3, 0, 0, 3, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 6},
			coles.GraphReport{Nodes: 4, Edges: 2, SelfLoops: 1, MirrorsAdded: 2, Isolated: 1, Weighted: true}, rows},
		"weighted, ids with gaps": {testkit.Must(coles.FromGonum(gaps)), []float64{0, 0, 0, 2.5, 0, 0, 0, 0.5, 0, 0, 0, 0, 2.5, 0.5, 0, 0},
			coles.GraphReport{Nodes: 4, Edges: 2, Isolated: 1, Weighted: true}, []string{"-7", "3", "11", "40"}},
		"unweighted, named": {testkit.Must(coles.FromGonum(plain, coles.WithIDs([]string{"one", "two"}))), []float64{0, 1, 1, 0},
			coles.GraphReport{Nodes: 2, Edges: 1}, []string{"one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.WantClose(t, "A", c.g.CSR(), mat.NewDense(c.g.Nodes(), c.g.Nodes(), c.a), 0)
			for i, d := range c.g.Degrees() { // loops aside
				testkit.WantSame(t, "degree", d, mat.Sum(testkit.DenseOf(c.g.CSR()).RowView(i))-c.g.CSR().At(i, i))
			}
			testkit.WantSame(t, "report", c.g.Report(), c.report)
			testkit.WantSame(t, "ids", c.g.IDs(), c.ids)
		})
	}
	testkit.WantSame(t, "the input", fmt.Sprint(unsorted.RawMatrix()), before)
	g := testkit.RandomGraph(1, 50, 0.1)
	same, mirrored, gonum := testkit.Must(coles.FromCSR(g.CSR())), testkit.Must(coles.FromCSR(g.CSR(), coles.WithMirrors())), testkit.Must(coles.FromGonum(g.Gonum()))
	for _, back := range []*coles.Graph{same, mirrored, gonum} {
		testkit.WantClose(t, "A there and back", back.CSR(), g.CSR(), 0)
		testkit.WantSame(t, "report", back.Report(), g.Report())
		testkit.WantSame(t, "ids", back.IDs(), g.IDs())
	}
}

func TestGraphKeepsNothingOfItsInput(t *testing.T) {
	list, weights, ids := edges(0, 1, 1, 2), []float64{1, 2}, []string{"a", "b", "c"}
	g := testkit.Must(coles.NewGraph(3, list, coles.WithWeights(weights), coles.WithIDs(ids)))
	want, degrees := testkit.DenseOf(g.CSR()), g.Degrees()
	list[0], weights[1], ids[0] = coles.Edge{U: 2, V: 2}, 100, "changed"
	out := g.CSR()
	out.RawMatrix().Data[0] = 100
	out.RawMatrix().Ind[0] = 2
	g.Degrees()[0], g.IDs()[1] = 100, "changed"
	testkit.WantClose(t, "A", g.CSR(), want, 0)
	testkit.WantSame(t, "degrees", g.Degrees(), degrees)
	testkit.WantSame(t, "ids", g.IDs(), []string{"a", "b", "c"})
}

// A search from node to node finds the components, by their first nodes, of random graphs and of stars.
func TestComponentsAreThoseOfASearch(t *testing.T) {
	rng := testkit.Random(5)
	for range 40 {
		n := 2 + rng.IntN(300)
		list := make([]coles.Edge, rng.IntN(2*n))
		for k := range list {
			list[k] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}
			if k%3 == 0 {
				list[k].U = n - 1 - k%5
			}
		}
		g := testkit.Must(coles.NewGraph(n, list))
		want, count := slices.Repeat([]int{-1}, n), 0
		a := g.CSR()
		var visit func(i int)
		visit = func(i int) {
			want[i] = count
			a.DoRowNonZero(i, func(_, j int, _ float64) {
				if want[j] < 0 {
					visit(j)
				}
			})
		}
		for i := range n {
			if want[i] < 0 {
				visit(i)
				count++
			}
		}
		label, got := g.Components()
		testkit.WantSame(t, "labels and count", []any{label, got}, []any{want, count})
	}
}

// A graph of the entries of a matrix, in any order and in parts, equals the graph of the matrix.
func TestFromEdgesIsFromCSRWithMirrors(t *testing.T) {
	rng := testkit.Random(6)
	for _, unit := range []float64{0, 1e-200, 1, 1e200} {
		const n = 50
		dense := mat.NewDense(n, n, nil)
		var parts []iter.Seq2[coles.Edge, float64]
		for range 7 {
			part := map[coles.Edge]float64{}
			for range rng.IntN(60) {
				e, w := coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}, 1.0
				if unit > 0 {
					w = unit * float64(1+rng.IntN(5))
				}
				if dense.At(e.U, e.V) == 0 {
					part[e] = w
					dense.Set(e.U, e.V, w)
				}
			}
			parts = append(parts, maps.All(part))
		}
		for _, opts := range [][]coles.GraphOption{nil, {coles.WithSelfLoopsKept()}} {
			got, want := testkit.Must(inside.FromEdges(n, parts, opts...)), testkit.Must(coles.FromCSR(testkit.SparseOf(dense), append(opts, coles.WithMirrors())...))
			testkit.WantSame(t, "matrix", got.CSR().RawMatrix(), want.CSR().RawMatrix())
			testkit.WantSame(t, "report", got.Report(), want.Report())
			again := testkit.Must(inside.FromEdges(n, []iter.Seq2[coles.Edge, float64]{got.Edges()}, opts...))
			testkit.WantSame(t, "from its own edges", again.CSR().RawMatrix(), want.CSR().RawMatrix())
		}
	}
}

// nearestNaive is A of [coles.KNN] by sorting how far apart all prepared rows are, O(n² log n): by the distance, or
// where directions are compared by that of rows at length 1, which are near if they share anything.
func nearestNaive(x mat.Matrix, k int, directions bool) *mat.Dense {
	y := testkit.DenseOf(testkit.Must(testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Apply(ctx, x)))
	n, _ := y.Dims()
	if directions {
		y = testkit.DenseOf(testkit.Must(testkit.Must(coles.PrepareRowL2.Fit(ctx, y)).Apply(ctx, y)))
	}
	a := mat.NewDense(n, n, nil)
	for i := range n {
		apart := make([]float64, n)
		var order []int
		for j := range n {
			var difference mat.VecDense
			difference.SubVec(y.RowView(i), y.RowView(j))
			apart[j] = mat.Norm(&difference, 2)
			nothing := mat.Norm(y.RowView(i), 2) == 0 || mat.Norm(y.RowView(j), 2) == 0
			if j != i && !nothing && !(directions && mat.Dot(y.RowView(i), y.RowView(j)) <= 0) {
				order = append(order, j)
			}
		}
		sort.SliceStable(order, func(p, q int) bool { return apart[order[p]] < apart[order[q]] })
		for _, j := range order[:min(k, len(order))] {
			a.Set(i, j, a.At(i, j)+0.5)
			a.Set(j, i, a.At(j, i)+0.5)
		}
	}
	return a
}

func TestKNNEqualsNaiveSearch(t *testing.T) {
	rng := testkit.Random(3)
	words, _ := testkit.RandomWords(rng, 150, 200)
	// Counts shared by two rows make ties that rounding would order at will: a small change of
	// every value parts them.
	raw := words.RawMatrix()
	for q := range raw.Data {
		raw.Data[q] += 0.1 * rng.Float64()
	}
	dense, few := testkit.RandomDense(testkit.Random(4), 140, 6), testkit.RandomDense(testkit.Random(5), 20, 3)
	measured := testkit.RandomDense(testkit.Random(6), 90, 4)
	measured.Apply(func(_, j int, v float64) float64 { return math.Exp(float64(4*j)) * (v + 3) }, measured) // of unlike units
	hollow := mat.DenseCopyOf(measured)
	for i := 3; i < 90; i += 10 { // rows of holes, which a reader fills with the means
		for j := range 4 {
			hollow.Set(i, j, 0)
		}
	}
	for name, c := range map[string]struct {
		x          mat.Matrix
		k          int
		directions bool
	}{
		"dense, k = 1":              {dense, 1, false},
		"dense, k = 7":              {dense, 7, false},
		"dense, k = n-1":            {few, 19, false},
		"unlike units":              {measured, 5, false},
		"rows of zeros":             {hollow, 5, false},
		"many columns":              {testkit.RandomDense(testkit.Random(7), 80, 100), 5, true},
		"sparse":                    {words, 5, true},
		"sparse rows in dense form": {testkit.DenseOf(words), 5, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := testkit.Must(coles.KNN(ctx, c.x, c.k))
			testkit.WantClose(t, "A", got.CSR(), nearestNaive(c.x, c.k, c.directions), 0)
		})
	}
	// Of rows 1, 2 and 3, which are equal, the lower ones are near to the others.
	ties := testkit.Must(coles.KNN(ctx, mat.NewDense(5, 1, []float64{1, 2, 2, 2, 5}), 1))
	testkit.WantClose(t, "A of ties", ties.CSR(), mat.NewDense(5, 5, []float64{
		0, 0.5, 0, 0, 0,
		0.5, 0, 1, 0.5, 0.5,
		0, 1, 0, 0, 0,
		0, 0.5, 0, 0, 0,
		0, 0.5, 0, 0, 0,
	}), 0)
	// Row 1 is the mean, and where all rows are every one is.
	alone := testkit.Must(coles.KNN(ctx, mat.NewDense(4, 1, []float64{-2, 0, 1, 1}), 2))
	testkit.WantSame(t, "degrees", alone.Degrees(), []float64{2, 0, 2, 2})
	constant := testkit.Must(coles.KNN(ctx, mat.NewDense(3, 1, []float64{7, 7, 7}), 2))
	testkit.WantSame(t, "edges of equal rows", constant.Report().Edges, 0)
}

// Rows make the graph that edges make, and stay as they are.
func TestGraphOfRows(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		for _, opts := range [][]coles.GraphOption{nil, {coles.WithSelfLoopsKept()}} {
			pairs := edges(0, 0, 0, 3, 1, 2, 1, 3, 2, 2)
			ptr, col := []int64{0, 2, 4, 6, 8, 8}, []int32{0, 3, 2, 3, 1, 2, 0, 1}
			var weights, entries []float64
			if weighted {
				weights, entries = []float64{2, 0.5, 0, 7, 1}, []float64{2, 0.5, 0, 7, 0, 1, 0.5, 7}
			}
			want := testkit.Must(coles.NewGraph(5, pairs, append(opts, coles.WithWeights(weights))...))
			before := slices.Clone(col)
			got := testkit.Must(inside.FromRows(ptr, col, entries, opts...))
			testkit.WantSame(t, "the adjacency", got.CSR().RawMatrix(), want.CSR().RawMatrix())
			testkit.WantSame(t, "the columns given", col, before)
			report := want.Report()
			testkit.WantSame(t, "the report", got.Report(), report)
			for i := range 5 {
				nodes, w := got.Neighbors(i)
				row := want.CSR().RowView(i)
				for q, j := range nodes {
					if there := row.AtVec(int(j)); there == 0 || w != nil && w[q] != there {
						t.Errorf("%d has the neighbour %d of weight %v, want %v", i, j, w, there)
					}
				}
			}
		}
	}
}
