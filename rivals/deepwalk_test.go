package rivals_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"
	"coles/internal/testkit"
	"coles/rivals"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// smallSkipGram is DeepWalk for tests: little of everything.
func smallSkipGram() rivals.SkipGram {
	s := rivals.Node2Vec(0.5, 2)
	s.Walks, s.Length, s.Window, s.Dim = 2, 20, 5, 24
	return s
}

func fitSkipGram(t *testing.T, s rivals.SkipGram, g *coles.Graph) *mat.Dense {
	t.Helper()
	return testkit.Must(s.Fit(context.Background(), g, nil))
}

func TestSkipGramIsTheSameForEveryGOMAXPROCS(t *testing.T) {
	for name, g := range map[string]*coles.Graph{
		"weighted":   testkit.RandomGraph(1, 1100, 0.005),
		"unweighted": testkit.Must(coles.NewGraph(1100, testkit.Ring(1100, 3))),
	} {
		s := smallSkipGram()
		want := testkit.Bits(fitSkipGram(t, s, g))
		testkit.ForProcessors(t, func(procs int) {
			testkit.WantSame(t, fmt.Sprintf("%s: procs=%d", name, procs), testkit.Bits(fitSkipGram(t, s, g)), want)
		})
	}
}

// What the embedding depends on, and what not: a graph of 200 nodes has 3 parts at most.
func TestSkipGramDependsOnItsSettings(t *testing.T) {
	g := testkit.RandomGraph(1, 200, 0.04)
	base := fitSkipGram(t, smallSkipGram(), g)
	for name, c := range map[string]struct {
		change func(s *rivals.SkipGram)
		same   bool
	}{
		"3 parts":   {func(s *rivals.SkipGram) { s.Parts = 3 }, true},
		"1 part":    {func(s *rivals.SkipGram) { s.Parts = 1 }, false},
		"seed":      {func(s *rivals.SkipGram) { s.Seed = 2 }, false},
		"p":         {func(s *rivals.SkipGram) { s.P = 1 }, false},
		"q":         {func(s *rivals.SkipGram) { s.Q = 1 }, false},
		"rate":      {func(s *rivals.SkipGram) { s.Rate = 0.05 }, false},
		"negatives": {func(s *rivals.SkipGram) { s.Negatives = 6 }, false},
		"window":    {func(s *rivals.SkipGram) { s.Window = 6 }, false},
	} {
		s := smallSkipGram()
		c.change(&s)
		if same := slices.Equal(testkit.Bits(fitSkipGram(t, s, g)), testkit.Bits(base)); same != c.same {
			t.Errorf("%s: the same embedding: %v, want %v", name, same, c.same)
		}
	}
}

// The vectors of nodes without edges stay zero, and those of the others do not depend on them.
func TestSkipGramLeavesIsolatedNodesAtZero(t *testing.T) {
	s := smallSkipGram()
	e := fitSkipGram(t, s, testkit.Must(coles.NewGraph(80, testkit.Ring(70, 2))))
	for i := range 80 {
		if zero := floats.Norm(e.RawRowView(i), 2) == 0; zero != (i >= 70) {
			t.Errorf("row %d is zero: %v", i, zero)
		}
	}
	e = testkit.Must(s.Fit(context.Background(), testkit.Must(coles.NewGraph(3, nil)), func(done, total int) {
		t.Errorf("%d of %d walks without an edge", done, total)
	}))
	testkit.WantSame(t, "no edges", testkit.Bits(e), testkit.Bits(mat.NewDense(3, s.Dim, nil)))
}

func TestSkipGramTellsItsProgress(t *testing.T) {
	s := smallSkipGram()
	s.Length, s.Window, s.Dim = 1000, 1, 1
	last := 0
	testkit.Must(s.Fit(context.Background(), testkit.Must(coles.NewGraph(300, testkit.Ring(300, 1))), func(done, total int) {
		if done <= last || done > total || total != 600 {
			t.Errorf("%d of %d walks after %d", done, total, last)
		}
		last = done
	}))
	if last != 600 {
		t.Errorf("the last report is of %d walks, want 600", last)
	}
}

func TestSkipGramRefusesSenselessSettings(t *testing.T) {
	g := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1)))
	for name, change := range map[string]func(s *rivals.SkipGram){
		"walks":          func(s *rivals.SkipGram) { s.Walks = 0 },
		"length":         func(s *rivals.SkipGram) { s.Length = 1 },
		"long walks":     func(s *rivals.SkipGram) { s.Length = 10_001 },
		"window":         func(s *rivals.SkipGram) { s.Window = 0 },
		"wide window":    func(s *rivals.SkipGram) { s.Window = 101 },
		"dim":            func(s *rivals.SkipGram) { s.Dim = 0 },
		"large dim":      func(s *rivals.SkipGram) { s.Dim = math.MaxInt },
		"negatives":      func(s *rivals.SkipGram) { s.Negatives = 0 },
		"many negatives": func(s *rivals.SkipGram) { s.Negatives = 101 },
		"p":              func(s *rivals.SkipGram) { s.P = 0 },
		"small p":        func(s *rivals.SkipGram) { s.P = math.SmallestNonzeroFloat64 },
		"negative q":     func(s *rivals.SkipGram) { s.Q = -1 },
		"infinite q":     func(s *rivals.SkipGram) { s.Q = math.Inf(1) },
		"no q":           func(s *rivals.SkipGram) { s.Q = math.NaN() },
		"rate":           func(s *rivals.SkipGram) { s.Rate = 0 },
		"high rate":      func(s *rivals.SkipGram) { s.Rate = 2 },
		"no rate":        func(s *rivals.SkipGram) { s.Rate = math.NaN() },
		"parts":          func(s *rivals.SkipGram) { s.Parts = 0 },
		"many parts":     func(s *rivals.SkipGram) { s.Parts = 65 },
	} {
		s := rivals.DeepWalk()
		change(&s)
		testkit.WantError(t, s.Check(), coles.ErrSetting)
		if err := testkit.Err(s.Fit(context.Background(), g, nil)); !testkit.IsNamed(err, coles.ErrSetting) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := rivals.DeepWalk().Check(); err != nil {
		t.Error(err)
	}
	s := rivals.DeepWalk()
	s.Walks = math.MaxInt / 80
	testkit.WantError(t, testkit.Err(s.Fit(context.Background(), g, nil)), coles.ErrTooLarge)
}

// On a triangle of 5 negatives that are mostly neighbours, the rate 1 makes every step too long.
func TestSkipGramSaysThatItOverflows(t *testing.T) {
	s := rivals.DeepWalk()
	s.Walks, s.Rate = 20, 1
	testkit.WantError(t, testkit.Err(s.Fit(context.Background(), testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1))), nil)), coles.ErrNotFinite)
}

func TestSkipGramSurvivesJSON(t *testing.T) {
	want, got := rivals.Node2Vec(0.25, 4), rivals.SkipGram{}
	text := `{"walks":10,"length":80,"window":10,"dim":128,"negatives":5,"p":0.25,"q":4,"rate":0.025,"parts":8,"seed":1}`
	testkit.WantSame(t, "text", string(testkit.Must(json.Marshal(want))), text)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	testkit.WantSame(t, "settings", got, want)
}

func TestSkipGramStopsWhenCancelled(t *testing.T) {
	n := 100_000
	g := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 3)))
	for name, change := range map[string]func(s *rivals.SkipGram){
		"walks":   func(s *rivals.SkipGram) { s.Q = 0.01 },
		"steps":   func(s *rivals.SkipGram) { s.Walks, s.Length, s.Parts = 1, 20, 1 },
		"vectors": func(s *rivals.SkipGram) { s.Walks, s.Length, s.Window, s.Dim, s.Parts = 1, 2, 1, 512, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := rivals.DeepWalk()
			change(&s)
			testkit.Stops(t, func(ctx context.Context) error { return testkit.Err(s.Fit(ctx, g, nil)) })
		})
	}
}

// The printed rows of DeepWalk in the tables of COLES (Zhu, Sun, Koniusz, 2021), 50 splits of 5 and of
// 20 labels per class: one setting is within 1.5 points of all of them, or above.
func TestDeepWalkReachesThePrintedRows(t *testing.T) {
	testkit.Long(t)
	for name, printed := range map[string][2]float64{"cora": {60.3, 70.5}, "citeseer": {38.3, 45.6}} {
		d := testkit.Must(dataset.OpenPlanetoid(testkit.Shared(t, "data", "planetoid"), name))
		g := testkit.Must(d.Graph())
		e := fitSkipGram(t, rivals.DeepWalk(), g)
		for i, labels := range []int{5, 20} {
			splits := testkit.Must(dataset.OpenSplits(testkit.Shared(t, "data", "splits", fmt.Sprintf("%s_%d.json", name, labels)), g.Nodes()))
			m := testkit.Must(eval.Protocol{}.Classify(context.Background(), e, d.Labels, splits))
			t.Logf("%s, %d labels: %.1f, printed %.1f", name, labels, 100*m.Mean, printed[i])
			if 100*m.Mean < printed[i]-1.5 {
				t.Errorf("%s, %d labels: %.1f, printed %.1f", name, labels, 100*m.Mean, printed[i])
			}
		}
	}
}

// Two cliques that are joined by an edge: nodes are most alike within their own.
func ExampleSkipGram() {
	var edges []coles.Edge
	for u := range 5 {
		for v := range u {
			edges = append(edges, coles.Edge{U: u, V: v}, coles.Edge{U: 5 + u, V: 5 + v})
		}
	}
	g, err := coles.NewGraph(10, append(edges, coles.Edge{U: 4, V: 5}))
	if err != nil {
		panic(err)
	}
	s := rivals.DeepWalk()
	s.Dim = 16
	s.Window = 2
	e, err := s.Fit(context.Background(), g, nil)
	if err != nil {
		panic(err)
	}
	cosine := func(u, v int) float64 {
		a, b := e.RawRowView(u), e.RawRowView(v)
		return floats.Dot(a, b) / (floats.Norm(a, 2) * floats.Norm(b, 2))
	}
	for u := range 10 {
		nearest := -1
		for v := range 10 {
			if v != u && (nearest < 0 || cosine(u, v) > cosine(u, nearest)) {
				nearest = v
			}
		}
		fmt.Print(nearest/5, " ")
	}
	// Output: 0 0 0 0 0 1 1 1 1 1
}
