package eigen

import (
	"context"
	"math"
	"testing"
	"time"

	"coles/internal/testkit/promise"
)

func TestBytesDoNotDependOnProcessors(t *testing.T) {
	a, small, large := randomSymmetric(600, 8), randomSymmetric(450, 41), randomSymmetric(700, 41)
	of := func(solve func() (*Result, error)) func() ([]any, error) {
		return func() ([]any, error) {
			r, err := solve()
			if err != nil {
				return nil, err
			}
			return []any{r.Values, r.Vectors.Data}, nil
		}
	}
	promise.SameBytes(t, map[string]func() ([]any, error){
		"Direct":       of(func() (*Result, error) { return Direct(background, clone(a), 80) }),
		"DirectSingle": of(func() (*Result, error) { return DirectSingle(background, clone(a), 80) }),
		"Krylov":       of(func() (*Result, error) { return Krylov(background, 450, 10, operator(small), KrylovOptions{Seed: 3}) }),
		"Top": of(func() (*Result, error) {
			return Top(background, 700, 16, Subspace{Apply: operator(large)}, -60, KrylovOptions{Seed: 3}) // semicircle of radius 2√n
		}),
		"Krylov in float32": of(func() (*Result, error) {
			return Krylov(background, 700, 24, single(large), KrylovOptions{Tol: singleTol, Seed: 3})
		}),
	})
}

func TestSolversStopWhenCancelled(t *testing.T) {
	a := randomSymmetric(1600, 8)
	d := make([]float64, 6000)
	for i := range d {
		d[i] = math.Cos(math.Pi * float64(i) / float64(len(d)))
	}
	single := func(ctx context.Context) (*Result, error) { return DirectSingle(ctx, clone(a), 1600) }
	double := func(ctx context.Context) (*Result, error) { return Direct(ctx, clone(a), 1600) }
	krylov := func(ctx context.Context) (*Result, error) {
		return Krylov(ctx, len(d), 400, diagonal(d), KrylovOptions{})
	}
	top := func(ctx context.Context) (*Result, error) {
		return Top(ctx, len(d), 16, Subspace{Apply: diagonal(d)}, -1, KrylovOptions{})
	}
	for name, c := range map[string]struct {
		solve func(ctx context.Context) (*Result, error)
		last  time.Duration
	}{"Direct": {double, 200 * time.Millisecond}, "DirectSingle": {single, 200 * time.Millisecond}, "Krylov": {krylov, 400 * time.Millisecond}, "Top": {top, 400 * time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			promise.Stops(t, func(ctx context.Context) error {
				_, err := c.solve(ctx)
				return err
			}, 10*time.Millisecond, c.last/3, c.last)
		})
	}
}

func TestSolversEndAnywhere(t *testing.T) {
	a, large := randomSymmetric(300, 8), randomSymmetric(700, 41)
	calls := map[string]func(ctx context.Context) error{}
	for name, solve := range map[string]func(ctx context.Context) (*Result, error){
		"Direct":       func(ctx context.Context) (*Result, error) { return Direct(ctx, clone(a), 60) },
		"DirectSingle": func(ctx context.Context) (*Result, error) { return DirectSingle(ctx, clone(a), 60) },
		"Krylov": func(ctx context.Context) (*Result, error) {
			return Krylov(ctx, 700, 10, operator(large), KrylovOptions{Seed: 3})
		},
		"Krylov in float32": func(ctx context.Context) (*Result, error) {
			return Krylov(ctx, 700, 24, single(large), KrylovOptions{Tol: singleTol, Seed: 3})
		},
		"Top": func(ctx context.Context) (*Result, error) {
			return Top(ctx, 700, 16, Subspace{Apply: operator(large)}, -60, KrylovOptions{Seed: 3})
		},
	} {
		calls[name] = func(ctx context.Context) error {
			_, err := solve(ctx)
			return err
		}
	}
	promise.EndsAnywhere(t, calls)
}
