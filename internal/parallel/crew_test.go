package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func withProcs(do func(procs int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, procs := range []int{1, 2, 3, 8, 16} {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

func TestCrewRunsEveryTaskOnce(t *testing.T) {
	withProcs(func(procs int) {
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
		// A goroutine is counted for a moment after its last statement.
		for i := 0; runtime.NumGoroutine() > before; i++ {
			if i == 1000 {
				t.Fatalf("procs=%d: %d goroutines, %d before", procs, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	})
}

// Somebody may go on working with the context of a crew while it is dismissed, and after.
func TestCrewIsDismissedWhileOthersWork(t *testing.T) {
	withProcs(func(procs int) {
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

func TestCrewBeginsNoTaskOnceCancelled(t *testing.T) {
	withProcs(func(procs int) {
		c := newCrew()
		defer c.dismiss()
		ctx, cancel := context.WithCancel(context.Background())
		var ran, ended, late atomic.Int64
		var cancelled atomic.Bool
		err := c.run(ctx, 1_000_000, func(int) {
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
			t.Errorf("procs=%d: error %v, want context.Canceled", procs, err)
		}
		// Each goroutine may be between its look at the context and its task.
		if late.Load() > int64(procs) || ran.Load() != ended.Load() {
			t.Errorf("procs=%d: %d tasks began once the context was cancelled; %d began in all, %d ended", procs, late.Load(), ran.Load(), ended.Load())
		}
		if err := c.run(context.Background(), 5, func(int) { ran.Store(0) }); err != nil || ran.Load() != 0 {
			t.Errorf("procs=%d: no further run after that: %v", procs, err)
		}
	})
}
