package coles_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/eval"
	"coles/internal/testkit"
)

// benchmarkData is Cora where the shared data is, and a generated graph of its size where it is
// not.
func benchmarkData() (*dataset.Dataset, *coles.Graph) {
	d, err := dataset.Open("../shared/data/npz/cora.npz", dataset.ReadNPZ)
	if err != nil {
		d = testkit.Must(synthetic.Communities{Nodes: 2708, Features: 1433, Seed: 1}.Generate(ctx))
	}
	return d, testkit.Must(coles.FromCSR(d.Adjacency, coles.WithMirrors()))
}

// Every step of Fit by itself.
func BenchmarkStep(b *testing.B) {
	data, g := benchmarkData()
	x, w, filter := prepared(data.Features, coles.PrepareAuto), coles.Normalize(g), coles.S2GCSum(8)
	fx := testkit.Must(filter.Apply(ctx, w, x))
	dw := contrast(g, coles.ExpectedDegreeNegatives())
	p := testkit.Must(coles.Solve(ctx, fx, dw, 128))
	e := testkit.Product(fx, p.P.T())
	m := fitted(g, data.Features)
	random := sparseGraph(65, 20_000, 200_000)
	rows, cols := fx.Dims()
	n, d, entries := float64(rows), float64(cols), float64(w.NNZ())
	// M takes n·d² operations (half of the full product), its eigenvectors 4d³/3.
	direct := (n*d*d + 4./3*d*d*d) / 1e9
	sample := func(s coles.NegativeSampler) func() { return func() { testkit.Must(s.Sample(ctx, g, 1)) } }
	solve := func(dim int) func() { return func() { testkit.Must(coles.Solve(ctx, fx, dw, dim)) } }
	implicit := func(dim int) func() {
		return func() { testkit.Must(coles.SolveImplicit(ctx, x, w, filter, dw, dim)) }
	}
	for _, c := range []struct {
		name string
		run  func()
		work float64
		unit string
	}{
		{"graph", func() { testkit.Must(coles.FromCSR(data.Adjacency, coles.WithMirrors())) }, entries / 1e9, "Gentries/s"},
		{"normalize", func() { coles.Normalize(g) }, entries / 1e9, "Gentries/s"},
		{"sample/uniform:5", sample(coles.UniformNegatives(5)), 5 * n / 1e9, "Gpairs/s"},
		{"sample/uniform:5,exclude-edges", sample(coles.UniformNegatives(5).ExcludeEdges()), 5 * n / 1e9, "Gpairs/s"},
		{"sample/degree:5", sample(coles.DegreeNegatives(5)), 5 * n / 1e9, "Gpairs/s"},
		{"sample/erdos-renyi", sample(coles.ErdosRenyiNegatives(10 / n)), 5 * n / 1e9, "Gpairs/s"},
		{"contrast/expected-degree", func() { contrast(g, coles.ExpectedDegreeNegatives()) }, entries / 1e9, "Gentries/s"},
		{"contrast/uniform:5", func() { contrast(g, coles.UniformNegatives(5)) }, 5 * n / 1e9, "Gpairs/s"},
		// Eight products W·H: two operations an entry of W and column of H.
		{"filter", func() { testkit.Must(filter.Apply(ctx, w, x)) }, 8 * 2 * entries * d / 1e9, "GFLOP/s"},
		{"solve/d′=128", solve(128), direct, "GFLOP/s"},
		{"solve/d′=512", solve(512), direct, "GFLOP/s"},
		{"implicit/d′=128", implicit(128), 128, "eigenpairs/s"},
		{"implicit/d′=512", implicit(512), 512, "eigenpairs/s"},
		{"eigenmaps/d′=32", func() { fitted(g, nil, coles.WithDim(32)) }, 32, "eigenpairs/s"},             // of ΔW itself
		{"eigenmaps/random,d′=16", func() { fitted(random, nil, coles.WithDim(16)) }, 16, "eigenpairs/s"}, // without gaps
		{"scaling", func() { testkit.Must(coles.DefaultSettings().Scaling.Fit(ctx, e, p.Lambda)) }, n * 128 / 1e9, "Gentries/s"},
		{"embed", func() { testkit.Must(m.Embed(ctx, g, data.Features)) }, n, "rows/s"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(c.work*float64(b.N)/b.Elapsed().Seconds(), c.unit)
		})
	}
}

// The whole way, and the protocol of one cell of the table: 50 splits of 20 labels a class.
func BenchmarkFit(b *testing.B) {
	d, g := benchmarkData()
	splits := testkit.Must(d.RandomSplits(20, 50, 1))
	for dim, name := range map[int]string{128: "d′=128", 512: "d′=512"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var m *coles.Model
			for b.Loop() {
				m = fitted(g, d.Features, coles.WithDim(dim))
			}
			b.ReportMetric(float64(m.Report().Memory.Bytes)/1e6, "estimated-MB")
		})
		b.Run(name+"/protocol", func(b *testing.B) {
			m := fitted(g, d.Features, coles.WithDim(dim))
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(eval.Protocol{}.Classify(ctx, m.Embedding(), d.Labels, splits))
			}
			b.ReportMetric(50*float64(b.N)/b.Elapsed().Seconds(), "splits/s")
		})
	}
}

// Fits one after the other, and two at once. The second metric over the first is at most the number
// of processors, where a fit keeps one of them busy, and falls to 1 where a fit by itself keeps all
// of them busy: what shortens the parts on one processor raises the first.
func BenchmarkTwoFits(b *testing.B) {
	for _, c := range []struct {
		name string
		dim  int
	}{{"cora", 128}, {"citeseer", 128}, {"cora", 512}, {"pubmed", 128}} {
		b.Run(fmt.Sprintf("%s/d′=%d", c.name, c.dim), func(b *testing.B) {
			d, g := openGraph(b, c.name)
			four := func(goroutines int) time.Duration {
				start := time.Now()
				var wg sync.WaitGroup
				for range goroutines {
					wg.Add(1)
					go func() {
						defer wg.Done()
						for range 4 / goroutines {
							fitted(g, d.Features, coles.WithDim(c.dim))
						}
					}()
				}
				wg.Wait()
				return time.Since(start)
			}
			var alone, atOnce time.Duration
			for b.Loop() {
				alone += four(1)
				atOnce += four(2)
			}
			fits := 4 * float64(b.N)
			b.ReportMetric(fits/alone.Seconds(), "fits/s")
			b.ReportMetric(fits/atOnce.Seconds(), "fits/s-at-once")
			b.ReportMetric(alone.Seconds()/atOnce.Seconds(), "at-once/alone")
		})
	}
}

// A graph of ogbn-arxiv's size from features in float32, end to end: K = 8 products in the filter
// of two operations an entry of W and column.
func BenchmarkFitLarge(b *testing.B) {
	d := testkit.Must(synthetic.Communities{Nodes: 170_000, Degree: 14, Features: 128, Dense: true, Classes: 40}.Generate(ctx))
	g := testkit.Must(coles.FromCSR(d.Adjacency))
	b.ReportAllocs()
	var r coles.Report
	for b.Loop() {
		r = fitted(g, d.Features).Report()
	}
	b.ReportMetric(8*2*float64(2*r.Graph.Edges+r.Graph.Nodes)*128/r.Seconds.Filter/1e9, "filter-GFLOP/s")
	b.ReportMetric(float64(r.Memory.Bytes)/1e6, "estimated-MB")
}
