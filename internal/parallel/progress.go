package parallel

import (
	"context"
	"sync"
)

type progressKey struct{}

// A Count is how many parts of a stage are done.
type Count struct {
	report      func(stage string, done, total int) // may be nil
	stage       string
	mu          sync.Mutex
	done, total int
}

// Counted begins a stage and reports that nothing is done yet.
func Counted(ctx context.Context, stage string, total int) *Count {
	report, _ := ctx.Value(progressKey{}).(func(stage string, done, total int))
	c := &Count{report: report, stage: stage, total: total, done: -1}
	c.Add()
	return c
}

// Add reports that one more part is done.
func (c *Count) Add() {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	c.report(c.stage, c.done, c.total)
}

// Reporting returns a context under which a [Count] is reported to report, or if that is nil where it was.
func Reporting(ctx context.Context, report func(stage string, done, total int)) context.Context {
	if report == nil {
		return ctx
	}
	return context.WithValue(ctx, progressKey{}, report)
}

// Stage begins a stage. Work under the context that it returns reports nothing more.
func Stage(ctx context.Context, stage string, total int) (context.Context, *Count) {
	return context.WithValue(ctx, progressKey{}, nil), Counted(ctx, stage, total)
}
