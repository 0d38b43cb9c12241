package task

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"
	"coles/internal/testkit"
	"coles/link"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// Eight rows are a quarter each: 2 nearest. The oracle measures all distances.
func TestFewRowsAreJoined(t *testing.T) {
	const n = 8
	x := testkit.Normal(n, 3, 1, 4)
	d := testkit.Must(Join(ctx, &dataset.Dataset{Features: x}, 0))
	testkit.WantSame(t, "joined", d.Joined, true)
	prepared := testkit.DenseOf(testkit.Must(testkit.Must(coles.PrepareAuto.Fit(ctx, x)).Apply(ctx, x)))
	for i := range n {
		order := testkit.UpTo(n)
		far := func(j int) float64 {
			var of mat.VecDense
			of.SubVec(prepared.RowView(i), prepared.RowView(j))
			return mat.Norm(&of, 2)
		}
		slices.SortFunc(order, func(a, b int) int {
			if far(a) < far(b) {
				return -1
			}
			return 1
		})
		joined, _ := d.Graph.Neighbors(i)
		for _, j := range order[1:3] {
			if !slices.Contains(joined, int32(j)) {
				t.Errorf("row %d is not joined to %d, one of its two nearest", i, j)
			}
		}
	}
	f := testkit.Must(d.Fit(ctx, Fitting{}))
	testkit.WantSame(t, "kind", f.Model.(*coles.Model).Report().Kind, coles.UseGraph)
	y := testkit.Must(testkit.Must(NewPlacer(ctx, f.Model, d)).Embed(ctx, x.Slice(0, 1, 0, 3), nil, nil))
	testkit.WantSame(t, "a newcomer's columns", width(y), width(f.Rows))
	for rows, want := range map[int]int{1: 1, 4: 1, 12: 3, 39: 10, 40: 10, 4000: 10} {
		testkit.WantSame(t, "nearest", usualNearest(rows), want)
	}
	for _, k := range []int{8, 9} {
		testkit.WantError(t, testkit.Err(Join(ctx, &dataset.Dataset{Features: x}, k)), coles.ErrShape)
	}
	testkit.WantError(t, testkit.Err(Join(ctx, &dataset.Dataset{Features: mat.NewDense(9, 2, nil)}, 0)), coles.ErrShape)
}

// Links are learnt as by hand from vectors for links that have not seen the hidden edges. One fit to all edges, which
// has, believes itself better on the hidden ones.
func TestLinksAreLearntWithoutTheHiddenEdges(t *testing.T) {
	set := testkit.Must(synthetic.Communities{Nodes: 300, Words: 3, Features: 60, Degree: 8, Seed: 3}.Generate(ctx))
	d := testkit.Must(New(set))
	got := testkit.Must(d.Links(ctx, Linking{Seed: 1}))
	var edges []int
	hand := testkit.Must(link.Fit(ctx, d.Graph, link.Options{Seed: 1, Features: set.Features, Embed: func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
		edges = append(edges, g.Report().Edges)
		m, err := coles.Fit(ctx, g, set.Features, coles.WithSettings(coles.LinkSettings(300, 60)))
		return embedding(m), err
	}}))
	testkit.WantSame(t, "worth", got.Worth, hand.Worth)
	testkit.WantSame(t, "links", testkit.Must(got.Recommend(ctx, nil, 5, nil)), testkit.Must(hand.Recommend(ctx, nil, 5, nil)))
	if len(edges) != 2 || edges[0] >= edges[1] {
		t.Errorf("fits saw %d edges", edges)
	}
	seen := testkit.Must(d.Fit(ctx, Fitting{})).Rows
	flattered := testkit.Must(d.Links(ctx, Linking{Seed: 1, Embed: func(context.Context, *coles.Graph) (mat.Matrix, error) { return seen, nil }}))
	if flattered.Worth.Recall <= got.Worth.Recall {
		t.Errorf("vectors that have seen the hidden edges say %.3f, others %.3f", flattered.Worth.Recall, got.Worth.Recall)
	}
}

// All edges of a grid join a black field to a white one.
func TestLinksOfTwoKinds(t *testing.T) {
	const side = 12
	var edges []coles.Edge
	for i := range side * side {
		if i%side+1 < side {
			edges = append(edges, coles.Edge{U: i, V: i + 1})
		}
		if i+side < side*side {
			edges = append(edges, coles.Edge{U: i, V: i + side})
		}
	}
	d := &Data{Dataset: &dataset.Dataset{}, Graph: testkit.Must(coles.NewGraph(side*side, edges))}
	of := testkit.Must(d.Links(ctx, Linking{Seed: 1}))
	testkit.WantSame(t, "notes", len(of.Notes), 1)
	colour := func(i int) int { return (i%side + i/side) % 2 }
	for u, found := range testkit.Must(of.Recommend(ctx, nil, 3, nil)) {
		for _, m := range found {
			if colour(u) == colour(m.Row) {
				t.Errorf("%d and %d are of one colour", u, m.Row)
			}
		}
	}
}

func TestClusters(t *testing.T) {
	y, corner := corners(90)
	c := testkit.Must(Cluster(ctx, y, 0, 1, nil))
	testkit.WantSame(t, "count", c.Count, 3)
	of := map[[2]int]bool{}
	for i, b := range corner {
		of[[2]int{b, c.Of[i]}] = true
	}
	testkit.WantSame(t, "pairs of corner and cluster", len(of), 3)
	testkit.WantText(t, c.Notes[0].String(), "3 clusters, mean silhouette")
	degrees := make([]float64, 90)
	degrees[7], degrees[8] = 2, 3 // of two corners
	for _, name := range c.Names(nil, degrees) {
		testkit.WantText(t, name, "around ", ", 30")
	}
	testkit.WantSame(t, "the name of a cluster", c.Names(nil, degrees)[c.Of[7]], "around 7, 30")
	// Forty groups far apart, of which a first look finds no more than twenty.
	far := mat.NewDense(160, 40, nil)
	for i := range 160 {
		far.Set(i, i%40, 1)
		far.Set(i, (i+1+i/40)%40, 0.02)
	}
	testkit.WantSame(t, "groups, of which 20 were not all", testkit.Must(Cluster(ctx, far, 0, 1, nil)).Count, 40)
	same := testkit.Must(Cluster(ctx, mat.NewDense(4, 1, []float64{1, 2, 3, -1}), 3, 1, nil)) // two directions
	testkit.WantSame(t, "notes", same.Notes, []Note{{Text: "2 clusters, not 3: no more vectors have different directions"}})
	testkit.WantError(t, testkit.Err(Cluster(ctx, y, 91, 1, nil)), coles.ErrShape)
	testkit.WantError(t, testkit.Err(Cluster(ctx, testkit.Eye(2), 0, 1, nil)), coles.ErrShape)
}

// Without features neighbours decide, as [near.Alike] has them; with features vectors do.
func TestSimilarNodes(t *testing.T) {
	g := testkit.Must(coles.NewGraph(6, []coles.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 3, V: 4}, {U: 3, V: 5}}))
	y := mat.NewDense(6, 2, []float64{1, 0, 1, 0, 0, 1, 0, 1, 0, 1, -1, 0})
	bare := testkit.Must(NewSimilar(ctx, &Data{Dataset: &dataset.Dataset{}, Graph: g}, y, near.Cosine, nil))
	testkit.WantSame(t, "like neighbours", testkit.Must(bare.Rows(ctx, []int{1}, 5)), testkit.Must(near.Alike(ctx, g, []int{1}, 5)))
	rich := testkit.Must(NewSimilar(ctx, &Data{Dataset: &dataset.Dataset{Features: y}, Graph: g}, y, near.Cosine, nil))
	testkit.WantSame(t, "like vectors", testkit.Must(rich.Rows(ctx, []int{1}, 1))[0], []near.Match{{Row: 0, Score: 1}})
	testkit.WantSame(t, "all others", len(testkit.Must(rich.Rows(ctx, []int{1}, 99))[0]), 5)
}

// A model of rows is kept with its rows and places others as before.
func TestFilesKeepRows(t *testing.T) {
	x := testkit.Normal(30, 3, 1, 9)
	d := testkit.Must(Join(ctx, &dataset.Dataset{Features: x}, 0))
	m := testkit.Must(d.Fit(ctx, Fitting{})).Model
	var kept bytes.Buffer
	testkit.Must(Keep(m, parse.Options{}, d).WriteTo(&kept))
	for _, cut := range []int{kept.Len() - 1, kept.Len() / 2, 3} {
		if _, err := ReadFile(bytes.NewReader(kept.Bytes()[:cut])); !testkit.IsNamed(err) {
			t.Errorf("%d of %d bytes: %v", cut, kept.Len(), err)
		}
	}
	f := testkit.Must(ReadFile(bytes.NewReader(kept.Bytes())))
	testkit.WantSame(t, "model", f.Model.Hash(), m.Hash())
	more := testkit.Normal(4, 3, 1, 11)
	at := func(m Model, d *Data) *mat.Dense {
		return testkit.Must(testkit.Must(NewPlacer(ctx, m, d)).Embed(ctx, more, nil, nil))
	}
	testkit.WantClose(t, "newcomers", at(f.Model, testkit.Must(f.known())), at(m, d), 0)
}

func TestNotes(t *testing.T) {
	d := &dataset.Dataset{Features: mat.NewDense(2, 2, []float64{1, 2, 1, 2})}
	if !leaveOutAlike(d) || d.Features != nil {
		t.Error("features that are all alike stay")
	}
	testkit.WantSame(t, "zero rows", ZeroRows(mat.NewDense(3, 1, []float64{0, 1, 0}), nil)[0].Text, `nodes whose vectors are zero: 2 of 3, such as "0"`)
	const n = 20
	d = &dataset.Dataset{Features: mat.NewDense(n, 2, nil), FeatureNames: []string{"copy", "noise"}}
	for i := range n {
		d.Labels = append(d.Labels, i%2)
		d.Features.(*mat.Dense).SetRow(i, []float64{float64(7 * (i % 2)), float64(i)})
	}
	testkit.WantSame(t, "labels in features", labelsInFeatures(d)[0].Text, `features that say what the labels say: "copy"`)
}
