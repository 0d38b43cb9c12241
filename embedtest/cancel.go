package embedtest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"
)

func (s *suite) cancellation() {
	calls := map[string]func(context.Context) (*mat.Dense, error){
		"Fit": func(ctx context.Context) (*mat.Dense, error) {
			m, err := s.fit(ctx, s.graph, s.words)
			if err != nil {
				return nil, err
			}
			return m.Embedding(), nil
		},
	}
	if m, ok := s.inductive(); ok {
		calls["Embed"] = func(ctx context.Context) (*mat.Dense, error) { return m.Embed(ctx, s.graph, s.features(s.words)) }
	}
	for name, call := range calls {
		before := runtime.NumGoroutine()
		s.cancelledBefore(name, call)
		s.cancelledWithin(name, call)
		if stay := goroutinesBeyond(before); stay > 0 {
			s.fail("%s: %d goroutines stay", name, stay)
		}
	}
}

func (s *suite) cancelledBefore(name string, call func(context.Context) (*mat.Dense, error)) {
	cancelled, cancel := context.WithCancel(background)
	cancel()
	late, stop := context.WithDeadline(background, time.Unix(0, 0))
	defer stop()
	for _, ctx := range []context.Context{cancelled, late} {
		if _, err := call(ctx); !errors.Is(err, ctx.Err()) {
			s.fail("%s: error is %v, want %v: the context had ended before", name, err, ctx.Err())
		}
	}
}

// cancelledWithin ends the context as soon as the call has looked at it once, twice, …,
// until the call is over before. A call that has done all its work by then may return
// it.
func (s *suite) cancelledWithin(name string, call func(context.Context) (*mat.Dense, error)) {
	for looks := int64(1); looks < 1<<20; looks += 1 + looks/2 {
		late := time.Duration(0)
		for range 3 { // other programs on the machine can only make it longer
			ctx := newCountdown(looks)
			y, err := call(ctx)
			returned := time.Now()
			ended := ctx.ended.Load()
			ctx.cancel()
			if ended == nil {
				return
			}
			if err == nil && !slices.Equal(bits(y), bits(s.want)) {
				s.fail("%s: cancelled after %d looks at the context it returns another embedding and no error", name, looks)
				return
			}
			if err != nil && !errors.Is(err, context.Canceled) {
				s.fail("%s: cancelled after %d looks at the context its error is %w", name, looks, err)
				return
			}
			if late = returned.Sub(*ended); late <= s.Late {
				break
			}
		}
		if late > s.Late {
			s.fail("%s: cancelled after %d looks at the context it came back %v later, want %v", name, looks, late, s.Late)
			return
		}
	}
}

// A countdown is a context that ends behind the back of who has looked at it so many
// times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
	ended  atomic.Pointer[time.Time]
}

func newCountdown(looks int64) *countdown {
	ctx, cancel := context.WithCancel(background)
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(looks)
	return c
}

func (c *countdown) Err() error {
	err := c.Context.Err()
	if c.left.Add(-1) == 0 {
		now := time.Now()
		c.ended.Store(&now)
		c.cancel()
	}
	return err
}

// goroutinesBeyond counts goroutines once those that have returned are retired.
func goroutinesBeyond(before int) int {
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return 0
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}
