package cluster

import (
	"cmp"
	"context"
	"math"
	"slices"

	"coles/internal/given"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

const (
	// lloydRows rows, or four for each cluster if that is more, are summed up on their own.
	lloydRows = 2048

	// lloydProducts bounds how many products of rows and centres are held at a time.
	lloydProducts = 1 << 15

	// To copy a row takes as long as to multiply it with lloydCopy centres. Fewer than lloydNarrow take
	// no less time.
	lloydCopy, lloydNarrow = 20, 16
)

// A lloyd is one start of k-means. A row is not compared with the centres again where they have not
// moved far enough since the last time to change which is nearest (Hamerly 2010), rounding included.
type lloyd[T kernel.Float] struct {
	KMeans
	p       *points[T]
	centres kernel.Matrix[float64] // k × d
	columns kernel.Matrix[T]       // d × k: their transpose
	squares []T                    // ‖centre‖²
	ways    []float64              // of the centres, at the last step
	others  []float64              // the longest way of another centre
	longest float64                // of the squares so far
	eps     float64                // of products and squares, relative to the squared lengths
	labels  []int32                // −1 before the first step
	bounds  []bounds               // of each row
	sums    kernel.Matrix[float64] // of the rows of each cluster
	size    []int                  // rows of each cluster
	block   int                    // rows of a part
	parts   []lloydPart

	iterations         int
	settled, converged bool // settled if no row has moved: the labels fit the centres
}

// bounds are of the distances from a row to centres.
type bounds struct {
	own    float64 // at most, to the centre of its cluster
	others float64 // at least, to any other
}

// lloydPart holds the sums and counts of one block of rows.
type lloydPart struct {
	sums  kernel.Matrix[float64] // of the rows of each cluster
	size  []int
	moved bool // some row to another cluster
}

func newLloyd[T kernel.Float](p *points[T], k KMeans) *lloyd[T] {
	n, d := p.Dims()
	l := &lloyd[T]{KMeans: k, p: p, centres: kernel.Dense[float64](k.Clusters, d),
		squares: make([]T, k.Clusters), ways: make([]float64, k.Clusters), others: make([]float64, k.Clusters), labels: slices.Repeat([]int32{-1}, n), bounds: make([]bounds, n),
		columns: kernel.Unset[T](d, k.Clusters), sums: kernel.Dense[float64](k.Clusters, d), size: make([]int, k.Clusters), block: max(lloydRows, 4*k.Clusters)}
	// Of d products and sums each, and of squares; twice the bound of the first order.
	l.eps = float64(d+4) * 0x1p-23
	if T(1+0x1p-30) > 1 {
		l.eps = float64(d+4) * 0x1p-52
	}
	l.parts = make([]lloydPart, parallel.Pieces(n, l.block))
	for b := range l.parts {
		l.parts[b] = lloydPart{sums: kernel.Dense[float64](k.Clusters, d), size: make([]int, k.Clusters)}
	}
	return l
}

// from puts the centres at the given rows.
func (l *lloyd[T]) from(rows []int) {
	for c, i := range rows {
		l.p.addTo(l.centres.Row(c), i, 1)
	}
}

// descend takes steps until they settle, and leaves each row with its nearest centre.
func (l *lloyd[T]) descend(ctx context.Context) error {
	for !l.converged && l.iterations < l.MaxIterations {
		if err := l.assign(ctx); err != nil {
			return err
		}
		if err := l.step(ctx); err != nil {
			return err
		}
	}
	if l.settled {
		return nil
	}
	return l.assign(ctx)
}

// assign gives each row the nearest centre, the first of equals, and sums up the rows of each.
func (l *lloyd[T]) assign(ctx context.Context) error {
	l.prepare()
	n, rows := l.p.Rows(), max(16, min(256, lloydProducts/l.Clusters))
	return parallel.Ranges(ctx, n, l.block, func(lo, hi int) {
		part := &l.parts[lo/l.block]
		part.moved = false
		var doubtful []int
		for ; lo < hi; lo += rows {
			doubtful = l.doubtful(doubtful[:0], lo, min(hi, lo+rows))
			if l.settle(ctx, part, doubtful, lo, min(hi, lo+rows)) != nil {
				return // the context has ended, which parallel.Ranges reports
			}
		}
	})
}

// settle compares the doubtful rows of [lo, hi) with the centres, or, where they are many, all rows.
func (l *lloyd[T]) settle(ctx context.Context, part *lloydPart, doubtful []int, lo, hi int) error {
	products, release := kernel.Scratch[T](hi-lo, l.Clusters)
	defer release()
	width := max(lloydNarrow, l.Clusters)
	if len(doubtful)*(lloydCopy+width) > (hi-lo)*width {
		if err := l.p.Slice(lo, hi).Times(ctx, products, l.columns); err != nil {
			return err
		}
		for _, i := range doubtful {
			l.choose(part, i, products.Row(i-lo))
		}
		return nil
	}
	few := kernel.Rows(products, 0, len(doubtful))
	if err := l.compare(ctx, doubtful, few); err != nil {
		return err
	}
	for q, i := range doubtful {
		l.choose(part, i, few.Row(q))
	}
	return nil
}

// step moves the centres once all rows have theirs.
func (l *lloyd[T]) step(ctx context.Context) error {
	movement, relocated, err := l.update(ctx)
	l.iterations++
	l.settled = !l.moved() && !relocated
	l.converged = l.settled || movement <= l.Tolerance*l.p.variance
	return err
}

// model is the result of the start; the caller sets the inertia.
func (l *lloyd[T]) model() *KMeansModel {
	m := &KMeansModel{Centres: mat.NewDense(l.Clusters, l.p.Cols(), nil), Of: l.numbers(), Iterations: l.iterations, Converged: l.converged}
	for c := range l.Clusters {
		l.p.original(l.centres.Row(c), m.Centres.RawRowView(c))
	}
	return m
}

// numbers lists the cluster of each row.
func (l *lloyd[T]) numbers() []int {
	numbers := make([]int, len(l.labels))
	for i, c := range l.labels {
		numbers[i] = int(c)
	}
	return numbers
}

// prepare takes from the centres what comparisons need.
func (l *lloyd[T]) prepare() {
	for c := range l.Clusters {
		centre := l.centres.Row(c)
		l.squares[c] = T(given.Dot(centre, centre))
		l.longest = max(l.longest, float64(l.squares[c]))
		for j, v := range centre {
			l.columns.Data[j*l.columns.Stride+c] = T(v)
		}
	}
	for c := range l.others {
		l.others[c] = max(0, matrix.Magnitude(l.ways[:c]), matrix.Magnitude(l.ways[c+1:]))
	}
}

// moved reports whether any row had another centre before.
func (l *lloyd[T]) moved() bool {
	return slices.ContainsFunc(l.parts, func(part lloydPart) bool { return part.moved })
}

// choose gives a row the nearest centre, from its products with all of them.
func (l *lloyd[T]) choose(part *lloydPart, i int, products []T) {
	c, least, second := nearestCentre(products, l.squares)
	square, e := float64(l.p.squares[i]), l.rounding(i)
	l.bounds[i] = bounds{math.Sqrt(max(0, square+float64(least)) + e), math.Sqrt(max(0, square+float64(second)-e))}
	if l.labels[i] != int32(c) {
		part.moved = true
		l.move(part, i, c)
	}
}

// compare sets dst to the products of the given rows with all centres.
func (l *lloyd[T]) compare(ctx context.Context, rows []int, dst kernel.Matrix[T]) error {
	if l.p.Sparse != nil {
		x, err := l.p.Gather(ctx, rows)
		if err != nil {
			return err
		}
		return x.Times(ctx, dst, l.columns)
	}
	x, release := kernel.Scratch[T](len(rows), l.p.Cols())
	defer release()
	for q, i := range rows {
		copy(x.Row(q), l.p.Dense.Row(i))
	}
	return kernel.Gemm(ctx, false, false, 1, x, l.columns, 0, dst)
}

// rounding is more than the square of a distance from row i to a centre can be off.
func (l *lloyd[T]) rounding(i int) float64 {
	return l.eps * (float64(l.p.squares[i]) + l.longest)
}

// doubtful appends the rows of [lo, hi) that may be nearest to another centre than before, after it
// has moved their bounds as far as the centres have moved.
func (l *lloyd[T]) doubtful(rows []int, lo, hi int) []int {
	labels, squares, ways, others := l.labels[lo:hi], l.p.squares[lo:hi], l.ways, l.others
	count := len(rows)
	rows = slices.Grow(rows, hi-lo)[:count+hi-lo]
	for q := range l.bounds[lo:hi] {
		b := &l.bounds[lo+q]
		if c := labels[q]; c >= 0 {
			b.own += ways[c]
			b.others -= others[c]
		}
		rows[count] = lo + q
		// At or below zero where the bounds have crossed.
		apart := (b.others - b.own) * math.Abs(b.others+b.own)
		// By the sign of a difference, since no processor can predict a jump here.
		count += 1 - int(math.Float64bits(2*l.eps*(float64(squares[q])+l.longest)-apart)>>63)
	}
	return rows[:count]
}

// move takes row i out of its cluster, if it has one, and into another.
func (l *lloyd[T]) move(part *lloydPart, i, to int) {
	if from := l.labels[i]; from >= 0 {
		l.p.addTo(part.sums.Row(int(from)), i, -1)
		if part.size[from]--; part.size[from] == 0 {
			clear(part.sums.Row(int(from))) // of rounding
		}
	}
	l.labels[i] = int32(to)
	l.p.addTo(part.sums.Row(to), i, 1)
	part.size[to]++
}

// nearestCentre is the c of the least ‖c‖² − 2x·c, the first of equals, this and the next number. They
// are compared as whole numbers, which takes no branches.
func nearestCentre[T kernel.Float](products, squares []T) (best int, least, second T) {
	squares = squares[:len(products)]
	first, next := ordered(math.Inf(1)), ordered(math.Inf(1))
	for c, product := range products {
		r := ordered(float64(squares[c] - 2*product))
		if r < first {
			best = c
		}
		next = min(next, max(first, r))
		first = min(first, r)
	}
	return best, T(unordered(first)), T(unordered(next))
}

// ordered gives numbers in the same order as in v.
func ordered(v float64) int64 {
	bits := int64(math.Float64bits(v))
	return bits ^ int64(uint64(bits>>63)>>1)
}

// unordered undoes ordered.
func unordered(bits int64) float64 {
	return math.Float64frombits(uint64(bits ^ int64(uint64(bits>>63)>>1)))
}

// update moves each centre to the mean of its rows. It returns the sum of the squares of the ways,
// and whether empty clusters were given rows.
func (l *lloyd[T]) update(ctx context.Context) (movement float64, relocated bool, err error) {
	err = parallel.For(ctx, l.Clusters, func(c int) {
		l.size[c] = 0
		clear(l.sums.Row(c))
		for _, part := range l.parts {
			l.size[c] += part.size[c]
			matrix.AddScaled(l.sums.Row(c), 1, part.sums.Row(c))
		}
	})
	if err != nil {
		return 0, false, err
	}
	if relocated, err = l.relocate(ctx); err != nil {
		return 0, false, err
	}
	for c := range l.Clusters {
		l.ways[c] = 0
		if l.size[c] == 0 {
			continue // fewer distinct rows than clusters
		}
		centre, square := l.centres.Row(c), 0.0
		for j, sum := range l.sums.Row(c) {
			v := sum / float64(l.size[c])
			square += (v - centre[j]) * (v - centre[j])
			centre[j] = v
		}
		l.ways[c] = math.Sqrt(square)
		movement += square
	}
	return movement, relocated, nil
}

// relocate gives every empty cluster one of the rows farthest from their centre, the first of
// equals, and takes it out of the sum of its own. A row alone in its cluster stays, and so does one
// at its centre. It reports whether it moved any.
func (l *lloyd[T]) relocate(ctx context.Context) (moved bool, err error) {
	to := slices.Index(l.size, 0)
	if to < 0 {
		return false, nil
	}
	far, err := l.farthest(ctx)
	if err != nil {
		return false, err
	}
	for _, i := range far {
		from := int(l.labels[i])
		if l.size[from] == 1 {
			continue
		}
		l.p.addTo(l.sums.Row(from), i, -1)
		l.p.addTo(l.sums.Row(to), i, 1)
		l.size[from]--
		l.size[to]++
		moved = true
		if to = slices.Index(l.size, 0); to < 0 {
			break
		}
	}
	return moved, nil
}

// farthest lists the rows that are not where their centre is, those far off first.
func (l *lloyd[T]) farthest(ctx context.Context) ([]int, error) {
	away := make([]float64, l.p.Rows())
	err := parallel.Ranges(ctx, len(away), lloydRows, func(lo, hi int) {
		difference := make([]float64, l.p.Cols())
		for i := lo; i < hi; i++ {
			copy(difference, l.centres.Row(int(l.labels[i])))
			l.p.addTo(difference, i, -1)
			away[i] = given.Dot(difference, difference)
		}
	})
	if err != nil {
		return nil, err
	}
	rows := make([]int, 0, len(away))
	for i, r := range away {
		if r > 0 {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(away[j], away[i]) })
	return rows, nil
}
