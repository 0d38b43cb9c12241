package coles_test

import (
	"bytes"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/live"

	"github.com/james-bowman/sparse"
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
