package kernel

import (
	"context"
	"fmt"
	"sync"

	"coles/internal/parallel"
)

// patternEntries is the number of entries that are made at a time, unless a row has more: they stay
// in the first cache.
const patternEntries = 1 << 11

// PatternSum computes rows lo to hi of A·x into dst, of hi − lo rows, where all entries of A are one:
// its Val is not read.
func PatternSum[T Float](ctx context.Context, dst Matrix[T], a *CSR[float64], lo, hi int, x Matrix[T]) error {
	return patternMM(ctx, dst, a, lo, hi, x, 0, Matrix[T]{}, false)
}

// PatternMean computes dst = D⁻¹(A+I)·x + c·z for a square A whose entries are one and lie off the
// diagonal, with D the row sums of A + I: Val is not read. z may be dst itself, or have no rows.
func PatternMean[T Float](ctx context.Context, dst Matrix[T], a *CSR[float64], x Matrix[T], c T, z Matrix[T]) error {
	return patternMM(ctx, dst, a, 0, a.Rows, x, c, z, true)
}

// patternMM is SpMMAdd, but makes the entries of a few rows at a time, when they are needed.
func patternMM[T Float](ctx context.Context, dst Matrix[T], a *CSR[float64], lo, hi int, x Matrix[T], c T, z Matrix[T], mean bool) error {
	if dst.Rows != hi-lo || x.Rows != a.Cols || dst.Cols != x.Cols || z.Rows > 0 && (z.Rows != dst.Rows || z.Cols != dst.Cols) {
		panic(fmt.Sprintf("kernel: rows %d to %d of %d×%d times %d×%d plus %d×%d into %d×%d", lo, hi, a.Rows, a.Cols, x.Rows, x.Cols, z.Rows, z.Cols, dst.Rows, dst.Cols))
	}
	if hi == lo || x.Cols == 0 {
		return ctx.Err()
	}
	blocks, start := spmmBlocks(a.Slice(lo, hi), x.Cols)
	return parallel.For(ctx, blocks, func(b int) {
		m := borrowRows[T]()
		defer expansions[T]().Put(m)
		for i, end := lo+start(b), lo+start(b+1); i < end && ctx.Err() == nil; {
			rows := 1
			for i+rows < end && a.Ptr[i+rows+1]-a.Ptr[i] <= patternEntries {
				rows++
			}
			m.set(a, i, rows, mean)
			var add Matrix[T]
			if z.Rows > 0 {
				add = Rows(z, i-lo, i-lo+rows)
			}
			spmmBlock(ctx, 0, rows, Rows(dst, i-lo, i-lo+rows), &m.CSR, x, c, add)
			i += rows
		}
	})
}

// expansion is some rows of a pattern with their values.
type expansion[T Float] struct{ CSR[T] }

// The pools keep expansions, which are written and read again while they are in the first cache.
var expansions32, expansions64 sync.Pool

func expansions[T Float]() *sync.Pool {
	if isDouble[T]() {
		return &expansions64
	}
	return &expansions32
}

func borrowRows[T Float]() *expansion[T] {
	if m, ok := expansions[T]().Get().(*expansion[T]); ok {
		return m
	}
	return new(expansion[T])
}

// set makes m some rows of a pattern, or of D⁻¹(A+I), in the storage that it has.
func (m *expansion[T]) set(a *CSR[float64], first, rows int, mean bool) {
	if most := int(a.Ptr[first+rows]-a.Ptr[first]) + rows; len(m.Col) < most {
		m.Col, m.Val = make([]int32, most+patternEntries), make([]T, most+patternEntries)
	}
	m.Rows, m.Cols, m.Ptr = rows, a.Cols, append(m.Ptr[:0], 0)
	at := 0
	for i := first; i < first+rows; i++ {
		start, v := at, T(1)
		if mean {
			v = T(1 / float64(a.Ptr[i+1]-a.Ptr[i]+1))
			m.Col[at] = int32(i)
			at++
		}
		at += copy(m.Col[at:], a.Col[a.Ptr[i]:a.Ptr[i+1]])
		vals := m.Val[start:at]
		for q := range vals {
			vals[q] = v
		}
		m.Ptr = append(m.Ptr, int64(at))
	}
}
