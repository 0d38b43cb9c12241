package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/testkit"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A builder and a reader are told the same, in text and by calls.
func TestBuilderMakesWhatIsRead(t *testing.T) {
	var b Builder
	var edges, features, labels strings.Builder
	rng := rand.New(rand.NewPCG(1, 1))
	ids := strings.Fields("ann bob 7 07 1e3 zoë 99999999999999999999 -1")
	for i, id := range ids {
		b.AddNode(id)
		features.WriteString(id)
		for _, name := range []string{"x", "y", "z"} {
			v := rng.NormFloat64()
			b.SetFeature(id, name, v)
			features.WriteString("," + number(v))
		}
		features.WriteString("\n")
		if i%2 == 0 {
			class := string("pqr"[i%3])
			b.SetLabel(id, "wrong")
			b.SetLabel(id, class)
			labels.WriteString(id + "," + class + "\n")
		}
	}
	for range 30 {
		u, v, w := ids[rng.IntN(len(ids))], ids[rng.IntN(len(ids))], rng.Float64()
		b.AddEdge(u, v, w)
		edges.WriteString(u + "," + v + "," + number(w) + "\n")
	}
	want := testkit.Must(readText(edges.String(), features.String(), labels.String()))
	got := testkit.Must(b.Build())
	wantSame(t, got, want)
	testkit.WantSame(t, "names of features", got.FeatureNames, []string{"x", "y", "z"})
}

// What is set again replaces what was set, and what is built does not change with what comes later.
func TestBuilderSetsAndBuildsAgain(t *testing.T) {
	var b Builder
	b.SetFeature("a", "x", 1)
	b.SetFeature("b", "y", 2)
	b.SetFeature("a", "x", 3)
	b.SetLabel("a", "red")
	b.SetLabel("b", "blue")
	b.SetLabel("b", "")
	first := testkit.Must(b.Build())
	b.AddEdge("c", "a", 1)
	b.SetFeature("a", "x", 4)
	b.SetLabel("c", "blue")
	second := testkit.Must(b.Build())
	want := func(d *Dataset, ids string, x *mat.Dense, labels []int, edges int) {
		t.Helper()
		if strings.Join(d.IDs, "") != ids || !mat.Equal(d.Features.(*sparse.CSR).ToDense(), x) || !slices.Equal(d.Labels, labels) || d.Adjacency.NNZ() != edges {
			t.Errorf("%q, %v, %v, %d edges", d.IDs, mat.Formatted(d.Features), d.Labels, d.Adjacency.NNZ())
		}
	}
	want(first, "ab", mat.NewDense(2, 2, []float64{3, 0, 0, 2}), []int{0, -1}, 0)
	want(second, "abc", mat.NewDense(3, 2, []float64{4, 0, 0, 2, 0, 0}), []int{1, -1, 0}, 1)
}

func TestBadBuilds(t *testing.T) {
	for name, c := range map[string]struct {
		add   func(b *Builder)
		want  error
		place string
	}{
		"nothing":             {func(b *Builder) {}, ErrMissing, "no node"},
		"an empty node":       {func(b *Builder) { b.AddNode("") }, coles.ErrIDs, "empty"},
		"an edge to nothing":  {func(b *Builder) { b.AddEdge("a", "", 1) }, coles.ErrIDs, "empty"},
		"a weight of NaN":     {func(b *Builder) { b.AddEdge("a", "b", math.NaN()) }, coles.ErrNotFinite, `edge from "a" to "b": NaN`},
		"an infinite feature": {func(b *Builder) { b.SetFeature("a", "x", math.Inf(-1)) }, coles.ErrNotFinite, `feature "x" of node "a": -Inf`},
		"a label of nothing":  {func(b *Builder) { b.SetLabel("", "x") }, coles.ErrIDs, "empty"},
		"the first of two":    {func(b *Builder) { b.AddNode(""); b.AddEdge("a", "b", math.NaN()) }, coles.ErrIDs, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			var b Builder
			c.add(&b)
			wantError(t, testkit.Err(b.Build()), c.want, c.place)
			if name != "nothing" {
				b.AddEdge("a", "b", 1)
				wantError(t, testkit.Err(b.Build()), c.want, c.place)
			}
		})
	}
}

// The graph has both directions of every edge, the larger weight of two, and the ids.
func TestDatasetGraph(t *testing.T) {
	d := testkit.Must(readText("a b 2\nb a 3\nc a 1\nc c 5\n", "", ""))
	g := testkit.Must(d.Graph())
	want := mat.NewDense(3, 3, []float64{0, 3, 1, 3, 0, 0, 1, 0, 0})
	if !mat.Equal(g.CSR().ToDense(), want) || !slices.Equal(g.IDs(), d.IDs) {
		t.Errorf("%v\n%v", g.IDs(), mat.Formatted(g.CSR()))
	}
	g = testkit.Must(d.Graph(coles.WithSelfLoopsKept(), coles.WithIDs([]string{"x", "y", "z"})))
	want.Set(2, 2, 5)
	if !mat.Equal(g.CSR().ToDense(), want) || g.IDs()[0] != "x" {
		t.Errorf("%v\n%v", g.IDs(), mat.Formatted(g.CSR()))
	}
	d.IDs = nil
	if g := testkit.Must(d.Graph()); g.Named() {
		t.Errorf("nodes without names are called %q", g.IDs())
	}
	wantError(t, testkit.Err((&Dataset{Name: "half"}).Graph()), ErrMissing, "half")
	wantError(t, testkit.Err(testkit.Must(readText("a b -1\n", "", "")).Graph()), coles.ErrNegative, "-1")
}
