package link

import (
	"context"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// circles is a graph of many triangles: nodes on a ring joined to the next few, and a node alone.
func circles(n int) *coles.Graph {
	return testkit.Must(coles.NewGraph(n+1, testkit.Ring(n, 4)))
}

func TestRecommenderKeepsItsPromises(t *testing.T) {
	n := 400
	ring := circles(n)
	sides := make([]bool, n+1)
	var crossing []coles.Edge
	for e := range ring.Edges() {
		if sides[e.U], sides[e.V] = e.U%2 == 1, e.V%2 == 1; sides[e.U] != sides[e.V] {
			crossing = append(crossing, e)
		}
	}
	x := testkit.Normal(n+1, 6, 1, 151)
	for name, c := range map[string]struct {
		g    *coles.Graph
		opts Options
	}{
		"one kind":  {ring, Options{}},
		"two kinds": {testkit.Must(coles.NewGraph(n+1, crossing)), Options{Sides: sides}},
		"vectors":   {ring, Options{Embed: func(context.Context, *coles.Graph) (mat.Matrix, error) { return x, nil }}},
	} {
		t.Run(name, func(t *testing.T) {
			r := testkit.Must(Fit(context.Background(), c.g, c.opts))
			may := func(u, v int) bool { return u != 7 || v%4 == 0 }
			all := testkit.Must(r.Recommend(context.Background(), nil, math.MaxInt, may))
			for u, matches := range all {
				sum := 0.0
				var pairs []coles.Edge
				for _, m := range matches {
					sum += m.Score
					pairs = append(pairs, coles.Edge{U: u, V: m.Row})
					if near, _ := c.g.Neighbors(u); slices.Contains(near, int32(m.Row)) || m.Row == u {
						t.Fatalf("%d is recommended to %d", m.Row, u)
					}
					if c.opts.Sides != nil && sides[u] == sides[m.Row] || !may(u, m.Row) {
						t.Fatalf("%d may not be recommended to %d", m.Row, u)
					}
				}
				if !slices.IsSortedFunc(matches, func(a, b near.Match) int { return int(math.Copysign(1, b.Score-a.Score)) }) && len(matches) > 1 {
					t.Fatalf("node %d: not best first", u)
				}
				if u == n && c.opts.Embed == nil {
					if len(matches) == 0 || sum != 0 {
						t.Fatalf("a node alone gets %v", matches)
					}
					continue
				}
				testkit.WantNear(t, "the sum of all scores", sum, 1, 1e-9)
				if u%100 == 3 {
					scores := testkit.Must(r.Scores(context.Background(), append(pairs, pairs[0])))
					for q, m := range matches {
						testkit.WantNear(t, "the score of a pair", scores[q], m.Score, 1e-12)
					}
				}
			}
			few := testkit.Must(r.Recommend(context.Background(), []int{9, 7}, 3, may))
			testkit.WantSame(t, "some nodes", few, [][]near.Match{all[9][:3], all[7][:3]})
		})
	}
}

// Where edges follow no rule but the degree nothing is worth more than that; where they close triangles most of
// what was hidden is found. What the recommender says of itself is what another tenth of the edges shows.
func TestWorthOfLinks(t *testing.T) {
	drawn := testkit.Must(Fit(context.Background(), testkit.DrawnGraph(600, 0.03, 152), Options{}))
	if w := drawn.Worth; w.Recall > 0.06 { // ten of 582 are 1.7 %, and chance adds to that
		t.Errorf("edges without a rule: %v", w)
	}
	g := circles(1000)
	train, _, lost := hideSome(g, edgesOf(g), false, 99)
	r := testkit.Must(Fit(context.Background(), train, Options{}))
	trials := testkit.Must(newTrials(context.Background(), r.finder, lost, false, 3))
	found, all := 0, 0
	for _, trial := range trials {
		found += trial.found(trial.ranked(r.weights[0]))
		all += len(trial.lost)
	}
	recall := float64(found) / float64(all)
	if w := r.Worth; w.Recall < 0.5 || w.Popular > 0.1 || w.Recall > recall+0.05 || w.Recall < recall-0.25 {
		t.Errorf("%v, and %.1f %% of others are found", w, 100*recall)
	}
	testkit.WantText(t, r.Worth.String(), "recall@10", "two steps alone", "the most popular")
	testkit.WantSame(t, "of no edges", Worth{}.String(), "no edge to measure by")
}

func TestRecommenderIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	g, x := testkit.Topics(153, 300, 8, 0.8)
	embed := func(context.Context, *coles.Graph) (mat.Matrix, error) { return x, nil }
	var first [][]near.Match
	testkit.ForProcessors(t, func(int) {
		r := testkit.Must(Fit(context.Background(), g, Options{Embed: embed, Features: x, Seed: 4}))
		got := testkit.Must(r.Recommend(context.Background(), nil, 5, nil))
		if first == nil {
			first = got
		}
		testkit.WantSame(t, "recommendations", got, first)
	})
}

// Recall@10 on a tenth of the edges of published graphs, at least that of resource allocation and of the walks of
// three steps; with features also that of the vectors.
func TestRecommenderLeadsSingleScores(t *testing.T) {
	testkit.Long(t)
	for _, name := range []string{"cora", "citeseer", "chameleon"} {
		d := testkit.Must(dataset.Open(testkit.Shared(t, "data", "npz", name+".npz"), dataset.ReadNPZ))
		g := testkit.Must(d.Graph())
		r := testkit.Must(Fit(context.Background(), g, Options{Embed: func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
			m, err := coles.Fit(ctx, g, d.Features, coles.WithSettings(coles.LinkSettings(d.Features.Dims())))
			if err != nil {
				return nil, err
			}
			return m.Embedding(), nil
		}}))
		t.Log(name, r.Worth)
		if w := r.Worth; w.Recall < max(w.TwoSteps, w.ThreeSteps, w.Vectors)-0.02 { // 600 nodes have an error of 2 points
			t.Errorf("%s: %v", name, w)
		}
	}
}

// The cosine of features is that of their prepared rows, sparse or dense.
func TestCosinesOfFeatures(t *testing.T) {
	words, _ := testkit.RandomWords(testkit.Random(1), 60, 90)
	for _, x := range []mat.Matrix{words, testkit.RandomDense(testkit.Random(2), 60, 7)} {
		rows := testkit.DenseOf(testkit.Must(testkit.Must(coles.PrepareAuto.Fit(context.Background(), x)).Apply(context.Background(), x)))
		f := &finder{known: testkit.Must(unitFeatures(context.Background(), 60, x))}
		for u := range 60 {
			a, b := rows.RowView(u), rows.RowView(59-u)
			testkit.WantNear(t, "cosine", f.alike(u, 59-u), mat.Dot(a, b)/(mat.Norm(a, 2)*mat.Norm(b, 2)), 1e-12)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	g := circles(40)
	vectors := func(x mat.Matrix, err error) Options {
		return Options{Embed: func(context.Context, *coles.Graph) (mat.Matrix, error) { return x, err }}
	}
	learn := func(g *coles.Graph, opts Options) error { return testkit.Err(Fit(context.Background(), g, opts)) }
	r := testkit.Must(Fit(context.Background(), g, Options{}))
	recommend := func(k int, nodes ...int) error { return testkit.Err(r.Recommend(context.Background(), nodes, k, nil)) }
	testkit.WantRefusals(t, map[string][2]error{
		"no edges":              {learn(testkit.Must(coles.NewGraph(4, nil)), Options{}), coles.ErrShape},
		"sides of some":         {learn(g, Options{Sides: make([]bool, 3)}), coles.ErrShape},
		"an edge within a side": {learn(g, Options{Sides: make([]bool, 41)}), coles.ErrSetting},
		"vectors of some":       {learn(g, vectors(testkit.Normal(4, 2, 1, 1), nil)), coles.ErrShape},
		"features of some":      {learn(g, Options{Features: testkit.Normal(4, 2, 1, 1), Embed: vectors(testkit.Normal(41, 2, 1, 1), nil).Embed}), coles.ErrShape},
		"features alone":        {learn(g, Options{Features: testkit.Normal(41, 2, 1, 1)}), coles.ErrSetting},
		"no vectors":            {learn(g, vectors(nil, context.Canceled)), context.Canceled},
		"an arc and no edge":    {learn(g, Options{Arcs: []coles.Edge{{U: 0, V: 20}}}), coles.ErrShape},
		"an arc to nowhere":     {learn(g, Options{Arcs: []coles.Edge{{U: 0, V: 41}}}), coles.ErrIndex},
		"arcs and sides":        {learn(testkit.Must(coles.NewGraph(2, []coles.Edge{{U: 0, V: 1}})), Options{Arcs: []coles.Edge{{U: 0, V: 1}}, Sides: []bool{false, true}}), coles.ErrSetting},
		"no links":              {recommend(0), coles.ErrSetting},
		"no nodes":              {testkit.Err(r.Recommend(context.Background(), []int{}, 1, nil)), coles.ErrShape},
		"an unknown node":       {recommend(1, 41), coles.ErrIndex},
		"an unknown pair":       {testkit.Err(r.Scores(context.Background(), []coles.Edge{{U: 0, V: 41}})), coles.ErrIndex},
	})
}
