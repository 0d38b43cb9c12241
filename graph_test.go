package coles_test

import (
	"fmt"
	"math"
	"testing"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/mat"
)

func edges(ends ...int) []coles.Edge {
	var list []coles.Edge
	for i := 0; i < len(ends); i += 2 {
		list = append(list, coles.Edge{U: ends[i], V: ends[i+1]})
	}
	return list
}

// The expected reports are counted by hand.
func TestReportCountsWhatWasDone(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		edges []coles.Edge
		opts  []coles.GraphOption
		want  coles.GraphReport
		text  string
	}{
		{"plain path", 3, edges(0, 1, 1, 2), nil,
			coles.GraphReport{Nodes: 3, Edges: 2}, "3 nodes, 2 edges"},
		{"both directions and a repetition", 3, edges(0, 1, 1, 0, 0, 1, 1, 2), nil,
			coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 2}, "3 nodes, 2 edges, 2 duplicates merged"},
		{"loops dropped", 3, edges(0, 0, 0, 1, 2, 2, 2, 2), nil,
			coles.GraphReport{Nodes: 3, Edges: 1, DuplicatesMerged: 1, SelfLoopsDropped: 2, Isolated: 1},
			"3 nodes, 1 edge, 1 duplicate merged, 2 self loops dropped, 1 isolated node"},
		{"loops kept", 3, edges(0, 0, 0, 1, 2, 2), []coles.GraphOption{coles.WithSelfLoopsKept()},
			coles.GraphReport{Nodes: 3, Edges: 1, SelfLoops: 2, Isolated: 1},
			"3 nodes, 1 edge, 2 self loops kept, 1 isolated node"},
		{"weight zero", 3, edges(0, 1, 1, 2, 2, 2),
			[]coles.GraphOption{coles.WithEdgeWeights([]float64{2, 0, 0}), coles.WithSelfLoopsKept()},
			coles.GraphReport{Nodes: 3, Edges: 1, ZeroWeightDropped: 2, Isolated: 1, Weighted: true},
			"3 nodes, 1 edge, 2 edges of weight zero dropped, 1 isolated node, weighted"},
		{"no edges", 4, nil, nil,
			coles.GraphReport{Nodes: 4, Isolated: 4}, "4 nodes, 0 edges, 4 isolated nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := coles.NewGraph(c.n, c.edges, c.opts...)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "report", g.Report(), c.want)
			wantSame(t, "text", g.Report().String(), c.text)
			isolated := 0
			for _, d := range g.Degrees() {
				if d == 0 {
					isolated++
				}
			}
			if isolated != c.want.Isolated {
				t.Errorf("%d nodes of degree 0, the report says %d", isolated, c.want.Isolated)
			}
		})
	}
}

func TestRepeatedEdgeKeepsLargestWeight(t *testing.T) {
	g := must(coles.NewGraph(3, edges(0, 1, 1, 0, 0, 1, 1, 2), coles.WithEdgeWeights([]float64{2, 7, 3, 0.5})))
	want := mat.NewDense(3, 3, []float64{0, 7, 0, 7, 0, 0.5, 0, 0.5, 0})
	wantClose(t, "A", g.CSR(), want, 0)
	wantSame(t, "degrees", g.Degrees(), []float64{7, 7.5, 0.5})
}

func TestNewGraphRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		edges []coles.Edge
		opts  []coles.GraphOption
		want  error
	}{
		{"no nodes", 0, nil, nil, coles.ErrEmpty},
		{"fewer than no nodes", -1, nil, nil, coles.ErrEmpty},
		{"more nodes than an int32", min(math.MaxInt32+1, math.MaxInt), nil, nil, coles.ErrTooLarge},
		{"node n", 3, edges(0, 3), nil, coles.ErrIndex},
		{"node -1", 3, edges(-1, 0), nil, coles.ErrIndex},
		{"node beyond an int32", 3, edges(0, min(math.MaxInt32+2, math.MaxInt)), nil, coles.ErrIndex},
		{"NaN weight", 3, edges(0, 1), []coles.GraphOption{coles.WithEdgeWeights([]float64{math.NaN()})}, coles.ErrNotFinite},
		{"infinite weight", 3, edges(0, 1), []coles.GraphOption{coles.WithEdgeWeights([]float64{math.Inf(1)})}, coles.ErrNotFinite},
		{"negative weight", 3, edges(0, 1), []coles.GraphOption{coles.WithEdgeWeights([]float64{-1})}, coles.ErrNegativeWeight},
		{"degree overflow", 3, edges(0, 1, 0, 2), []coles.GraphOption{coles.WithEdgeWeights([]float64{1.7e308, 1.7e308})}, coles.ErrNotFinite},
		{"too few weights", 3, edges(0, 1, 1, 2), []coles.GraphOption{coles.WithEdgeWeights([]float64{1})}, coles.ErrShape},
		{"no weights for an edge", 3, edges(0, 1), []coles.GraphOption{coles.WithEdgeWeights([]float64{})}, coles.ErrShape},
		{"too few ids", 3, nil, []coles.GraphOption{coles.WithIDs([]string{"a", "b"})}, coles.ErrIDs},
		{"no ids", 3, nil, []coles.GraphOption{coles.WithIDs([]string{})}, coles.ErrIDs},
		{"repeated id", 3, nil, []coles.GraphOption{coles.WithIDs([]string{"a", "b", "a"})}, coles.ErrIDs},
		{"repeated number", 2, nil, []coles.GraphOption{coles.WithIntIDs([]int64{5, 5})}, coles.ErrIDs},
		{"too many numbers", 2, nil, []coles.GraphOption{coles.WithIntIDs([]int64{5, 6, 7})}, coles.ErrIDs},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == coles.ErrTooLarge && math.MaxInt == math.MaxInt32 {
				t.Skip("no number of this machine is that large")
			}
			_, err := coles.NewGraph(c.n, c.edges, c.opts...)
			wantError(t, err, c.want)
		})
	}
}

func TestIDsNameRows(t *testing.T) {
	for _, c := range []struct {
		name    string
		opts    []coles.GraphOption
		want    []string
		absent  string
		present string
	}{
		{"row numbers", nil, []string{"0", "1", "2"}, "3", "2"},
		{"strings", []coles.GraphOption{coles.WithIDs([]string{"x", "", "z"})}, []string{"x", "", "z"}, "y", "z"},
		{"integers", []coles.GraphOption{coles.WithIntIDs([]int64{-4, math.MaxInt64, 0})}, []string{"-4", "9223372036854775807", "0"}, "1", "0"},
		{"the last one given counts", []coles.GraphOption{coles.WithIDs([]string{"x", "y", "z"}), coles.WithIntIDs([]int64{3, 4, 5})}, []string{"3", "4", "5"}, "x", "5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := must(coles.NewGraph(3, edges(0, 1), c.opts...))
			wantSame(t, "ids", g.IDs(), c.want)
			for i, id := range c.want {
				if row, ok := g.Row(id); !ok || row != i {
					t.Errorf("Row(%q) is %d, %v, want %d", id, row, ok, i)
				}
			}
			if row, ok := g.Row(c.absent); ok {
				t.Errorf("Row(%q) is %d, want none", c.absent, row)
			}
			if row, ok := g.Row(c.present); !ok || row != 2 {
				t.Errorf("Row(%q) is %d, %v, want 2", c.present, row, ok)
			}
		})
	}
}

func TestFromCSR(t *testing.T) {
	t.Run("unsorted with entries stored twice", func(t *testing.T) {
		// (0,2) is stored as 4 and 5, and (2,0) once as 5: the larger counts.
		// (2,1) is a stored zero, no different from the absent (1,2).
		a := sparse.NewCSR(3, 3, []int{0, 3, 4, 6}, []int{2, 1, 2, 0, 1, 0}, []float64{4, 1, 5, 1, 0, 5})
		before := fmt.Sprint(a.RawMatrix())
		g := must(coles.FromCSR(a))
		wantClose(t, "A", g.CSR(), mat.NewDense(3, 3, []float64{0, 1, 5, 1, 0, 0, 5, 0, 0}), 0)
		wantSame(t, "report", g.Report(), coles.GraphReport{Nodes: 3, Edges: 2, DuplicatesMerged: 1, ZeroWeightDropped: 1, Weighted: true})
		if after := fmt.Sprint(a.RawMatrix()); after != before {
			t.Errorf("the input was written to: %s, was %s", after, before)
		}
	})
	t.Run("directed, made symmetric", func(t *testing.T) {
		a := mat.NewDense(4, 4, []float64{0, 3, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 6})
		want := mat.NewDense(4, 4, []float64{0, 3, 0, 0, 3, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 6})
		g := must(coles.FromCSR(sparseOf(a), coles.WithSymmetrization(), coles.WithSelfLoopsKept()))
		wantClose(t, "A", g.CSR(), want, 0)
		wantSame(t, "report", g.Report(), coles.GraphReport{Nodes: 4, Edges: 2, SelfLoops: 1, MirrorsAdded: 2, Isolated: 1, Weighted: true})
	})
	t.Run("equals NewGraph", func(t *testing.T) {
		g := randomGraph(1, 50, 0.1)
		back := must(coles.FromCSR(g.CSR()))
		wantClose(t, "A", back.CSR(), g.CSR(), 0)
		wantSame(t, "report", back.Report(), g.Report())
	})
}

func TestFromCSRRefuses(t *testing.T) {
	csr := func(r, c int, ptr, ind []int, val ...float64) *sparse.CSR { return sparse.NewCSR(r, c, ptr, ind, val) }
	for _, c := range []struct {
		name string
		a    *sparse.CSR
		opts []coles.GraphOption
		want error
	}{
		{"nil", nil, nil, coles.ErrEmpty},
		{"zero value", &sparse.CSR{}, nil, coles.ErrShape},
		{"0 × 0", csr(0, 0, []int{0}, nil), nil, coles.ErrEmpty},
		{"not square", csr(2, 3, []int{0, 0, 0}, nil), nil, coles.ErrShape},
		{"column n", csr(2, 2, []int{0, 1, 2}, []int{2, 0}, 1, 1), nil, coles.ErrIndex},
		{"column -1", csr(2, 2, []int{0, 1, 2}, []int{-1, 0}, 1, 1), nil, coles.ErrIndex},
		{"too few row pointers", csr(2, 2, []int{0, 1}, []int{1}, 1), nil, coles.ErrShape},
		{"descending row pointers", csr(3, 3, []int{0, 2, 1, 2}, []int{1, 0}, 1, 1), nil, coles.ErrShape},
		{"negative row pointer", csr(3, 3, []int{0, -1, 1, 2}, []int{1, 0}, 1, 1), nil, coles.ErrShape},
		{"pointers beyond the entries", csr(2, 2, []int{0, 1, 3}, []int{1, 0}, 1, 1), nil, coles.ErrShape},
		{"fewer values than indices", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1), nil, coles.ErrShape},
		{"first pointer not 0", csr(2, 2, []int{1, 1, 2}, []int{1, 0}, 1, 1), nil, coles.ErrShape},
		{"NaN", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, math.NaN(), 1), nil, coles.ErrNotFinite},
		{"infinity", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1, math.Inf(-1)), nil, coles.ErrNotFinite},
		{"negative behind a larger one", csr(2, 2, []int{0, 2, 4}, []int{1, 1, 0, 0}, -5, 1, -5, 1), nil, coles.ErrNegativeWeight},
		{"negative", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, -1, -1), nil, coles.ErrNegativeWeight},
		{"one direction only", csr(2, 2, []int{0, 1, 1}, []int{1}, 1), nil, coles.ErrAsymmetric},
		{"other weight back", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1, 2), nil, coles.ErrAsymmetric},
		{"weights twice", csr(2, 2, []int{0, 1, 2}, []int{1, 0}, 1, 1), []coles.GraphOption{coles.WithEdgeWeights([]float64{1})}, coles.ErrSetting},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := coles.FromCSR(c.a, c.opts...)
			wantError(t, err, c.want)
		})
	}
}

func TestGonumBothWays(t *testing.T) {
	t.Run("weighted, ids with gaps", func(t *testing.T) {
		in := simple.NewWeightedUndirectedGraph(0, 0)
		in.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(40), T: simple.Node(-7), W: 2.5})
		in.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(40), T: simple.Node(3), W: 0.5})
		in.AddNode(simple.Node(11))
		g := must(coles.FromGonum(in))
		wantSame(t, "ids", g.IDs(), []string{"-7", "3", "11", "40"})
		wantClose(t, "A", g.CSR(), mat.NewDense(4, 4, []float64{0, 0, 0, 2.5, 0, 0, 0, 0.5, 0, 0, 0, 0, 2.5, 0.5, 0, 0}), 0)
		wantSame(t, "report", g.Report(), coles.GraphReport{Nodes: 4, Edges: 2, Isolated: 1, Weighted: true})
	})
	t.Run("unweighted", func(t *testing.T) {
		in := simple.NewUndirectedGraph()
		in.SetEdge(simple.Edge{F: simple.Node(2), T: simple.Node(1)})
		g := must(coles.FromGonum(in, coles.WithIDs([]string{"one", "two"})))
		wantSame(t, "ids", g.IDs(), []string{"one", "two"})
		wantSame(t, "report", g.Report(), coles.GraphReport{Nodes: 2, Edges: 1})
	})
	t.Run("there and back", func(t *testing.T) {
		g := randomGraph(2, 40, 0.1)
		back := must(coles.FromGonum(g.Gonum()))
		wantClose(t, "A", back.CSR(), g.CSR(), 0)
		wantSame(t, "ids", back.IDs(), g.IDs())
	})
	t.Run("refusals", func(t *testing.T) {
		_, err := coles.FromGonum(simple.NewUndirectedGraph())
		wantError(t, err, coles.ErrEmpty)
		negative := simple.NewWeightedUndirectedGraph(0, 0)
		negative.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(0), T: simple.Node(1), W: -1})
		_, err = coles.FromGonum(negative)
		wantError(t, err, coles.ErrNegativeWeight)
		_, err = coles.FromGonum(simple.NewUndirectedGraph(), coles.WithEdgeWeights(nil), coles.WithEdgeWeights([]float64{1}))
		wantError(t, err, coles.ErrSetting)
	})
}

func TestGraphKeepsNothingOfItsInput(t *testing.T) {
	list, weights, ids := edges(0, 1, 1, 2), []float64{1, 2}, []string{"a", "b", "c"}
	g := must(coles.NewGraph(3, list, coles.WithEdgeWeights(weights), coles.WithIDs(ids)))
	want, degrees := denseOf(g.CSR()), g.Degrees()
	list[0], weights[1], ids[0] = coles.Edge{U: 2, V: 2}, 100, "changed"
	out := g.CSR()
	out.RawMatrix().Data[0] = 100
	out.RawMatrix().Ind[0] = 2
	g.Degrees()[0] = 100
	wantClose(t, "A", g.CSR(), want, 0)
	wantSame(t, "degrees", g.Degrees(), degrees)
	wantSame(t, "ids", g.IDs(), []string{"a", "b", "c"})
}

// n·n = 10¹⁰ does not fit 32 bits: nothing may be indexed by i·n + j.
func TestMoreThanTwoToThe31Pairs(t *testing.T) {
	const n = 100_000
	var list []coles.Edge
	for i := range 1000 {
		list = append(list, coles.Edge{U: i, V: n - 1 - i})
	}
	g := must(coles.NewGraph(n, list))
	wantSame(t, "report", g.Report(), coles.GraphReport{Nodes: n, Edges: 1000, Isolated: n - 2000})
	label, count := g.Components()
	if count != n-1000 || label[0] != label[n-1] || label[1] == label[0] {
		t.Errorf("%d components, want %d", count, n-1000)
	}
	negative := must(coles.ErdosRenyiNegatives(1e-7).Sample(ctx, g, 1)).Graph
	// 500 pairs expected; 5 standard deviations are 112.
	if pairs := negative.NNZ() / 2; pairs < 388 || pairs > 612 {
		t.Errorf("%d pairs drawn, expected 500", pairs)
	}
	for _, sampler := range []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.UniformNegatives(1, coles.ExcludeEdges())} {
		x := mat.NewDense(n, 1, nil)
		x.Set(n-1, 0, 1)
		y := must(must(coles.Contrast(ctx, g, sampler)).Apply(ctx, x))
		if r, c := y.Dims(); r != n || c != 1 {
			t.Errorf("ΔW·x is %d × %d", r, c)
		}
	}
}
