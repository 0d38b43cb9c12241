//go:build limits

// The tag is for a test of whole fits, for which go test compiles all of the module again:
//
//	go test -tags limits -run - -bench Limits ./internal/kernel
package kernel_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/synthetic"
	"coles/internal/kernel"
	"coles/internal/testkit"
)

// work counts the operations and the memory traffic of a stage of a fit.
type work struct {
	single, double float64 // operations in float32 and in float64
	bytes          float64 // read and written
}

// times is the work done n times.
func (w work) times(n float64) work { return work{n * w.single, n * w.double, n * w.bytes} }

// milliseconds is how long the operations take at the peak of all processors, and the bytes at the
// speed at which they copy.
func (w work) milliseconds() (operations, bytes float64) {
	return (w.single/kernel.PeakFloat32() + w.double/kernel.PeakFloat64()) / 1e6, w.bytes / kernel.Bandwidth() / 1e6
}

// cached is how many bytes the caches are taken to hold.
const cached = 16 << 20

// sparse is a product of a sparse matrix (m × n) with a dense one of d columns, in
// float32. A dense factor that fits the caches is read once; otherwise a row is read for every entry.
func sparse(m, n, entries, d float64) work {
	rows := n
	if 4*n*d > cached {
		rows = entries
	}
	return work{single: 2 * entries * d, bytes: 4*d*(rows+m) + 8*entries}
}

// dense is a product of m × k and k × n, in float32, each of which is read once.
func dense(m, n, k float64) work {
	return work{single: 2 * m * n * k, bytes: 4 * (m*k + k*n + m*n)}
}

// A sized fit holds the sizes that its work depends on.
type sized struct {
	n, d, k, hops  float64
	entries, edges float64 // of W and of ΔW
	stored         float64 // entries of X, 0 where it is dense
	products       float64 // of vectors with M
}

// direct is the work of forming FX and M and of decomposing M: four thirds of d³ operations reduce it
// to tridiagonal form, for which the part of M that is left is read once a column.
func (s sized) direct() []work {
	cube := s.d * s.d * s.d
	return []work{
		sparse(s.n, s.n, s.entries, s.d).times(s.hops),
		sparse(s.n, s.n, s.edges, s.d),
		dense(s.d, s.d, s.n).times(0.5), // one triangle
		{double: 4. / 3 * cube, bytes: 8 * cube / 6},
		{double: 2 * s.d * s.d * s.k, bytes: 8 * 2 * s.d * s.k},
	}
}

// krylov is the work of the products with M and of making each vector orthogonal to those before it,
// twice, sixteen at a time, and of computing the eigenvectors. It leaves out the looks at the spectrum.
func (s sized) krylov() []work {
	const block = 16
	hop := sparse(s.n, s.n, s.entries, block)
	passes := s.products / block
	return []work{
		sparse(s.n, s.d, s.stored, block).times(passes),
		hop.times(2 * s.hops * passes),
		sparse(s.n, s.n, s.edges, block).times(passes),
		sparse(s.d, s.n, s.stored, block).times(passes),
		dense(block, s.products/2, s.d).times(4 * passes), // the basis is half as large on average
		dense(s.d, s.k, s.products),
	}
}

// prepare is the work of reading X once and of writing it prepared.
func (s sized) prepare() work {
	if s.stored == 0 {
		return work{bytes: 12 * s.n * s.d}
	}
	return work{bytes: 20 * s.stored}
}

// embed is the work of FXPᵀ: by FX where that is there, or else by the hops.
func (s sized) embed(direct bool) []work {
	if direct && s.stored == 0 {
		return []work{dense(s.n, s.k, s.d), {bytes: 4 * s.n * s.k}}
	}
	return []work{sparse(s.n, s.d, s.stored, s.k), sparse(s.n, s.n, s.entries, s.k).times(s.hops), {bytes: 12 * s.n * s.k}}
}

// BenchmarkLimits compares the fastest of warm fits at the setting of lab/bench with what
// their operations would take at the peak of all processors and their bytes at the speed of
// copying: "limit-ms" has, for each stage, the larger of the two. What is below 100 % is work that
// a stage does besides, or processors that wait.
func BenchmarkLimits(b *testing.B) {
	if kernel.PeakFloat64() == 0 {
		b.Skip("the peak of this machine is not known")
	}
	for _, c := range []struct {
		name string
		dim  int
	}{
		{"cora", 128}, {"cora", 512}, {"citeseer", 128}, {"citeseer", 512}, {"pubmed", 128}, {"pubmed", 256},
		{"coauthor_cs", 128}, {"coauthor_cs", 512}, {"flickr", 128}, {"generated", 128},
	} {
		b.Run(fmt.Sprintf("%s/d′=%d", c.name, c.dim), func(b *testing.B) { benchmarkLimits(b, c.name, c.dim) })
	}
}

func benchmarkLimits(b *testing.B, name string, dim int) {
	ctx := context.Background()
	var d *dataset.Dataset
	if name == "generated" {
		d = testkit.Must(synthetic.Communities{Nodes: 170_000, Degree: 14, Classes: 40, Features: 128, Dense: true, Seed: 1}.Generate(ctx))
	} else {
		d = testkit.Must(dataset.Open(testkit.Shared(b, filepath.Join("data", "npz", name+".npz")), dataset.ReadNPZ))
	}
	g := testkit.Must(coles.FromCSR(d.Adjacency, coles.WithMirrors()))
	var r coles.Report
	fastest := time.Hour
	for b.Loop() {
		start := time.Now()
		r = testkit.Must(coles.Fit(ctx, g, d.Features, coles.With(func(s *coles.Settings) {
			s.Dim, s.Kind, s.DegreeShare, s.Preparation = dim, coles.UseGraph, 0, coles.PrepareUndamped
		}))).Report()
		fastest = min(fastest, time.Since(start))
	}
	s := sized{
		n: float64(r.Graph.Nodes), d: float64(r.Features), k: float64(dim), hops: 8,
		edges: float64(2 * r.Graph.Edges), products: float64(r.Products),
	}
	s.entries = s.edges + s.n
	if x, ok := d.Features.(interface{ NNZ() int }); ok {
		s.stored = float64(x.NNZ())
	}
	direct := r.Solver == coles.SolverDirect
	solve := s.krylov
	if direct {
		solve = s.direct
	}
	stages := slices.Concat([]work{s.prepare()}, solve(), s.embed(direct))
	var operations, bytes, limit float64
	for _, w := range stages {
		o, m := w.milliseconds()
		operations, bytes, limit = operations+o, bytes+m, limit+math.Max(o, m)
	}
	took := 1e3 * fastest.Seconds()
	b.Logf("%.0f GFLOP/s in float32, %.0f in float64, %.1f GB/s", kernel.PeakFloat32(), kernel.PeakFloat64(), kernel.Bandwidth())
	b.ReportMetric(took, "fastest-ms")
	b.ReportMetric(operations, "ops-ms")
	b.ReportMetric(bytes, "bytes-ms")
	b.ReportMetric(limit, "limit-ms")
	b.ReportMetric(100*limit/took, "%limit")
	b.ReportMetric(s.products, "products")
}
