package kernel

import (
	"context"
	"fmt"
	"sort"

	"coles/internal/parallel"
)

const (
	// spmmTask is the number of multiplications in one block of rows: below a
	// millisecond, far above the cost of handing a task out.
	spmmTask = 1 << 19

	// A longer row is computed in segments of so many multiplications, or of so many
	// entries if these are fewer: it may have as many entries as the matrix has columns, the
	// context is looked at between them, and the rounding of a sum grows with their
	// length and their number in the place of their product.
	spmmLong    = 1 << 20
	spmmSegment = 1 << 10
)

// SpMM computes dst = a·x for a sparse a (m × n) and a dense x (n × d), dst
// being m × d, in O((entries + m)·d).
func SpMM[T Float](ctx context.Context, dst Matrix[T], a *CSR[T], x Matrix[T]) error {
	return spmm(ctx, dst, a, x, 0, Matrix[T]{})
}

// SpMMAdd computes dst = a·x + c·z, z being added while each piece of dst is
// in registers: one step of Horner's rule for a polynomial of a. The bytes are
// those of SpMM with the rounded products c·z added afterwards. z may be dst
// itself, but must not overlap it in any other way.
func SpMMAdd[T Float](ctx context.Context, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) error {
	if z.Rows != dst.Rows || z.Cols != dst.Cols {
		panic(fmt.Sprintf("kernel: %d×%d added to a product %d×%d", z.Rows, z.Cols, dst.Rows, dst.Cols))
	}
	return spmm(ctx, dst, a, x, c, z)
}

func spmm[T Float](ctx context.Context, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) error {
	if dst.Rows != a.Rows || x.Rows != a.Cols || dst.Cols != x.Cols {
		panic(fmt.Sprintf("kernel: %d×%d times %d×%d into %d×%d", a.Rows, a.Cols, x.Rows, x.Cols, dst.Rows, dst.Cols))
	}
	if a.Rows == 0 || x.Cols == 0 {
		return ctx.Err()
	}
	// A row costs its entries and one more, so that empty rows, which have to
	// be cleared, weigh something.
	weight := func(i int) int { return int(a.Ptr[i]-a.Ptr[0]) + i }
	total := weight(a.Rows)
	blocks := min(a.Rows, 1+total/max(1, spmmTask/x.Cols))
	start := func(b int) int {
		if b == blocks {
			return a.Rows
		}
		share := int(float64(total) / float64(blocks) * float64(b))
		return sort.Search(a.Rows, func(i int) bool { return weight(i) >= share })
	}
	return parallel.For(ctx, blocks, func(b int) {
		spmmBlock(ctx, start(b), start(b+1), dst, a, x, c, z)
	})
}

// spmmBlock computes the rows lo to hi, those between two long ones at once.
func spmmBlock[T Float](ctx context.Context, lo, hi int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	segment := min(max(1, spmmLong/x.Cols), spmmSegment)
	for i := lo; i < hi; i++ {
		if int(a.Ptr[i+1]-a.Ptr[i]) <= segment {
			continue
		}
		if lo < i {
			spmmRows(active, lo, i, dst, a, x, c, z)
		}
		spmmSegments(ctx, i, segment, dst, a, x, c, z)
		lo = i + 1
	}
	if lo < hi {
		spmmRows(active, lo, hi, dst, a, x, c, z)
	}
}

// spmmSegments computes row i. All segments of its entries but the first add
// to what is there, and c·z comes last.
func spmmSegments[T Float](ctx context.Context, i, segment int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	out := View(dst, i, 0, 1, dst.Cols)
	var last []T
	if z.Rows > 0 {
		buffer := borrow[T](z.Cols) // z may be dst
		defer giveBack(buffer)
		last = *buffer
		copy(last, row(z, i))
	}
	var sum Matrix[T]
	for lo, end := a.Ptr[i], a.Ptr[i+1]; lo < end && ctx.Err() == nil; {
		hi := min(end, lo+int64(segment))
		part := CSR[T]{Rows: 1, Cols: a.Cols, Ptr: []int64{lo, hi}, Col: a.Col, Val: a.Val}
		spmmRows(active, 0, 1, out, &part, x, 1, sum)
		lo, sum = hi, out
	}
	for j, v := range last {
		out.Data[j] += T(c * v)
	}
}
