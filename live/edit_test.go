package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// A mirror is a graph as a program without any cleverness keeps it, beside the one that is followed.
type mirror struct {
	names    []string
	x        map[string][]float64
	edges    map[[2]string]float64
	next     int
	numbered bool // the graph that is followed lacks the names
}

func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// neighbours are the names of nodes that edges join to one.
func (m *mirror) neighbours(name string) (found []string) {
	for e := range m.edges {
		if e[0] == name || e[1] == name {
			found = append(found, e[0], e[1])
		}
	}
	return found
}

// mirrored is a ring of named nodes with d features, or none for 0, both followed and mirrored.
func mirrored(t *testing.T, n, d int, sparse bool, opts ...coles.Option) (*live.Graph, *coles.Model, *mirror) {
	t.Helper()
	rng := testkit.Random(3)
	h := &mirror{x: map[string][]float64{}, edges: map[[2]string]float64{}}
	for range n {
		h.grow(rng, d)
	}
	for i := range n {
		for _, step := range []int{1, 2} {
			h.edges[pair(h.names[i], h.names[(i+step)%n])] = 0.5 + rng.Float64()
		}
	}
	g, x := h.graph(t), h.features(d, sparse)
	m := testkit.Must(coles.Fit(ctx, g, x, opts...))
	return testkit.Must(live.Follow(ctx, m, g, x)), m, h
}

func (m *mirror) grow(rng *rand.Rand, d int) string {
	name := fmt.Sprintf("node %04d", m.next)
	m.next++
	m.names = append(m.names, name)
	m.x[name] = row(rng, d)
	return name
}

func row(rng *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for j := range x {
		if rng.IntN(3) > 0 {
			x[j] = float64(rng.IntN(9)) / 2
		}
	}
	return x
}

// graph lists the edges in an order of their own.
func (m *mirror) graph(t *testing.T) *coles.Graph { return m.plain(t, coles.WithIDs(m.names)) }

func (m *mirror) plain(t *testing.T, opts ...coles.GraphOption) *coles.Graph {
	t.Helper()
	at := map[string]int{}
	for i, name := range m.names {
		at[name] = i
	}
	var edges []coles.Edge
	var weights []float64
	for _, e := range slices.SortedFunc(maps.Keys(m.edges), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		edges, weights = append(edges, coles.Edge{U: at[e[0]], V: at[e[1]]}), append(weights, m.edges[e])
	}
	return testkit.Must(coles.NewGraph(len(m.names), edges, append(opts, coles.WithWeights(weights))...))
}

func (m *mirror) features(d int, sparse bool) mat.Matrix {
	if d == 0 {
		return nil
	}
	x := mat.NewDense(len(m.names), d, nil)
	for i, name := range m.names {
		x.SetRow(i, m.x[name])
	}
	if sparse {
		return testkit.SparseOf(x)
	}
	return x
}

// change makes a random change to both.
func (m *mirror) change(t *testing.T, rng *rand.Rand, g *live.Graph, d int, sparse bool) {
	t.Helper()
	wrap := func(x []float64) mat.Matrix {
		if d == 0 {
			return nil
		}
		if one := mat.NewDense(1, d, x); !sparse {
			return one
		} else {
			return testkit.SparseOf(one)
		}
	}
	n, some := len(m.names), func() int { return rng.IntN(len(m.names)) }
	rowOf := func(name string) int {
		i, ok := g.Row(name)
		if m.numbered {
			return slices.Index(m.names, name)
		}
		if !ok || m.names[i] != name {
			t.Fatalf("%s is node %d, %v", name, i, ok)
		}
		return i
	}
	switch u, v := some(), some(); rng.IntN(6) {
	case 0:
		name := m.grow(rng, d)
		ends := []int{u, v}
		weights := []float64{0.5 + rng.Float64(), 1.5}
		what := live.Change{Features: wrap(m.x[name]), IDs: []string{name}, Weights: weights, Edges: []coles.Edge{{U: n, V: ends[0]}, {U: ends[1], V: n}}}
		if m.numbered {
			what.IDs = nil
		}
		testkit.Must(g.Add(ctx, what))
		for k, end := range ends {
			e := pair(name, m.names[end])
			m.edges[e] = max(m.edges[e], weights[k])
		}
	case 1, 2:
		if u != v {
			w := 0.25 + 2*rng.Float64()
			testkit.Must(g.SetWeights(ctx, []coles.Edge{{U: u, V: v}, {U: v, V: u}}, []float64{7, w}))
			m.edges[pair(m.names[u], m.names[v])] = w
		}
	case 3:
		near := slices.DeleteFunc(m.neighbours(m.names[u]), func(name string) bool { return name == m.names[u] })
		if len(near) > 1 {
			slices.Sort(near)
			to := near[rng.IntN(len(near))]
			testkit.Must(g.SetWeights(ctx, []coles.Edge{{U: u, V: rowOf(to)}}, []float64{0}))
			delete(m.edges, pair(m.names[u], to))
		}
	case 4:
		if d > 0 {
			x := row(rng, d)
			testkit.Must(g.SetFeatures(ctx, []int{u}, wrap(x)))
			m.x[m.names[u]] = x
		}
	case 5:
		if n < 30 {
			return
		}
		what, err := g.Remove(ctx, []int{u})
		if d == 0 && errors.Is(err, coles.ErrUnplaced) { // none would be left that the model knows
			return
		}
		testkit.Check(t, err)
		name := m.names[u]
		maps.DeleteFunc(m.edges, func(e [2]string, _ float64) bool { return e[0] == name || e[1] == name })
		delete(m.x, name)
		m.names[u] = m.names[n-1]
		m.names = m.names[:n-1]
		if u < n-1 {
			testkit.WantSame(t, "who took the number", what.Renumbered, [][2]int{{n - 1, u}})
		}
	}
}

// wantMirror compares the graphs, and the vectors with those of the model on the mirror's.
func (m *mirror) wantMirror(t *testing.T, g *live.Graph, of *coles.Model, d int, sparse bool) {
	t.Helper()
	want, now := m.graph(t), testkit.Must(g.Graph())
	if !mat.Equal(now.CSR(), want.CSR()) || !slices.Equal(now.IDs(), want.IDs()) || g.Nodes() != len(m.names) {
		t.Fatalf("the graph of %d nodes is not its mirror of %d", g.Nodes(), len(m.names))
	}
	y := testkit.Must(of.Embed(ctx, want, m.features(d, sparse)))
	all := make([]int, len(m.names))
	for i := range all {
		all[i] = i
	}
	tolerance := 1e-9
	if d == 0 {
		tolerance = 1e-6 // features made of the graph are float32, and sum in the order of the nodes
	}
	testkit.WantClose(t, "vectors", testkit.Must(g.Embed(ctx, all)), y, tolerance*(1+mat.Norm(y, 2)))
}

// After any history the vectors are those of the graph as it then is, and M of a fit from scratch.
func TestAnyHistoryEndsInTheGraphAsItIs(t *testing.T) {
	changes := 200
	if !testing.Short() && os.Getenv("COLES_SHARED") != "" {
		changes = 10_000
	}
	for _, c := range []struct {
		name   string
		d      int
		sparse bool
		opts   []coles.Option
	}{
		{"dense", 5, false, []coles.Option{coles.With(func(s *coles.Settings) { s.Filter, s.Kind = coles.SGC(2), coles.UseGraph })}},
		{"sparse", 6, true, []coles.Option{coles.With(func(s *coles.Settings) {
			s.Filter, s.Kind, s.Negatives, s.Preparation = coles.S2GCSum(3), coles.UseGraph, coles.ExpectedUniformNegatives(), coles.PrepareNone
			s.Kappa, s.Eta = 1, 1
		})}},
		{"features alone", 4, false, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}},
		{"no features", 0, false, []coles.Option{coles.WithDim(6), coles.With(func(s *coles.Settings) { s.Filter = coles.SGC(2) })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := append(c.opts, coles.With(func(s *coles.Settings) { s.Precision = coles.Float64 }))
			g, m, h := mirrored(t, 240, c.d, c.sparse, opts...)
			rng := testkit.Random(11)
			for k := range changes {
				h.change(t, rng, g, c.d, c.sparse)
				if k%97 == 0 || k == changes-1 {
					h.wantMirror(t, g, m, c.d, c.sparse)
				}
			}
			before := testkit.Must(g.Solve(ctx))
			testkit.Check(t, g.Rebuild(ctx))
			after := testkit.Must(g.Solve(ctx))
			for k, v := range after.Lambda {
				testkit.WantNear(t, "1 and an eigenvalue", 1+before.Lambda[k], 1+v, 1e-9*(1+math.Abs(after.Lambda[0])))
			}
			h.wantMirror(t, g, m, c.d, c.sparse)
			fresh := testkit.Must(testkit.Must(live.Follow(ctx, m, h.graph(t), h.features(c.d, c.sparse))).Solve(ctx))
			for k, v := range fresh.Lambda {
				testkit.WantNear(t, "1 and an eigenvalue from scratch", 1+after.Lambda[k], 1+v, 1e-6*(1+math.Abs(fresh.Lambda[0])))
			}
		})
	}
}

// What is refused leaves everything as it was.
func TestRefusedEdits(t *testing.T) {
	g, m, h := mirrored(t, 40, 3, false)
	bare, _, _ := mirrored(t, 40, 0, false)
	one := mat.NewDense(1, 3, nil)
	testkit.WantRefusals(t, map[string][2]error{
		"no such node":        {testkit.Err(g.Remove(ctx, []int{40})), coles.ErrIndex},
		"a node below 0":      {testkit.Err(g.SetFeatures(ctx, []int{-1}, one)), coles.ErrIndex},
		"a node given twice":  {testkit.Err(g.Remove(ctx, []int{3, 3})), coles.ErrIndex},
		"all nodes":           {testkit.Err(g.Remove(ctx, testkit.UpTo(40))), coles.ErrShape},
		"a row too few":       {testkit.Err(g.SetFeatures(ctx, []int{1, 2}, one)), coles.ErrShape},
		"a column too many":   {testkit.Err(g.SetFeatures(ctx, []int{1}, mat.NewDense(1, 4, nil))), coles.ErrShape},
		"a weight below 0":    {testkit.Err(g.SetWeights(ctx, []coles.Edge{{U: 1, V: 2}}, []float64{-1})), coles.ErrNegative},
		"a weight too few":    {testkit.Err(g.SetWeights(ctx, []coles.Edge{{U: 1, V: 2}}, nil)), coles.ErrShape},
		"no edge to remove":   {testkit.Err(g.SetWeights(ctx, []coles.Edge{{U: 1, V: 9}}, []float64{0})), coles.ErrIndex},
		"no such end":         {testkit.Err(g.SetWeights(ctx, []coles.Edge{{U: 1, V: 90}}, []float64{1})), coles.ErrIndex},
		"features where none": {testkit.Err(bare.SetFeatures(ctx, []int{1}, one)), coles.ErrShape},
	})
	if _, err := g.Remove(cancelled(), []int{1}); err == nil {
		t.Error("a context that has ended stops nothing")
	}
	h.wantMirror(t, g, m, 3, false)
}

// Readers go on beside a writer, and find each row as it was before a change or is after it.
func TestReadersBesideAWriter(t *testing.T) {
	g, _, h := mirrored(t, 60, 4, false, coles.With(func(s *coles.Settings) { s.Filter, s.Kind = coles.SGC(2), coles.UseGraph }))
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := g.Embed(ctx, []int{0, 7}); err != nil {
					t.Error(err)
				}
				if i, ok := g.Row("node 0003"); ok && i >= 100 {
					t.Errorf("node 3 is %d", i)
				}
			}
		}()
	}
	rng := testkit.Random(5)
	for range 200 {
		h.change(t, rng, g, 4, false)
	}
	close(done)
	wait.Wait()
}

// A change that fails, whatever is wrong with it and wherever it stops, leaves the file of the graph as it was, to the byte.
func TestFailedChangesChangeNothing(t *testing.T) {
	for _, c := range []struct {
		d      int
		sparse bool
		span   float64
	}{{4, false, 0}, {5, true, 100}, {0, false, 0}, {0, false, 1}} {
		g, _, h := mirrored(t, 50, c.d, c.sparse, coles.WithDim(3), coles.With(func(s *coles.Settings) {
			s.Filter, s.Kind, s.WeightSpan = coles.SGC(2), coles.UseGraph, c.span
		}))
		rng, before, failed := testkit.Random(17), saved(t, g), map[string]int{}
		for k := range 400 {
			n := g.Nodes()
			some := func() int { return rng.IntN(n) }
			what := live.Change{IDs: []string{fmt.Sprint("new ", k)}, Edges: []coles.Edge{{U: n, V: some()}, {U: some(), V: n}}, Weights: []float64{1, 2}}
			x := testkit.RandomDense(rng, 1, max(c.d, 1))
			late := &fading{Context: ctx}
			late.left.Store(1000)
			why := rng.IntN(7)
			switch why {
			case 0:
				what.IDs[0] = h.names[some()]
			case 1:
				what.Weights[1] = []float64{-1, math.NaN(), 1.7e308}[rng.IntN(3)]
				what.Edges = append(what.Edges, coles.Edge{U: n, V: some()})
				what.Weights = append(what.Weights, 1.7e308)
			case 2:
				what.Edges[rng.IntN(2)].V += 1 + rng.IntN(3)*n
			case 3:
				x.Set(0, 0, []float64{math.NaN(), 1e300}[rng.IntN(2)])
			default:
				late.left.Store(int64(rng.IntN(12)))
			}
			if c.d > 0 {
				what.Features = x
			}
			if err := g.Rebuild(cancelled()); err == nil {
				t.Fatal("a context that has ended stops no rebuild")
			}
			kind, err := rng.IntN(5), error(nil)
			switch u, v := some(), some(); kind {
			case 0, 1:
				_, err = g.Add(late, what)
			case 2:
				_, err = g.SetWeights(late, []coles.Edge{{U: u, V: v}, {U: some(), V: some()}}, what.Weights[:2])
			case 3:
				_, err = g.SetFeatures(late, []int{u}, x)
			case 4:
				if why > 3 {
					_, err = g.Remove(late, []int{u})
				} else {
					_, err = g.Remove(late, []int{u, u})
				}
			}
			now := saved(t, g)
			if err != nil && !bytes.Equal(now, before) {
				t.Fatalf("%d features, %v: a change of kind %d, fault %d, is half made: %v", c.d, c.sparse, kind, why, err)
			}
			if err != nil {
				failed[fmt.Sprint(kind, why)]++
			}
			before, h.names = now, testkit.Must(g.Graph()).IDs()
		}
		if len(failed) < 15 {
			t.Errorf("%d ways to fail: %v", len(failed), failed)
		}
	}
}
