// Package promise holds the checks of what every package of this module promises: the same bytes on
// any number of processors, and a return soon after the context has ended. It imports nothing that
// computes, so that the tests of the innermost packages can use it.
package promise

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
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

// A Countdown is a context that ends once it has been looked at a number of times, by Err: at the same place of a
// computation on every machine. What a call does after that is counted in looks, since others take time from it.
type Countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

// NewCountdown returns a context that ends after a number of looks, or by End before.
func NewCountdown(looks int64) *Countdown {
	c := &Countdown{}
	c.Context, c.end = context.WithCancel(context.Background())
	c.left.Store(looks)
	return c
}

// Err is the look.
func (c *Countdown) Err() error {
	err := c.Context.Err()
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return err
}

// End ends the context now.
func (c *Countdown) End() {
	c.end()
	c.left.Store(0)
}

// Further is how often the context was looked at after its end, below 0 before it.
func (c *Countdown) Further() int64 { return -c.left.Load() }

const (
	// Looks is how often a call may look at its context once that has ended. A function that hears of the end still
	// looks in the goroutines that it started, and so does its caller. Measured are up to 40.
	Looks = 100
	// skipped is how often loops may that skip what is left, a look for each row of it: a look takes some 100 ns, so
	// many a millisecond. Measured are up to 3,096.
	skipped = 10_000
	// within is how much work of all threads a call may do then. It is five times the 100 ms that users are promised
	// on a machine of their own. Where other programs take caches and memory, the time of a processor grows, too.
	within = 500 * time.Millisecond * race.Slowdown
)

// Stops repeats a call until its context ends, after each of some times, 1, 10 and 80 ms if none are
// given. The call must return the context's error after few looks at it and little work, not time: clocks run on where
// other programs take the processors. No goroutine may stay.
func Stops(t *testing.T, call func(ctx context.Context) error, moments ...time.Duration) {
	t.Helper()
	if len(moments) == 0 {
		moments = []time.Duration{time.Millisecond, 10 * time.Millisecond, 80 * time.Millisecond}
	}
	before := runtime.NumGoroutine()
	for _, after := range moments {
		ctx := NewCountdown(math.MaxInt64)
		asked := make(chan time.Duration, 1)
		start := time.Now()
		time.AfterFunc(after, func() {
			ctx.End()
			asked <- peak.Time()
		})
		var err error
		for err == nil && time.Since(start) < after+time.Minute {
			err = call(ctx)
		}
		work := peak.Time()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled", err)
		}
		if late := work - <-asked; late > within || ctx.Further() > skipped {
			t.Errorf("cancelled after %v, it went on for %v of work and %d looks at the context, at most %v and %d are allowed",
				after, late, ctx.Further(), within, skipped)
		}
	}
	if stay := GoroutinesBeyond(before); stay > 0 {
		t.Errorf("%d goroutines stay", stay)
	}
}

// A witness is a context that notes its first look below each line that makes a call, beside those within before.
type witness struct {
	context.Context
	mu     sync.Mutex
	looks  int64
	first  []int64
	within map[uintptr]bool
}

// Err is the look.
func (w *witness) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	calls := make([]uintptr, 64)
	for _, call := range calls[:runtime.Callers(2, calls)] {
		if !w.within[call] {
			w.within[call] = true
			if len(w.first) == 0 || w.first[len(w.first)-1] != w.looks {
				w.first = append(w.first, w.looks)
			}
		}
	}
	return nil
}

// EndsAnywhere makes calls on one processor, by the order of their names, and again with contexts that end before a look:
// the first below each line that makes a call, of all of them. They must return the context's error.
func EndsAnywhere(t *testing.T, calls map[string]func(ctx context.Context) error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	within := map[uintptr]bool{}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		whole := &witness{Context: context.Background(), within: within}
		if err := calls[name](whole); err != nil {
			t.Errorf("%s: with a context that does not end: %v", name, err)
		}
		for _, look := range whole.first {
			ctx := NewCountdown(look - 1)
			if look == 1 {
				ctx.End()
			}
			if err := calls[name](ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v, want context.Canceled where look %d of %d finds the end", name, err, look, whole.looks)
			}
			ctx.End()
		}
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
