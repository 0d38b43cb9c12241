package coles_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// heapBytes is the memory in live and not yet collected objects.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// peakOf is the most memory that a call held, less what was there before, sampled every half millisecond by a processor of
// its own. The collector runs once the heap has grown by some percent: of 5, little of it is garbage.
func peakOf(percent int, call func()) int64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	runtime.GC()
	runtime.GC() // pools keep their memory for one more
	before := heapBytes()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			most = max(most, heapBytes()-before)
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(500 * time.Microsecond):
			}
		}
	}()
	call()
	close(stop)
	return <-peak
}

// Estimate promises the peak from sizes alone; it is held to a factor of two, and without features to 1.5.
func TestEstimateIsWithinAFactorOfTwo(t *testing.T) {
	skipUnderRace(t)             // whose own memory would be in the measure
	n := testkit.Few(3000, 4000) // with 700 columns enough for float32
	g := sparseGraph(111, n, 5*n)
	wide, _ := testkit.RandomWords(testkit.Random(112), n, 700)
	narrow, _ := testkit.RandomWords(testkit.Random(112), n, 150)
	dense := testkit.RandomDense(testkit.Random(113), n, 400)
	direct := coles.Settings{Solver: coles.SolverDirect, Dim: 64}
	krylov := coles.Settings{Solver: coles.SolverKrylov, Dim: 64}
	for name, c := range map[string]struct {
		x mat.Matrix
		s coles.Settings // of which the others are the default
	}{
		"direct, sparse X":      {wide, direct},
		"direct, narrow X":      {narrow, coles.Settings{Solver: coles.SolverDirect}},
		"direct, dense X":       {dense, coles.Settings{Solver: coles.SolverDirect}},
		"krylov, sparse X":      {wide, krylov},
		"krylov, dense X":       {dense, krylov},
		"standardised sparse X": {wide, coles.Settings{Preparation: coles.PrepareStandardize, Dim: 64}},
		"drawn negatives":       {narrow, coles.Settings{Kind: coles.UseGraph, Negatives: coles.UniformNegatives(5), Kappa: 20, Dim: 16}},
		"drawn pairs":           {narrow, coles.Settings{Kind: coles.UseGraph, Negatives: coles.ErdosRenyiNegatives(0.05), Dim: 16}},
		"no features, d′ = 16":  {nil, coles.Settings{Dim: 16}},
		"no features, d′ = 128": {nil, coles.Settings{Dim: 128}},
		"no features, d′ = 256": {nil, coles.Settings{Dim: 256}},
		"no features, float32":  {nil, coles.Settings{Dim: 32, Precision: coles.Float32, Filter: coles.SGC(2)}}, // 24 hops along random edges leave too little for float32
		"a graph model":         {wide, coles.Settings{Kind: coles.UseGraph, Dim: 64}},
		"features":              {wide, coles.Settings{Kind: coles.UseFeatures, Dim: 64}},
		"features, direct":      {dense, coles.Settings{Kind: coles.UseFeatures, Solver: coles.SolverDirect}},
		"features, krylov":      {dense, coles.Settings{Kind: coles.UseFeatures, Solver: coles.SolverKrylov, Dim: 64}},
		"mostly the choice":     {narrow, coles.Settings{Dim: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			s := coles.DefaultSettings()
			s.Kind, s.Solver, s.Dim, s.Preparation, s.Precision, s.Filter = c.s.Kind, c.s.Solver, c.s.Dim, c.s.Preparation, c.s.Precision, c.s.Filter
			if c.s.Negatives != noNegatives {
				s.Negatives, s.Kappa = c.s.Negatives, max(1, c.s.Kappa)
			}
			estimate := testkit.Must(s.Estimate(g, c.x))
			var m *coles.Model
			peak := peakOf(5, func() { m = fitted(g, c.x, coles.WithSettings(s)) })
			ratio := float64(estimate) / float64(peak)
			t.Logf("estimated %.1f MB, measured %.1f MB: ratio %.2f", float64(estimate)/1e6, float64(peak)/1e6, ratio)
			most := 2.0
			if c.x == nil {
				most = 1.5
			}
			if ratio < 1/most || ratio > most {
				t.Errorf("estimated %d bytes, measured %d", estimate, peak)
			}
			if got := m.Report(); got.Memory.Bytes != estimate || got.Solver != got.Memory.Solver {
				t.Errorf("the report of the fit by %v says %+v, the estimate %d", got.Solver, got.Memory, estimate)
			}
		})
	}
}

// With arcs a fit takes what it is estimated to, to a fifth, though the collector runs as it does by default.
func TestEstimateWithArcs(t *testing.T) {
	skipUnderRace(t)
	if testing.Short() {
		t.Skip("smaller fits leave their garbage")
	}
	const n = 7000
	rng := testkit.Random(114)
	list := make([]coles.Edge, 5*n)
	for q := range list {
		list[q] = coles.Edge{U: rng.IntN(n), V: rng.IntN(n)}
	}
	g := testkit.Must(coles.NewGraph(n, list, coles.WithArcs()))
	for name, x := range map[string]mat.Matrix{"no features": nil, "features": testkit.RandomDense(rng, n, 20)} {
		s := coles.DefaultSettings()
		s.Kind = coles.UseGraph
		estimate := testkit.Must(s.Estimate(g, x))
		peak := peakOf(100, func() { fitted(g, x, coles.WithSettings(s)) })
		if ratio := float64(estimate) / float64(peak); ratio < 0.8 || ratio > 1.2 {
			t.Errorf("%s: estimated %d bytes, measured %d", name, estimate, peak)
		}
	}
}

// A fit in a folder is the fit in memory, up to rounding, and the same bytes for every number of processors;
// it leaves nothing there.
func TestScratch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no memory in files")
	}
	rng := testkit.Random(5)
	const n = 1200
	g := testkit.RandomGraph(5, n, 0.008)
	weighted := testkit.Must(coles.NewGraph(n, edges(0, 1, 1, 2, 2, 5, 5, 9), coles.WithWeights([]float64{1, 2, 0.5, 3})))
	features := func(d int) *mat.Dense { // of few causes, which decay, and noise
		causes := testkit.RandomDense(rng, n, 12)
		for i := range n {
			for j := range 12 {
				causes.Set(i, j, causes.At(i, j)/float64(1+j))
			}
		}
		x := testkit.Product(causes, testkit.RandomDense(rng, 12, d))
		noise := testkit.RandomDense(rng, n, d)
		noise.Scale(0.05, noise)
		x.Add(x, noise)
		return x
	}
	wide, dense := features(70), features(50)
	words, _ := testkit.RandomWords(rng, n, 90)
	for _, c := range []struct {
		what string
		g    *coles.Graph
		x    mat.Matrix
		opts []coles.Option
	}{
		{"float32", g, testkit.SingleOf(wide), []coles.Option{coles.WithPrecision(coles.Float32)}},
		{"float64", g, wide, []coles.Option{coles.WithPrecision(coles.Float64)}},
		{"panels of eight columns", g, wide, []coles.Option{coles.With(func(s *coles.Settings) { s.Precision, s.Kind = coles.Float64, coles.UseGraph })}},
		{"weights, float64", weighted, dense, []coles.Option{coles.With(func(s *coles.Settings) { s.Precision, s.Kind = coles.Float64, coles.UseGraph })}},
		{"more columns than are kept", g, wide, []coles.Option{coles.WithPrecision(coles.Float32), coles.WithDim(20)}},
		{"filtered after", g, wide, []coles.Option{coles.WithPrecision(coles.Float32), coles.WithDim(9)}},
		{"as they are", g, testkit.SingleOf(dense), []coles.Option{coles.With(func(s *coles.Settings) { s.Precision, s.Preparation = coles.Float32, coles.PrepareNone })}},
		{"words", g, words, []coles.Option{coles.With(func(s *coles.Settings) {
			s.Kind, s.Precision, s.Solver = coles.UseFeatures, coles.Float32, coles.SolverDirect
		})}},
		{"few columns", g, features(20), []coles.Option{coles.WithPrecision(coles.Float32)}},
		{"weights", weighted, dense, []coles.Option{coles.WithPrecision(coles.Float32)}},
		{"drawn negatives", g, dense, []coles.Option{coles.With(func(s *coles.Settings) { s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(2), 2, 0.5 })}},
		{"features alone", g, dense, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })}},
		{"structure beside", g, wide, []coles.Option{coles.WithPrecision(coles.Float32), coles.WithDim(64), withStructure(0.3)}},
		{"structure beside, float64", weighted, dense, []coles.Option{coles.WithPrecision(coles.Float64), coles.WithDim(64), withStructure(0.3)}},
		{"roles", directed(n), wide, []coles.Option{coles.WithPrecision(coles.Float64), withStructure(0.3)}},
		{"no features", directed(n), nil, []coles.Option{coles.WithPrecision(coles.Float64)}},
		{"no hops", g, dense, []coles.Option{coles.With(func(s *coles.Settings) { s.Kind, s.Filter = coles.UseGraph, coles.SGC(0) })}},
	} {
		opts := append(c.opts, coles.With(func(s *coles.Settings) {
			if s.Truncate = true; s.Structure == coles.AutoShare {
				s.Structure = 0
			}
		}))
		want := testkit.Must(coles.Fit(t.Context(), c.g, c.x, opts...))
		var bits []uint64
		testkit.ForProcessors(t, func(procs int) {
			dir := t.TempDir()
			_, err := coles.Fit(t.Context(), c.g, c.x, append(opts, coles.WithScratch(dir, 0))...)
			testkit.WantError(t, err, coles.ErrTooLarge)
			var least int64
			fmt.Sscanf(err.Error()[strings.Index(err.Error(), "it takes"):], "it takes %d", &least)
			m, err := coles.Fit(t.Context(), c.g, c.x, append(opts, coles.WithScratch(dir, least))...)
			testkit.Check(t, err)
			again := testkit.Must(m.EmbedScratch(t.Context(), c.g, c.x, dir, least))
			got := slices.Concat(testkit.Bits(m.Embedding()), testkit.Bits(again.Embedding()))
			if bits != nil && !slices.Equal(got, bits) {
				t.Errorf("%s: other bytes on %d processors", c.what, procs)
			}
			if bits == nil {
				tolerance := 1e-12
				if want.Settings().Precision == coles.Float32 {
					tolerance = 1e-6
				}
				off := max(gramDistance(m.Embedding(), want.Embedding()), gramDistance(again.Embedding(), want.Embedding()))
				if !(off <= tolerance) {
					t.Errorf("%s: YYᵀ, or that embedded again, is off by %.2g", c.what, off)
				}
			}
			bits = got
			if planned := m.Report().Memory.Bytes; planned > least {
				t.Errorf("%s: %d bytes planned for %d", c.what, planned, least)
			}
			testkit.Check(t, again.Close())
			testkit.Check(t, m.Close())
			if left := testkit.Must(os.ReadDir(dir)); len(left) > 0 || m.Embedding32() != nil || m.Close() != nil {
				t.Errorf("%s: %d files are left, or a closed model has its embedding", c.what, len(left))
			}
		})
	}
}

func TestBadScratch(t *testing.T) {
	g, x := testkit.RandomGraph(1, 400, 0.02), testkit.RandomDense(testkit.Random(1), 400, 50)
	dir := t.TempDir()
	fit := func(x mat.Matrix, memory int64, opts ...coles.Option) error {
		return testkit.Err(coles.Fit(t.Context(), g, x, append(opts, coles.WithScratch(dir, memory))...))
	}
	krylov := coles.With(func(s *coles.Settings) { s.Solver = coles.SolverKrylov })
	testkit.WantRefusals(t, map[string][2]error{
		"the iteration":     {fit(x, 1<<30, krylov), coles.ErrSetting},
		"no memory":         {fit(x, 1000), coles.ErrTooLarge},
		"memory below none": {fit(x, -1), coles.ErrTooLarge},
	})
	if runtime.GOOS == "linux" {
		_, err := coles.Fit(t.Context(), g, x, coles.WithScratch(dir+"/none", 1<<30))
		testkit.WantError(t, err, os.ErrNotExist)
	}
}
