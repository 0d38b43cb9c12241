package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// crew shares out many short pieces of work that follow each other closely. Its goroutines look out for the next
// piece for a while before they go to sleep. To wake one takes some 30 µs, about as long as a column of a reduction.
type crew struct {
	current atomic.Pointer[shift]
	helpers []*helper
	ended   sync.WaitGroup
	none    shift // stands before the first
	// dismissed ends the helpers. It is never taken back: who still has the context of a crew that
	// is gone works without it.
	dismissed atomic.Bool
}

// shift is one piece of work: do(i) for i in [0, n).
type shift struct {
	ctx        context.Context
	n          int
	do         func(i int)
	next, done atomic.Int64
}

type helper struct {
	asleep atomic.Bool
	wake   chan struct{}
}

const (
	// lookouts is how often a helper looks before it goes to sleep, some 100 µs long, and
	// yieldEvery after how many it lets other goroutines go first.
	lookouts   = 1 << 14
	yieldEvery = 16
)

type crewKey struct{}

// Crew returns a context under which goroutines that stand ready do the work of For and Ranges. To hand work to them costs
// about a microsecond instead of some thirty, for a computation of many short steps. The caller must dismiss them. A context
// that has a crew keeps it.
func Crew(ctx context.Context) (with context.Context, dismiss func()) {
	if ctx == nil {
		panic("coles: a nil context")
	}
	if c, ok := ctx.Value(crewKey{}).(*crew); ok && !c.dismissed.Load() {
		return ctx, func() {}
	}
	c := newCrew()
	return context.WithValue(ctx, crewKey{}, c), c.dismiss
}

// newCrew starts the goroutines of a crew.
func newCrew() *crew {
	c := &crew{}
	c.current.Store(&c.none)
	// Further ones than processors would only take these from each other.
	for range min(runtime.GOMAXPROCS(0), runtime.NumCPU()) - 1 {
		h := &helper{wake: make(chan struct{}, 1)}
		c.helpers = append(c.helpers, h)
		c.ended.Add(1)
		go c.help(h)
	}
	return c
}

// run calls do(i) once for every i in [0, n) and returns when all have ended. Once ctx is done no
// further task is begun. The caller takes part, and waits for those tasks only that a helper has
// begun.
func (c *crew) run(ctx context.Context, n int, do func(i int)) error {
	s := &shift{ctx: ctx, n: n, do: do}
	c.announce(s)
	s.work()
	begun := min(int64(n), s.next.Swap(int64(n)))
	for s.done.Load() < begun {
		runtime.Gosched()
	}
	return ctx.Err()
}

// dismiss ends the goroutines.
func (c *crew) dismiss() {
	c.dismissed.Store(true)
	c.wake()
	c.ended.Wait()
}

func (c *crew) announce(s *shift) {
	c.current.Store(s)
	c.wake()
}

// wake wakes the helpers that are asleep.
func (c *crew) wake() {
	for _, h := range c.helpers {
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
}

func (c *crew) help(h *helper) {
	defer c.ended.Done()
	last := &c.none
	for {
		s := c.await(h, last)
		if s == nil {
			return
		}
		s.work()
		last = s
	}
}

// await returns the piece of work that follows the last one, or nil once the crew is dismissed.
func (c *crew) await(h *helper, last *shift) *shift {
	for {
		for i := range lookouts {
			if c.dismissed.Load() {
				return nil
			}
			if s := c.current.Load(); s != last {
				return s
			}
			if i%yieldEvery == yieldEvery-1 {
				runtime.Gosched()
			}
		}
		h.asleep.Store(true)
		// Whoever takes the mark back first decides: wake then sends.
		if c.current.Load() == last && !c.dismissed.Load() || !h.asleep.CompareAndSwap(true, false) {
			<-h.wake
		}
	}
}

func (s *shift) work() {
	for s.ctx.Err() == nil {
		i := int(s.next.Add(1)) - 1
		if i >= s.n {
			return
		}
		s.do(i)
		s.done.Add(1)
	}
}
