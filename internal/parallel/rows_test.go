package parallel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"coles/internal/testkit/promise"
)

// Sums that round are the same bytes for every GOMAXPROCS, and close to one made in order.
func TestSumsDependOnTheRowsAlone(t *testing.T) {
	sums := map[string]func() ([]any, error){}
	for _, rows := range []int{0, 1, 255, 256, 1024, 1025, 5000, 200_000} {
		want := make([]float64, 2)
		term := func(i, j int) float64 { return math.Sin(float64(i + j)) }
		for i := range rows {
			want[0] += term(i, 0)
			want[1] += term(i, 1)
		}
		sums[fmt.Sprint(rows, " rows")] = func() ([]any, error) {
			got, err := Sum(context.Background(), rows, 2, func(sum []float64, lo, hi int) {
				if hi-lo > RowsAtOnce {
					t.Errorf("%d rows between two looks at the context", hi-lo)
				}
				for i := lo; i < hi; i++ {
					sum[0] += term(i, 0)
					sum[1] += term(i, 1)
				}
			})
			for j := range want { // every term is at most 1: far above what adding so many up rounds by
				if math.Abs(got[j]-want[j]) > 1e-10 {
					t.Errorf("%d rows: sum %v, want %v", rows, got, want)
				}
			}
			return []any{got}, err
		}
	}
	promise.SameBytes(t, sums)
}

// Parts are joined in the order of their rows, and each row is in one of them.
func TestPartsAreJoinedInOrder(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		for _, rows := range []int{0, 1, 3000, 100_000} {
			parts := 0
			all, err := Fold(context.Background(), rows,
				func() *[]int { return new([]int) },
				func(part *[]int, lo, hi int) {
					for i := lo; i < hi; i++ {
						*part = append(*part, i)
					}
				},
				func(into, from *[]int) { parts++; *into = append(*into, *from...) })
			if err != nil || len(*all) != rows || !slices.IsSorted(*all) || parts > foldParts {
				t.Errorf("%d processors: %d rows of %d in %d parts, in order: %v (%v)", procs, len(*all), rows, parts, slices.IsSorted(*all), err)
			}
		}
	})
}

func TestFoldStops(t *testing.T) {
	promise.ForProcessors(func(procs int) {
		ctx, cancel := context.WithCancel(context.Background())
		joined := false
		var late atomic.Int64
		_, err := Fold(ctx, 1_000_000,
			func() []int { return nil },
			func([]int, int, int) {
				if ctx.Err() != nil {
					late.Add(1)
				}
				cancel()
			},
			func([]int, []int) { joined = true })
		// Each goroutine may be between its look at the context and its rows.
		if late.Load() > int64(procs) {
			t.Errorf("%d processors: %d blocks begun after the end", procs, late.Load())
		}
		if !errors.Is(err, context.Canceled) || joined {
			t.Errorf("%d processors: error %v, joined what is not complete: %v", procs, err, joined)
		}
	})
}
