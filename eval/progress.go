package eval

import (
	"context"

	"coles"
	"coles/internal/parallel"
)

// reporting returns a context under which stages are reported to f, or where they were if that is nil.
func reporting(ctx context.Context, f coles.Progress) context.Context {
	if f == nil {
		return ctx
	}
	return parallel.WithProgress(ctx, f)
}

// counted begins a stage, of which the work under the context that it returns says nothing more.
func counted(ctx context.Context, stage string, total int) (context.Context, *parallel.Count) {
	return parallel.WithProgress(ctx, nil), parallel.Counted(ctx, stage, total)
}
