package coles_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// peakOf is the most memory that a call held, less what was there before, sampled every half
// millisecond. The collector runs often, so that little of it is garbage.
func peakOf(call func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
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

// Estimate promises the peak from sizes alone; it is held to a factor of two.
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
		"drawn negatives":       {narrow, coles.Settings{Negatives: coles.UniformNegatives(5), Kappa: 20, Dim: 16}},
		"drawn pairs":           {narrow, coles.Settings{Negatives: coles.ErdosRenyiNegatives(0.05), Dim: 16}},
		"no features, float32":  {nil, coles.Settings{Dim: 32, Precision: coles.Float32}},
		"no features":           {nil, coles.Settings{Dim: 32}},
		"a graph model":         {wide, coles.Settings{Model: coles.GraphModel, Dim: 64}},
		"features":              {wide, coles.Settings{Model: coles.FeatureModel, Dim: 64}},
		"features, direct":      {dense, coles.Settings{Model: coles.FeatureModel, Solver: coles.SolverDirect}},
		"features, krylov":      {dense, coles.Settings{Model: coles.FeatureModel, Solver: coles.SolverKrylov, Dim: 64}},
		"mostly the choice":     {narrow, coles.Settings{Dim: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			s := coles.DefaultSettings()
			s.Model, s.Solver, s.Dim, s.Preparation, s.Precision = c.s.Model, c.s.Solver, c.s.Dim, c.s.Preparation, c.s.Precision
			if c.s.Negatives != noNegatives {
				s.Negatives, s.Kappa = c.s.Negatives, max(1, c.s.Kappa)
			}
			estimate := testkit.Must(s.Estimate(g, c.x))
			var m *coles.Model
			peak := peakOf(func() { m = fitted(g, c.x, coles.WithSettings(s)) })
			ratio := float64(estimate) / float64(peak)
			t.Logf("estimated %.1f MB, measured %.1f MB: ratio %.2f", float64(estimate)/1e6, float64(peak)/1e6, ratio)
			if ratio < 0.5 || ratio > 2 {
				t.Errorf("estimated %d bytes, measured %d", estimate, peak)
			}
			if got := m.Report(); got.Memory.Bytes != estimate || got.Solver != got.Memory.Solver {
				t.Errorf("the report of the fit by %v says %+v, the estimate %d", got.Solver, got.Memory, estimate)
			}
		})
	}
}
