package kernel

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"coles/internal/parallel"
)

// CSR is a sparse matrix in compressed rows: the entries of row i are Col[Ptr[i]:Ptr[i+1]] and
// Val[Ptr[i]:Ptr[i+1]], columns ascending, no column twice. The package trusts this; the exported
// functions of the library check it. A pattern, whose entries are all one, has a nil Val, which only
// the functions that document it take.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int64 // Rows + 1 of them, ascending
	Col        []int32 // of every entry
	Val        []T     // of every entry, nil for ones
}

// NNZ is the number of stored entries.
func (a *CSR[T]) NNZ() int { return int(a.Ptr[a.Rows] - a.Ptr[0]) }

// Row returns the columns and values of row i, not to be written to; of a pattern no values.
func (a *CSR[T]) Row(i int) ([]int32, []T) {
	lo, hi := a.Ptr[i], a.Ptr[i+1]
	if a.Val == nil {
		return a.Col[lo:hi], nil
	}
	return a.Col[lo:hi], a.Val[lo:hi]
}

// Transpose returns aᵀ in O(rows + cols + entries): blocks of rows count their entries in each
// column, and the counts are the places where each block puts them.
func (a *CSR[T]) Transpose() *CSR[T] {
	const (
		grain = 1 << 14 // entries: below a hundred microseconds
		most  = 16      // blocks, whose counts take memory
	)
	ctx := context.Background()
	first, entries := a.Ptr[0], a.NNZ()
	t := &CSR[T]{
		Rows: a.Cols, Cols: a.Rows,
		Ptr: make([]int64, a.Cols+1),
		Col: make([]int32, entries),
		Val: unset[T](entries),
	}
	blocks := min(most, 1+entries/max(grain, 4*a.Cols))
	start := func(b int) int {
		share := first + int64(entries)*int64(b)/int64(blocks)
		return sort.Search(a.Rows, func(i int) bool { return a.Ptr[i] >= share })
	}
	next := make([]int64, blocks*a.Cols) // counts first
	_ = parallel.For(ctx, blocks, func(b int) {
		count := next[b*a.Cols:][:a.Cols]
		for _, j := range a.Col[a.Ptr[start(b)]:a.Ptr[start(b+1)]] {
			count[j]++
		}
	})
	sum := int64(0)
	for j := range a.Cols {
		for c := j; c < len(next); c += a.Cols {
			next[c], sum = sum, sum+next[c]
		}
		t.Ptr[j+1] = sum
	}
	_ = parallel.For(ctx, blocks, func(b int) {
		next := next[b*a.Cols:][:a.Cols]
		for i := start(b); i < start(b+1); i++ {
			cols, vals := a.Row(i)
			for q, j := range cols {
				at := next[j]
				next[j]++
				t.Col[at], t.Val[at] = int32(i), vals[q]
			}
		}
	})
	return t
}

// Slice is the rows lo to hi of a. It shares the memory of a, so its Ptr may begin above zero.
func (a *CSR[T]) Slice(lo, hi int) *CSR[T] {
	return &CSR[T]{Rows: hi - lo, Cols: a.Cols, Ptr: a.Ptr[lo : hi+1], Col: a.Col, Val: a.Val}
}

// Convert copies src into dst, of the same size, each number rounded to the nearest of dst's type.
func Convert[D, S Float](ctx context.Context, dst Matrix[D], src Matrix[S]) error {
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(fmt.Sprintf("kernel: %d×%d converted into %d×%d", src.Rows, src.Cols, dst.Rows, dst.Cols))
	}
	if src.Cols == 0 {
		return ctx.Err()
	}
	const grain = 1 << 16
	return parallel.Ranges(ctx, src.Rows, max(1, grain/src.Cols), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			convert(active, dst.Row(i), src.Row(i))
		}
	})
}

// ConvertCSR is a with its values rounded to the nearest of another type; it shares Ptr and Col
// with a.
func ConvertCSR[D, S Float](a *CSR[S]) *CSR[D] {
	val := unset[D](len(a.Val))
	const grain = 1 << 16
	_ = parallel.Ranges(context.Background(), len(val), grain, func(lo, hi int) {
		convert(active, val[lo:hi], a.Val[lo:hi])
	})
	return &CSR[D]{Rows: a.Rows, Cols: a.Cols, Ptr: a.Ptr, Col: a.Col, Val: val}
}

const (
	// spmmTask is the number of multiplications in one block of rows: below a millisecond, far
	// above the cost of handing a task out. A product of few has blocks down to spmmLeast, some
	// microseconds, for all processors.
	spmmTask  = 1 << 19
	spmmLeast = 1 << 16
	spmmTasks = 8

	// A longer row is computed in segments of at most spmmLong multiplications and spmmSegment
	// entries, with a look at the context between them. The rounding error of a sum then grows with
	// the length of a segment plus their number instead of with the number of entries.
	spmmLong    = 1 << 20
	spmmSegment = 1 << 10
)

// SpMM computes dst = a·x for a sparse a (m × n) and a dense x (n × d), dst being m × d, in
// O((entries + m)·d).
func SpMM[T Float](ctx context.Context, dst Matrix[T], a *CSR[T], x Matrix[T]) error {
	return spmm(ctx, dst, a, x, 0, Matrix[T]{})
}

// SpMMAdd computes dst = a·x + c·z, z being added while each piece of dst is in registers: one step
// of Horner's rule for a polynomial of a. It gives the bytes of SpMM with the rounded products c·z
// added afterwards. z may be dst itself, but must not overlap it in any other way.
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
	blocks, start := spmmBlocks(a, x.Cols)
	return parallel.For(ctx, blocks, func(b int) {
		spmmBlock(ctx, start(b), start(b+1), dst, a, x, c, z)
	})
}

// spmmBlocks cuts the rows of a into blocks of about equal cost for a product with that number of columns:
// block b begins at row start(b).
func spmmBlocks[T Float](a *CSR[T], columns int) (blocks int, start func(b int) int) {
	// A row costs its entries and one more, for clearing it.
	weight := func(i int) int { return int(a.Ptr[i]-a.Ptr[0]) + i }
	total := weight(a.Rows)
	task := min(max(total*columns/spmmTasks, spmmLeast), spmmTask)
	blocks = min(a.Rows, 1+total/max(1, task/columns))
	return blocks, func(b int) int {
		if b == blocks {
			return a.Rows
		}
		share := int(float64(total) / float64(blocks) * float64(b))
		return sort.Search(a.Rows, func(i int) bool { return weight(i) >= share })
	}
}

// spmmBlock computes the rows lo to hi, all rows between two long ones in one call.
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

// spmmSegments computes row i. All segments of its entries but the first add to dst, and c·z comes
// last.
func spmmSegments[T Float](ctx context.Context, i, segment int, dst Matrix[T], a *CSR[T], x Matrix[T], c T, z Matrix[T]) {
	out := View(dst, i, 0, 1, dst.Cols)
	var last []T
	if z.Rows > 0 {
		buffer := borrow[T](z.Cols) // z may be dst
		defer giveBack(buffer)
		last = *buffer
		copy(last, z.Row(i))
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
		m, ok := expansions[T]().Get().(*CSR[T])
		if !ok {
			m = new(CSR[T])
		}
		defer expansions[T]().Put(m)
		for i, end := lo+start(b), lo+start(b+1); i < end && ctx.Err() == nil; {
			rows := 1
			for i+rows < end && a.Ptr[i+rows+1]-a.Ptr[i] <= patternEntries {
				rows++
			}
			m.expand(a, i, rows, mean)
			var add Matrix[T]
			if z.Rows > 0 {
				add = Rows(z, i-lo, i-lo+rows)
			}
			spmmBlock(ctx, 0, rows, Rows(dst, i-lo, i-lo+rows), m, x, c, add)
			i += rows
		}
	})
}

// The pools keep some rows of a pattern with their values, which are written and read again while they
// are in the first cache.
var expansions32, expansions64 sync.Pool

func expansions[T Float]() *sync.Pool {
	if isDouble[T]() {
		return &expansions64
	}
	return &expansions32
}

// expand makes m some rows of a pattern, or of D⁻¹(A+I), in the storage that it has.
func (m *CSR[T]) expand(a *CSR[float64], first, rows int, mean bool) {
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
