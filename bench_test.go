package coles_test

import (
	"testing"

	"coles"
	"coles/dataset"
	"coles/eval"

	"gonum.org/v1/gonum/mat"
)

// benchmarkData is Cora where the shared data is, and a generated graph of its
// size where it is not.
func benchmarkData(b *testing.B) (*dataset.Dataset, *coles.Graph) {
	b.Helper()
	d, err := dataset.OpenNPZ(sharedFolder + "/data/npz/cora.npz")
	if err != nil {
		d = must(dataset.Communities{Nodes: 2708, Features: 1433, Seed: 1}.Generate(ctx))
	}
	return d, must(coles.FromCSR(d.Adjacency, coles.WithSymmetrization()))
}

// prepared is the way up to M.
func prepared(b *testing.B) (g *coles.Graph, x mat.Matrix, w *coles.SymCSR, fx *mat.Dense, dw *coles.DeltaW) {
	b.Helper()
	d, g := benchmarkData(b)
	x = must(must(coles.FitPreparation(ctx, d.Features, coles.PrepareAuto)).Apply(ctx, d.Features))
	w = coles.Normalize(g, coles.SelfLoops)
	fx = must(coles.S2GCSum(8).Apply(ctx, w, x))
	dw = must(coles.Contrast(ctx, g, coles.ExpectedDegreeNegatives()))
	return g, x, w, fx, dw
}

// rate reports work done per second of the benchmark, in billions.
func rate(b *testing.B, perRun float64, unit string) {
	b.ReportMetric(perRun*float64(b.N)/b.Elapsed().Seconds()/1e9, unit)
}

func BenchmarkGraph(b *testing.B) {
	d, _ := benchmarkData(b)
	b.ReportAllocs()
	for b.Loop() {
		must(coles.FromCSR(d.Adjacency, coles.WithSymmetrization()))
	}
}

func BenchmarkNormalize(b *testing.B) {
	_, g := benchmarkData(b)
	b.ReportAllocs()
	var w *coles.SymCSR
	for b.Loop() {
		w = coles.Normalize(g, coles.SelfLoops)
	}
	rate(b, float64(w.NNZ()), "Gentries/s")
}

func BenchmarkSample(b *testing.B) {
	_, g := benchmarkData(b)
	for _, s := range []coles.NegativeSampler{
		coles.UniformNegatives(5),
		coles.UniformNegatives(5, coles.ExcludeEdges()),
		coles.DegreeNegatives(5),
		coles.ErdosRenyiNegatives(10 / float64(g.Nodes())),
	} {
		b.Run(s.String(), func(b *testing.B) {
			b.ReportAllocs()
			var drawn coles.Negative
			for b.Loop() {
				drawn = must(s.Sample(ctx, g, 1))
			}
			rate(b, float64(drawn.Graph.NNZ()/2), "Gpairs/s")
		})
	}
}

func BenchmarkContrast(b *testing.B) {
	_, g := benchmarkData(b)
	for _, s := range []coles.NegativeSampler{coles.ExpectedDegreeNegatives(), coles.UniformNegatives(5)} {
		b.Run(s.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(coles.Contrast(ctx, g, s))
			}
		})
	}
}

// Eight products W·H: two operations an entry of W and column of H.
func BenchmarkFilter(b *testing.B) {
	_, x, w, fx, _ := prepared(b)
	_, d := fx.Dims()
	b.ReportAllocs()
	for b.Loop() {
		must(coles.S2GCSum(8).Apply(ctx, w, x))
	}
	rate(b, 8*2*float64(w.NNZ())*float64(d), "GFLOP/s")
}

// M takes n·d² operations (half of the full product), its eigenvectors 4d³/3.
func BenchmarkSolveDirect(b *testing.B) {
	_, _, _, fx, dw := prepared(b)
	n, d := fx.Dims()
	for _, dim := range []int{128, 512} {
		b.Run(dimension(dim), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(coles.Solve(ctx, fx, dw, dim, coles.WithSolver(coles.SolverDirect)))
			}
			rate(b, float64(n)*float64(d)*float64(d)+4./3*float64(d)*float64(d)*float64(d), "GFLOP/s")
		})
	}
}

func dimension(dim int) string { return map[int]string{128: "d′=128", 512: "d′=512"}[dim] }

func BenchmarkSolveImplicit(b *testing.B) {
	_, x, w, _, dw := prepared(b)
	for _, dim := range []int{128, 512} {
		b.Run(dimension(dim), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must(coles.SolveImplicit(ctx, x, w, coles.S2GCSum(8), dw, dim))
			}
		})
	}
}

// The eigenproblem without a graph of features: d′ vectors of ΔW itself.
func BenchmarkEigenmaps(b *testing.B) {
	_, _, _, _, dw := prepared(b)
	b.ReportAllocs()
	for b.Loop() {
		must(coles.Eigenmaps(ctx, dw, 32, coles.WithoutComponentVectors()))
	}
}

func BenchmarkScaling(b *testing.B) {
	_, _, _, fx, dw := prepared(b)
	p := must(coles.Solve(ctx, fx, dw, 128))
	e := product(fx, p.P.T())
	b.ReportAllocs()
	for b.Loop() {
		must(must(coles.SpectralScaling(ctx, e, p.Lambda)).Apply(ctx, e))
	}
}

func BenchmarkEmbed(b *testing.B) {
	d, g := benchmarkData(b)
	m := must(coles.Fit(ctx, g, d.Features))
	b.ReportAllocs()
	for b.Loop() {
		must(m.Embed(ctx, g, d.Features))
	}
}

func BenchmarkFit(b *testing.B) {
	d, g := benchmarkData(b)
	for _, dim := range []int{128, 512} {
		b.Run(dimension(dim), func(b *testing.B) {
			b.ReportAllocs()
			var m *coles.Model
			for b.Loop() {
				m = must(coles.Fit(ctx, g, d.Features, coles.WithDim(dim)))
			}
			b.ReportMetric(float64(m.Report().Memory.Bytes)/1e6, "estimated-MB")
		})
	}
}

// A graph of ogbn-arxiv's size from features in float32, end to end: K = 8
// products in the filter of two operations an entry of W and column.
func BenchmarkFitLarge(b *testing.B) {
	d := must(dataset.Communities{Nodes: 170_000, Degree: 14, Features: 128, Dense: true, Classes: 40}.Generate(ctx))
	g := must(coles.FromCSR(d.Adjacency))
	b.ReportAllocs()
	var r coles.Report
	for b.Loop() {
		r = must(coles.Fit(ctx, g, d.Features)).Report()
	}
	b.ReportMetric(8*2*float64(2*r.Graph.Edges+r.Graph.Nodes)*128/r.Seconds.Filter/1e9, "filter-GFLOP/s")
	b.ReportMetric(float64(r.Memory.Bytes)/1e6, "estimated-MB")
}

// The protocol of one cell of the table: 50 splits of 20 labels a class.
func BenchmarkProtocol(b *testing.B) {
	d, g := benchmarkData(b)
	splits := must(d.RandomSplits(20, 50, 1))
	for _, dim := range []int{128, 512} {
		b.Run(dimension(dim), func(b *testing.B) {
			m := must(coles.Fit(ctx, g, d.Features, coles.WithDim(dim)))
			b.ReportAllocs()
			for b.Loop() {
				must(eval.Classify(ctx, m.Embedding(), d.Labels, splits))
			}
			rate(b, 50e9, "splits/s")
		})
	}
}
