package matrix

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Symmetric reports whether a square matrix is its transpose, by one pass over its rows, which may lie on a disk, in
// their order. A random number is drawn for each {i, j} and value: their sum is the same above and below the diagonal.
// It errs once in 2⁶⁴ matrices. None can be constructed to deceive it, as the numbers are drawn anew each time.
func Symmetric(ctx context.Context, a *kernel.CSR[float64]) (bool, error) {
	key, key2 := rand.Uint64(), rand.Uint64()
	draw := func(x uint64) uint64 { // as SplitMix64 does (Steele, Lea and Flood 2014)
		x += 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	var sum atomic.Uint64
	err := parallel.Rows(ctx, a.Rows, func(lo, hi int) {
		var part uint64
		for i := lo; i < hi; i++ {
			cols, vals := a.Row(i)
			for q, j := range cols {
				x := draw(draw(uint64(min(int(j), i))<<32|uint64(max(int(j), i))^key) ^ key2)
				if vals != nil {
					x = draw(x ^ math.Float64bits(vals[q]+0)) // −0 is 0
				}
				switch {
				case int(j) > i:
					part += x
				case int(j) < i:
					part -= x
				}
			}
		}
		sum.Add(part)
	})
	return sum.Load() == 0, err
}

// Unmirrored finds the first entry that differs from its mirror image. A stored zero is no different from an entry that is
// not there.
func Unmirrored(a *kernel.CSR[float64]) (i, j int, found bool) {
	for i := range a.Rows {
		cols, _ := a.Row(i)
		for _, j := range cols {
			there, _ := Entry(a, i, int(j))
			if back, _ := Entry(a, int(j), i); back != there {
				return i, int(j), true
			}
		}
	}
	return 0, 0, false
}

// CheckRows checks an adjacency matrix in compressed rows, whose pointers are right. It reports whether there is a self loop
// or a zero.
//
// Errors: [ErrIndex], also for columns that do not ascend, as [CheckWeight], and ctx's.
func CheckRows(ctx context.Context, a *kernel.CSR[float64]) (drops bool, err error) {
	var some atomic.Bool
	err = firstOf(ctx, a.Rows, func(i int) error {
		cols, vals := a.Row(i)
		last := int32(-1)
		for q, j := range cols {
			switch {
			case j < 0 || int(j) >= a.Rows:
				return fmt.Errorf("%w: neighbour %d of node %d, of %d nodes", ErrIndex, j, i, a.Rows)
			case j <= last:
				return fmt.Errorf("%w: neighbour %d of node %d comes after %d", ErrIndex, j, i, last)
			case vals != nil:
				if err := CheckWeight(vals[q], i, int(j)); err != nil {
					return err
				}
			}
			if last = j; int(j) == i || vals != nil && vals[q] == 0 {
				some.Store(true)
			}
		}
		return nil
	})
	return some.Load(), err
}

// Ones reports whether all values of a are one, as in a pattern.
func Ones(ctx context.Context, a *kernel.CSR[float64]) (ones bool, err error) {
	if a.Val == nil {
		return true, ctx.Err()
	}
	var others atomic.Bool
	err = parallel.Ranges(ctx, len(a.Val), 1<<16, func(lo, hi int) {
		if !others.Load() && slices.ContainsFunc(a.Val[lo:hi], func(v float64) bool { return v != 1 }) {
			others.Store(true)
		}
	})
	return !others.Load(), err
}

// Valued is a with values, which are stored anew for a pattern.
func Valued(a *kernel.CSR[float64]) *kernel.CSR[float64] {
	if a.Val != nil {
		return a
	}
	return &kernel.CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: slices.Repeat([]float64{1}, len(a.Col))}
}
