package parallel

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"coles/internal/testkit/promise"
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

func TestCrewRunsEveryTaskOnce(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		before := runtime.NumGoroutine()
		c := newCrew()
		for round := range 300 {
			n := round % 40
			if round%100 == 99 {
				time.Sleep(5 * time.Millisecond) // the helpers go to sleep
			}
			ran := make([]atomic.Int32, n)
			if err := c.run(context.Background(), n, func(i int) { ran[i].Add(1) }); err != nil {
				t.Fatal(err)
			}
			for i := range ran {
				if got := ran[i].Load(); got != 1 {
					t.Fatalf("procs=%d round %d: task %d of %d ran %d times", procs, round, i, n, got)
				}
			}
		}
		c.dismiss()
		if stay := promise.GoroutinesBeyond(before); stay > 0 {
			t.Fatalf("procs=%d: %d goroutines stay", procs, stay)
		}
	})
}

// Somebody may go on working with the context of a crew while it is dismissed, and after.
func TestCrewIsDismissedWhileOthersWork(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		for range 200 {
			ctx, dismiss := Crew(context.Background())
			others := make(chan int)
			go func() {
				var ran atomic.Int64
				for range 30 {
					For(ctx, 20, func(int) { ran.Add(1) })
				}
				others <- int(ran.Load())
			}()
			For(ctx, 20, func(int) {})
			dismiss() // returns
			if ran := <-others; ran != 600 {
				t.Fatalf("procs=%d: %d tasks ran, want 600", procs, ran)
			}
			again, dismiss := Crew(ctx)
			if again == ctx {
				t.Fatal("a dismissed crew is taken for one")
			}
			dismiss()
		}
	})
}

// What is a task already is not divided further, even where a crew stands ready.
func TestAlone(t *testing.T) {
	ctx, dismiss := Crew(t.Context())
	defer dismiss()
	var order []int // without a lock: the race detector sees another goroutine
	if err := For(Alone(ctx), 1000, func(i int) { order = append(order, i) }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(order) || len(order) != 1000 {
		t.Errorf("%d calls, in the order %v", len(order), order)
	}
}
