package eval

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/matrix"
	"coles/internal/testkit"
)

// twins is a graph with components, isolated nodes, a self loop, weights and names: a drawn one
// twice, side by side.
func twins(n int, p float64, seed uint64) *coles.Graph {
	names := make([]string, 2*n+3)
	for i := range names {
		names[i] = "node " + strconv.Itoa(i)
	}
	var edges []coles.Edge
	var weights []float64
	for q, e := range testkit.RandomEdges(testkit.Random(seed), n, p) {
		edges = append(edges, e, coles.Edge{U: e.U + n, V: e.V + n})
		weights = append(weights, 0.5+float64(q), 0.5+float64(q))
	}
	edges, weights = append(edges, coles.Edge{U: 1, V: 1}), append(weights, 9)
	return testkit.Must(coles.NewWeightedGraph(len(names), edges, weights, coles.WithIDs(names), coles.WithSelfLoopsKept()))
}

func TestHoldOutLinksDividesTheEdges(t *testing.T) {
	g := twins(40, 0.15, 101)
	components, count := g.Components()
	before := g.CSR()
	for seed := range uint64(20) {
		links := testkit.Must(HoldOutLinks(background, g, 0.3, seed))
		edges := g.Report().Edges
		if want := int(math.Round(0.3 * float64(edges))); len(links.Positive) != want || len(links.Negative) != want {
			t.Errorf("%d edges and %d pairs, want %d of %d", len(links.Positive), len(links.Negative), want, edges)
		}
		if got, kept := links.Train.Components(); kept != count || !slices.Equal(got, components) {
			t.Errorf("%d components of %d", kept, count)
		}
		if !slices.Equal(links.Train.IDs(), g.IDs()) {
			t.Error("the nodes have other names")
		}
		// What is left and what is held out is the graph, weights and loops too.
		want := testkit.DenseOf(before)
		for _, e := range links.Positive {
			if want.At(e.U, e.V) == 0 {
				t.Errorf("%v is no edge, or held out twice", e)
			}
			want.Set(e.U, e.V, 0)
			want.Set(e.V, e.U, 0)
		}
		testkit.WantClose(t, "the graph that is left", links.Train.CSR(), want, 0)
		for _, e := range links.Negative {
			if e.U >= e.V || before.At(e.U, e.V) != 0 {
				t.Errorf("%v is no negative", e)
			}
		}
	}
}

func TestHoldOutLinksGrowsWithTheShareAndRepeats(t *testing.T) {
	g := drawnGraph(80, 0.2, 102)
	var last []coles.Edge
	for _, share := range []float64{0.05, 0.2, 0.5} {
		links := testkit.Must(HoldOutLinks(background, g, share, 3))
		again := testkit.Must(HoldOutLinks(background, g, share, 3))
		if !slices.Equal(again.Positive, links.Positive) || !slices.Equal(again.Negative, links.Negative) {
			t.Errorf("share %v: not the same twice", share)
		}
		if links.Train.Named() {
			t.Error("nodes without names have some")
		}
		for _, e := range last {
			if !slices.Contains(links.Positive, e) {
				t.Errorf("share %v lets go of %v", share, e)
			}
		}
		last = links.Positive
	}
	if other := testkit.Must(HoldOutLinks(background, g, 0.5, 4)); slices.Equal(other.Positive, last) {
		t.Error("another seed gives the same links")
	}
}

// The scores from the entries, one by one.
func TestPredictLinksRanksSimilarities(t *testing.T) {
	x := normal(30, 4, 1, 111)
	x.SetRow(3, make([]float64, 4)) // similar to nothing
	links := testkit.Must(HoldOutLinks(background, drawnGraph(30, 0.3, 112), 0.4, 5))
	for _, by := range []Similarity{Cosine, DotProduct} {
		var scores [2][]float64
		for s, pairs := range [][]coles.Edge{links.Positive, links.Negative} {
			for _, e := range pairs {
				u, v, score := x.RawRowView(e.U), x.RawRowView(e.V), 0.0
				for j := range u {
					score += u[j] * v[j]
				}
				if lengths := matrix.Length(u) * matrix.Length(v); by == Cosine && lengths > 0 {
					score /= lengths
				}
				scores[s] = append(scores[s], score)
			}
		}
		for _, form := range forms(x) {
			got := testkit.Must(PredictLinks(background, form, links, by, 5))
			is := comparer{t, int(by)}
			want, err := AUC(scores[0], scores[1])
			is.equal("area", got.AUC, want, 0, err)
			want, err = AveragePrecision(scores[0], scores[1])
			is.equal("average precision", got.AveragePrecision, want, 0, err)
			want, err = HitsAt(scores[0], scores[1], 5)
			is.equal("hits", got.Hits, want, 0, err)
		}
	}
}

// An embedding for links of the graph without them ranks them above the rest better than the
// features do, and than the default does. The bounds are measured, less one point: areas of
// 0.961 and 0.960; of the features 0.806 and 0.778, of the default 0.947 and 0.857.
func TestEmbeddingsPredictLinksOfCora(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cora := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", "cora.npz"), dataset.ReadNPZ))
	g := testkit.Must(coles.FromDirectedCSR(cora.Adjacency))
	links := testkit.Must(HoldOutLinks(background, g, 0.1, 1))
	m := testkit.Must(coles.Fit(background, links.Train, cora.Features, coles.WithSettings(coles.ForLinks.Settings(cora.Features.Dims()))))
	classes := testkit.Must(coles.Fit(background, links.Train, cora.Features))
	for by, bound := range []float64{Cosine: 0.951, DotProduct: 0.950} {
		by := Similarity(by)
		got := testkit.Must(PredictLinks(background, m.Embedding(), links, by, 50))
		raw := testkit.Must(PredictLinks(background, cora.Features, links, by, 50))
		other := testkit.Must(PredictLinks(background, classes.Embedding(), links, by, 50))
		t.Logf("%v: AUC %.4f, AP %.4f, hits@50 %.4f; of the features %.4f, %.4f, %.4f", by,
			got.AUC, got.AveragePrecision, got.Hits, raw.AUC, raw.AveragePrecision, raw.Hits)
		if got.AUC < bound || got.AUC < raw.AUC || got.AveragePrecision < raw.AveragePrecision {
			t.Errorf("%v: area %v, want %v and more than of the features", by, got.AUC, bound)
		}
		if got.AUC < other.AUC || got.AveragePrecision < other.AveragePrecision || got.Hits < other.Hits {
			t.Errorf("%v: %+v, the default %+v", by, got, other)
		}
	}
}
