package coles_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"coles/internal/race"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// heapBytes is the memory in live and not yet collected objects.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// peakOf is the most that a call held beside what was there before, sampled every
// half millisecond. The collector runs often, so that little of it is garbage.
func peakOf(call func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
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
	if race.Enabled {
		t.Skip("the race detector's own memory is in the measure")
	}
	const n = 4000
	g := randomSparseGraph(111, n, 5*n)
	wordsOf := func(d int) mat.Matrix {
		words, _ := randomWords(random(112), n, d)
		return words
	}
	wide, narrow := wordsOf(700), wordsOf(150)
	dense := randomDense(random(113), n, 400)
	for _, c := range []struct {
		name string
		x    mat.Matrix
		opts []coles.Option
	}{
		{"direct, sparse X", wide, []coles.Option{coles.WithSolver(coles.SolverDirect), coles.WithDim(64)}},
		{"direct, narrow X", narrow, []coles.Option{coles.WithSolver(coles.SolverDirect)}},
		{"direct, dense X", dense, []coles.Option{coles.WithSolver(coles.SolverDirect)}},
		{"krylov, sparse X", wide, []coles.Option{coles.WithSolver(coles.SolverKrylov), coles.WithDim(64)}},
		{"krylov, dense X", dense, []coles.Option{coles.WithSolver(coles.SolverKrylov), coles.WithDim(64)}},
		{"standardised sparse X", wide, []coles.Option{coles.WithFeatures(coles.PrepareStandardize), coles.WithDim(64)}},
		{"drawn negatives", narrow, []coles.Option{coles.WithNegatives(coles.UniformNegatives(5)), coles.WithKappa(20), coles.WithDim(16)}},
		{"drawn pairs", narrow, []coles.Option{coles.WithNegatives(coles.ErdosRenyiNegatives(0.05)), coles.WithDim(16)}},
		{"no features, float32", nil, []coles.Option{coles.WithDim(32), coles.WithPrecision(coles.Float32)}},
		{"no features", nil, []coles.Option{coles.WithDim(32)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			estimate := must(coles.Estimate(g, c.x, c.opts...))
			var m *coles.Model
			peak := peakOf(func() { m = must(coles.Fit(ctx, g, c.x, c.opts...)) })
			ratio := float64(estimate.Bytes) / float64(peak)
			t.Logf("estimated %.1f MB, measured %.1f MB: ratio %.2f", float64(estimate.Bytes)/1e6, float64(peak)/1e6, ratio)
			if ratio < 0.5 || ratio > 2 {
				t.Errorf("estimated %d bytes, measured %d", estimate.Bytes, peak)
			}
			if got := m.Report(); got.Memory != estimate || got.Solver != estimate.Solver {
				t.Errorf("the report of the fit says %+v by %v, the estimate %+v", got.Memory, got.Solver, estimate)
			}
		})
	}
}

func TestEstimateRefusesWhatFitRefuses(t *testing.T) {
	g, words, _ := small(114)
	_, err := coles.Estimate(g, mat.NewDense(119, 3, nil))
	wantError(t, err, coles.ErrShape)
	_, err = coles.Estimate(g, words, coles.WithEta(-1))
	wantError(t, err, coles.ErrSetting)
	ring := must(coles.NewGraph(20, ringEdges(20, 1)))
	_, err = coles.Estimate(ring, nil, coles.WithDim(20)) // of which one only tells the component
	wantError(t, err, coles.ErrDim)
	if huge := must(coles.Estimate(must(coles.NewGraph(1_000_000, nil)), nil)); huge.Bytes < 1<<30 {
		t.Errorf("%d bytes for 128 vectors of a million nodes", huge.Bytes)
	}
}
