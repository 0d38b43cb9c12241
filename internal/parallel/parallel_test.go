package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestRangesCoverEveryIndexOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
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
	}
}

func TestForBeginsNoTaskOnceCancelled(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		ctx, cancel := context.WithCancel(context.Background())
		var ran, late atomic.Int64
		var cancelled atomic.Bool
		err := For(ctx, 1_000_000, func(int) {
			if cancelled.Load() {
				late.Add(1)
			}
			if ran.Add(1) == 10 {
				cancel()
				cancelled.Store(true)
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("procs=%d: error %v, want context.Canceled", procs, err)
		}
		// Each worker may be between its look at the context and its task.
		if got := late.Load(); got > int64(procs) {
			t.Errorf("procs=%d: %d tasks began once the context was cancelled", procs, got)
		}
	}
}
