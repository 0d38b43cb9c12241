// Package parallel splits independent work over the processors.
//
// The split depends on the size of the work alone, never on the number of processors, and each task
// owns what it writes. A caller that keeps to this gets the same bytes for every GOMAXPROCS.
package parallel

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls do(i) once for every i in [0, n), on at most GOMAXPROCS goroutines, and returns when all have ended. The
// goroutines are the crew of ctx if it has one. Once ctx is done no further task is begun and For returns ctx.Err();
// tasks should therefore be short (milliseconds).
func For(ctx context.Context, n int, do func(i int)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	if ctx.Value(aloneKey{}) != nil {
		workers = 1
	} else if n > 1 {
		if c, ok := ctx.Value(crewKey{}).(*crew); ok && !c.dismissed.Load() {
			return c.run(ctx, n, do)
		}
	}
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(i)
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	// The caller waits: what it started last is begun at once in its place, and the others are not
	// kept back for it.
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		}()
	}
	wg.Wait()
	return ctx.Err()
}

type aloneKey struct{}

// Alone returns a context under which For calls do in order, by itself. It is for a For within a task of another For: a crew
// with work of the inner one would not come back to the outer one.
func Alone(ctx context.Context) context.Context { return context.WithValue(ctx, aloneKey{}, true) }

// Ranges calls do(lo, hi) for consecutive ranges of at most grain numbers that together cover [0,
// n), under the rules of For.
func Ranges(ctx context.Context, n, grain int, do func(lo, hi int)) error {
	return For(ctx, Pieces(n, grain), func(i int) {
		do(i*grain, min(n, (i+1)*grain))
	})
}

// Pieces is the number of pieces of at most size that make up n.
func Pieces(n, size int) int { return (n + size - 1) / size }

// Try calls do for every i in [0, n), in parallel, and returns ctx's error or the first one by i.
func Try(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	err := For(ctx, n, func(i int) { errs[i] = do(i) })
	return cmp.Or(err, cmp.Or(errs...))
}
