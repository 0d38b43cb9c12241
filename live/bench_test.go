package live_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/internal/peak"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// Ten edges more, M and P brought up to date, against a fit of the grown graph from scratch in the
// same precision, and against the default fit: "fit/update" and "default/update" are the ratios,
// "digits" counts the digits of PᵀΛP that the update shares with the former fit.
func BenchmarkGrow(b *testing.B) {
	const n, d = 200_000, 128
	b.Run("ring of 200,000 nodes, K=2", func(b *testing.B) {
		g := testkit.Must(coles.NewGraph(n, testkit.Ring(n, 5)))
		benchmarkGrow(b, g, testkit.RandomDense(testkit.Random(1), n, d), coles.With(func(s *coles.Settings) { s.Filter, s.Preparation = coles.S2GCSum(2), coles.PrepareNone }))
	})
	b.Run("pubmed, K=8", func(b *testing.B) {
		data := testkit.Must(dataset.Open(testkit.Shared(b, "data", "npz", "pubmed.npz"), dataset.ReadNPZ))
		g := testkit.Must(coles.FromCSR(data.Adjacency, coles.WithMirrors()))
		prepare := testkit.Must(coles.PrepareAuto.Fit(ctx, data.Features))
		benchmarkGrow(b, g, testkit.Must(prepare.Apply(ctx, data.Features)), coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareNone }))
	})
}

func benchmarkGrow(b *testing.B, g *coles.Graph, x mat.Matrix, opts ...coles.Option) {
	opts = append(slices.Clone(opts), coles.With(func(s *coles.Settings) { s.Structure = 0 })) // whose 24 hops reach most nodes
	m := testkit.Must(coles.Fit(ctx, g, x, opts...))
	r := testkit.Must(live.Follow(ctx, m, g, x))
	rng := testkit.Random(2)
	var update, fit, plain time.Duration
	timed := func(total *time.Duration, do func()) {
		start := time.Now()
		do()
		*total += time.Since(start)
	}
	same := append(slices.Clone(opts), coles.With(func(s *coles.Settings) { s.Precision, s.Solver = coles.Float64, coles.SolverDirect }))
	off := 0.0
	for b.Loop() {
		var edges []coles.Edge
		for range 10 {
			u := rng.IntN(g.Nodes())
			edges = append(edges, coles.Edge{U: u, V: (u + 10 + rng.IntN(10)) % g.Nodes()})
		}
		var p *coles.Projection
		timed(&update, func() {
			b.ReportMetric(float64(len(testkit.Must(r.Add(ctx, live.Change{Edges: edges})).Moved)), "moved")
			p = testkit.Must(r.Solve(ctx))
		})
		b.StopTimer()
		now := testkit.Must(r.Graph())
		var scratch *coles.Model
		timed(&fit, func() { scratch = testkit.Must(coles.Fit(ctx, now, x, same...)) })
		timed(&plain, func() { testkit.Must(coles.Fit(ctx, now, x, opts...)) })
		want, difference := wholeM(scratch.P(), scratch.Parts()[0].Lambda), new(mat.Dense)
		difference.Sub(wholeM(p.P, p.Lambda), want)
		off = max(off, mat.Norm(difference, 2)/mat.Norm(want, 2))
		b.StartTimer()
	}
	b.ReportMetric(float64(fit)/float64(update), "fit/update")
	b.ReportMetric(float64(plain)/float64(update), "default/update")
	b.ReportMetric(-math.Log10(max(off, 0x1p-53)), "digits")
	if !(off <= 1e-9) {
		b.Errorf("an update is %.2g off a fit", off)
	}
}

// One node more, of ten neighbours, frozen.
func BenchmarkFrozen(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, hops int
	}{{"K=2", 200_000, 2}, {"K=8", 20_000, 8}} {
		b.Run(c.name, func(b *testing.B) {
			const d = 128
			h := ring(testkit.RandomDense(testkit.Random(3), c.n+1, d), c.n, 5, coles.WithFilter(coles.S2GCSum(c.hops)))
			g, old := h.graph(c.n), h.features(0, c.n)
			f := testkit.Must(live.Freeze(ctx, testkit.Must(coles.Fit(ctx, g, old, h.opts...)), g, old))
			one := mat.DenseCopyOf(h.features(c.n, c.n+1))
			var edges []coles.Edge
			for k := range 10 {
				edges = append(edges, coles.Edge{U: c.n, V: 31*k + 7})
			}
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(f.Embed(ctx, one, edges, nil))
			}
		})
	}
}

// 50,000 changes of a graph of 20,000 nodes with ten edges each, which keeps its size, 32 features and K=2: a new node with its
// edges, a weight, the features of a node, and a node less, in turn. "first" and "last" are the microseconds of work, on all processors, of one of the first
// and last 5,000, and must not differ by half; the others are by kind. The costs follow what is within K hops, some 110 nodes, and not the changes
// so far: on two processors a new node took 210 µs, a weight 50, features 60, a node less 200, and one of the first 120 where one
// of the last took 140.
//
//	go test -run '^$' -bench Changes -benchtime 1x ./live
func BenchmarkChanges(b *testing.B) {
	const n, degree, d, changes, window = 20_000, 10, 32, 50_000, 5_000
	rng := testkit.Random(5)
	ends := func(u int) (edges []coles.Edge) {
		for range degree {
			edges = append(edges, coles.Edge{U: u, V: rng.IntN(u)})
		}
		return edges
	}
	var edges []coles.Edge
	for range n * degree / 2 {
		edges = append(edges, coles.Edge{U: rng.IntN(n), V: rng.IntN(n)})
	}
	g, x := testkit.Must(coles.NewGraph(n, edges)), testkit.RandomDense(rng, n, d)
	m := testkit.Must(coles.Fit(ctx, g, x, coles.WithFilter(coles.S2GCSum(2))))
	for b.Loop() {
		r := testkit.Must(live.Follow(ctx, m, g, x))
		took, windows, kinds := time.Duration(0), []float64(nil), [4]time.Duration{}
		for k := range changes {
			u, row := rng.IntN(n), testkit.RandomDense(rng, 1, d)
			edges, start := ends(n), peak.Time()
			var err error
			switch k % 4 {
			case 0:
				_, err = r.Add(ctx, live.Change{Features: row, Edges: edges})
			case 1:
				_, err = r.SetWeights(ctx, []coles.Edge{{U: n, V: edges[0].V}}, []float64{2})
			case 2:
				_, err = r.SetFeatures(ctx, []int{u}, row)
			case 3:
				_, err = r.Remove(ctx, []int{u})
			}
			testkit.Check(b, err)
			spent := peak.Time() - start
			kinds[k%4] += spent
			took += spent
			if k%window == window-1 {
				windows, took = append(windows, float64(took.Microseconds())/window), 0
			}
		}
		first, last := windows[0], windows[len(windows)-1]
		b.ReportMetric(first, "first-µs")
		b.ReportMetric(last, "last-µs")
		for k, name := range []string{"add-µs", "weight-µs", "features-µs", "remove-µs"} {
			b.ReportMetric(float64(kinds[k].Microseconds())/(changes/4), name)
		}
		if last > 1.5*first {
			b.Errorf("a change took %.0f µs at first and %.0f at last", first, last)
		}
	}
}
