// Package promise holds the checks of what every package of this module promises: the same bytes on
// any number of processors, and a return soon after the context has ended. It imports nothing that
// computes, so that the tests of the innermost packages can use it.
package promise

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
	"time"

	"coles/internal/peak"
	"coles/internal/race"
)

// ForProcessors runs a function under several values of GOMAXPROCS: the race detector, which asks what goroutines
// share and not what comes out, sees two of them.
func ForProcessors(do func(procs int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	several := []int{1, 2, 3, 8, 16}
	if race.Enabled {
		several = []int{2, 8}
	}
	for _, procs := range several {
		runtime.GOMAXPROCS(procs)
		do(procs)
	}
}

// SameBytes makes each computation under several values of GOMAXPROCS, and compares the bytes of
// what it returns: slices of numbers.
func SameBytes(t *testing.T, computations map[string]func() ([]any, error)) {
	t.Helper()
	for name, compute := range computations {
		var first []byte
		ForProcessors(func(procs int) {
			parts, err := compute()
			var now []byte
			for _, part := range parts {
				if err == nil {
					now, err = binary.Append(now, binary.LittleEndian, part)
				}
			}
			if err != nil {
				t.Fatalf("%s: GOMAXPROCS=%d: %v", name, procs, err)
			}
			if first == nil {
				first = now
			}
			if !bytes.Equal(first, now) {
				t.Errorf("%s: GOMAXPROCS=%d gives other bytes than 1", name, procs)
			}
		})
	}
}

// within is how long a call may go on once its context has ended.
const within = 100 * time.Millisecond * race.Slowdown

// Stops repeats a call until its context ends, after each of some times, 1, 10 and 80 ms if none are
// given. The call must return the context's error within 100 ms on the clock, or of work by all
// processors: where other programs take them, clocks run on. No goroutine may stay.
func Stops(t *testing.T, call func(ctx context.Context) error, moments ...time.Duration) {
	t.Helper()
	if len(moments) == 0 {
		moments = []time.Duration{time.Millisecond, 10 * time.Millisecond, 80 * time.Millisecond}
	}
	before := runtime.NumGoroutine()
	for _, after := range moments {
		ctx, cancel := context.WithCancel(context.Background())
		type moment struct {
			clock time.Time
			work  time.Duration
		}
		asked := make(chan moment, 1)
		start := time.Now()
		time.AfterFunc(after, func() {
			asked <- moment{time.Now(), peak.Time()}
			cancel()
		})
		var err error
		for err == nil && time.Since(start) < after+time.Minute {
			err = call(ctx)
		}
		work, clock := peak.Time(), time.Now()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled", err)
		}
		at := <-asked
		if late := min(clock.Sub(at.clock), work-at.work); late > within {
			t.Errorf("cancelled after %v, it went on for %v, promised are %v", after, late, within)
		}
	}
	if stay := GoroutinesBeyond(before); stay > 0 {
		t.Errorf("%d goroutines stay", stay)
	}
}

// GoroutinesBeyond counts the goroutines above a number, once those that have returned are retired.
func GoroutinesBeyond(before int) int {
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return 0
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}
