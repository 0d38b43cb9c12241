package coles_test

import (
	"math"
	"testing"
	"time"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// Ten edges more, M and P brought up to date, beside a fit of the grown graph from
// scratch in the same precision, and beside the default fit: "fit/update" and
// "default/update" are the ratios, "digits" those in which PᵀΛP is that of the former.
func BenchmarkGrow(b *testing.B) {
	const n, d = 200_000, 128
	b.Run("ring of 200,000 nodes, K=2", func(b *testing.B) {
		g := must(coles.NewGraph(n, ringEdges(n, 5)))
		benchmarkGrow(b, g, randomDense(random(1), n, d), coles.WithFilter(coles.S2GCSum(2)), coles.WithFeatures(coles.PrepareNone))
	})
	b.Run("pubmed, K=8", func(b *testing.B) {
		data, g := openGraph(b, "pubmed")
		prepare := must(coles.FitPreparation(ctx, data.Features, coles.PrepareAuto))
		benchmarkGrow(b, g, must(prepare.Apply(ctx, data.Features)), coles.WithFeatures(coles.PrepareNone))
	})
}

func benchmarkGrow(b *testing.B, g *coles.Graph, x mat.Matrix, opts ...coles.Option) {
	m := must(coles.Fit(ctx, g, x, opts...))
	r := must(m.Grow(ctx, g, x))
	rng := random(2)
	b.ResetTimer()
	var update, fit, plain time.Duration
	off := 0.0
	for range b.N {
		var edges []coles.Edge
		for range 10 {
			u := rng.IntN(g.Nodes())
			edges = append(edges, coles.Edge{U: u, V: (u + 10 + rng.IntN(10)) % g.Nodes()})
		}
		start := time.Now()
		grown := must(r.Add(ctx, coles.Growth{Edges: edges}))
		p := must(r.Solve(ctx))
		update += time.Since(start)
		b.ReportMetric(float64(len(grown.Moved)), "moved")
		b.StopTimer()
		now := must(r.Graph())
		start = time.Now()
		scratch := must(coles.Fit(ctx, now, x, append(opts, coles.WithPrecision(coles.Float64), coles.WithSolver(coles.SolverDirect))...))
		fit += time.Since(start)
		want, difference := wholeM(scratch.Projection(), scratch.Lambda()), new(mat.Dense)
		difference.Sub(wholeM(p.P, p.Lambda), want)
		off = max(off, mat.Norm(difference, 2)/mat.Norm(want, 2))
		start = time.Now()
		must(coles.Fit(ctx, now, x, opts...))
		plain += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(fit)/float64(update), "fit/update")
	b.ReportMetric(float64(plain)/float64(update), "default/update")
	b.ReportMetric(-math.Log10(max(off, 0x1p-53)), "digits")
	if !(off <= 1e-9) {
		b.Errorf("an update is %.2g off a refit", off)
	}
}

// One node more of ten neighbours, frozen: see the exact embedding for what it leaves out.
func BenchmarkFrozen(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
		hops int
	}{{"K=2", 200_000, 2}, {"K=8", 20_000, 8}} {
		b.Run(c.name, func(b *testing.B) {
			const d = 128
			x := randomDense(random(3), c.n+1, d)
			g := must(coles.NewGraph(c.n, ringEdges(c.n, 5)))
			old := x.Slice(0, c.n, 0, d)
			m := must(coles.Fit(ctx, g, old, coles.WithFilter(coles.S2GCSum(c.hops))))
			f := must(m.Freeze(ctx, g, old))
			one := mat.DenseCopyOf(x.Slice(c.n, c.n+1, 0, d))
			var edges []coles.Edge
			for k := range 10 {
				edges = append(edges, coles.Edge{U: c.n, V: 31*k + 7})
			}
			b.ReportAllocs()
			for b.Loop() {
				must(f.Embed(ctx, one, edges, nil))
			}
		})
	}
}
