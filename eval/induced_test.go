package eval

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"coles"
	"coles/dataset"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

func TestInduceKeepsWhatIsAmongTheNodes(t *testing.T) {
	g := weightedGraph(t, 15, 0.4, 121)
	n := g.Nodes()
	x := normal(n, 3, 1, 122)
	single, err := coles.NewDense32(n, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range 3 {
			single.RawMatrix().Data[3*i+j] = float32(x.At(i, j))
		}
	}
	nodes := []int{20, 1, 4, 0, 32, 17, 2, 3, 16}
	for _, form := range []mat.Matrix{x, toCSR(x), single, nil, x.T().T()} {
		part, err := Induce(background, g, form, nodes)
		if err != nil {
			t.Fatal(err)
		}
		whole, got := g.CSR(), part.Graph.CSR()
		for i, u := range nodes {
			if part.Nodes[i] != u {
				t.Errorf("row %d is node %d, want %d", i, part.Nodes[i], u)
			}
			if row, ok := part.Graph.Row(g.IDs()[u]); !ok || row != i {
				t.Errorf("node %d is in row %d, want %d", u, row, i)
			}
			for j, v := range nodes {
				if got.At(i, j) != whole.At(u, v) {
					t.Errorf("weight of %d, %d is %v, want %v", u, v, got.At(i, j), whole.At(u, v))
				}
			}
			for j := range 3 {
				if form != nil && part.Features.At(i, j) != form.At(u, j) {
					t.Errorf("feature %d of %d is %v, want %v", j, u, part.Features.At(i, j), form.At(u, j))
				}
			}
		}
		if form == nil && part.Features != nil {
			t.Error("features of a graph without")
		}
		_, wasSparse := form.(*sparse.CSR)
		_, isSparse := part.Features.(*sparse.CSR)
		_, wasSingle := form.(*coles.Dense32)
		_, isSingle := part.Features.(*coles.Dense32)
		if wasSparse != isSparse || wasSingle != isSingle {
			t.Errorf("features of %T become %T", form, part.Features)
		}
	}
}

func TestInduceOfAllNodesEmbedsAsTheWhole(t *testing.T) {
	g, x := drawnGraph(t, 60, 0.1, 123), normal(60, 20, 1, 124)
	m, err := coles.Fit(background, g, x, coles.WithDim(8))
	if err != nil {
		t.Fatal(err)
	}
	got, err := EmbedInductive(background, g, x, upTo(60), coles.WithDim(8))
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got, m.Embedding()) {
		t.Error("another embedding")
	}
}

// What is learned does not depend on unseen nodes: with other features and edges
// among those beyond the reach of the filter, rows of a separate part stay the same.
func TestEmbedInductiveSeesNothingOfOtherNodes(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(125, 0))
	seen, x := upTo(n), normal(2*n, 10, 1, 126)
	graph := func() *coles.Graph {
		var edges []coles.Edge
		seenRng := rand.New(rand.NewPCG(127, 0))
		for u := range n {
			for range 3 {
				edges = append(edges, coles.Edge{U: u, V: seenRng.IntN(n)}, coles.Edge{U: n + u, V: n + rng.IntN(n)})
			}
		}
		g, err := coles.NewGraph(2*n, edges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	opts := []coles.Option{coles.WithDim(4), coles.WithFeatures(coles.PrepareNone)}
	first, err := EmbedInductive(background, graph(), x, seen, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for i := n; i < 2*n; i++ {
		x.Set(i, i%10, 3)
	}
	second, err := EmbedInductive(background, graph(), x, seen, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(first.Slice(0, n, 0, 4), second.Slice(0, n, 0, 4), 1e-13) {
		t.Error("the seen nodes are embedded in another way")
	}
	if mat.EqualApprox(first.Slice(n, 2*n, 0, 4), second.Slice(n, 2*n, 0, 4), 1e-3) {
		t.Error("the unseen nodes are embedded in the same way")
	}
}

func TestInduceNamesBadInput(t *testing.T) {
	g, x := drawnGraph(t, 5, 0.5, 128), normal(5, 2, 1, 129)
	nan := mat.DenseCopyOf(x)
	nan.Set(4, 0, math.NaN())
	short, err := coles.NewDense32(4, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	infinite, err := coles.NewDense32(5, 1, []float32{0, float32(math.Inf(1)), 0, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(background)
	cancel()
	for _, c := range []struct {
		name  string
		ctx   context.Context
		g     *coles.Graph
		x     mat.Matrix
		nodes []int
		want  error
	}{
		{"no nodes", background, g, x, nil, ErrEmpty},
		{"no graph", background, nil, x, []int{0}, ErrRow},
		{"node outside", background, g, x, []int{0, 5}, ErrRow},
		{"negative node", background, g, x, []int{-1}, ErrRow},
		{"node twice", background, g, x, []int{3, 1, 3}, ErrDuplicate},
		{"rows", background, g, normal(4, 2, 1, 1), []int{0}, ErrShape},
		{"rows of float32", background, g, short, []int{0}, ErrShape},
		{"nil of float32", background, g, (*coles.Dense32)(nil), []int{0}, ErrShape},
		{"NaN", background, g, nan, []int{0}, ErrNotFinite},
		{"infinity of float32", background, g, infinite, []int{1}, ErrNotFinite},
		{"cancelled", ended, g, x, []int{0}, context.Canceled},
	} {
		if _, err := Induce(c.ctx, c.g, c.x, c.nodes); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
		if _, err := EmbedInductive(c.ctx, c.g, c.x, c.nodes); !errors.Is(err, c.want) {
			t.Errorf("EmbedInductive, %s: error %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := EmbedInductive(background, g, nil, []int{0}); !errors.Is(err, ErrShape) {
		t.Errorf("no features: error %v", err)
	}
}

// A random half of the nodes is seen. The classifier learns from 20 labelled
// seen nodes a class and is asked about all unseen ones, on the same splits
// whether the embedding has learned from them or not.
func TestUnseenNodesAreClassifiedAsSeenOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	for _, name := range []string{"pubmed", "coauthor_cs"} {
		t.Run(name, func(t *testing.T) {
			data, err := dataset.OpenNPZ(sharedFile(t, "data", "npz", name+".npz"))
			if err != nil {
				t.Fatal(err)
			}
			g, err := coles.FromCSR(data.Adjacency, coles.WithSymmetrization())
			if err != nil {
				t.Fatal(err)
			}
			m, err := coles.Fit(background, g, data.Features)
			if err != nil {
				t.Fatal(err)
			}
			seen, unseen := halves(data.Nodes())
			inductive, err := EmbedInductive(background, g, data.Features, seen)
			if err != nil {
				t.Fatal(err)
			}
			splits, err := dataset.RandomSplits(hidden(data.Labels, unseen), 20, 20, 1)
			if err != nil {
				t.Fatal(err)
			}
			for s := range splits {
				splits[s].Test = unseen
			}
			var accuracy [2]*Classification
			for k, x := range []mat.Matrix{inductive, m.Embedding()} {
				if accuracy[k], err = Classify(background, x, data.Labels, splits); err != nil {
					t.Fatal(err)
				}
			}
			c, err := Compare(accuracy[0].Accuracy, accuracy[1].Accuracy)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("inductive %.2f ± %.2f, transductive %.2f ± %.2f, difference %.2f, 95 %% from %.2f to %.2f",
				accuracy[0].Mean, accuracy[0].Std, accuracy[1].Mean, accuracy[1].Std, c.Mean, c.Low, c.High)
			if c.Mean < -1 {
				t.Errorf("unseen nodes lose %.2f points", -c.Mean)
			}
		})
	}
}

// halves divides n nodes at random.
func halves(n int) (seen, unseen []int) {
	order := rand.New(rand.NewPCG(1, 0)).Perm(n)
	return order[:n/2], order[n/2:]
}

// hidden is the labels without those of some nodes.
func hidden(labels, nodes []int) []int {
	out := append([]int(nil), labels...)
	for _, i := range nodes {
		out[i] = -1
	}
	return out
}
