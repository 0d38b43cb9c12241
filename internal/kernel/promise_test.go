package kernel

import (
	"context"
	"testing"
	"time"

	"coles/internal/testkit/promise"
)

func TestBytesDoNotDependOnProcessors(t *testing.T) {
	onEveryPath(t, testProcessors[float64], testProcessors[float32])
}

func testProcessors[S Float](t *testing.T) {
	rnd, ctx := random(7), context.Background()
	a, b := poisoned[S](rnd, 300, 333, 1), poisoned[S](rnd, 333, 290, 0)
	x, y := poisoned[S](rnd, 5000, 40, 0), poisoned[S](rnd, 5000, 40, 1)
	w, graph := randomCSR[S](rnd, 3000, 3000, 20), randomCSR[float64](rnd, 3000, 3000, 30)
	dense, other := poisoned[S](rnd, 3000, 67, 5), poisoned[S](rnd, 3000, 67, 0)
	narrow := poisoned[float32](rnd, 3000, 40, 0)
	promise.SameBytes(t, map[string]func() ([]any, error){
		"Gemm":              into(300, 290, func(c Matrix[S]) error { return Gemm(ctx, false, false, 1, a, b, 0, c) }),
		"a long product":    into(40, 24, func(c Matrix[S]) error { return Gemm(ctx, true, false, 1, x, Columns(y, 0, 24), 0, c) }),
		"Gram":              into(40, 40, func(c Matrix[S]) error { return Gram(ctx, 1, x, y, c) }),
		"Gram into float64": into(40, 40, func(c Matrix[float64]) error { return Gram(ctx, 1, x, y, c) }),
		"SpMMAdd":           into(3000, 67, func(c Matrix[S]) error { return SpMMAdd(ctx, c, w, dense, 0.3, other) }),
		"PatternMean":       into(3000, 40, func(c Matrix[float32]) error { return PatternMean(ctx, c, graph, narrow, 0.5, narrow) }),
	})
}

// into has a call fill a matrix of this size, whose numbers are the result.
func into[T Float](rows, cols int, call func(c Matrix[T]) error) func() ([]any, error) {
	return func() ([]any, error) {
		c := Dense[T](rows, cols)
		return []any{c.Data}, call(c)
	}
}

func TestKernelsStopWhenCancelled(t *testing.T) {
	onEveryPath(t, cancellations[float64](), cancellations[float32]())
}

func cancellations[T Float]() func(t *testing.T) {
	// Few results of long sums: the worst case for cutting work by results.
	const n = 300_000
	long, few := Dense[T](n, 8), Dense[T](8, 8)
	square, result := Dense[T](3000, 3000), Dense[T](3000, 3000)
	narrow := Dense[float32](3000, 3000)
	// Two full rows: the worst case is a task of one row.
	a := &CSR[T]{Rows: 2, Cols: n, Ptr: []int64{0, n, 2 * n}, Col: make([]int32, 2*n), Val: make([]T, 2*n)}
	for j := range a.Col {
		a.Col[j] = int32(j % n)
	}
	x, sums := Dense[T](n, 64), Dense[T](2, 64)
	return func(t *testing.T) {
		for name, call := range map[string]func(ctx context.Context) error{
			"few sums":  func(ctx context.Context) error { return Gemm(ctx, true, false, 1, long, long, 0, few) },
			"Gram":      func(ctx context.Context) error { return Gram(ctx, 1, long, long, few) },
			"many sums": func(ctx context.Context) error { return Gemm(ctx, false, true, 1, square, square, 0, result) },
			"SpMM":      func(ctx context.Context) error { return SpMM(ctx, sums, a, x) },
			"Convert":   func(ctx context.Context) error { return Convert(ctx, narrow, square) },
		} {
			t.Run(name, func(t *testing.T) { promise.Stops(t, call, 30*time.Millisecond) })
		}
	}
}
