package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"coles/internal/promise"
)

func TestRangesCoverEveryIndexOnce(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		for _, n := range []int{0, 1, 7, 64, 65, 1000} {
			for _, grain := range []int{1, 7, 64, 5000} {
				seen := make([]atomic.Int32, n)
				if err := Ranges(context.Background(), n, grain, func(lo, hi int) {
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
				}); err != nil {
					t.Fatal(err)
				}
				for i := range seen {
					if c := seen[i].Load(); c != 1 {
						t.Fatalf("procs=%d n=%d grain=%d: index %d was visited %d times", procs, n, grain, i, c)
					}
				}
			}
		}
	})
}

// With a crew and without one.
func TestForBeginsNoTaskOnceCancelled(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		crew, dismiss := Crew(context.Background())
		defer dismiss()
		for name, with := range map[string]context.Context{"alone": context.Background(), "crew": crew} {
			ctx, cancel := context.WithCancel(with)
			var ran, ended, late atomic.Int64
			var cancelled atomic.Bool
			err := For(ctx, 1_000_000, func(int) {
				if cancelled.Load() {
					late.Add(1)
				}
				if ran.Add(1) == 10 {
					cancel()
					cancelled.Store(true)
				}
				ended.Add(1)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, procs=%d: error %v, want context.Canceled", name, procs, err)
			}
			// Each goroutine may be between its look at the context and its task.
			if late.Load() > int64(procs) || ran.Load() != ended.Load() {
				t.Errorf("%s, procs=%d: %d tasks began once the context was cancelled; %d began in all, %d ended",
					name, procs, late.Load(), ran.Load(), ended.Load())
			}
			if err := For(with, 5, func(int) { ran.Store(0) }); err != nil || ran.Load() != 0 {
				t.Errorf("%s, procs=%d: no further run after that: %v", name, procs, err)
			}
		}
	})
}
