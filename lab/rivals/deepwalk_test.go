package rivals

import (
	"math"
	"slices"
	"testing"

	"coles"
	"coles/dataset/synthetic"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// smallSkipGram is DeepWalk for tests: little of everything.
func smallSkipGram() SkipGram {
	s := Node2Vec(0.5, 2)
	s.Walks, s.Length, s.Window, s.Dim = 2, 20, 5, 24
	return s
}

// What the embedding depends on, and what not: a graph of 200 nodes has 3 parts at most.
func TestSkipGramDependsOnItsSettings(t *testing.T) {
	g := testkit.RandomGraph(1, 200, 0.04)
	base := testkit.Must(smallSkipGram().Fit(ctx, g, nil))
	for name, c := range map[string]struct {
		change func(s *SkipGram)
		same   bool
	}{
		"3 parts":   {func(s *SkipGram) { s.Parts = 3 }, true},
		"1 part":    {func(s *SkipGram) { s.Parts = 1 }, false},
		"seed":      {func(s *SkipGram) { s.Seed = 2 }, false},
		"p":         {func(s *SkipGram) { s.P = 1 }, false},
		"q":         {func(s *SkipGram) { s.Q = 1 }, false},
		"rate":      {func(s *SkipGram) { s.Rate = 0.05 }, false},
		"negatives": {func(s *SkipGram) { s.Negatives = 6 }, false},
		"window":    {func(s *SkipGram) { s.Window = 6 }, false},
	} {
		s := smallSkipGram()
		c.change(&s)
		if same := slices.Equal(testkit.Bits(testkit.Must(s.Fit(ctx, g, nil))), testkit.Bits(base)); same != c.same {
			t.Errorf("%s: the same embedding: %v, want %v", name, same, c.same)
		}
	}
}

// The vectors of nodes without edges stay zero, and the vectors of others do not depend on them.
func TestSkipGramLeavesIsolatedNodesAtZero(t *testing.T) {
	s := smallSkipGram()
	e := testkit.Must(s.Fit(ctx, testkit.Must(coles.NewGraph(80, testkit.Ring(70, 2))), nil))
	for i := range 80 {
		if zero := floats.Norm(e.RawRowView(i), 2) == 0; zero != (i >= 70) {
			t.Errorf("row %d is zero: %v", i, zero)
		}
	}
	e = testkit.Must(s.Fit(ctx, testkit.Must(coles.NewGraph(3, nil)), func(_ string, done, total int) {
		t.Errorf("%d of %d walks without an edge", done, total)
	}))
	testkit.WantSame(t, "no edges", testkit.Bits(e), testkit.Bits(mat.NewDense(3, s.Dim, nil)))
}

// A training on walks reports its progress.
func TestWalksTellTheirProgress(t *testing.T) {
	const nodes, want = 300, 2 * 300
	s := smallSkipGram()
	s.Length, s.Window, s.Dim = 1000, 1, 1
	last, times := 0, 0
	testkit.Must(s.Fit(ctx, testkit.Must(coles.NewGraph(nodes, testkit.Ring(nodes, 1))), func(stage string, done, total int) {
		if stage != "walks" || done <= last || done > total || total != want {
			t.Errorf("%d of %d walks after %d", done, total, last)
		}
		last = done
		times++
	}))
	if last != want || times < 2 {
		t.Errorf("the last of %d reports is of %d walks, want %d", times, last, want)
	}
}

func TestSkipGramRefusesSenselessSettings(t *testing.T) {
	g := testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1)))
	for name, change := range map[string]func(s *SkipGram){
		"walks":          func(s *SkipGram) { s.Walks = 0 },
		"length":         func(s *SkipGram) { s.Length = 1 },
		"long walks":     func(s *SkipGram) { s.Length = 10_001 },
		"window":         func(s *SkipGram) { s.Window = 0 },
		"wide window":    func(s *SkipGram) { s.Window = 101 },
		"dim":            func(s *SkipGram) { s.Dim = 0 },
		"large dim":      func(s *SkipGram) { s.Dim = math.MaxInt },
		"negatives":      func(s *SkipGram) { s.Negatives = 0 },
		"many negatives": func(s *SkipGram) { s.Negatives = 101 },
		"p":              func(s *SkipGram) { s.P = 0 },
		"small p":        func(s *SkipGram) { s.P = math.SmallestNonzeroFloat64 },
		"negative q":     func(s *SkipGram) { s.Q = -1 },
		"infinite q":     func(s *SkipGram) { s.Q = math.Inf(1) },
		"no q":           func(s *SkipGram) { s.Q = math.NaN() },
		"rate":           func(s *SkipGram) { s.Rate = 0 },
		"high rate":      func(s *SkipGram) { s.Rate = 2 },
		"no rate":        func(s *SkipGram) { s.Rate = math.NaN() },
		"parts":          func(s *SkipGram) { s.Parts = 0 },
		"many parts":     func(s *SkipGram) { s.Parts = 65 },
	} {
		s := DeepWalk()
		change(&s)
		testkit.WantError(t, s.Check(), coles.ErrSetting)
		if err := testkit.Err(s.Fit(ctx, g, nil)); !testkit.IsNamed(err, coles.ErrSetting) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := DeepWalk().Check(); err != nil {
		t.Error(err)
	}
	s := DeepWalk()
	s.Walks = math.MaxInt / 80
	testkit.WantError(t, testkit.Err(s.Fit(ctx, g, nil)), coles.ErrTooLarge)
}

// On a triangle of 5 negatives that are mostly neighbours, the rate 1 makes every step too long.
func TestSkipGramSaysThatItOverflows(t *testing.T) {
	s := DeepWalk()
	s.Walks, s.Rate = 20, 1
	testkit.WantError(t, testkit.Err(s.Fit(ctx, testkit.Must(coles.NewGraph(3, testkit.Ring(3, 1))), nil)), coles.ErrNotFinite)
}

// BenchmarkDeepWalk is one walk of 80 nodes from every node of generated graphs of the sizes of Cora
// and Pubmed: some 11 pairs for each node of a walk, and 6 targets for each pair.
func BenchmarkDeepWalk(b *testing.B) {
	for _, c := range []struct {
		name  string
		graph synthetic.Communities
	}{
		{"cora", synthetic.Communities{Nodes: 2708, Degree: 4, Seed: 1}},
		{"pubmed", synthetic.Communities{Nodes: 19717, Degree: 4.5, Classes: 3, Seed: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := testkit.Must(c.graph.Generate(ctx))
			g := testkit.Must(coles.FromCSR(d.Adjacency))
			s := DeepWalk()
			s.Walks = 1
			for b.Loop() {
				testkit.Must(s.Fit(ctx, g, nil))
			}
			nodes := float64(s.Walks*s.Length*c.graph.Nodes) * float64(b.N)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/nodes, "ns/token")
		})
	}
}
