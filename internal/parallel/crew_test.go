package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"coles/internal/promise"
)

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
