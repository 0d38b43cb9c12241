package eval

import (
	"cmp"
	"context"
	"math"
	"slices"

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
}

// bounds are of the distances from a row to centres.
type bounds struct {
	own    float64 // at most, to that of its cluster
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
	l := &lloyd[T]{KMeans: k, p: p, centres: kernel.Dense[float64](k.Clusters, d), columns: kernel.Dense[T](d, k.Clusters),
		squares: make([]T, k.Clusters), ways: make([]float64, k.Clusters), others: make([]float64, k.Clusters), labels: slices.Repeat([]int32{-1}, n), bounds: make([]bounds, n),
		sums: kernel.Dense[float64](k.Clusters, d), size: make([]int, k.Clusters), block: max(lloydRows, 4*k.Clusters)}
	// Of d products and sums each, and those of squares; twice the bound of the first order.
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

// run is a start from centres at the given rows; the model's inertia is left to be set.
func (l *lloyd[T]) run(ctx context.Context, rows []int) (*KMeansModel, error) {
	for c, i := range rows {
		l.p.addTo(l.centres.Row(c), i, 1)
	}
	return l.descend(ctx)
}

// descend takes steps from the centres there are until they settle.
func (l *lloyd[T]) descend(ctx context.Context) (*KMeansModel, error) {
	m := &KMeansModel{}
	settled := false // no row has moved: the labels are those of the centres
	for !settled && !m.Converged && m.Iterations < l.MaxIterations {
		moved, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		movement, relocated, err := l.update(ctx)
		if err != nil {
			return nil, err
		}
		m.Iterations++
		settled = !moved && !relocated
		m.Converged = settled || movement <= l.Tolerance*l.p.variance
	}
	if !settled {
		if _, err := l.assign(ctx); err != nil {
			return nil, err
		}
	}
	m.Centres = mat.NewDense(l.Clusters, l.p.Cols(), nil)
	for c := range l.Clusters {
		l.p.original(l.centres.Row(c), m.Centres.RawRowView(c))
	}
	m.Labels = l.numbers()
	return m, nil
}

// numbers lists the cluster of each row.
func (l *lloyd[T]) numbers() []int {
	numbers := make([]int, len(l.labels))
	for i, c := range l.labels {
		numbers[i] = int(c)
	}
	return numbers
}

// assign gives each row the nearest centre, the first of equals, and sums up the rows of each. It
// reports whether any row had another centre before.
func (l *lloyd[T]) assign(ctx context.Context) (moved bool, err error) {
	for c := range l.Clusters {
		centre := l.centres.Row(c)
		l.squares[c] = T(dot(centre, centre))
		l.longest = max(l.longest, float64(l.squares[c]))
		for j, v := range centre {
			l.columns.Data[j*l.Clusters+c] = T(v)
		}
	}
	for c := range l.others {
		l.others[c] = max(0, matrix.Magnitude(l.ways[:c]), matrix.Magnitude(l.ways[c+1:]))
	}
	err = parallel.Ranges(ctx, l.p.Rows(), l.block, func(lo, hi int) {
		l.assignBlock(ctx, lo, hi, &l.parts[lo/l.block])
	})
	for _, part := range l.parts {
		moved = moved || part.moved
	}
	return moved, err
}

func (l *lloyd[T]) assignBlock(ctx context.Context, lo, hi int, part *lloydPart) {
	part.moved = false
	few := max(16, min(192, lloydProducts/l.Clusters))
	products, release := kernel.Scratch[T](few, l.Clusters)
	defer release()
	for rows := range slices.Chunk(l.doubtful(lo, hi), few) {
		tile := kernel.Rows(products, 0, len(rows))
		if err := l.compare(ctx, rows, tile); err != nil {
			return // the context has ended, which parallel.Ranges reports
		}
		for q, i := range rows {
			c, least, second := nearestCentre(tile.Row(q), l.squares)
			square, e := float64(l.p.squares[i]), l.rounding(i)
			l.bounds[i] = bounds{math.Sqrt(max(0, square+float64(least)) + e), math.Sqrt(max(0, square+float64(second)-e))}
			if l.labels[i] != int32(c) {
				part.moved = true
				l.move(part, i, c)
			}
		}
	}
}

// compare sets dst to the products of the given rows, ascending, with all centres.
func (l *lloyd[T]) compare(ctx context.Context, rows []int, dst kernel.Matrix[T]) error {
	first, behind := rows[0], rows[len(rows)-1]+1
	if behind-first == len(rows) {
		return l.p.Slice(first, behind).Times(ctx, dst, l.columns)
	}
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

// doubtful lists the rows of [lo, hi) that may be nearest to another centre than before, after it
// has moved their bounds as far as the centres have moved.
func (l *lloyd[T]) doubtful(lo, hi int) []int {
	rows := make([]int, 0, hi-lo)
	for i := lo; i < hi; i++ {
		b := &l.bounds[i]
		if c := l.labels[i]; c >= 0 {
			b.own += l.ways[c]
			b.others -= l.others[c]
		}
		if !(b.others > b.own && (b.others-b.own)*(b.others+b.own) > 2*l.rounding(i)) {
			rows = append(rows, i)
		}
	}
	return rows
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

// nearestCentre is the c of the least ‖c‖² − 2x·c, the first of equals, this and the next number.
func nearestCentre[T kernel.Float](products, squares []T) (best int, least, second T) {
	squares = squares[:len(products)]
	least, second = T(math.Inf(1)), T(math.Inf(1))
	for c, product := range products {
		if r := squares[c] - 2*product; r < second {
			if r < least {
				best, least, second = c, r, least
			} else {
				second = r
			}
		}
	}
	return best, least, second
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
			away[i] = dot(difference, difference)
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
