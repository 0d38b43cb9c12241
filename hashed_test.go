package coles_test

import (
	"bytes"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// Hashed features, most columns of which have no entry, take memory for the entries: the fit is that to the others.
func TestHashedFeatures(t *testing.T) {
	const n, hashes = 90, 1 << 20
	g, rng := testkit.RandomGraph(3, n, 0.1), testkit.Random(7)
	columns := make([]int, 60)
	for k := range columns {
		columns[k] = k*17000 + rng.IntN(17000)
	}
	wide, narrow, late := sparse.NewDOK(n, hashes), sparse.NewDOK(n, len(columns)), sparse.NewDOK(n, hashes)
	for i := range n {
		for range 4 {
			k := rng.IntN(len(columns))
			wide.Set(i, columns[k], 1+float64(k%3))
			narrow.Set(i, k, 1+float64(k%3))
			late.Set(i, columns[k], 1+float64(k%3))
		}
		late.Set(i, 5+i*11, 2) // that no row had
	}
	x, few := wide.ToCSR(), narrow.ToCSR()
	for _, how := range []coles.Preparation{coles.PrepareAuto, coles.PrepareNone} {
		opt := coles.With(func(s *coles.Settings) {
			s.Kind, s.Preparation, s.Precision, s.Solver, s.Dim = coles.UseGraph, how, coles.Float64, coles.SolverDirect, 12
		})
		m, want := fitted(g, x, opt), fitted(g, few, opt)
		testkit.WantSame(t, "embedding", testkit.Bits(m.Embedding()), testkit.Bits(want.Embedding()))
		testkit.WantSame(t, "features", []int{m.Report().Features, len(m.Parts()[0].Preparer.Kept())}, []int{hashes, len(columns)})
		var file bytes.Buffer
		if size := testkit.Must(m.WriteTo(&file)); size > 100_000 {
			t.Errorf("a file of %d bytes", size)
		}
		for _, m := range []*coles.Model{m, testkit.Must(coles.ReadModel(&file))} {
			testkit.WantSame(t, "embedded", testkit.Bits(testkit.Must(m.Embed(ctx, g, x))), testkit.Bits(want.Embedding()))
			other := testkit.Must(m.Embed(ctx, g, late.ToCSR()))
			testkit.WantSame(t, "with columns that no row had", testkit.Bits(other), testkit.Bits(want.Embedding()))
			testkit.WantError(t, testkit.Err(m.Embed(ctx, g, few)), coles.ErrShape)
			grown := testkit.Must(live.Follow(ctx, m, g, x))
			testkit.WantClose(t, "followed", testkit.Must(grown.Embed(ctx, []int{4})), want.Embedding().Slice(4, 5, 0, 12), 1e-9)
		}
		s := m.Settings()
		if bytes := testkit.Must(s.Estimate(g, x)); bytes > 10e6 {
			t.Errorf("an estimate of %d bytes", bytes)
		}
	}
}

// Columns of zeros say nothing, wherever they stand: they change the number of columns that are read, and nothing else.
func TestColumnsOfZeros(t *testing.T) {
	const n = 90
	g, rng := testkit.RandomGraph(3, n, 0.1), testkit.Random(7)
	words := mat.NewDense(n, 50, nil)
	for range 6 * n {
		words.Set(rng.IntN(n), rng.IntN(50), float64(1+rng.IntN(3)))
	}
	for name, x := range map[string]*mat.Dense{"numbers": testkit.RandomDense(rng, n, 3), "vectors": testkit.RandomDense(rng, n, 40), "words": words} {
		_, d := x.Dims()
		wide, single := mat.NewDense(n, 3*d+1, nil), &coles.Dense32{Rows: n, Cols: 3*d + 1, Stride: 3*d + 1, Data: make([]float32, n*(3*d+1))}
		narrow := &coles.Dense32{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
		for i := range n {
			for j := range d {
				v := float64(float32(x.At(i, j)))
				x.Set(i, j, v)
				wide.Set(i, 3*j+1, v)
				narrow.Data[i*d+j], single.Data[i*single.Stride+3*j+1] = float32(v), float32(v)
			}
		}
		for store, both := range map[string][2]mat.Matrix{"dense": {x, wide}, "sparse": {testkit.SparseOf(x), testkit.SparseOf(wide)}, "single": {narrow, single}} {
			for purpose, s := range map[string]coles.Settings{"default": coles.DefaultSettings(), "clusters": coles.ClusteringSettings(n, d), "links": coles.LinkSettings(n, d)} {
				what := name + ", " + store + ", " + purpose + ": "
				want, got := fitted(g, both[0], coles.WithSettings(s)), fitted(g, both[1], coles.WithSettings(s))
				testkit.WantSame(t, what+"embedding", testkit.Bits(got.Embedding()), testkit.Bits(want.Embedding()))
				a, b := got.Report(), want.Report()
				testkit.WantSame(t, what+"columns read", [2]int{a.Features, b.Features}, [2]int{3*d + 1, d})
				testkit.WantSame(t, what+"estimate", testkit.Must(s.Estimate(g, both[1])) >= a.Memory.Bytes, true)
				a.Features, a.FeaturesHash, a.Seconds, b.FeaturesHash = d, "", b.Seconds, ""
				testkit.WantSame(t, what+"report", a.String(), b.String())
				testkit.WantSame(t, what+"embedded", testkit.Bits(testkit.Must(read(got).Embed(ctx, g, both[1]))), testkit.Bits(want.Embedding()))
			}
		}
	}
}
