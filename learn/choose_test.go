package learn

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// drawnCommunities is a drawn graph with its features, of which row i goes to node i + shift: shifted
// features still correlate, and not with neighbours or classes.
func drawnCommunities(t *testing.T, c synthetic.Communities, shift int) (*coles.Graph, mat.Matrix, []int) {
	t.Helper()
	d := testkit.Must(c.Generate(context.Background()))
	rows, cols := d.Features.Dims()
	x := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			x.Set((i+shift)%rows, j, d.Features.At(i, j))
		}
	}
	return testkit.Must(d.Graph()), testkit.SparseOf(x), d.Labels
}

// some keeps every k-th label, and none of the classes that are left out.
func some(labels []int, k int, without ...int) []int {
	kept := make([]int, len(labels))
	for i, l := range labels {
		kept[i] = -1 - i%3
		if i%k == 0 {
			kept[i] = l
		}
		if slices.Contains(without, l) {
			kept[i] = -1
		}
	}
	return kept
}

// Choices equal a plain loop's: each kind is fitted alone, a classifier of the other parts
// predicts each part, and s decides unless one kind alone is right so often that the square of the
// surplus is above four times the number of rows in which they differ.
func TestChooseModelIsAPlainLoop(t *testing.T) {
	apart := synthetic.Communities{Nodes: 300, Classes: 3, Features: 200, Homophily: 0.02, Topic: 0.5, Seed: 5}
	together := synthetic.Communities{Nodes: 500, Classes: 5, Degree: 8, Features: 300, Homophily: 0.8, Seed: 6}
	strong := synthetic.Communities{Nodes: 700, Homophily: 0.5, Topic: 0.5, Seed: 3}
	vague := synthetic.Communities{Nodes: 500, Classes: 3, Degree: 8, Features: 300, Homophily: 0.6, Seed: 6}
	other := synthetic.Communities{Nodes: 600, Classes: 3, Degree: 3, Features: 200, Homophily: 0.95, Topic: 0.6, Seed: 7}
	blind := []string{"one class", "no labels"}
	for name, c := range map[string]struct {
		of          synthetic.Communities
		shift       int
		every       int
		without     []int
		alone, want coles.Kind
		told        bool
		opts        []coles.Option
	}{
		"both for the features":       {apart, 0, 3, nil, coles.UseFeatures, coles.UseFeatures, true, nil},
		"both for the graph":          {together, 0, 4, nil, coles.UseGraph, coles.UseGraph, true, []coles.Option{coles.WithDim(16)}},
		"s for the graph, in float32": {strong, 0, 4, nil, coles.UseGraph, coles.UseFeatures, true, []coles.Option{coles.WithPrecision(coles.Float32)}},
		"s for the features":          {other, 1, 6, nil, coles.UseFeatures, coles.UseGraph, true, []coles.Option{coles.WithSeed(9)}},
		"a kind that is given":        {other, 1, 6, nil, coles.UseFeatures, coles.UseGraph, true, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}},
		"too few to tell":             {vague, 0, 30, nil, coles.UseGraph, coles.UseGraph, false, nil},
		"two classes":                 {apart, 0, 5, []int{2}, coles.UseFeatures, coles.UseFeatures, true, nil},
		"one class":                   {apart, 0, 3, []int{0, 2}, coles.UseFeatures, coles.UseFeatures, false, nil},
		"no labels":                   {together, 0, 1, []int{0, 1, 2, 3, 4}, coles.UseGraph, coles.UseGraph, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g, x, all := drawnCommunities(t, c.of, c.shift)
			labels := some(all, c.every, c.without...)
			c.opts = append(c.opts, coles.With(func(s *coles.Settings) { s.Structure = 0 }))
			got := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: labels}, Options{Alone: true}, c.opts...))
			byS := testkit.Must(coles.Fit(context.Background(), g, x, append(c.opts, coles.With(func(s *coles.Settings) { s.Kind = 0 }))...))
			testkit.WantSame(t, "s", got.Alignment, *byS.Report().Alignment)
			testkit.WantSame(t, "kinds", [2]coles.Kind{got.Alone, got.Model.Report().Kind}, [2]coles.Kind{c.alone, c.want})
			right, models := make(map[coles.Kind][]bool), make(map[coles.Kind]*coles.Model)
			for _, kind := range []coles.Kind{coles.UseGraph, coles.UseFeatures} {
				models[kind] = testkit.Must(coles.Fit(context.Background(), g, x, append(c.opts, coles.With(func(s *coles.Settings) { s.Kind = kind }))...))
				if !slices.Contains(blind, name) {
					right[kind] = plainlyRight(models[kind].Embedding(), labels)
				}
			}
			testkit.WantSame(t, "embedding", testkit.Bits(got.Model.Embedding()), testkit.Bits(models[c.want].Embedding()))
			b, d := 0.0, 0.0 // rows that one kind alone has right
			graph, features := right[coles.UseGraph], right[coles.UseFeatures]
			hits := [2]float64{}
			for i := range graph {
				switch {
				case graph[i] && !features[i]:
					b++
				case features[i] && !graph[i]:
					d++
				}
				for k, hit := range []bool{graph[i], features[i]} {
					if hit {
						hits[k]++
					}
				}
			}
			n := float64(len(graph))
			testkit.WantSame(t, "labels", got.Labels, len(graph))
			testkit.WantSame(t, "whether the labels tell", got.told, (b-d)*(b-d) > 4*(b+d))
			testkit.WantSame(t, "whether the labels tell, as intended", got.told, c.told)
			if n > 0 {
				for k, kind := range []coles.Kind{coles.UseGraph, coles.UseFeatures} {
					at := slices.IndexFunc(got.Tried, func(c Candidate) bool { return c.Kind == kind })
					testkit.WantNear(t, "accuracy", got.Tried[at].Score, hits[k]/n, 1e-15)
				}
				testkit.WantNear(t, "error", got.Error, math.Sqrt(b/n/n+d/n/n), 1e-15)
			}
		})
	}
}

// plainlyRight predicts each of five parts of the labelled rows by the others.
func plainlyRight(y *mat.Dense, labels []int) []bool {
	of := testkit.Must(testkit.Must(groupsOf(Labels{Classes: labels})).split(Options{}))
	right := make([]bool, len(of.rows))
	for q, label := range heldOutRows(LogisticRegression{C: 1}, y, of.rows, labels, of) {
		right[q] = label == labels[of.rows[q]]
	}
	return right
}

// A class of one label is neither learnt nor asked about: the choice is that without it.
func TestChooseModelLeavesOutAClassOfOneLabel(t *testing.T) {
	g, x, labels := drawnCommunities(t, synthetic.Communities{Nodes: 200, Classes: 4, Homophily: 0.9, Seed: 8}, 0)
	without := some(labels, 5, 3)
	with := append([]int(nil), without...)
	for i, l := range labels {
		if l == 3 {
			with[i] = 3
			break
		}
	}
	got, want := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: with}, Options{})), testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: without}, Options{}))
	testkit.WantSame(t, "the choice", got.String(), want.String())
	testkit.WantSame(t, "labels", got.Labels > 20, true)

	single := make([]int, len(labels))
	seen := make(map[int]bool)
	for i, l := range labels {
		single[i] = -1
		if !seen[l] {
			single[i], seen[l] = l, true
		}
	}
	alone := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: single}, Options{}))
	testkit.WantSame(t, "labels of one a class", alone.Labels, 0)
	testkit.WantText(t, alone.String(), "graph model, by s: ")
}

func TestChooseModelRefuses(t *testing.T) {
	g, x, labels := drawnCommunities(t, synthetic.Communities{Nodes: 60, Classes: 2, Features: 50, Seed: 1}, 0)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx    context.Context
		x      mat.Matrix
		labels []int
		opt    coles.Option
		want   error
	}{
		"no features":    {nil, nil, labels, coles.WithSeed(1), coles.ErrShape},
		"few labels":     {nil, x, labels[1:], coles.WithSeed(1), coles.ErrShape},
		"no labels":      {nil, x, nil, coles.WithSeed(1), coles.ErrShape},
		"few rows":       {nil, mat.NewDense(59, 50, nil), labels, coles.WithSeed(1), coles.ErrShape},
		"a bad setting":  {nil, x, labels, coles.WithDim(-1), coles.ErrSetting},
		"not a number":   {nil, mat.NewDense(60, 1, append(make([]float64, 59), math.NaN())), labels, coles.WithSeed(1), coles.ErrNotFinite},
		"a context over": {over, x, labels, coles.WithSeed(1), context.Canceled},
	} {
		ctx := c.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		if _, err := ChooseModel(ctx, g, c.x, Labels{Classes: c.labels}, Options{}, c.opt); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// Each embedding is judged with the weights that are best for it, as what learns from it does.
func TestChooseModelJudgesWithNeighbours(t *testing.T) {
	g, x, all := drawnCommunities(t, synthetic.Communities{Nodes: 600, Classes: 3, Degree: 8, Features: 60, Homophily: 0.6, Topic: 0.2, Seed: 9}, 0)
	kind := coles.With(func(s *coles.Settings) { s.Structure = 0 })
	labels, surrounded := some(all, 3), 0
	c := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: labels}, Options{Seed: 1}, kind))
	for _, of := range c.Tried {
		m := testkit.Must(coles.Fit(context.Background(), g, x, kind, coles.With(func(s *coles.Settings) { s.Kind = of.Kind })))
		want := testkit.Must(Fit(context.Background(), g, m.Embedding(), Labels{Classes: labels}, Options{Cs: []float64{1}, Seed: 1}))
		testkit.WantNear(t, of.Kind.String(), of.Score, want.Confusion.Accuracy(), 1e-12)
		if want.Weights.Surroundings > 0.1 {
			surrounded++
		}
	}
	if surrounded == 0 {
		t.Error("surroundings count nothing")
	}
}

// The text of a choice for each way it was made.
func TestChoiceSays(t *testing.T) {
	g, x, labels := drawnCommunities(t, synthetic.Communities{Nodes: 300, Classes: 3, Features: 200, Homophily: 0.02, Topic: 0.5, Seed: 5}, 0)
	c := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: some(labels, 3)}, Options{}))
	c.Labels, c.Error, c.Score = 8, 0.125, 0.625
	c.Tried = []Candidate{{coles.UseFeatures, 0, 0.875}, {coles.UseGraph, 0, 0.25}, {coles.UseGraph, 0.5, 0.75}}
	tried := ": features 87.5 %, graph 25.0 % (± 12.5 points), beside who the neighbours are (share 0.5) 75.0 %; with the choice made anew for each part 62.5 %\n"
	found := c.Alignment.String()
	for want, told := range map[string]bool{
		"feature model, by cross-validation on 8 labels" + tried + "s alone: " + found:          true,
		"feature model, by s: cross-validation on 8 labels cannot tell" + tried + "s: " + found: false,
	} {
		c.told = told
		testkit.WantSame(t, "the choice", c.String(), want)
	}
	c.Labels = 0
	testkit.WantSame(t, "the choice", c.String(), "feature model, by s: cross-validation takes two labels of two classes at least\ns: "+found)
}

// The kind taken gets columns of the structure where labels tell that these help, and the settings allow it.
func TestChooseModelTriesStructure(t *testing.T) {
	g, _, all := drawnCommunities(t, synthetic.Communities{Nodes: 240, Classes: 6, Degree: 10, Homophily: 0.9, Seed: 8}, 0)
	x, alone := testkit.RandomDense(testkit.Random(3), 240, 3), Options{Alone: true} // fewer nodes than a fit adds columns to by itself
	c := testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: some(all, 3)}, alone))
	share := c.Model.Report().StructureShare
	want := testkit.Must(coles.Fit(context.Background(), g, x, coles.With(func(s *coles.Settings) { s.Kind, s.Structure = c.Model.Report().Kind, coles.Share(share) })))
	testkit.WantSame(t, "embedding", testkit.Bits(c.Model.Embedding()), testkit.Bits(want.Embedding()))
	if len(c.Tried) != 4 || share < 0.5 || c.Tried[2].Score < max(c.Tried[0].Score, c.Tried[1].Score)+0.2 {
		t.Errorf("share %v: %v", share, c)
	}
	c = testkit.Must(ChooseModel(context.Background(), g, x, Labels{Classes: some(all, 3)}, alone, coles.With(func(s *coles.Settings) { s.Structure = 0 })))
	if len(c.Model.Parts()) > 1 || len(c.Tried) > 2 {
		t.Errorf("structure that is forbidden: %v", c)
	}
}
