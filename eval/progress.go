package eval

import (
	"context"

	"coles/internal/parallel"
)

// WithProgress returns a context under which the functions of this package report how far they are:
// at the start of every stage that may take seconds and after each of its total parts, one call at a
// time within a stage but not always from the same goroutine. Where one function does many times the
// work of another, such as [Protocol.Classify], only its own stage is reported.
func WithProgress(ctx context.Context, report func(stage string, done, total int)) context.Context {
	return parallel.WithProgress(ctx, report)
}

// counted begins a stage, of which the work under the context that it returns says nothing more.
func counted(ctx context.Context, stage string, total int) (context.Context, *parallel.Count) {
	return parallel.WithProgress(ctx, nil), parallel.Counted(ctx, stage, total)
}
